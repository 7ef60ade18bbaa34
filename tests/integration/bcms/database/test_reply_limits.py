"""A thread gives up a database that does not reply within the limit of the thread or process, whatever it asked."""

import io
import os
import signal
import subprocess
import sys
from contextlib import closing

import psycopg2
import pytest
from django.conf import settings
from django.db import connection

from bcms.celery import ReplyLimitStep, app
from bcms.database import base, reply_limits
from bcms.database.limited_connections import LimitedConnection, LimitedCursor
from bcms.database.reply_limits import (
    COMMAND_SECONDS,
    NO_LIMIT,
    WORKER_SECONDS,
    get_limit_of_thread,
    limit_reply,
    set_limit_of_process,
    set_limit_of_thread,
    shorten_limit_of_thread,
)
from tests.relay import Relay

# Far below the limit of a test, far above what a busy machine needs for SELECT 1.
SECONDS = 1.0


@pytest.fixture
def relay():
    database = settings.DATABASES["default"]
    relay = Relay(database["HOST"], database["PORT"])
    yield relay
    relay.close()


@pytest.fixture
def limited(relay):
    """A connection through the relay."""
    database = settings.DATABASES["default"]
    opened = psycopg2.connect(
        host="127.0.0.1",
        port=relay.port,
        user=database["USER"],
        password=database["PASSWORD"],
        dbname="postgres",
        connection_factory=LimitedConnection,
        cursor_factory=LimitedCursor,
    )
    with closing(opened):
        yield opened


def begin(limited):
    limited.cursor().execute("SELECT 1")
    return limited


def open_named(limited):
    named = limited.cursor("rows")
    named.execute("SELECT generate_series(1, 10)")
    assert named.fetchone() == (1,)
    return named


@pytest.mark.parametrize(
    ("prepare", "ask"),
    [
        (lambda limited: limited.cursor(), lambda cursor: cursor.execute("SELECT 1")),
        (lambda limited: limited.cursor(), lambda cursor: cursor.executemany("SELECT %s", [(1,), (2,)])),
        (
            lambda limited: limited.cursor(),
            lambda cursor: cursor.copy_expert("COPY (SELECT 1) TO STDOUT", io.StringIO()),
        ),
        (begin, lambda limited: limited.commit()),
        (begin, lambda limited: limited.rollback()),
        (open_named, lambda named: named.fetchone()),
        (open_named, lambda named: named.fetchmany(5)),
        (open_named, lambda named: named.fetchall()),
        (open_named, lambda named: named.close()),
    ],
    ids=["execute", "executemany", "copy", "commit", "rollback", "fetchone", "fetchmany", "fetchall", "close"],
)
def test_it_gives_up_a_database_that_does_not_reply(relay, limited, prepare, ask):
    asked = prepare(limited)
    set_limit_of_thread(SECONDS)
    relay.pause()

    with pytest.raises(psycopg2.OperationalError, match=r"^The database did not reply within 1 s\.$"):
        ask(asked)
    assert limited.closed


def test_it_leaves_alone_what_replies_in_time(limited):
    set_limit_of_thread(60)
    with limited.cursor("rows") as named:
        named.execute("SELECT generate_series(1, 10)")
        assert named.fetchmany(2) == [(1,), (2,)]
        assert len(named.fetchall()) == 8
    with limited.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE numbers (number int)")
        cursor.copy_expert("COPY numbers FROM STDIN", io.StringIO("1\n2\n"))
        cursor.execute("SELECT sum(number) FROM numbers")
        assert cursor.fetchone() == (3,)
    limited.rollback()
    assert not limited.closed


def test_it_reports_the_error_of_a_statement_as_it_is(limited):
    set_limit_of_thread(60)

    with pytest.raises(psycopg2.errors.DivisionByZero):
        limited.cursor().execute("SELECT 1 / 0")


def test_it_shortens_a_limit_and_gives_none_to_a_thread_without():
    with shorten_limit_of_thread(2):
        assert get_limit_of_thread() is None
    set_limit_of_thread(5)
    with shorten_limit_of_thread(2):
        assert get_limit_of_thread() == 2
        with shorten_limit_of_thread(3):
            assert get_limit_of_thread() == 2
    assert get_limit_of_thread() == 5


@pytest.fixture
def limit_of_process():
    yield set_limit_of_process
    set_limit_of_process(None)


def test_a_thread_without_a_limit_has_that_of_the_process(relay, limited, limit_of_process):
    limit_of_process(SECONDS)
    relay.pause()

    with pytest.raises(psycopg2.OperationalError, match=r"^The database did not reply within 1 s\.$"):
        limited.cursor().execute("SELECT 1")
    set_limit_of_thread(60)
    assert limit_reply(limited).seconds == 60


def test_workers_have_a_limit(limited, limit_of_process):
    assert limit_reply(limited) is NO_LIMIT
    assert ReplyLimitStep in app.steps["worker"]
    ReplyLimitStep(app).create(app)
    assert limit_reply(limited).seconds == WORKER_SECONDS


def test_commands_have_a_limit():
    program = "from bcms.database.reply_limits import limit_reply; print(limit_reply(None).seconds)"
    command = [sys.executable, "manage.py", "shell", "--no-imports", "--command", program]
    done = subprocess.run(command, cwd=settings.BASE_DIR, env=os.environ, capture_output=True, text=True, check=True)
    assert done.stdout == f"{COMMAND_SECONDS}\n"


def test_a_forked_process_does_not_wait_for_a_thread_of_its_parent(limited):
    set_limit_of_thread(60)
    with reply_limits._watch.lock:
        child = os.fork()
        if child == 0:
            # Ends the child if it waits for the lock.
            signal.alarm(10)
            with limit_reply(limited):
                os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_other_threads_than_those_of_pages_wait_longer_for_a_connection():
    params = connection.get_connection_params()

    assert params["connection_factory"] is LimitedConnection
    assert (params["connect_timeout"], params["keepalives_idle"]) == (base.CONNECT_SECONDS, 30)
    assert params["options"] == "-c jit=off"


def test_threads_with_a_limit_have_statements_ended_by_the_server_too():
    set_limit_of_thread(4)
    params = connection.get_connection_params()

    assert params["connect_timeout"] == base.PAGE_CONNECT_SECONDS
    params = {name: value for name, value in params.items() if name != "dbname"} | {"dbname": "postgres"}
    with closing(psycopg2.connect(**params)) as opened, opened.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('statement_timeout'), current_setting('client_connection_check_interval'), "
            "current_setting('jit')"
        )
        assert cursor.fetchone() == ("1min", "1s", "off")

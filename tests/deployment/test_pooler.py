"""Pages through PgBouncer: what relies on a session of the database works there, or does without."""

import signal

import psutil
import pytest

from tests.deployment.running import wait_until
from tests.deployment.visitor import Visitor

pytestmark = pytest.mark.long

PIECES, PIECE_BYTES = 120, 1 << 20
# An archive that is ready, of random bytes: nothing shrinks on its way.
STORE_ARCHIVE = f"""
INSERT INTO evaluation_challengearchive (challenge_id, begun, done, total, finished, failed, size, sha256)
SELECT id, 1, 1, 1, now(), false, {PIECES * PIECE_BYTES}, '' FROM evaluation_challenge;
INSERT INTO evaluation_archivepiece (archive_id, number, body)
SELECT archive.id, number,
    (SELECT string_agg(sha256(convert_to(number || '-' || part, 'UTF8')), ''::bytea)
     FROM generate_series(1, {PIECE_BYTES // 32}) part)
FROM evaluation_challengearchive archive, generate_series(1, {PIECES}) number;
"""
ARTICLE = b"900001|t|Article of CDH1\n900001|a|In cells.\n"


def list_web_processes(deployment):
    leaders = [psutil.Process(deployment.parts[part].process.pid) for part in ("web-1", "web2-1")]
    return [process for leader in leaders for process in (leader, *leader.children(recursive=True))]


def measure_web_memory(deployment):
    """The bytes of memory that each web process does not share with others, by its number."""
    return {process.pid: process.memory_full_info().uss for process in list_web_processes(deployment)}


def query_through_pooler(deployment, statement):
    return deployment.query("bcms", f"--command={statement}", port=deployment.ports["pooler:6432"]).split()


def test_the_connections_of_pages_have_their_settings(deployment):
    names = ("jit", "statement_timeout", "client_connection_check_interval")
    told = [query_through_pooler(deployment, f"SHOW {name}") for name in names]

    assert told == [["off"], ["1min"], ["1s"]]


@pytest.fixture(scope="module")
def olga(deployment):
    """The organizer of the challenge."""
    visitor = Visitor(deployment.url, deployment.certificate)
    visitor.log_in("olga")
    return visitor


def test_an_archive_is_read_from_the_database_in_portions(deployment, olga):
    deployment.query("bcms", f"--command={STORE_ARCHIVE}")
    before, grown, received = measure_web_memory(deployment), 0, 0
    with olga.get("/challenges/example/archive/file/", stream=True) as reply:
        for number, data in enumerate(reply.iter_content(1 << 18)):
            received += len(data)
            if number % 40 == 0:
                now = measure_web_memory(deployment)
                grown = max(grown, *(now[process] - before.get(process, 0) for process in now))

    assert received == PIECES * PIECE_BYTES
    assert grown < received / 2


def test_an_article_is_uploaded_and_no_lock_stays_behind(deployment, olga):
    page = olga.post("/articles/upload/", files={"file": ("one.pubtator", ARTICLE)}).text

    assert "900001" in page
    held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid BETWEEN 20100000 AND 20200000"
    wait_until(lambda: deployment.query("bcms", f"--command={held}").split() == ["0"], "no worker holds a lock")


def test_a_stopped_database_does_not_hold_pages(deployment, manager):
    """Visitors still get what the web process that answers has shown, one of several."""
    newcomers = [Visitor(deployment.url, deployment.certificate) for _ in range(20)]
    known = {each.read("/challenges/") for each in newcomers}
    leader = psutil.Process(deployment.parts["database"].process.pid)
    stopped = [leader, *leader.children(recursive=True)]
    for process in stopped:
        process.suspend()
    try:
        replies = [manager.get("/articles/") for _ in range(3)]
        assert [reply.status_code for reply in replies] == [503] * 3
        assert {reply.headers["Retry-After"] for reply in replies} == {"10"}
        shown = [each.get("/challenges/") for each in newcomers]
        assert {reply.text for reply in shown if reply.ok} == known
    finally:
        for process in stopped:
            process.send_signal(signal.SIGCONT)
    wait_until(lambda: manager.get("/articles/").ok, "the site answers again")

"""Connections through a pooler: nothing relies on their session. tests/deployment/test_pooler.py has a real pooler."""

import pytest
from django.db import connection
from django.http import FileResponse, HttpResponse, StreamingHttpResponse

from annotations.advisory_locks import try_advisory_lock
from bcms.database.known_outage import known_outage
from bcms.database.reply_limits import set_limit_of_thread
from bcms.middleware.streamed_transactions import StreamedTransactionMiddleware

LOCK = 20_199_999
HELD = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s"


@pytest.fixture
def pooled(transactional_db):
    connection.close()
    connection.settings_dict["POOLED"] = True
    known_outage.record_success()
    yield
    set_limit_of_thread(None)
    connection.close()
    connection.settings_dict["POOLED"] = False


def count_held_locks():
    with connection.cursor() as cursor:
        cursor.execute(HELD, [LOCK])
        return cursor.fetchone()[0]


def test_it_sets_nothing_for_a_session(pooled):
    for seconds in (None, 60):
        set_limit_of_thread(seconds)
        assert "options" not in connection.get_connection_params()


def test_pages_ask_whether_the_database_behind_the_pooler_answers(pooled):
    set_limit_of_thread(60)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)


def test_it_reads_in_portions_within_a_transaction_only(pooled):
    def stream():
        with connection.chunked_cursor() as cursor:
            yield cursor.cursor.name

    middleware = StreamedTransactionMiddleware(lambda request: StreamingHttpResponse(stream()))

    assert list(stream()) == [None]
    assert b"".join(middleware(None).streaming_content).startswith(b"_django_curs_")
    assert not connection.in_atomic_block


def test_a_reader_who_goes_away_ends_the_transaction(pooled):
    middleware = StreamedTransactionMiddleware(lambda request: StreamingHttpResponse(iter([b"a", b"b"])))
    response = middleware(None)

    assert next(response.streaming_content) == b"a" and connection.in_atomic_block
    response.close()
    assert not connection.in_atomic_block


@pytest.mark.parametrize("response", [HttpResponse("a"), FileResponse(iter([b"a"]))], ids=["page", "file"])
def test_other_answers_hold_no_transaction(pooled, response):
    assert StreamedTransactionMiddleware(lambda request: response)(None) is response
    b"".join(response)
    assert not connection.in_atomic_block


def test_a_lock_lasts_as_long_as_the_transaction_of_its_block(pooled):
    with try_advisory_lock(LOCK) as acquired:
        assert acquired and connection.in_atomic_block and count_held_locks() == 1
    assert count_held_locks() == 0 and not connection.in_atomic_block


def test_without_a_pooler_a_lock_lasts_longer_than_transactions(transactional_db):
    with try_advisory_lock(LOCK) as acquired:
        assert acquired and not connection.in_atomic_block and count_held_locks() == 1
    assert count_held_locks() == 0

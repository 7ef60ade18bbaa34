"""The serial loop against a real annotation server: claim, ask, judge, store, and what every failure leaves behind."""

import time
from contextlib import closing
from datetime import timedelta
from functools import partial
from types import SimpleNamespace

import pytest
from django.db import DataError, OperationalError, connection
from django.db.models.functions import Now

from annotations.articles.models import Corpus
from annotations.identifiers.models import Entry
from annotations.results.models import Annotation, Result
from annotations.schema import EntityId, Kind, Span, make_mention
from bcms.lib.http import client
from servers.availability import probe_schedule
from servers.calls import claim, loop
from servers.calls.leases import lease
from servers.calls.models import Attempt, Call, Queue
from servers.calls.outcomes import call_end
from servers.calls.queues import contents
from servers.calls.states import CallState, Outcome, QueueMode, QueueState
from servers.protocols.annotation_requests import ServerAnswer
from servers.registry import lifecycle
from servers.registry.models import Server
from tests.annotator import Annotator
from tests.integration.article_cast import read_version
from tests.integration.evaluation_cast import hide_article
from tests.integration.server_cast import put_in_flight
from tests.taskserver import TaskServer

# Committed, as the heartbeat looks at the leases on a connection of its own and cuts the calls of those it cannot see.
pytestmark = pytest.mark.django_db(transaction=True)

GOOD = {
    "mentions": [{"section": "title", "offset": 8, "mention": "CDH1", "confidence": 0.9}],
    "normalizations": [{"dbname": "UniProt", "dbid": "P12830", "taxid": 9606, "confidence": 0.8}],
}


@pytest.fixture
def queue(server, article):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    return queue


def serve_against(server: Server, behave) -> Annotator:
    with Annotator(behave) as annotator:
        Server.objects.filter(pk=server.pk).update(url=annotator.url)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        annotator.word = loop.run_slices_if_slot_and_lease_free(server.pk)
    return annotator


def test_a_link_that_does_not_exist_is_omitted_and_its_mention_is_stored():
    Entry.objects.create(database="ncbigene", identifier="99999999", exists=False)
    known, lost = EntityId("ncbigene", "999"), EntityId("ncbigene", "99999999")
    mentions = [make_mention([Span(8, 12)], "CDH1", "Gene", links) for links in ([known], [known, lost])]
    answer = ServerAnswer(mentions, [], [])
    ending = loop.check_answer_identifiers_and_build_ending(answer)
    assert (ending.outcome, ending.broken) == (Outcome.ANSWERED, [])
    assert ending.answer.annotations == [mentions[0], mentions[0]]
    [omitted] = ending.answer.omitted.parts
    assert omitted.where == "mention[1].identifiers"
    assert "no entry 99999999" in omitted.reason and "stored without this link" in omitted.reason
    assert answer.omitted.count == 0


def test_it_stores_an_answer_and_finishes_the_call(server, queue, article):
    annotator = serve_against(server, lambda sent: GOOD)
    call = Call.objects.get()
    assert (annotator.word, call.state, call.tries) == ("idle", CallState.ANSWERED, 1)
    assert annotator.asked[0]["id"] == "10000001"
    rows = Annotation.objects.order_by("result__kind").values_list("result__kind", "start", "end", "identifier")
    assert list(rows) == [("mention", 8, 12, ""), ("normalization", None, None, "P12830")]
    assert Queue.objects.get().state == QueueState.DONE


def test_it_keeps_the_reply_byte_for_byte(server, queue):
    import zlib

    serve_against(server, lambda sent: GOOD)
    reply = Result.objects.first().reply
    assert b"<name>mentions</name>" in zlib.decompress(reply.body)
    assert Result.objects.values("reply").distinct().count() == 1


def test_it_keeps_which_version_answered_as_the_team_stated_it(server, queue):
    Server.objects.update(stated_version="1.0")
    serve_against(server, lambda sent: GOOD)
    assert set(Result.objects.values_list("stated_version", flat=True)) == {"1.0"}


def test_it_believes_the_server_more_than_its_team(server, queue):
    with TaskServer(lambda asked: (200, {}, {"annotations": {}, "version": "2.5"})) as rest:
        Server.objects.update(url=rest.url, protocol=Server.Protocol.REST, stated_version="1.0")
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    assert set(Result.objects.values_list("stated_version", flat=True)) == {"2.5"}
    assert Server.objects.get().stated_version == "2.5"


def test_it_stores_a_result_of_every_registered_kind_even_when_empty(server, queue):
    serve_against(server, lambda sent: {})
    assert Call.objects.get().state == CallState.EMPTY
    assert sorted(Result.objects.values_list("kind", flat=True)) == ["mention", "normalization"]


def test_it_refuses_an_identifier_that_is_known_not_to_exist(server, queue):
    Entry.objects.create(database="uniprot", identifier="P12830", exists=False)
    serve_against(server, lambda sent: GOOD)
    assert Attempt.objects.get().broken_rules[0]["code"] == "R301"
    assert "P12830" in Call.objects.get().reason


def test_it_says_which_accession_an_entry_name_is(server, queue):
    Entry.objects.create(database="uniprot", identifier="CADH1_HUMAN", exists=True, successors=["P12830"])
    said = [{"dbname": "UniProt", "dbid": name} for name in ("CADH1_HUMAN", "P53_HUMAN")]
    serve_against(server, lambda sent: {"normalizations": said})
    known, unknown = Attempt.objects.get().broken_rules
    assert (known["code"], unknown["code"]) == ("R112", "R112")
    assert known["mend"].endswith("According to our tables, CADH1_HUMAN is P12830.")
    assert "According to our tables" not in unknown["mend"]


def test_it_accepts_an_identifier_that_nobody_has_checked(server, queue):
    serve_against(server, lambda sent: GOOD)
    assert Call.objects.get().state == CallState.ANSWERED


def test_it_says_busy_when_another_loop_serves(server, queue):
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    assert lease.acquire_free_lease_of_working_server(server.pk)
    assert loop.run_slices_if_slot_and_lease_free(server.pk) == "busy"


def test_it_asks_nothing_of_a_server_that_is_offline(server, queue):
    assert loop.run_slices_if_slot_and_lease_free(server.pk) == "busy"
    assert not Attempt.objects.exists()


def test_it_discards_an_answer_that_comes_after_the_lease_was_lost(server, queue):
    def steal(sent):
        take_over(server)
        # The annotator answers in a thread of its own, and so with a connection of its own.
        connection.close()
        return GOOD

    annotator = serve_against(server, steal)
    assert annotator.word == "lost"
    assert not Result.objects.exists()


def take_over(server):
    """What another worker does once the lease has expired."""
    Server.objects.filter(pk=server.pk).update(lease_until=Now() - timedelta(seconds=1))
    assert lease.acquire_free_lease_of_working_server(server.pk)


def freeze_before(monkeypatch, module, name, meanwhile=lambda: None):
    """Let ten minutes pass before the function is called for the first time, in which something else happens."""
    original, passed = getattr(module, name), []

    def freeze_and_run(*args):
        if not passed:
            passed.append(600.0)
            meanwhile()
        return original(*args)

    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + sum(passed))
    for user_of_clock in (lease, claim):
        monkeypatch.setattr(user_of_clock, "time", clock)
    monkeypatch.setattr(module, name, freeze_and_run)


# While the database answers the claim, while the request is built, and while the connection is made.
FREEZES = [(claim, "_build_claim"), (loop, "build_claim_request"), (client, "connect_to_first_reachable_address")]


@pytest.mark.parametrize(("module", "name"), FREEZES)
def test_it_does_not_ask_when_it_was_frozen_until_the_lease_was_lost(server, queue, monkeypatch, module, name):
    freeze_before(monkeypatch, module, name, partial(take_over, server))
    annotator = serve_against(server, lambda sent: GOOD)
    assert (annotator.word, annotator.asked) == ("lost", [])
    assert Call.objects.get().state == CallState.ASKING


@pytest.mark.parametrize(("module", "name"), FREEZES)
def test_it_asks_when_it_was_frozen_and_nobody_took_its_place(server, queue, monkeypatch, module, name):
    freeze_before(monkeypatch, module, name)
    assert serve_against(server, lambda sent: GOOD).word == "idle"
    assert Call.objects.get().state == CallState.ANSWERED


def test_it_does_not_probe_when_it_was_frozen_until_the_lease_was_lost(server, monkeypatch):
    freeze_before(monkeypatch, client, "connect_to_first_reachable_address", partial(take_over, server))
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    with Annotator(lambda sent: GOOD) as annotator:
        Server.objects.filter(pk=server.pk).update(url=annotator.url)
        assert probe_schedule.probe_server_and_resume_queues_unless_busy(server.pk) == "lost"
    assert annotator.asked == []


def test_it_gives_back_the_call_of_a_crashed_worker_and_charges_no_try(server, queue):
    call = Call.objects.get()
    put_in_flight(call)
    Attempt.objects.create(call=call, server=call.server, number=1)
    serve_against(server, lambda sent: GOOD)
    assert list(Attempt.objects.order_by("number").values_list("outcome", flat=True)) == [
        Outcome.LOST,
        Outcome.ANSWERED,
    ]
    assert Call.objects.get().tries == 1


def test_it_gives_a_call_up_that_ended_five_workers_in_a_row(server, queue):
    call = Call.objects.get()
    Attempt.objects.bulk_create(
        Attempt(call=call, server=call.server, number=n, outcome=Outcome.LOST) for n in range(1, 6)
    )
    Call.objects.update(begun_attempts=5)
    annotator = serve_against(server, lambda sent: GOOD)
    call, last = Call.objects.get(), Attempt.objects.latest("number")
    assert (annotator.asked, call.state, call.tries) == ([], CallState.FAILED, 0)
    assert (last.outcome, last.diagnosis) == (Outcome.OUR_FAULT, "workers-lost")
    assert "crashed 5 times in a row" in call.reason


@pytest.mark.parametrize(
    "outcomes",
    [
        [Outcome.LOST, Outcome.LOST],
        [Outcome.OUR_FAULT, Outcome.LOST],
        [Outcome.LOST, Outcome.CONNECTION, Outcome.LOST],
    ],
)
def test_it_gives_a_test_call_up_that_ended_two_workers_so_that_its_server_gains_no_time(server, article, outcomes):
    add_test_call_with_attempts(server, article, outcomes)
    annotator = serve_against(server, lambda sent: GOOD)
    call, last = Call.objects.get(), Attempt.objects.latest("number")
    assert (annotator.asked, call.state, call.tries) == ([], CallState.FAILED, 0)
    assert (last.outcome, last.diagnosis) == (Outcome.OUR_FAULT, "workers-lost")
    assert "in a test an article is sent once more only" in call.reason
    assert (Queue.objects.get().state, Server.objects.get().failures_running) == (QueueState.DONE, 0)


def test_it_sends_a_test_article_once_more_after_a_worker_ended(server, article):
    add_test_call_with_attempts(server, article, [Outcome.LOST])
    assert len(serve_against(server, lambda sent: GOOD).asked) == 1
    assert Call.objects.get().state == CallState.ANSWERED


def test_it_gives_a_test_call_up_that_ended_a_worker_and_then_could_not_be_stored(server, article, monkeypatch):
    def refuse(*args, **also):
        raise DataError("value out of range")

    monkeypatch.setattr(call_end, "store_results_superseding_earlier", refuse)
    add_test_call_with_attempts(server, article, [Outcome.LOST])
    assert len(serve_against(server, lambda sent: GOOD).asked) == 1
    assert Call.objects.get().state == CallState.FAILED


def add_test_call_with_attempts(server, article, outcomes):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.TEST, "test")
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    call = Call.objects.get()
    Attempt.objects.bulk_create(
        Attempt(call=call, server=call.server, number=number, outcome=outcome)
        for number, outcome in enumerate(outcomes, 1)
    )
    Call.objects.update(begun_attempts=len(outcomes))


def test_it_sends_the_opaque_id_and_no_pmid_in_a_test_queue(server, article):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.TEST, "test")
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    annotator = serve_against(server, lambda sent: GOOD)
    assert annotator.asked[0]["id"] == article.opaque
    assert "10000001" not in str(annotator.asked[0])


def test_it_sends_no_pmid_of_a_blind_article_in_any_queue(server, queue, article):
    hide_article(article, Corpus.objects.create(slug="test", name="Test", blind=True))
    annotator = serve_against(server, lambda sent: GOOD)
    assert annotator.asked[0]["id"] == article.opaque
    assert "10000001" not in str(annotator.asked[0])


def test_it_waits_when_an_answer_cannot_be_stored(server, queue, monkeypatch):
    """A fault of ours after the answer came: not asked again without a wait, no try charged, and the team is told."""

    def refuse(*args, **also):
        raise DataError("value out of range")

    monkeypatch.setattr(call_end, "store_results_superseding_earlier", refuse)
    annotator = serve_against(server, lambda sent: GOOD)
    call, attempt = Call.objects.get(), Attempt.objects.get()
    assert (annotator.word, len(annotator.asked)) == ("idle", 1)
    assert (call.state, call.tries, attempt.outcome) == (CallState.WAITING, 0, Outcome.OUR_FAULT)
    assert "our" in attempt.diagnosis


def test_it_stores_the_answer_when_the_database_dropped_the_connection_meanwhile(server, queue, monkeypatch):
    store, times = call_end.store_results_superseding_earlier, []

    def drop_once(*args, **also):
        times.append(1)
        if len(times) == 1:
            drop()
        return store(*args, **also)

    monkeypatch.setattr(call_end, "store_results_superseding_earlier", drop_once)
    annotator = serve_against(server, lambda sent: GOOD)
    assert (annotator.word, len(annotator.asked)) == ("idle", 1)
    assert (Attempt.objects.get().outcome, Call.objects.get().state) == (Outcome.ANSWERED, CallState.ANSWERED)
    assert Result.objects.count() == 2


def test_it_gives_the_server_back_when_the_database_drops_it_again_and_again(server, queue, monkeypatch):
    """The call was cut off, as by the death of the worker: asked again at once, and no fault of anybody."""
    with monkeypatch.context() as patched, pytest.raises(OperationalError):
        patched.setattr(call_end, "store_results_superseding_earlier", drop)
        serve_against(server, lambda sent: GOOD)
    assert (Server.objects.get().lease_token, Call.objects.get().state) == (None, CallState.ASKING)
    serve_against(server, lambda sent: GOOD)
    assert list(Attempt.objects.order_by("pk").values_list("outcome", flat=True)) == [Outcome.LOST, Outcome.ANSWERED]


@pytest.fixture
def widened_columns():
    """Widens the columns that stored Results return, as a migration by another process."""
    widen = "ALTER TABLE annotations_result ALTER kind TYPE varchar({})"
    yield lambda: execute_on_new_connection(widen.format(15))
    execute_on_new_connection(widen.format(14))
    # What it has prepared does not fit any more.
    connection.close()


def execute_on_new_connection(statement):
    with closing(connection.copy()) as other, other.cursor() as cursor:
        cursor.execute(statement)


def test_it_loses_no_answer_when_a_migration_changes_the_columns_of_a_prepared_statement(
    server, queue, article, widened_columns
):
    serve_against(server, lambda sent: GOOD)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])

    def widen_and_answer(sent):
        widened_columns()
        return GOOD

    annotator = serve_against(server, widen_and_answer)
    assert (annotator.word, len(annotator.asked)) == ("idle", 1)
    assert set(Attempt.objects.values_list("outcome", flat=True)) == {Outcome.ANSWERED}
    assert Result.objects.filter(superseded__isnull=True).count() == 2


def drop(*args, **also):
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")


def test_it_keeps_test_annotations_from_the_public(server, article):
    assert contents.get_or_create_queue_and_producer(server, QueueMode.LIVE).producer.public
    assert not contents.get_or_create_queue_and_producer(server, QueueMode.TRAINING, "training").producer.public


def test_it_supersedes_the_older_result_and_keeps_it(server, queue, article):
    serve_against(server, lambda sent: GOOD)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    serve_against(server, lambda sent: {})
    assert Result.objects.count() == 4
    assert Result.objects.filter(superseded__isnull=True, kind=Kind.MENTION).get().annotations.count() == 0
    assert Annotation.objects.count() == 2


def test_it_tells_the_pages_of_the_article(server, queue, article):
    before = read_version(article)
    serve_against(server, lambda sent: GOOD)
    assert read_version(article) > before


def test_it_ends_its_slice_when_the_worker_stops(server, queue, article):
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    assert loop.run_slices_if_slot_and_lease_free(server.pk, should_stop=lambda: True) == "more"
    assert Call.objects.get().state == CallState.WAITING
    assert Server.objects.get().lease_token is None

"""Several articles in one request, against a real REST server on loopback."""

from datetime import timedelta

import pytest
from django.db import DataError, connection
from django.db.models import F
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from annotations.articles.models import Article
from annotations.results.models import Annotation, Result
from servers.calls import loop
from servers.calls.batches import batch_claim
from servers.calls.claim import get_server_with_queues
from servers.calls.leases import lease
from servers.calls.leases.heartbeat import lease_heartbeat
from servers.calls.models import Attempt, Batch, Call, Queue
from servers.calls.outcomes import call_end
from servers.calls.queries import compute_counts_and_pace_of_queues
from servers.calls.queues import contents
from servers.calls.states import CallState, Outcome, QueueMode, QueueState
from servers.registry import lifecycle
from servers.registry.models import Server
from tests.integration.server_cast import articles, put_in_flight
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db(transaction=True)

MENTION = {"start": 0, "end": 4, "text": "CDH1", "type": "Gene", "confidence": 0.5}


def make_queue(server, number=4, mode=QueueMode.LIVE, declared=4):
    Server.objects.filter(pk=server.pk).update(protocol="rest", kinds=["mention"], articles_per_request=declared)
    queue = contents.get_or_create_queue_and_producer(server, mode, "" if mode == QueueMode.LIVE else "phase")
    ids = [article.pk for article in articles(70000001, number)]
    contents.enqueue_articles_without_open_or_test_call(queue, ids)
    return queue


def serve(server, behave, **fields) -> TaskServer:
    with TaskServer(behave) as there:
        Server.objects.filter(pk=server.pk).update(url=there.url, **fields)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        there.word = loop.run_slices_if_slot_and_lease_free(server.pk)
    assert not Batch.objects.exists() or Call.objects.filter(batch__isnull=False).exists()
    return there


def answer_article(article):
    return {"id": article["id"], "annotations": {"mention": [MENTION]}}


def answer_all(asked):
    sent = asked.json
    return (
        200,
        {},
        [answer_article(each) for each in reversed(sent)] if isinstance(sent, list) else answer_article(sent),
    )


def list_sizes(there):
    return [len(asked.json) if isinstance(asked.json, list) else 1 for asked in there.asked]


def list_outcomes(field="outcome"):
    return list(Attempt.objects.order_by("pk").values_list(field, flat=True))


def test_it_sends_several_articles_and_stores_the_results_of_each(server):
    make_queue(server, 6)
    there = serve(server, answer_all)
    assert list_sizes(there) == [4, 2]
    first = there.asked[0].json[0]
    assert (first["id"], first["text"], first["deadline"]) == ("70000001", "CDH1", 600.0)
    assert set(Call.objects.values_list("state", "tries", "batch")) == {(CallState.ANSWERED, 1, None)}
    assert Result.objects.count() == Annotation.objects.count() == 6
    assert list_outcomes("articles_in_request") == [4, 4, 4, 4, 2, 2]
    assert Queue.objects.get().state == QueueState.DONE
    result = Result.objects.order_by("article__pmid").first()
    assert result.duration is None
    assert Result.objects.values("reply").distinct().count() == 6


def test_each_attempt_and_reply_has_only_the_part_of_its_article(server):
    make_queue(server, 2)
    serve(server, answer_all)
    for attempt in Attempt.objects.select_related("call__article"):
        others = Article.objects.exclude(pk=attempt.call.article_id).get()
        sent, received = bytes(attempt.body.request).decode(), bytes(attempt.body.answer).decode()
        assert sent.startswith("POST / HTTP/1.1") and f'"id": "{attempt.call.article.pmid}"' in sent
        assert received.startswith(f'{{"id": "{attempt.call.article.pmid}"')
        assert str(others.pmid) not in sent + received


def test_one_article_that_waits_is_sent_as_without_batches(server):
    make_queue(server, 1)
    there = serve(server, answer_all)
    assert isinstance(there.asked[0].json, dict)
    assert Result.objects.get().duration is not None


# What a server without batches was sent before there were any, and the number of statements for a call.
BODY_OF_ONE = (
    b'{"id": "70000001", "kinds": ["mention"], "deadline": 600.0, "pmid": 70000001, "text": "CDH1", "title": "CDH1", '
    b'"abstract": "", "passages": [{"type": "title", "offset": 0, "text": "CDH1"}]}'
)
STATEMENTS_OF_ONE = 8


def test_a_server_without_batches_is_called_as_before(server):
    make_queue(server, 3, declared=1)
    with TaskServer(answer_all) as there:
        Server.objects.filter(pk=server.pk).update(url=there.url)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        token = lease.acquire_free_lease_of_working_server(server.pk)
        read = get_server_with_queues(server.pk)
        with lease_heartbeat.keep_lease(token):
            assert loop.process_next_call_or_close_queues(read, token)
            with CaptureQueriesContext(connection) as statements:
                assert loop.process_next_call_or_close_queues(read, token)
    assert there.asked[0].body == BODY_OF_ONE
    assert len(statements) == STATEMENTS_OF_ONE


@pytest.mark.parametrize("mode", [QueueMode.TRAINING, QueueMode.TEST])
def test_a_test_stays_one_article_a_request(server, mode):
    make_queue(server, 3, mode)
    assert list_sizes(serve(server, answer_all)) == ([1, 1, 1] if mode == QueueMode.TEST else [3])


def test_a_batch_that_fails_as_a_whole_is_halved_without_a_try(server):
    def fail_on_several(asked):
        return answer_all(asked) if isinstance(asked.json, dict) else (500, {}, {"error": "out of memory"})

    make_queue(server, 4)
    there = serve(server, fail_on_several)
    assert list_sizes(there) == [4, 2, 1, 1, 1, 1]
    assert set(Call.objects.values_list("state", "tries")) == {(CallState.ANSWERED, 1)}
    failed = Attempt.objects.filter(outcome=Outcome.COMMUNICATION)
    assert set(failed.values_list("diagnosis", "articles_in_request")) == {("http-status", 4), ("http-status", 2)}
    stored = Server.objects.get()
    assert (stored.batch_limit, stored.batch_answers, stored.strikes) == (1, 4, 0)


def test_the_failure_of_one_article_counts_as_always(server):
    make_queue(server, 4)
    there = serve(server, lambda asked: (500, {}, {}))
    assert list_sizes(there) == [4, 2, 1, 1, 1, 1]
    assert set(Call.objects.values_list("state", "tries")) == {(CallState.WAITING, 1)}
    assert Server.objects.get().strikes == 4


def test_it_grows_again_after_eight_answers(server):
    make_queue(server, 12)
    there = serve(server, answer_all, batch_limit=1)
    assert list_sizes(there) == [1, 1, 1, 1, 1, 1, 1, 1, 2, 2]
    assert (Server.objects.get().batch_limit, Server.objects.get().batch_answers) == (2, 2)


def test_the_queues_rest_while_the_server_is_down_and_nothing_counts(server):
    make_queue(server, 8)
    there = serve(server, lambda asked: (503, {"Retry-After": "120"}, {}))
    assert list_sizes(there) == [4]
    assert set(Call.objects.values_list("state", "tries")) == {(CallState.WAITING, 0)}
    queue = Queue.objects.get()
    assert (queue.state, Server.objects.get().misses) == (QueueState.RESTING, 1)


def test_a_call_that_failed_before_is_sent_alone(server):
    make_queue(server, 4)
    Call.objects.filter(article__pmid=70000002).update(tries=1)
    assert list_sizes(serve(server, answer_all)) == [3, 1]


def respond_with(change):
    """Answer a batch with the list that change makes of the right answers."""

    def behave(asked):
        status, headers, answers = answer_all(asked)
        return status, headers, change(answers) if isinstance(answers, list) else answers

    return behave


def get_attempt(pmid):
    return Attempt.objects.filter(call__article__pmid=pmid).earliest("pk")


def test_a_missing_article_is_one_diagnosis_of_that_article_only(server):
    make_queue(server, 3)
    stranger = {"id": "999", "annotations": {}}
    serve(server, respond_with(lambda answers: [each for each in answers if each["id"] != "70000002"] + [stranger]))
    attempt = get_attempt(70000002)
    assert (attempt.outcome, attempt.diagnosis) == (Outcome.INVALID, "missing-article")
    assert "no part for article 70000002, but has parts for articles that were not sent: 999." in attempt.message
    assert sorted(Call.objects.values_list("article__pmid", "state", "tries")) == [
        (70000001, CallState.ANSWERED, 1),
        (70000002, CallState.WAITING, 1),
        (70000003, CallState.ANSWERED, 1),
    ]
    assert Server.objects.get().strikes == 0


def test_a_doubled_article_is_one_diagnosis_of_that_article_only(server):
    make_queue(server, 2)
    serve(server, respond_with(lambda answers: [*answers, answers[0]]))
    assert get_attempt(70000002).diagnosis == "repeated-article"
    assert get_attempt(70000001).outcome == Outcome.ANSWERED


def test_an_unknown_article_harms_no_other(server):
    make_queue(server, 2)
    serve(server, respond_with(lambda answers: [*answers, {"id": "999"}, 7]))
    assert set(list_outcomes()) == {Outcome.ANSWERED}
    omitted = get_attempt(70000001).omitted["parts"]
    assert omitted == [
        {"where": "[2] of the whole answer", "reason": "It is about article 999, which was not sent."},
        {"where": "[3] of the whole answer", "reason": "It does not name its article."},
    ]


def test_an_invalid_part_is_reported_as_if_it_had_come_alone(server):
    make_queue(server, 2)

    def spoil(answers):
        answers[0]["annotations"]["mention"] = [{**MENTION, "end": 99}, MENTION]
        return answers

    serve(server, respond_with(spoil))
    attempt = get_attempt(70000002)
    assert (attempt.outcome, attempt.broken_rules[0]["where"]) == (Outcome.INVALID, "annotations.mention[0].start")
    assert get_attempt(70000001).outcome == Outcome.ANSWERED


@pytest.mark.parametrize(
    ("reply", "code"),
    [({"annotations": {}}, "no-array"), ([], "wrong-articles"), ([{"annotations": {}}] * 2, "wrong-articles")],
)
def test_an_answer_for_none_of_the_articles_is_a_failure_of_the_whole(server, reply, code):
    make_queue(server, 2)
    serve(server, lambda asked: answer_all(asked) if isinstance(asked.json, dict) else (200, {}, reply))
    assert list_outcomes("diagnosis")[:2] == [code, code]
    assert set(Call.objects.values_list("state", "tries")) == {(CallState.ANSWERED, 1)}


def test_a_lost_batch_waits_again_and_the_next_one_is_smaller(server):
    queue = make_queue(server, 4)
    calls = list(queue.calls.order_by("pk"))
    put_in_flight(*calls)
    Attempt.objects.bulk_create(Attempt(call=call, server=server, number=1, articles_in_request=4) for call in calls)
    there = serve(server, answer_all)
    assert list_sizes(there) == [2, 2]
    assert list_outcomes() == [Outcome.LOST] * 4 + [Outcome.ANSWERED] * 4
    assert set(Call.objects.values_list("tries", flat=True)) == {1}


def test_workers_that_crashed_with_batches_do_not_end_a_call(server):
    queue = make_queue(server, 1)
    Attempt.objects.bulk_create(
        Attempt(call=queue.calls.get(), server=server, number=number, outcome=Outcome.LOST, articles_in_request=4)
        for number in range(1, 8)
    )
    Call.objects.update(begun_attempts=7)
    serve(server, answer_all)
    assert Call.objects.get().state == CallState.ANSWERED


def test_an_answer_that_cannot_be_stored_harms_no_other(server, monkeypatch):
    make_queue(server, 3)
    store = call_end.store_results_superseding_earlier

    def refuse_second(article, *args, **fields):
        if article.pmid == 70000002:
            raise DataError("made on purpose")
        return store(article, *args, **fields)

    monkeypatch.setattr(call_end, "store_results_superseding_earlier", refuse_second)
    serve(server, answer_all)
    assert get_attempt(70000002).outcome == Outcome.OUR_FAULT
    states = dict(Call.objects.values_list("article__pmid", "state"))
    assert [states[pmid] for pmid in sorted(states)] == [CallState.ANSWERED, CallState.WAITING, CallState.ANSWERED]
    assert Call.objects.get(article__pmid=70000002).tries == 0


def test_long_texts_are_not_sent_together(server, monkeypatch):
    make_queue(server, 4)
    monkeypatch.setattr(batch_claim, "MOST_TEXT_BYTES", 9)
    assert list_sizes(serve(server, answer_all)) == [2, 2]


def test_a_text_that_is_longer_than_the_server_accepts_is_in_no_batch(server):
    make_queue(server, 4)
    Article.objects.filter(pmid__in=[70000001, 70000003]).update(text="CDH1 in mice")
    assert list_sizes(serve(server, answer_all, largest_text=5)) == [2]
    assert sorted(Call.objects.values_list("article__pmid", "state")) == [
        (70000001, CallState.EMPTY),
        (70000002, CallState.ANSWERED),
        (70000003, CallState.EMPTY),
        (70000004, CallState.ANSWERED),
    ]


def test_its_time_limit_follows_from_the_texts_that_it_carries(server):
    make_queue(server, 4)
    there = serve(server, answer_all, time_limit=3, seconds_per_1000_characters=500)
    assert {each["deadline"] for each in there.asked[0].json} == {4 * 5.0}


def test_a_batch_is_one_of_the_calls_per_minute(server):
    make_queue(server, 10)
    assert list_sizes(serve(server, answer_all, calls_per_minute=2)) == [4, 4]
    assert list_sizes(serve(server, answer_all)) == []
    Attempt.objects.update(started=F("started") - timedelta(minutes=1))
    assert list_sizes(serve(server, answer_all)) == [2]


def accept_first(asked):
    return (202, {"Location": "/tasks/1"}, {}) if asked.method == "POST" else (200, {}, ACCEPTED)


ACCEPTED = [answer_article({"id": str(pmid)}) for pmid in (70000001, 70000002)]


def test_the_answer_to_a_batch_may_come_later(server):
    make_queue(server, 2)
    there = serve(server, accept_first)
    assert set(Call.objects.values_list("state", "task_url")) == {(CallState.PENDING, f"{there.url}tasks/1")}
    with TaskServer(accept_first) as there:
        Call.objects.update(due=Now(), task_url=f"{there.url}tasks/1")
        loop.run_slices_if_slot_and_lease_free(server.pk)
    assert [asked.method for asked in there.asked] == ["GET"]
    assert set(Call.objects.values_list("state", "tries")) == {(CallState.ANSWERED, 1)}
    attempt = get_attempt(70000001)
    assert b"POST / HTTP/1.1" in bytes(attempt.body.request) and "work" in attempt.phases
    assert Result.objects.filter(duration__isnull=False).count() == 0


def test_an_accepted_batch_is_sent_again_if_one_of_its_texts_has_changed(server):
    make_queue(server, 2)
    serve(server, accept_first)
    Article.objects.filter(pmid=70000001).update(text="CDH1 again", text_version=2)
    there = serve(server, answer_all)
    assert list_sizes(there) == [2]
    assert list_outcomes() == [Outcome.LOST] * 2 + [Outcome.ANSWERED] * 2
    assert set(Call.objects.values_list("tries", flat=True)) == {1}


def test_the_rest_of_an_accepted_batch_is_sent_again_after_a_crash(server):
    make_queue(server, 2)
    serve(server, accept_first)
    first = Call.objects.earliest("pk")
    Call.objects.filter(pk=first.pk).update(state=CallState.ANSWERED, batch=None)
    there = serve(server, answer_all)
    assert there.asked[0].json["id"] == "70000002"
    assert set(Call.objects.values_list("state", flat=True)) == {CallState.ANSWERED}


def test_the_time_left_is_estimated_from_batches_but_not_the_time_of_an_article(server):
    queue = make_queue(server, 8)
    serve(server, answer_all)
    second = F("received") - timedelta(seconds=4)
    Result.objects.filter(article__pmid__lte=70000004).update(received=second)
    [progress] = compute_counts_and_pace_of_queues([queue])
    assert progress.pace.seconds is None
    assert 0.5 < progress.every < 0.7


def test_pages_and_rest_say_how_many_articles_a_request_had(client, alice, server):
    make_queue(server, 3)
    serve(server, answer_all)
    client.force_login(alice)
    attempt = Attempt.objects.earliest("pk")
    page = " ".join(client.get(f"/servers/genedict/attempts/{attempt.pk}/").content.decode().split())
    assert "sent together with 2 other articles. Request and response below are the parts of this article" in page
    assert "for 3 articles" in client.get("/servers/genedict/attempts/").content.decode()
    listed = client.get("/api/v1/servers/genedict/attempts/").json()["results"]
    assert {each["articles_in_request"] for each in listed} == {3}

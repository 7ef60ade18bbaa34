"""Servers that answer requests with several articles badly, and changes while such a request is in flight."""

import random
import threading
from collections import Counter

import pytest
from django.db import connection
from django.db.models.functions import Now

from annotations.articles.models import Article
from annotations.results.models import Annotation, Result
from servers.calls import loop
from servers.calls.models import Attempt, Batch, Call, Queue
from servers.calls.queues import contents
from servers.calls.states import CallState, Outcome, QueueMode, QueueState
from servers.registry import lifecycle
from servers.registry.models import Server
from tests.fakeserver import FakeServer, dead, raw, silence
from tests.integration.server_cast import articles
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db(transaction=True)

FIRST = 70000001
HUGE = b"[" + b" " * (17 * 1024 * 1024) + b"]"


def answer_article(sent):
    """The confidence tells for which article an annotation was made."""
    mention = {"start": 0, "end": 4, "text": "CDH1", "confidence": compute_confidence(int(sent["id"]))}
    return {"id": sent["id"], "annotations": {"mention": [mention]}}


def compute_confidence(pmid):
    return (pmid - FIRST + 1) / 100


def list_sent(asked):
    return asked.json if isinstance(asked.json, list) else [asked.json]


class Annotator:
    """Answers in turn as the functions of its plan do, which get what was sent and the right answers; then rightly.

    A reply for one article is the first element of what a function returns. Requests at the same time are noted.
    """

    def __init__(self, *plan):
        self.plan, self.sizes, self.at_once = list(plan), [], []
        self.working = threading.Semaphore(1)

    def behave(self, asked):
        self.at_once.append(not self.working.acquire(blocking=False))
        try:
            sent = list_sent(asked)
            self.sizes.append(len(sent))
            answers = [answer_article(each) for each in sent]
            reply = self.plan.pop(0)(sent, answers) if self.plan else answers
        finally:
            connection.close()
            self.working.release()
        if isinstance(reply, tuple):
            return reply
        return 200, {}, reply if isinstance(asked.json, list) else (reply or [None])[0]


def make_queue(server, number=4, declared=4, **fields):
    Server.objects.filter(pk=server.pk).update(
        protocol="rest", kinds=["mention"], articles_per_request=declared, **fields
    )
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    ids = [article.pk for article in articles(FIRST, number)]
    contents.enqueue_articles_without_open_or_test_call(queue, ids)
    lifecycle.bring_server_online_and_resume_resting_queues(server)
    return queue


def serve(server, *plan):
    annotator = Annotator(*plan)
    with TaskServer(annotator.behave) as there:
        Server.objects.filter(pk=server.pk).update(url=there.url)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    check_promises(annotator)
    return annotator


def check_promises(annotator):
    assert not any(annotator.at_once)
    assert not Batch.objects.filter(calls__isnull=True).exists()
    for call in Call.objects.prefetch_related("attempts"):
        alone = [each for each in call.attempts.all() if each.articles_in_request == 1 or is_of_answered_request(each)]
        uncounted = (Outcome.LOST, Outcome.UNDER_WAY, Outcome.OUR_FAULT, Outcome.UNAVAILABLE)
        assert call.tries == sum(each.outcome not in uncounted for each in alone)
    for confidence, pmid in Annotation.objects.values_list("confidence", "result__article__pmid"):
        assert confidence == pytest.approx(compute_confidence(pmid))
    timed = Result.objects.filter(duration__isnull=False).values_list("article__pmid", flat=True)
    answered_alone = Attempt.objects.filter(articles_in_request=1).values_list("call__article__pmid", flat=True)
    assert set(timed) <= set(answered_alone)


def is_of_answered_request(attempt):
    return attempt.outcome in (Outcome.ANSWERED, Outcome.EMPTY, Outcome.INVALID)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ((413, {}, b"too large"), "http-status"),
        ((500, {}, b"<html>"), "http-status"),
        ((307, {"Location": "/elsewhere"}, b""), "redirect"),
        ((204, {}, b""), "not-json"),
        ((200, {}, HUGE), "too-large"),
        ((200, {"Content-Length": "99"}, b"[{"), "cut-off"),
        ((200, {}, '[{"id": "70000001"}]'.encode("utf-16")), "wrong-encoding"),
        ((200, {}, b"[" * 100), "too-deep"),
        ((200, {}, b'[{"id": 70000001}, '), "cut-off"),
        ((202, {}, b""), "no-task"),
        ((200, {}, [{"id": "70000009", "annotations": {}}]), "wrong-articles"),
        ((200, {}, b'{"id": "70000001", "annotations": {}}'), "no-array"),
    ],
)
def test_a_failure_of_the_whole_is_halved_and_nobody_is_charged(server, reply, code):
    make_queue(server)
    annotator = serve(server, lambda sent, answers: reply)
    assert annotator.sizes == [4, 2, 2]
    assert set(Call.objects.values_list("state", "tries")) == {(CallState.ANSWERED, 1)}
    failed = Attempt.objects.filter(articles_in_request=4)
    assert len(set(failed.values_list("diagnosis", flat=True))) == 1 and failed.count() == 4
    assert failed.first().diagnosis == code


def count_attempts_by_articles_in_request():
    return Counter(Attempt.objects.values_list("articles_in_request", flat=True))


def test_a_server_that_is_down_rests_after_the_third_request(server):
    make_queue(server, 8, 8)
    with dead() as url:
        Server.objects.update(url=url)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    assert set(Call.objects.values_list("state", "tries")) == {(CallState.WAITING, 0)}
    assert count_attempts_by_articles_in_request() == {8: 8, 4: 4, 2: 2}
    assert (Queue.objects.get().state, Batch.objects.count()) == (QueueState.RESTING, 0)


@pytest.mark.parametrize("behave", [raw(b""), silence])
def test_a_server_that_answers_nothing_is_sent_fewer_articles(server, behave):
    make_queue(server, 2, 2, time_limit=1)
    with FakeServer(behave) as there:
        Server.objects.update(url=there.url)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    assert set(Call.objects.values_list("state", "tries")) == {(CallState.WAITING, 1)}
    assert count_attempts_by_articles_in_request() == {2: 2, 1: 2}


def spoil_text(sent, answers):
    answers[1]["annotations"]["mention"][0]["text"] = "TP53"
    return answers


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda sent, answers: [answers[0], *answers[2:]], "missing-article"),
        (lambda sent, answers: [*answers, answers[1]], "repeated-article"),
        (spoil_text, "R105"),
        (lambda sent, answers: [answers[0], {"id": sent[1]["id"], "annotations": 7}, *answers[2:]], "R202"),
        (lambda sent, answers: [answers[0], {**answers[1], "id": "70000009"}, *answers[2:]], "missing-article"),
        (lambda sent, answers: [answers[0], answers[1]["annotations"], *answers[2:]], "missing-article"),
        (lambda sent, answers: [answers[0], None, *answers[2:]], "missing-article"),
    ],
)
def test_one_bad_article_harms_no_other(server, change, code):
    make_queue(server)
    annotator = serve(server, lambda sent, answers: list(reversed(change(sent, answers))))
    assert annotator.sizes == [4]
    states = dict(Call.objects.values_list("article__pmid", "state"))
    assert [states.pop(FIRST + 1), *states.values()] == [CallState.WAITING, *[CallState.ANSWERED] * 3]
    assert Attempt.objects.get(call__article__pmid=FIRST + 1).diagnosis == code
    assert (Server.objects.get().batch_limit, Call.objects.get(state=CallState.WAITING).tries) == (None, 1)


def test_an_answer_of_another_request_is_stored_for_none_of_the_articles(server):
    make_queue(server, 8)
    earlier = []

    def keep(sent, answers):
        earlier.extend(answers)
        return answers

    annotator = serve(server, keep, lambda sent, answers: earlier)
    assert annotator.sizes == [4, 4, 2, 2]
    assert Annotation.objects.count() == 8
    assert set(Attempt.objects.order_by("pk").values_list("diagnosis", flat=True)[4:8]) == {"wrong-articles"}


CHAOS = (
    *(lambda draw, sent, answers: answers,) * 3,
    lambda draw, sent, answers: draw.sample(answers, len(answers)),
    lambda draw, sent, answers: draw.sample(answers, draw.randint(0, len(answers))),
    lambda draw, sent, answers: [*answers, *draw.sample(answers, 1)],
    lambda draw, sent, answers: [answer_article({"id": str(FIRST + draw.randrange(40))}), *answers],
    lambda draw, sent, answers: [{**answers[0], "annotations": draw.choice([7, [], "x", {"mention": [{}]}])}],
    lambda draw, sent, answers: (draw.choice([400, 413, 500, 302, 404]), {}, b""),
    lambda draw, sent, answers: (draw.choice([429, 503]), {"Retry-After": "1"}, b""),
    lambda draw, sent, answers: (200, {}, draw.choice([b"", b"nonsense", b"[", b"{}", b"[]", b"[[]]", b"null"])),
)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_promises_hold_whatever_a_server_answers(server, seed):
    make_queue(server, 24, 8)
    draw = random.Random(seed)
    for _ in range(6):
        Call.objects.filter(state=CallState.WAITING).update(due=Now())
        Queue.objects.filter(state=QueueState.RESTING).update(state=QueueState.RUNNING)
        chaos = [draw.choice(CHAOS) for _ in range(12)]
        serve(server, *(lambda sent, answers, each=each: each(draw, sent, answers) for each in chaos))
    assert Call.objects.filter(state=CallState.ANSWERED).exists()
    assert not Call.objects.filter(batch__isnull=False).exists()


def test_a_server_that_is_stopped_while_it_works_keeps_its_articles(server):
    make_queue(server)

    def stop(sent, answers):
        lifecycle.halt_server_now_and_return_calls(Server.objects.get())
        return answers

    serve(server, stop)
    assert set(Call.objects.values_list("state", "tries", "batch")) == {(CallState.WAITING, 0, None)}
    assert not Batch.objects.exists() and not Result.objects.exists()


@pytest.mark.parametrize(
    "fields", [{"articles_per_request": 1}, {"protocol": "bcms", "articles_per_request": 1}, {"batch_limit": 1}]
)
def test_a_server_that_is_edited_while_it_works_is_answered_as_it_was_sent(server, fields):
    make_queue(server)

    def edit(sent, answers):
        Server.objects.update(**fields)
        return answers

    assert serve(server, edit).sizes == [4]
    assert set(Call.objects.values_list("state", "tries")) == {(CallState.ANSWERED, 1)}


@pytest.mark.parametrize("number", [1, 2])
def test_an_accepted_request_is_sent_again_if_the_protocol_cannot_answer_later(server, number):
    make_queue(server, number)
    serve(server, lambda sent, answers: (202, {"Location": "/task"}, {}))
    assert set(Call.objects.values_list("state", flat=True)) == {CallState.PENDING}
    Server.objects.update(protocol="becalm", secret_key="k")
    acknowledged = {"status": 200, "success": True}
    with TaskServer(lambda asked: (200, {}, acknowledged)) as there:
        Server.objects.update(url=there.url)
        Call.objects.update(due=Now())
        loop.run_slices_if_slot_and_lease_free(server.pk)
    assert [asked.json["method"] for asked in there.asked] == ["getAnnotations"]
    assert set(Call.objects.values_list("state", "tries", "task_url")) == {(CallState.PENDING, 0, "")}
    assert list(Attempt.objects.order_by("pk").values_list("outcome", flat=True)[:number]) == [Outcome.LOST] * number


def test_an_article_that_changes_or_is_removed_meanwhile_harms_no_other(server):
    queue = make_queue(server)

    def change(sent, answers):
        Article.objects.filter(pmid=FIRST).update(text="CDH1 again", text_version=2)
        contents.delete_untried_or_fail_waiting_calls(queue)
        return answers

    serve(server, change)
    assert set(Call.objects.values_list("state", "tries")) == {(CallState.ANSWERED, 1)}

"""Servers that answer later: accepted, waited for without a thread, followed, judged, and never asked twice at once."""

from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from annotations.articles.models import Article
from annotations.results.models import Annotation
from servers.calls import loop
from servers.calls.models import Attempt, Call
from servers.calls.queues import contents
from servers.calls.queues.wake_ups import list_unleased_servers_with_work
from servers.calls.states import CallState, Outcome, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from servers.registry.states import ServerState
from tests.integration.server_cast import articles
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db(transaction=True)

ANSWER = {"annotations": {"mention": [{"start": 0, "end": 4, "text": "CDH1"}]}}


class Slow:
    """Accepts every question; its task answers 202 so often, then what it found."""

    def __init__(self, polls: int, found: object = ANSWER) -> None:
        self.left = polls
        self.found = found

    def __call__(self, asked):
        if asked.method == "POST":
            return 202, {"Location": "/tasks/1", "Retry-After": "60"}, {}
        self.left -= 1
        return (202, {"Retry-After": "60"}, {}) if self.left >= 0 else (200, {}, self.found)


@pytest.fixture
def queue(server):
    Server.objects.filter(pk=server.pk).update(protocol="rest", kinds=["mention"])
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(70000001, 2)])
    return queue


@pytest.fixture
def slow(server, queue):
    def run(polls=0, found=ANSWER):
        slow = TaskServer(Slow(polls, found))
        slow.__enter__()
        running.append(slow)
        Server.objects.filter(pk=server.pk).update(url=slow.url)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        return slow

    running = []
    yield run
    for slow in running:
        slow.__exit__()


def get_first_call() -> Call:
    return Call.objects.order_by("pk").first()


def come_due() -> None:
    Call.objects.filter(state=CallState.PENDING).update(due=Now() - timedelta(seconds=1))


def test_it_lets_the_server_work_and_holds_nothing_meanwhile(server, slow):
    slow()
    assert loop.run_slices_if_slot_and_lease_free(server.pk) == "idle"
    call, attempt = get_first_call(), Attempt.objects.get()
    assert (call.state, call.tries, attempt.outcome) == (CallState.PENDING, 0, Outcome.UNDER_WAY)
    assert call.task_url.endswith("/tasks/1")
    assert Server.objects.get().lease_token is None
    assert loop.run_slices_if_slot_and_lease_free(server.pk) == "idle"
    assert list(list_unleased_servers_with_work()) == []


def test_it_asks_for_the_result_when_it_is_due_and_only_then_for_the_next_article(server, slow):
    there = slow()
    loop.run_slices_if_slot_and_lease_free(server.pk)
    come_due()
    assert list(list_unleased_servers_with_work()) == [server]
    loop.run_slices_if_slot_and_lease_free(server.pk)
    assert [asked.method for asked in there.asked] == ["POST", "GET", "POST"]
    call, attempt = get_first_call(), Attempt.objects.order_by("pk").first()
    assert (call.state, call.tries, attempt.outcome) == (CallState.ANSWERED, 1, Outcome.ANSWERED)
    assert Annotation.objects.get().text == "CDH1"
    assert b'"text"' in bytes(attempt.body.request)
    assert b"CDH1" in bytes(attempt.body.answer)
    assert attempt.phases["work"] >= 0
    assert [call.state for call in Call.objects.order_by("pk")] == [CallState.ANSWERED, CallState.PENDING]


def test_it_waits_on_while_the_task_runs(server, slow):
    slow(polls=2)
    for _ in range(3):
        loop.run_slices_if_slot_and_lease_free(server.pk)
        assert get_first_call().state == CallState.PENDING
        come_due()
    loop.run_slices_if_slot_and_lease_free(server.pk)
    assert get_first_call().state == CallState.ANSWERED
    assert get_first_call().attempts.count() == 1


def test_it_gives_up_the_wait_at_the_time_limit(server, slow):
    slow(polls=99)
    loop.run_slices_if_slot_and_lease_free(server.pk)
    Call.objects.filter(state=CallState.PENDING).update(expires=Now(), due=Now())
    loop.run_slices_if_slot_and_lease_free(server.pk)
    attempt = Attempt.objects.order_by("pk").first()
    assert (get_first_call().state, get_first_call().tries) == (CallState.WAITING, 1)
    assert (attempt.outcome, attempt.diagnosis) == (Outcome.NO_ANSWER, "no-answer")


def test_it_never_waits_past_the_time_limit(server, slow):
    Server.objects.update(time_limit=7)
    slow()
    loop.run_slices_if_slot_and_lease_free(server.pk)
    call, attempt = get_first_call(), Attempt.objects.get()
    assert call.due == call.expires == attempt.started + timedelta(seconds=7)


def test_it_finishes_what_the_server_works_on_before_it_is_offline(server, slow):
    slow()
    loop.run_slices_if_slot_and_lease_free(server.pk)
    lifecycle.halt_server_after_current_call(server)
    assert Server.objects.get().state == ServerState.HALTING
    come_due()
    assert list(list_unleased_servers_with_work()) == [server]
    loop.run_slices_if_slot_and_lease_free(server.pk)
    assert Server.objects.get().state == ServerState.OFFLINE
    assert [call.state for call in Call.objects.order_by("pk")] == [CallState.ANSWERED, CallState.WAITING]


def test_it_forgets_the_task_when_halted_hard_and_counts_no_try(server, slow):
    slow()
    loop.run_slices_if_slot_and_lease_free(server.pk)
    lifecycle.halt_server_now_and_return_calls(server)
    assert (get_first_call().state, get_first_call().tries) == (CallState.WAITING, 0)
    assert Attempt.objects.get().outcome == Outcome.HALTED
    assert Server.objects.get().state == ServerState.OFFLINE


def test_it_keeps_the_task_when_the_worker_that_followed_it_died(server, slow):
    slow()
    loop.run_slices_if_slot_and_lease_free(server.pk)
    come_due()
    Server.objects.update(lease_token="00000000-0000-4000-8000-000000000000", lease_until=Now() - timedelta(seconds=1))
    loop.run_slices_if_slot_and_lease_free(server.pk)
    assert get_first_call().state == CallState.ANSWERED
    assert get_first_call().attempts.count() == 1


def test_it_forgets_the_end_of_an_earlier_wait_when_it_asks_again(server, queue):
    """Else a server that calls back at once would be told that the time for its answer is over."""
    ends = []

    def accept(asked):
        ends.append(Call.objects.order_by("pk").values_list("state", "expires", "task_url").first())
        connection.close()
        return 202, {"Location": "/tasks/1"}, {}

    Call.objects.update(expires=Now() - timedelta(hours=1), task_url="http://127.0.0.1:9/old")
    with TaskServer(accept) as there:
        Server.objects.update(url=there.url)
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        loop.run_slices_if_slot_and_lease_free(server.pk)
    assert ends == [(CallState.ASKING, None, "")]


def test_it_judges_what_came_later_like_any_answer(server, slow):
    slow(found={"annotations": {"mention": [{"start": 0, "end": 900, "text": "CDH1"}]}})
    loop.run_slices_if_slot_and_lease_free(server.pk)
    come_due()
    loop.run_slices_if_slot_and_lease_free(server.pk)
    attempt = Attempt.objects.order_by("pk").first()
    assert attempt.outcome == Outcome.INVALID
    assert attempt.broken_rules[0]["where"].startswith("annotations.mention[0]")


def test_it_tells_how_long_the_server_took_in_all(server, slow):
    slow()
    loop.run_slices_if_slot_and_lease_free(server.pk)
    Attempt.objects.update(started=F("started") - timedelta(seconds=30))
    come_due()
    loop.run_slices_if_slot_and_lease_free(server.pk)
    assert get_first_call().article.results.get().duration > 30


def test_it_asks_anew_when_the_text_changed_meanwhile(server, slow):
    there = slow()
    loop.run_slices_if_slot_and_lease_free(server.pk)
    Article.objects.filter(pk=get_first_call().article_id).update(text_version=F("text_version") + 1)
    come_due()
    assert loop.run_slices_if_slot_and_lease_free(server.pk) == "idle"
    older, newer = Attempt.objects.order_by("pk")
    assert (older.outcome, newer.outcome, newer.text_version) == (Outcome.LOST, Outcome.UNDER_WAY, 2)
    assert "text changed" in older.message
    assert [asked.method for asked in there.asked] == ["POST", "POST"]
    assert (get_first_call().state, get_first_call().tries) == (CallState.PENDING, 0)

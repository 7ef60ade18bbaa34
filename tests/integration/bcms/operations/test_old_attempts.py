"""Old attempts and their requests and answers: what is dropped, what stays, and what is shown of it."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from bcms.operations.old_attempts import ATTEMPTS, RECENT_ATTEMPTS, list_planned_drops
from bcms.operations.retention import delete_due_rows_unless_busy
from evaluation.challenges.models import Challenge
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from servers.calls.models import Attempt, AttemptBody, Call, Callback
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from tests.integration.evaluation_cast import make_server
from tests.integration.partition_cast import (
    make_attempt,
    make_past_partitions_of_attempts,
    read_attempt_partition,
    read_partition_names,
)
from tests.integration.server_cast import articles

pytestmark = pytest.mark.django_db
# Days ago: all of the month, or of the week, is older than attempts or bodies may be by default.
STALE, OLD_BODY = 410, 40


@pytest.fixture(autouse=True)
def past():
    make_past_partitions_of_attempts(timezone.now())


@pytest.fixture
def calls(server):
    """Answered live calls of a server with so many new attempts that none of the old ones is among its latest."""
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [each.pk for each in articles(20000001, 3)])
    Call.objects.update(state="answered")
    *calls, last = queue.calls.select_related("server").order_by("pk")
    make_latest_attempts(last)
    return calls


def make_latest_attempts(call):
    """So many attempts of its server, with higher ids than all others, that no other is among the latest."""
    new = [Attempt(pk=call.pk * 10**6 + n, call=call, server=call.server, number=1) for n in range(RECENT_ATTEMPTS)]
    Attempt.objects.bulk_create(new)


def retain(days=0):
    return delete_due_rows_unless_busy(timezone.now() + timedelta(days=days))


def list_left(*attempts):
    """Of these attempts, those that still exist."""
    left = set(Attempt.objects.filter(pk__in=[each.pk for each in attempts]).values_list("pk", flat=True))
    return [each for each in attempts if each.pk in left]


def test_a_month_of_attempts_is_dropped_when_all_of_it_is_old(calls):
    old, newer = make_attempt(calls[0], STALE), make_attempt(calls[1], 300)
    (partition,) = {read_attempt_partition(old)} - {read_attempt_partition(newer)}
    assert retain()["attempts"] == 1
    assert list_left(old, newer) == [newer]
    assert partition not in read_partition_names(ATTEMPTS.table)
    assert retain()["attempts"] == 0


def test_with_0_they_stay_for_ever(calls, settings):
    settings.ATTEMPT_DAYS = settings.BODY_DAYS = 0
    old = make_attempt(calls[0], STALE)
    assert retain()["attempts"] == 0
    assert list_left(old) and AttemptBody.objects.filter(attempt=old).exists()


def test_bodies_are_dropped_before_their_attempts_and_with_them_at_the_latest(calls, settings):
    old, newer = make_attempt(calls[0], OLD_BODY), make_attempt(calls[1], 3)
    assert retain()["requests and answers of attempts"] == 1
    assert AttemptBody.objects.get().attempt == newer
    assert list_left(old, newer) == [old, newer]
    settings.BODY_DAYS, settings.ATTEMPT_DAYS = 0, 30
    assert retain(days=50)["requests and answers of attempts"] == 1


@pytest.mark.parametrize("state", ["waiting", "failed"])
def test_attempts_of_calls_without_an_answer_stay(calls, state):
    Call.objects.filter(pk=calls[0].pk).update(state=state)
    old = make_attempt(calls[0], STALE, "connection")
    assert retain()["attempts"] == 0
    assert list_left(old)
    assert read_attempt_partition(old) == ATTEMPTS.table.kept
    Call.objects.update(state="answered")
    assert retain()["attempts that stayed until now"] == 1
    assert not list_left(old)


def test_attempts_that_broke_rules_stay_with_the_results(calls):
    rules = [{"code": "R101", "where": "mentions[0]", "message": "It is wrong.", "mend": "Count."}]
    call, other = calls
    store_results_superseding_earlier(call.article, call.queue.producer, {Kind.MENTION: []}, call_id=call.pk)
    with_result, without = (make_attempt(each, STALE, broken_rules=rules) for each in (call, other))
    assert retain()["attempts"] == 1
    assert list_left(with_result, without) == [with_result]


def test_the_latest_attempts_of_a_server_stay(server, article):
    idle = make_server(server.team, "idle")
    queue = contents.get_or_create_queue_and_producer(idle, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    Call.objects.update(state="answered")
    old = make_attempt(queue.calls.get(), STALE)
    retain()
    assert list_left(old)


@pytest.fixture
def training_call(calls, training, reader):
    """A call of a phase of a challenge, answered."""
    Challenge.objects.update(state="listed")
    enter_eligible_server_and_enqueue_articles(reader, training)
    Call.objects.filter(server=reader).update(state="answered")
    call = Call.objects.filter(server=reader).select_related("server").first()
    make_latest_attempts(call)
    return call


def test_what_belongs_to_a_challenge_stays_until_it_is_archived(training_call):
    old = make_attempt(training_call, STALE)
    failed = make_attempt(training_call, STALE, "connection")
    newer = make_attempt(training_call, OLD_BODY)
    deleted = retain()
    assert deleted["attempts"] == deleted["requests and answers of attempts"] == 0
    assert AttemptBody.objects.count() == 3
    Challenge.objects.update(state="archived")
    deleted = retain()
    assert deleted["requests and answers of attempts that stayed until now"] == 3
    assert deleted["attempts that stayed until now"] == 1
    assert list_left(old, failed, newer) == [failed, newer]


def test_call_backs_are_deleted_when_they_are_old_and_were_read(calls):
    read, open_ = make_attempt(calls[0], OLD_BODY), make_attempt(calls[1], OLD_BODY, "under way", finished=None)
    for attempt in (read, open_):
        Callback.objects.create(attempt=attempt, form="json", body=b"{}", received=attempt.started)
    assert retain()["old call-backs"] == 1
    assert Callback.objects.get().attempt == open_


def test_its_page_says_that_the_body_is_deleted(client, calls):
    alice = User.objects.get(username="alice")
    client.force_login(alice)
    old, newer = make_attempt(calls[0], OLD_BODY), make_attempt(calls[1], 3)
    retain()
    pages = [client.get(f"/servers/genedict/attempts/{each.pk}/").content.decode() for each in (old, newer)]
    assert [page.count("It is deleted, because the attempt is old.") for page in pages] == [2, 0]
    assert "received" in pages[1]
    shown = client.get(f"/api/v1/servers/genedict/attempts/{old.pk}/").json()
    assert (shown["request"], shown["answer"]) == ("", "")


def test_administrators_see_beforehand_what_is_dropped_next(client, calls):
    User.objects.filter(username="alice").update(is_staff=True)
    client.force_login(User.objects.get(username="alice"))
    make_attempt(calls[0], STALE)
    now = timezone.now()
    planned = list_planned_drops(now)
    assert {drop.name for drop in planned if drop.due <= now} == {"attempts", "requests and answers of attempts"}
    shown = client.get("/operations/").content.decode()
    assert shown.count("within the hour</td>") == len(planned)
    retain()
    planned = list_planned_drops(now)
    assert [drop.name for drop in planned] == ["requests and answers of attempts", "attempts"]
    assert all(drop.due > now for drop in planned)
    assert f">{planned[1].due:%-d %B %Y}</td>" in client.get("/operations/").content.decode()


def test_a_deleted_server_takes_attempts_and_bodies_along(calls):
    make_attempt(calls[0], STALE)
    make_attempt(calls[1], 3)
    Call.objects.all().delete()
    assert not Attempt.objects.exists() and not AttemptBody.objects.exists()

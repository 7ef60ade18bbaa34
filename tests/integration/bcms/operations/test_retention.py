"""What is deleted because nobody needs it any more, and what stays."""

from collections import Counter
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotations.results.models import Reply, Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from bcms.mail.models import Mail
from bcms.operations import retention
from bcms.operations.retention import delete_due_rows_unless_busy
from servers.calls.models import Queue
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.teams.models import Invitation

pytestmark = pytest.mark.django_db
MAILS, INVITATIONS = "old mails that could not be sent", "old invitations to teams"
SESSIONS, REPLIES = "sessions that have ended", "replies of superseded results"


def delete_due_rows():
    """What is deleted now, by name, without what is not."""
    deleted = delete_due_rows_unless_busy(timezone.now())
    return Counter({name: number for name, number in deleted.items() if number})


def make_session(key, days):
    Session.objects.create(session_key=key, session_data="", expire_date=timezone.now() + timedelta(days=days))


def test_sessions_that_have_ended_are_deleted_in_batches(monkeypatch):
    monkeypatch.setattr(retention, "BATCH", 2)
    for number in range(5):
        make_session(f"ended{number}", -1)
    make_session("open", 1)
    assert delete_due_rows() == {SESSIONS: 5}
    assert list(Session.objects.values_list("pk", flat=True)) == ["open"]


def test_mail_that_could_not_be_sent_is_deleted_after_30_days():
    now = timezone.now()
    for name, failed in (("old", now - timedelta(days=31)), ("new", now - timedelta(days=29)), ("waits", None)):
        Mail.objects.create(recipient=f"{name}@example.org", created=now - timedelta(days=60), failed=failed)
    assert delete_due_rows() == {MAILS: 1}
    assert set(Mail.objects.values_list("recipient", flat=True)) == {"new@example.org", "waits@example.org"}


def test_invitations_are_deleted_30_days_after_they_ran_out(team):
    now = timezone.now()
    for name, days, accepted in (("old", 45, None), ("joined", 45, now), ("new", 43, None)):
        created = now - timedelta(days=days)
        Invitation.objects.create(team=team, email=f"{name}@example.org", created=created, accepted=accepted)
    assert delete_due_rows() == {INVITATIONS: 2}
    assert Invitation.objects.get().email == "new@example.org"


@pytest.fixture
def queue(server):
    return get_or_create_queue_and_producer(server, QueueMode.LIVE)


def answer(article, queue, reply, *kinds):
    """Results with this reply, which supersede those of the same kinds."""
    store_results_superseding_earlier(article, queue.producer, {kind: [] for kind in kinds}, reply_body=reply)


def age_superseded(days):
    Result.objects.filter(superseded__isnull=False).update(superseded=timezone.now() - timedelta(days=days))


def test_the_reply_of_a_superseded_result_is_deleted_after_a_time(article, queue, settings):
    for reply in (b"first", b"second"):
        answer(article, queue, reply, Kind.MENTION)
    age_superseded(settings.REPLY_DAYS - 1)
    assert delete_due_rows()[REPLIES] == 0
    age_superseded(settings.REPLY_DAYS + 1)
    assert delete_due_rows()[REPLIES] == 1
    superseded, current = Result.objects.order_by("pk")
    assert superseded.reply is None and superseded.superseded is not None
    assert Reply.objects.get() == current.reply


def test_a_reply_that_a_current_result_has_stays(article, queue, settings):
    answer(article, queue, b"first", Kind.MENTION, Kind.LABEL)
    answer(article, queue, b"second", Kind.MENTION)
    age_superseded(settings.REPLY_DAYS + 1)
    assert delete_due_rows()[REPLIES] == 1
    assert Reply.objects.count() == 2
    assert Result.objects.get(kind=Kind.LABEL).reply is not None


@pytest.mark.parametrize("mode", [QueueMode.TRAINING, QueueMode.TEST])
def test_replies_of_challenges_stay(article, queue, settings, mode):
    Queue.objects.update(mode=mode)
    for reply in (b"first", b"second"):
        answer(article, queue, reply, Kind.MENTION)
    age_superseded(settings.REPLY_DAYS + 1)
    assert delete_due_rows()[REPLIES] == 0
    assert Reply.objects.count() == 2


def test_administrators_see_it_beforehand(client, alice):
    type(alice).objects.update(is_staff=True)
    client.force_login(alice)
    assert "Deleted within the hour: nothing." in client.get("/operations/").content.decode()
    make_session("ended", -1)
    page = client.get("/operations/").content.decode()
    assert f"Deleted within the hour: 1 {SESSIONS}." in page

"""Mail about a server: each topic a choice, gathered, once a day if wanted, by nobody missed and to nobody twice."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from annotations.articles.models import Corpus
from bcms.celery import app
from bcms.mail.models import Mail
from bcms.operations.retention import delete_due_rows_unless_busy
from evaluation.visibility import ANONYMOUS_READER
from servers.calls.models import Attempt, Call, Queue
from servers.calls.outcomes.call_end import AttemptEnding
from servers.calls.outcomes.recording import end_or_retry_call_updating_server
from servers.calls.queues import contents, queue_resumption
from servers.calls.states import CallState, Outcome, QueueMode
from servers.notifications.events import EventType, MailFrequency
from servers.notifications.mail import mails
from servers.notifications.mail.mail_timing import compute_mail_due_time
from servers.notifications.models import MailPreference, Notice
from servers.notifications.notices import (
    store_mail_settings_rescheduling_or_deleting_notices,
    store_wanted_notice_and_deliveries_of_event,
)
from servers.registry.models import Server
from servers.registry.states import ServerState
from servers.teams.models import Membership
from tests.conftest import confirm_email_address
from tests.integration.evaluation_cast import hide_article
from tests.integration.server_cast import articles, create_timed_attempt, put_in_flight

pytestmark = pytest.mark.django_db

REFUSED = AttemptEnding(Outcome.COMMUNICATION, "fault", "The server answered: no model loaded. Load one.")
UNREACHED = AttemptEnding(Outcome.CONNECTION, "refused", "Nothing listens at http://me:secret@a.example/. Start it.")
OUR_ERROR = AttemptEnding(Outcome.OUR_FAULT, "our-fault", "This is an error of the meta-server.")
FOUND_NOTHING = AttemptEnding(Outcome.EMPTY)


@pytest.fixture
def dan(team, django_user_model):
    """A member, who gets mail when he asks for it."""
    dan = confirm_email_address(django_user_model.objects.create_user("dan", "dan@example.org"))
    Membership.objects.create(team=team, user=dan)
    return dan


def load(server, number, mode=QueueMode.LIVE, first=60000001):
    Server.objects.filter(pk=server.pk).update(state=ServerState.ONLINE)
    queue = contents.get_or_create_queue_and_producer(server, mode, "indexing" if mode == QueueMode.TEST else "")
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(first, number)])
    return queue


def ask(queue, ending, tries=0):
    """The next waiting call of the queue ends so, after that many tries that failed."""
    call = queue.calls.select_related("queue__producer", "server", "article").filter(state=CallState.WAITING).first()
    put_in_flight(call)
    Call.objects.filter(pk=call.pk).update(tries=tries)
    call.refresh_from_db()
    create_timed_attempt(call, ending.outcome, 1.0)
    with transaction.atomic():
        end_or_retry_call_updating_server(call, ending)
    return call


def write_due_mail(*, later=timedelta(minutes=1)):
    """What the worker writes when that much time has passed."""
    Notice.objects.filter(told__isnull=True).update(due=F("due") - later)
    return sum(
        mails.mail_unsent_notices_if_any_due(team_id, rhythm)
        for team_id, rhythm in mails.list_teams_and_rhythms_with_due_mail()
    )


def read_message_text(message):
    return " ".join(message.get_content().split())


def test_it_tells_managers_of_articles_that_failed(server, dan, postbox):
    queue = load(server, 3)
    call = ask(queue, REFUSED, tries=4)
    ask(queue, REFUSED, tries=4)
    assert write_due_mail(later=timedelta(0)) == 0
    assert write_due_mail() == 1
    message = postbox.one()
    assert (message["To"], message["Subject"]) == ("alice@example.org", "[BCMS] GeneDict: 2 articles failed")
    text = read_message_text(message)
    assert "2 articles failed in the live queue after all retries." in text
    assert "PMID 60000001: The server answered: no model loaded. Load one." in text
    attempt = call.attempts.get()
    assert f"http://127.0.0.1:8000/servers/genedict/attempts/{attempt.pk}/" in text
    assert "“Retry failed articles”" in text
    assert "http://127.0.0.1:8000/servers/genedict/notifications/" in text


def test_it_tells_who_can_send_a_test_article_again_that_failed_because_of_us(server, postbox):
    queue = load(server, 2, QueueMode.TEST)
    for _ in range(2):
        ask(queue, OUR_ERROR)
    assert queue.calls.filter(state=CallState.FAILED).count() == 1
    assert write_due_mail() == 1
    text = read_message_text(postbox.one())
    assert "1 article failed in the test queue “indexing” after all retries." in text
    assert "The organizers of the challenge can have it sent again while the phase is open." in text
    assert "Retry" not in text


def test_it_tells_of_a_test_that_stopped_without_the_pmid(server, postbox):
    queue = load(server, 2, QueueMode.TEST)
    call = ask(queue, UNREACHED)
    assert write_due_mail() == 1
    message = postbox.one()
    text = read_message_text(message)
    assert message["Subject"] == "[BCMS] GeneDict: a test stopped"
    assert "The test queue “indexing” stopped because the call for an article failed." in text
    assert f"{call.article.opaque}: Nothing listens at http://[masked]@a.example/. Start it." in text
    assert "Retry the article" in text
    assert str(call.article.pmid) not in text
    assert call.article.title not in text


def test_it_names_articles_of_a_blind_corpus_by_their_opaque_id_in_any_queue(server, postbox):
    queue = load(server, 1, QueueMode.TRAINING)
    call = queue.calls.get()
    hide_article(call.article, Corpus.objects.create(slug="blind", name="Blind", blind=True))
    ask(queue, REFUSED, tries=4)
    write_due_mail()
    text = postbox.one().get_content()
    assert call.article.opaque in text
    assert "60000001" not in text


def test_it_tells_when_all_that_was_loaded_is_through(server, postbox):
    queue = load(server, 2)
    ask(queue, FOUND_NOTHING)
    assert write_due_mail() == 0
    ask(queue, REFUSED, tries=4)
    store_mail_settings_rescheduling_or_deleting_notices(server, ["completed"], MailFrequency.AT_ONCE)
    assert write_due_mail() == 1
    text = read_message_text(postbox.one())
    assert "The live queue is done: 0 articles answered, 1 empty, 1 failed." in text


def test_it_is_silent_about_what_readers_of_the_site_ask_for(server, article, postbox):
    queue = load(server, 1)
    ask(queue, FOUND_NOTHING)
    Notice.objects.all().delete()
    assert contents.enqueue_or_prioritize_missing_nonblind_live_calls(article, ANONYMOUS_READER) == 1
    ask(queue, FOUND_NOTHING)
    assert Queue.objects.get().state == "done"
    assert not Notice.objects.exists()


def test_it_tells_of_a_test_that_the_team_ends_by_passing_over(server):
    queue = load(server, 1, QueueMode.TEST)
    ask(queue, REFUSED)
    assert queue_resumption.resume_queue_skipping_stopped_article(queue)
    assert [notice.happening for notice in Notice.objects.order_by("pk")] == ["queue-stopped", "queue-done"]


def test_it_tells_once_that_the_server_cannot_be_reached(server, postbox):
    queue = load(server, 1)
    for _ in range(5):
        ask(queue, UNREACHED)
    assert write_due_mail() == 1
    assert "The server cannot be reached, so its queues are paused: Nothing listens" in read_message_text(postbox.one())
    assert Notice.objects.count() == 1


def test_it_is_silent_about_a_server_that_is_away_by_plan(server):
    queue, now = load(server, 1), timezone.now()
    server.maintenance.create(starts=now - timedelta(hours=1), ends=now + timedelta(hours=1))
    for _ in range(5):
        ask(queue, UNREACHED)
    assert not Notice.objects.exists()


def test_it_tells_that_a_server_was_taken_off_first(server, postbox):
    queue = load(server, 20)
    for _ in range(20):
        ask(queue, REFUSED, tries=4)
    assert Server.objects.get().state == ServerState.FAIL
    assert write_due_mail() == 1
    message = postbox.one()
    text = read_message_text(message)
    assert message["Subject"] == "[BCMS] GeneDict: taken offline, 20 articles failed, a queue is done"
    assert "The server was taken offline: 20 articles in a row failed." in text
    assert "15 more, listed on the server's page." in text


def test_it_sends_one_mail_for_a_minute_and_of_what_goes_on_one_an_hour(server, postbox):
    queue = load(server, 9)
    for _ in range(3):
        ask(queue, REFUSED, tries=4)
    assert write_due_mail() == 1
    ask(queue, REFUSED, tries=4)
    assert write_due_mail(later=timedelta(minutes=55)) == 0
    ask(queue, REFUSED, tries=4)
    assert write_due_mail(later=timedelta(minutes=6)) == 1
    assert [message["Subject"] for message in postbox.fetch()] == [
        "[BCMS] GeneDict: 3 articles failed",
        "[BCMS] GeneDict: 2 articles failed",
    ]


def test_it_does_not_hold_back_what_the_team_must_decide(server):
    test = load(server, 2, QueueMode.TEST)
    ask(test, REFUSED)
    assert write_due_mail() == 1
    queue_resumption.resume_queue_retrying_stopped_article(test)
    ask(test, REFUSED)
    assert write_due_mail() == 1


def test_it_gathers_the_servers_of_a_team_in_one_mail(server, team, postbox):
    other = Server.objects.create(
        review="accepted", team=team, name="Other", slug="other", url="http://127.0.0.1:9/", kinds=["taxon"]
    )
    for number, each in enumerate([server, other]):
        ask(load(each, 1, first=61000001 + number), REFUSED, tries=4)
    assert write_due_mail() == 1
    message = postbox.one()
    assert message["Subject"].startswith("[BCMS] GeneDict: 1 article failed")
    assert "/servers/other/" in message.get_content()


@pytest.mark.parametrize(
    ("topics", "happenings"),
    [
        ([], []),
        (["failure"], ["article-failed"]),
        (["completed", "fail"], ["queue-done"]),
    ],
)
def test_it_tells_what_was_chosen(server, topics, happenings):
    store_mail_settings_rescheduling_or_deleting_notices(server, topics, MailFrequency.AT_ONCE)
    ask(load(server, 1), REFUSED, tries=4)
    assert [notice.happening for notice in Notice.objects.order_by("pk")] == happenings


def test_it_writes_to_whom_wants_it(server, alice, dan, postbox):
    MailPreference.objects.create(server=server, user=alice, wanted=False)
    MailPreference.objects.create(server=server, user=dan, wanted=True)
    ask(load(server, 1), REFUSED, tries=4)
    assert write_due_mail() == 1
    assert postbox.one()["To"] == "dan@example.org"


def test_it_writes_to_nobody_without_a_confirmed_address_and_to_nobody_who_left(server, alice, dan):
    alice.emailaddress_set.update(verified=False)
    MailPreference.objects.create(server=server, user=dan, wanted=True)
    Membership.objects.filter(user=dan).delete()
    ask(load(server, 1), REFUSED, tries=4)
    assert write_due_mail() == 0
    assert not mails.list_teams_and_rhythms_with_due_mail()


def test_it_writes_one_digest_a_day(server, postbox):
    store_mail_settings_rescheduling_or_deleting_notices(server, ["failure", "completed", "fail"], MailFrequency.DAILY)
    queue = load(server, 3)
    ask(queue, REFUSED, tries=4)
    ask(queue, REFUSED, tries=4)
    due = set(Notice.objects.values_list("due", flat=True))
    assert {(moment.hour, moment.minute) for moment in due} == {(6, 0)}
    assert write_due_mail(later=timedelta(0)) == 0
    assert write_due_mail(later=timedelta(days=1)) == 1
    assert mails.list_teams_and_rhythms_with_due_mail() == set()
    assert postbox.one()["Subject"] == "[BCMS] GeneDict: 2 articles failed"


@pytest.mark.parametrize(
    ("now", "due"),
    [
        (datetime(2026, 3, 2, 5, 59, tzinfo=UTC), datetime(2026, 3, 2, 6, 0, tzinfo=UTC)),
        (datetime(2026, 3, 2, 6, 0, tzinfo=UTC), datetime(2026, 3, 3, 6, 0, tzinfo=UTC)),
        (datetime(2026, 2, 28, 23, 0, tzinfo=UTC), datetime(2026, 3, 1, 6, 0, tzinfo=UTC)),
    ],
)
def test_it_knows_when_a_digest_is_due(now, due):
    assert compute_mail_due_time(MailFrequency.DAILY, now) == due


def test_it_lets_what_waits_follow_new_choices(server):
    store_mail_settings_rescheduling_or_deleting_notices(server, ["failure", "completed", "fail"], MailFrequency.DAILY)
    queue = load(server, 1)
    ask(queue, REFUSED, tries=4)
    store_mail_settings_rescheduling_or_deleting_notices(server, ["completed"], MailFrequency.AT_ONCE)
    assert [notice.happening for notice in Notice.objects.all()] == ["queue-done"]
    assert write_due_mail() == 1


def test_it_forgets_what_was_undone(server, postbox):
    queue = load(server, 1)
    with pytest.raises(RuntimeError), transaction.atomic():
        store_wanted_notice_and_deliveries_of_event(server.pk, EventType.ARTICLE_FAILED, queue=queue)
        raise RuntimeError
    assert not Notice.objects.exists()


def test_it_writes_once_when_the_worker_died_and_the_task_runs_again(server, team, monkeypatch, postbox):
    ask(load(server, 1), REFUSED, tries=4)
    Notice.objects.update(due=Now())
    written = mails.mail_wanted_sections_to_recipient

    def die(reader, sections):
        written(reader, sections)
        raise KeyboardInterrupt

    monkeypatch.setattr(mails, "mail_wanted_sections_to_recipient", die)
    with pytest.raises(KeyboardInterrupt):
        mails.mail_unsent_notices_if_any_due(team.pk, MailFrequency.AT_ONCE)
    assert not Mail.objects.exists()
    monkeypatch.undo()
    assert [mails.mail_unsent_notices_if_any_due(team.pk, MailFrequency.AT_ONCE) for _ in range(3)] == [1, 0, 0]
    assert Mail.objects.count() == 1


def test_it_keeps_what_was_told_for_a_month(server):
    ask(load(server, 1), REFUSED, tries=4)
    write_due_mail()
    assert delete_due_rows_unless_busy(timezone.now())["old notices of servers"] == 0
    Notice.objects.update(told=Now() - timedelta(days=31))
    assert delete_due_rows_unless_busy(timezone.now())["old notices of servers"] == 2


def test_it_counts_how_often_a_test_stopped(server, postbox):
    queue = load(server, 1, QueueMode.TEST)
    for _ in range(3):
        ask(queue, REFUSED)
        queue_resumption.resume_queue_retrying_stopped_article(queue)
    assert write_due_mail() == 1
    message = postbox.one()
    assert message["Subject"] == "[BCMS] GeneDict: tests stopped 3 times"
    assert "The test queue “indexing” stopped 3 times because the call" in message.get_content()
    links = re.findall(r"/attempts/(\d+)/", message.get_content())
    assert links == [str(attempt.pk) for attempt in Attempt.objects.order_by("-pk")]


def test_it_counts_queues_in_the_subject_and_names_each(server, postbox):
    for number, mode in enumerate([QueueMode.LIVE, QueueMode.TRAINING]):
        ask(load(server, 1, mode, first=61000001 + number), FOUND_NOTHING)
    assert write_due_mail() == 1
    message = postbox.one()
    assert message["Subject"] == "[BCMS] GeneDict: 2 queues are done"
    assert "The live queue is done" in message.get_content()
    assert "The training queue is done" in message.get_content()


def test_the_clock_runs_only_tasks_that_there_are(settings):
    app.loader.import_default_modules()
    named = {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()}
    assert {"servers.tasks.enqueue_due_mail_and_webhook_sending"} <= named <= set(app.tasks)

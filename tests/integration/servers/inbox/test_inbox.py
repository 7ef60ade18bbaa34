"""Accounts are told on the site what happened to their teams, runs and challenges."""

from datetime import timedelta

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now
from django.utils import timezone

from annotations.articles.models import Article
from evaluation import tasks
from evaluation.challenges.announcements.models import Announcement, AnnouncementAudience
from evaluation.challenges.announcements.phase_news import mail_phase_news
from evaluation.challenges.announcements.publishing import (
    publish_announcement,
    remove_announcement,
    write_mails_of_announcement,
)
from evaluation.challenges.deletion.challenge_deletion import delete_challenge_without_runs
from evaluation.challenges.followers.choices import MailChoice, store_mail_choice
from evaluation.challenges.models import Challenge, Phase, PhaseEvent
from evaluation.challenges.participants.admission import (
    accept_terms_or_refuse_ineligible_team,
    approve_team_without_organizers,
)
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.runs.models import Run
from evaluation.runs.uploads import intake, outcome_news
from evaluation.runs.uploads.models import Upload
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.calls.queues.closing import close_finished_queue_and_notify_team
from servers.calls.queues.contents import (
    enqueue_articles_without_open_or_test_call,
    get_or_create_queue_and_producer,
)
from servers.calls.states import QueueMode
from servers.inbox.entries import KEPT, list_old_entries, mark_entries_read, notify_accounts
from servers.inbox.models import InboxEntry
from servers.notifications.events import EventType
from servers.notifications.notices import store_wanted_notice_and_deliveries_of_event
from servers.registry.removal import delete_stopped_server_without_results_or_challenges
from servers.teams.models import Membership
from tests.integration.evaluation_cast import answer, make_server, species
from tests.integration.server_cast import articles

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("team")]
RUNS = "/challenges/example/training/TX/runs/"


def read_inbox(user):
    return list(InboxEntry.objects.filter(user=user).order_by("pk").values_list("text", flat=True))


def upload(client, alice, content=b"101\t9606\t1\t0.9\n", name="mine.tsv"):
    client.force_login(alice)
    return client.post(RUNS, {"file": SimpleUploadedFile(name, content)}, follow=True)


def test_the_header_counts_what_is_unread_and_a_reader_marks_it(client, alice, olga):
    client.force_login(alice)
    assert b"Nothing yet." in client.get("/notifications/").content
    notify_accounts([alice.pk, alice.pk, olga.pk], "A run <b>is</b>\nscored.", "/runs/1/")
    page = client.get("/notifications/").content.decode()
    assert '<span class="count">1<' in page and '<a href="/runs/1/">A run &lt;b&gt;is&lt;/b&gt; scored.</a>' in page
    newest = InboxEntry.objects.get(user=alice)
    notify_accounts([alice.pk], "Told later.", "/")
    client.post("/notifications/read/", {"up_to": newest.pk})
    assert list(InboxEntry.objects.filter(read=None).order_by("pk").values_list("text", "user")) == [
        ("A run <b>is</b> scored.", olga.pk),
        ("Told later.", alice.pk),
    ]
    assert b"Reload the page" in client.post("/notifications/read/", {"up_to": "x"}, follow=True).content


def test_the_header_costs_no_more_queries(client, alice, django_assert_num_queries):
    notify_accounts([alice.pk], "First.", "/")
    client.force_login(alice)
    client.get("/manual/")
    with django_assert_num_queries(3):  # session, account, header
        assert b'<span class="count">1<' in client.get("/manual/").content
    notify_accounts([alice.pk], "Second.", "/")
    with django_assert_num_queries(3):
        assert b'<span class="count">2<' in client.get("/manual/").content


def test_the_header_counts_what_the_page_lists(client, alice):
    """Equal neighbours and those about queues of a server are one; others are not."""
    queues, runs = "/servers/alpha/#queues", "/runs/1/"
    for text, path in (("A run was scored.", runs), ("Queue 1 ended.", queues), ("Queue 2 ended.", queues)):
        notify_accounts([alice.pk], text, path)
    for text in ("A run was scored.", "A run was scored.", "A run was refused."):
        notify_accounts([alice.pk], text, runs)
    client.force_login(alice)
    page = client.get("/notifications/").content.decode()
    assert page.count('<li class="unread">') == 4
    assert '<span class="count">4<' in page


def test_programs_read_it(client, alice, olga):
    notify_accounts([alice.pk], "First.", "/manual/")
    notify_accounts([olga.pk], "For olga.", "/")
    client.force_login(alice)
    (entry,) = client.get("/api/v1/notifications/").json()["results"]
    assert (entry["text"], entry["path"], entry["read"]) == ("First.", "/manual/", None)
    newest = InboxEntry.objects.get(user=olga).pk
    address = "/api/v1/notifications/read/"
    assert client.post(address, {"up_to": newest}, content_type="application/json").json() == {"marked": 1}
    assert InboxEntry.objects.get(user=olga).read is None
    assert client.post(address, {"up_to": "x"}, content_type="application/json").status_code == 400


def test_organizers_are_told_of_requests_and_teams_of_approvals(challenge, team, alice, olga):
    challenge.approve_teams = True
    challenge.save()
    accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    assert read_inbox(olga) == [f"{team} asks to take part in {challenge}."]
    approve_team_without_organizers(challenge, team, olga)
    approve_team_without_organizers(challenge, team, olga)
    assert read_inbox(alice) == [f"{team} can take part in {challenge}: its organizers approved it."]


def test_everybody_in_a_challenge_is_told_of_phases_and_followers_of_announcements(challenge, team, alice, olga, carol):
    accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    PhaseEvent.objects.create(phase=challenge.phases.get(sort="training"), what="ended", to_mail=True)
    mail_phase_news()
    mail_phase_news()
    assert read_inbox(alice) == read_inbox(olga) == [f"{challenge}: training phase ended."]
    news = publish_announcement(challenge, olga, title="New data", text="...", audience=AnnouncementAudience.FOLLOWERS)
    write_mails_of_announcement(news)
    assert read_inbox(alice)[1:] == [f"{challenge}: New data"]
    assert read_inbox(carol) == []


def test_an_announcement_that_is_removed_is_no_longer_among_notifications(challenge, team, alice, olga):
    """Its title may be what should not have been published."""
    accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    for title in ("New data", "The answer to 101 is 9606", "More data"):
        audience = AnnouncementAudience.FOLLOWERS
        news = publish_announcement(challenge, olga, title=title, text="...", audience=audience)
        write_mails_of_announcement(news)
    page = "/challenges/example/announcements/"
    removed = Announcement.objects.get(title__startswith="The answer")
    assert InboxEntry.objects.get(text__contains="answer").path == f"{page}#announcement-{removed.pk}"
    remove_announcement(removed)
    assert read_inbox(alice) == [f"{challenge}: New data", f"{challenge}: More data"]


def test_notifications_of_a_deleted_challenge_or_server_lead_to_no_other_one(challenge, server, team, alice, olga):
    """Somebody else can give another one the same name."""
    Challenge.objects.create(name="Example two", slug="example2")
    for path in ("/challenges/example/", "/challenges/example/announcements/", "/challenges/example2/", "/runs/1/"):
        notify_accounts([alice.pk], path, path)
    delete_challenge_without_runs(challenge)
    assert read_inbox(alice) == ["/challenges/example2/", "/runs/1/"]
    store_wanted_notice_and_deliveries_of_event(server.pk, EventType.SERVER_FAILED)
    delete_stopped_server_without_results_or_challenges(server)
    assert read_inbox(alice) == ["/challenges/example2/", "/runs/1/"]


def test_a_team_is_told_of_the_first_score_of_a_run(client, challenge, alice):
    upload(client, alice)
    run = Run.objects.get()
    compute_and_store_run_scores(run)
    compute_and_store_run_scores(run)
    assert read_inbox(alice) == [f"mine is scored: TX, training phase, {challenge}."]
    assert InboxEntry.objects.get().path == f"/runs/{run.pk}/"


def test_a_team_is_notified_once_of_the_first_scores_of_a_server(challenge, team, alice):
    """Not of each score that follows with further answers."""
    entered = enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), challenge.phases.get())
    run = next(run for run in entered if run.task.name == "TX")
    answer(run, 101, species("9606"))
    tasks.score_due_runs_after_cleaning_unless_busy()
    answer(run, 102, species("9606"))
    assert tasks.score_due_runs_after_cleaning_unless_busy() == "1 of 1 scored"
    place = f"TX, training phase, {challenge}"
    assert read_inbox(alice) == [f"{run} has its first scores, which change with each answer: {place}."]
    assert InboxEntry.objects.get().path == f"/runs/{run.pk}/"


def test_first_scores_are_mailed_together_to_members_who_get_mail(client, challenge, team, alice, carol):
    Membership.objects.create(team=team, user=carol, role="member")
    store_mail_choice(challenge, carol, MailChoice(announcements=True, discussion=False))
    upload(client, alice)
    upload(client, alice, b"102\t9606\t1\t0.9\n", "second.tsv")
    for _ in range(2):
        tasks.score_due_runs_after_cleaning_unless_busy()
    sent = [each for each in mail.outbox if "scored" in each.subject]
    assert [(each.to, each.subject) for each in sent] == [
        ([account.email], f"[BCMS] {challenge}: mine is scored and 1 more") for account in (alice, carol)
    ]
    assert f"second is scored: TX, training phase, {challenge}." in sent[0].body and "No more mail" in sent[0].body


def test_the_mail_about_first_scores_is_written_after_a_worker_died_before_it(client, challenge, alice, monkeypatch):
    upload(client, alice)
    with monkeypatch.context() as patched:
        patched.setattr(tasks, "mail_due_first_scores", die)
        with pytest.raises(SystemExit):
            tasks.score_due_runs_after_cleaning_unless_busy()
    assert Run.objects.get().scores.exists() and not mail.outbox
    for _ in range(2):
        tasks.score_due_runs_after_cleaning_unless_busy()
    assert [each.subject for each in mail.outbox] == [f"[BCMS] {challenge}: mine is scored"]


def die():
    raise SystemExit


@pytest.mark.parametrize("most_bytes", [intake.MAX_IMMEDIATE_BYTES, 5])
def test_a_team_that_uploads_and_withdraws_all_day_is_not_flooded(client, challenge, alice, monkeypatch, most_bytes):
    monkeypatch.setattr(outcome_news, "MOST_DAILY_UPLOADS_WITH_NEWS", 1)
    monkeypatch.setattr(intake, "MAX_IMMEDIATE_BYTES", most_bytes)
    for number in range(4):
        upload(client, alice, name=f"{number}.tsv")
        tasks.process_run_uploads_unless_busy()
        tasks.score_due_runs_after_cleaning_unless_busy()
        Run.objects.update(withdrawn=Now())
    assert Run.objects.count() == 4
    of_first = 1 if most_bytes > 5 else 2
    assert (len(read_inbox(alice)), len(mail.outbox)) == (of_first + 1, of_first)
    assert InboxEntry.objects.order_by("-pk")[0].path == f"{RUNS}?team={Run.objects.all()[0].team.slug}"


def test_who_turned_mail_about_a_challenge_off_gets_none_about_scores(client, challenge, alice):
    store_mail_choice(challenge, alice, MailChoice(announcements=False, discussion=False))
    upload(client, alice)
    tasks.score_due_runs_after_cleaning_unless_busy()
    assert len(read_inbox(alice)) == 1
    assert not [each for each in mail.outbox if "scored" in each.subject]


@pytest.mark.parametrize("hidden", ["test", "draft"])
def test_nobody_is_notified_of_scores_that_are_hidden(client, challenge, alice, hidden):
    upload(client, alice)
    if hidden == "test":
        Phase.objects.update(sort="test")
    else:
        Challenge.objects.update(state="draft")
    tasks.score_due_runs_after_cleaning_unless_busy()
    assert Run.objects.get().scores.exists()
    assert read_inbox(alice) == [] and not [each for each in mail.outbox if "scored" in each.subject]


def test_the_rest_of_a_team_is_notified_of_a_small_file_that_is_refused(client, challenge, team, alice, carol):
    """Who uploaded it sees the errors at once."""
    Membership.objects.create(team=team, user=carol, role="member")
    upload(client, alice, b"101\tx\t1\t0.9\n")
    assert read_inbox(alice) == []
    assert read_inbox(carol) == [f"mine.tsv is rejected: TX, training phase, {challenge}."]
    path = f"/challenges/{challenge.slug}/training/TX/runs/?team={team.slug}"
    assert InboxEntry.objects.get().path == path
    client.force_login(carol)
    assert f"/uploads/{Upload.objects.get().pk}/" in client.get(path).content.decode()


@pytest.mark.parametrize("most_bytes", [intake.MAX_IMMEDIATE_BYTES, 5])
def test_a_team_is_not_flooded_by_files_that_are_refused(
    client, challenge, team, alice, carol, monkeypatch, most_bytes
):
    monkeypatch.setattr(intake, "MAX_IMMEDIATE_BYTES", most_bytes)
    Membership.objects.create(team=team, user=carol, role="member")
    for number in range(3):
        upload(client, alice, f"101\tx{number}\t1\t0.9\n".encode(), f"{number}.tsv")
        tasks.process_run_uploads_unless_busy()
    assert len(read_inbox(carol)) == 1
    assert len(read_inbox(alice)) == (3 if most_bytes == 5 else 0)
    InboxEntry.objects.update(read=Now())
    upload(client, alice, b"101\ty\t1\t0.9\n", "last.tsv")
    tasks.process_run_uploads_unless_busy()
    assert read_inbox(carol)[-1].startswith("last.tsv is rejected")


@pytest.mark.parametrize(
    ("content", "said", "words"),
    [
        (b"101\t9606\t1\t0.9\n", "stored as a run", "Its scores follow"),
        (b"101\tx\t1\t0.9\n102\ty\t1\t0.9\n", "rejected", "It has 2 errors. Nothing was stored"),
    ],
)
def test_who_uploaded_a_large_file_is_told_and_mailed_what_became_of_it(
    client, challenge, alice, monkeypatch, content, said, words
):
    monkeypatch.setattr(intake, "MAX_IMMEDIATE_BYTES", 5)
    upload(client, alice, content)
    assert read_inbox(alice) == []
    tasks.process_run_uploads_unless_busy()
    assert read_inbox(alice) == [f"mine.tsv is {said}: TX, training phase, {challenge}."]
    (sent,) = [each for each in mail.outbox if "mine.tsv" in each.subject]
    assert sent.to == [alice.email] and words in sent.body


def test_a_file_that_cannot_be_checked_is_told_once(client, challenge, alice, monkeypatch):
    monkeypatch.setattr(intake, "MAX_IMMEDIATE_BYTES", 5)
    monkeypatch.setattr(intake, "MAX_PROCESSING_ATTEMPTS", 0)
    upload(client, alice)
    tasks.process_run_uploads_unless_busy()
    tasks.process_run_uploads_unless_busy()
    (told,) = read_inbox(alice)
    assert told.startswith("mine.tsv could not be checked because of an error of the site")


def test_old_entries_are_deleted(alice):
    now = timezone.now()
    notify_accounts([alice.pk], "Old.", "/")
    notify_accounts([alice.pk], "New.", "/")
    InboxEntry.objects.filter(text="Old.").update(at=now - KEPT - timedelta(minutes=1))
    assert [entry.text for entry in list_old_entries(now)] == ["Old."]


def test_a_team_is_told_of_its_server_once_in_a_while(server, alice):
    for event_type in (EventType.SERVER_UNREACHED, EventType.SERVER_UNREACHED, EventType.ARTICLE_FAILED):
        store_wanted_notice_and_deliveries_of_event(server.pk, event_type)
    assert read_inbox(alice) == [f"{server}: cannot be reached."]


def finish_queue(server, mode, name="", began=timedelta(minutes=1)):
    """A queue with two articles that were loaded that long ago and are done now."""
    queue = get_or_create_queue_and_producer(server, mode, name)
    enqueue_articles_without_open_or_test_call(
        queue, [article.pk for article in articles(60000001 + Article.objects.count(), 2)]
    )
    queue.calls.update(state="answered", created=Now() - began, finished=Now())
    close_finished_queue_and_notify_team(queue)


def test_a_team_is_notified_which_queue_is_done_and_listed_together(client, server, alice):
    finish_queue(server, QueueMode.TRAINING)
    notify_accounts([alice.pk], "Between.", "/")
    for name in ("one", "two", "three"):
        finish_queue(server, QueueMode.TEST, name)
    done = [f"{server}: the test queue “{name}” is done, 2 articles." for name in ("one", "two", "three")]
    assert read_inbox(alice) == [f"{server}: the training queue is done, 2 articles.", "Between.", *done]
    client.force_login(alice)
    page = client.get("/notifications/")
    groups = [[group.newest.text, len(group.earlier)] for group in page.context["groups"]]
    assert groups == [[done[-1], 2], ["Between.", 0], [f"{server}: the training queue is done, 2 articles.", 0]]
    assert b'<a href="/servers/genedict/#queues">' in page.content and b"and 2 more before" in page.content


@pytest.mark.parametrize(("minutes", "number"), [(1, 0), (11, 1)])
def test_a_live_queue_that_is_done_at_once_is_no_news(server, alice, minutes, number):
    finish_queue(server, QueueMode.LIVE, began=timedelta(minutes=minutes))
    assert len(read_inbox(alice)) == number


def test_only_equal_notifications_of_one_page_are_listed_together(client, alice):
    for text, path in (("A.", "/1/"), ("A.", "/1/"), ("B.", "/1/"), ("B.", "/2/"), ("B.", "/2/")):
        notify_accounts([alice.pk], text, path)
    mark_entries_read(alice.pk, InboxEntry.objects.order_by("-pk")[1].pk)
    client.force_login(alice)
    groups = client.get("/notifications/").context["groups"]
    assert [(group.newest.text, len(group.earlier)) for group in groups] == [("B.", 0), ("B.", 0), ("B.", 0), ("A.", 1)]

"""Webhooks of teams and challenges get what happens in challenges, and nothing that their owners do not see."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from evaluation import tasks
from evaluation.challenges.announcements.models import AnnouncementAudience
from evaluation.challenges.announcements.publishing import (
    publish_announcement,
    remove_announcement,
    write_mails_of_announcement,
)
from evaluation.challenges.deletion.challenge_deletion import delete_challenge_without_runs
from evaluation.challenges.models import Challenge, ChallengeState, Phase
from evaluation.challenges.participants.admission import (
    accept_terms_or_refuse_ineligible_team,
    approve_team_without_organizers,
    withdraw_team_approval,
)
from evaluation.challenges.phases import lifecycle
from evaluation.challenges.publication.publishing import publish_phase_with_articles_and_due_runs
from evaluation.challenges.states.transitions import change_challenge_state
from evaluation.runs.models import Run
from evaluation.runs.uploads import intake
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.notifications.models import Delivery, Webhook
from servers.notifications.webhooks import webhook_delivery
from servers.teams.models import Membership, Team
from tests.receiver import Receiver

pytestmark = pytest.mark.django_db
RUNS = "/challenges/example/training/TX/runs/"
TOPICS = ["entry", "run", "phase", "news", "file"]
URL = "http://127.0.0.1:9/"
SITE = "http://127.0.0.1:8000"


@pytest.fixture
def of_team(team):
    return Webhook.objects.create(team=team, url=URL, topics=TOPICS)


@pytest.fixture
def of_challenge(challenge):
    return Webhook.objects.create(challenge_id=challenge.pk, url=URL, topics=TOPICS)


@pytest.fixture
def of_rivals(carol):
    """Of a team that is in no challenge."""
    rivals = Team.objects.create(name="Rivals", slug="rivals")
    Membership.objects.create(team=rivals, user=carol, role="manager")
    return Webhook.objects.create(team=rivals, url=URL, topics=TOPICS)


def list_events(webhook):
    return list(webhook.deliveries.order_by("created", "pk").values_list("happening", flat=True))


def read_data(webhook):
    """What the only message says."""
    return json.loads(webhook.deliveries.get().body)["data"]


def upload(client, user, content=b"101\t9606\t1\t0.9\n"):
    client.force_login(user)
    return client.post(RUNS, {"file": SimpleUploadedFile("mine.tsv", content)}, follow=True)


def test_organizers_get_requests_and_teams_get_decisions(
    challenge, team, alice, olga, of_team, of_challenge, of_rivals
):
    challenge.approve_teams = True
    challenge.save()
    accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    approve_team_without_organizers(challenge, team, olga)
    approve_team_without_organizers(challenge, team, olga)
    withdraw_team_approval(challenge, team)
    assert list_events(of_challenge) == ["team-asked"]
    assert list_events(of_team) == ["team-approved", "team-refused"]
    assert list_events(of_rivals) == []
    assert read_data(of_challenge) == {
        "challenge": {"slug": "example", "name": str(challenge), "page": f"{SITE}/challenges/example/"},
        "team": {"slug": "team-alpha", "name": "Team Alpha", "page": f"{SITE}/teams/team-alpha/"},
        "text": f"Team Alpha asks to take part in {challenge}.",
        "link": f"{SITE}/challenges/example/organize/",
    }


def test_nobody_but_organizers_gets_anything_of_a_draft(challenge, team, olga, of_team, of_challenge):
    Challenge.objects.update(state="draft")
    challenge.refresh_from_db()
    approve_team_without_organizers(challenge, team, olga)
    withdraw_team_approval(challenge, team)
    lifecycle.freeze_phase_and_hold_queues(challenge.phases.get(), olga, "x")
    tasks.mail_announcements_unless_busy()
    assert not Delivery.objects.exists()


@pytest.mark.parametrize("state", ["waiting", "failed"])
def test_messages_about_a_challenge_that_becomes_a_draft_are_deleted(challenge, team, olga, of_team, state):
    """Those that failed, too: pages show them, and a manager could have them sent again."""
    approve_team_without_organizers(challenge, team, olga)
    Delivery.objects.update(state=state)
    assert list_events(of_team) == ["team-approved"]
    change_challenge_state(challenge, ChallengeState.DRAFT)
    assert list_events(of_team) == []


def test_phases_are_for_all_teams_in_the_challenge_and_each_message_names_its_own_team(
    challenge, team, alice, carol, olga, of_team, of_challenge, of_rivals
):
    for each, user in ((team, alice), (of_rivals.team, carol)):
        accept_terms_or_refuse_ineligible_team(challenge, each, user)
    phase = challenge.phases.get()
    lifecycle.end_begun_phase_early(phase, olga, "Enough.")
    publish_phase_with_articles_and_due_runs(phase, timezone.now())
    tasks.mail_announcements_unless_busy()
    tasks.mail_announcements_unless_busy()
    events = list_events(of_team)
    assert sorted(events) == ["phase-begun", "phase-ended", "phase-published"]
    assert sorted(list_events(of_challenge)) == sorted(list_events(of_rivals)) == sorted(events)
    ended = json.loads(of_rivals.deliveries.get(happening="phase-ended").body)
    assert (ended["topic"], ended["data"]["phase"], ended["data"]["reason"]) == ("phase", "training", "Enough.")
    assert ended["data"]["team"]["slug"] == "rivals"
    assert not of_rivals.deliveries.filter(body__contains="Alpha").exists()
    assert "team" not in json.loads(of_challenge.deliveries.first().body)["data"]


def test_an_archived_challenge_sends_nothing_more(challenge, team, alice, olga, of_team, of_challenge):
    accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    for state in (ChallengeState.CLOSED, ChallengeState.ARCHIVED):
        change_challenge_state(challenge, state)
    publish_phase_with_articles_and_due_runs(challenge.phases.get(), timezone.now())
    tasks.mail_announcements_unless_busy()
    assert not Delivery.objects.exists()


def test_a_team_gets_the_first_score_of_its_run_without_the_score(client, challenge, alice, of_team, of_challenge):
    upload(client, alice)
    run = Run.objects.get()
    compute_and_store_run_scores(run)
    compute_and_store_run_scores(run)
    assert list_events(of_team) == ["run-scored"]
    assert {name: read_data(of_team)[name] for name in ("phase", "task", "run", "link")} == {
        "phase": "training",
        "task": "TX",
        "run": {"id": run.pk, "name": "mine"},
        "link": f"{SITE}/runs/{run.pk}/",
    }
    assert list_events(of_challenge) == ["run-uploaded"]
    assert (read_data(of_challenge)["uploaded_runs"], read_data(of_challenge)["team"]["slug"]) == (1, "team-alpha")


def test_nobody_gets_that_a_run_of_an_unpublished_test_is_scored(client, challenge, alice, of_team, of_challenge):
    upload(client, alice)
    Phase.objects.update(sort="test")
    compute_and_store_run_scores(Run.objects.get())
    assert list_events(of_team) == []
    assert list_events(of_challenge) == ["run-uploaded"]


@pytest.mark.parametrize("largest", [5, 10**6])
def test_a_team_gets_that_its_file_was_refused_and_organizers_do_not(
    client, challenge, alice, of_team, of_challenge, monkeypatch, largest
):
    monkeypatch.setattr(intake, "MAX_IMMEDIATE_BYTES", largest)
    upload(client, alice, b"101\tx\t1\t0.9\n102\ty\t1\t0.9\n")
    tasks.process_run_uploads_unless_busy()
    assert list_events(of_team) == ["run-refused"]
    assert read_data(of_team)["upload"]["faults"] == 2
    assert list_events(of_challenge) == []


def test_a_team_gets_that_its_file_could_not_be_checked(client, challenge, alice, of_team, monkeypatch):
    monkeypatch.setattr(intake, "MAX_IMMEDIATE_BYTES", 5)
    monkeypatch.setattr(intake, "MAX_PROCESSING_ATTEMPTS", 0)
    upload(client, alice)
    tasks.process_run_uploads_unless_busy()
    assert list_events(of_team) == ["run-failed"]


def test_announcements_are_for_the_teams_that_they_are_for(challenge, team, alice, carol, olga, of_team, of_rivals):
    accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    accept_terms_or_refuse_ineligible_team(challenge, of_rivals.team, carol)
    for title, audience in (("To all", AnnouncementAudience.TEAMS), ("With a run", AnnouncementAudience.WITH_RUN)):
        write_mails_of_announcement(publish_announcement(challenge, olga, title=title, text="x", audience=audience))
    assert list_events(of_team) == list_events(of_rivals) == ["announced"]
    assert read_data(of_team)["announcement"]["title"] == "To all"


@pytest.mark.parametrize("state", ["waiting", "failed", "delivered"])
@pytest.mark.parametrize("message_format", ["events", "chat"])
def test_messages_about_an_announcement_that_is_removed_are_deleted(
    challenge, team, alice, olga, of_team, message_format, state
):
    Webhook.objects.update(format=message_format)
    accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    kept, removed = (
        publish_announcement(challenge, olga, title=title, text="x", audience=AnnouncementAudience.TEAMS)
        for title in ("Kept", "The answer to 101 is 9606")
    )
    for each in (kept, removed):
        write_mails_of_announcement(each)
    Delivery.objects.update(state=state)
    remove_announcement(removed)
    assert "Kept" in of_team.deliveries.get().body


def test_a_chat_gets_a_sentence_in_which_names_call_nobody(challenge, team, alice, olga, of_team):
    Webhook.objects.update(format="chat")
    accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    title = "@channel <!here> [free](https://evil.example/)"
    fields = {"title": title, "text": "x", "audience": AnnouncementAudience.TEAMS}
    news = publish_announcement(challenge, olga, **fields)
    write_mails_of_announcement(news)
    link = f"{SITE}/challenges/example/announcements/#announcement-{news.pk}"
    shown = "@\u200bchannel &lt;!here&gt; [free]\u200b(https://evil.example/)"
    assert json.loads(of_team.deliveries.get().body) == {"text": f"{challenge}: {shown} {link}"}


def test_only_topics_that_were_chosen_are_sent(challenge, team, olga, of_team):
    Webhook.objects.update(topics=["run", "phase"])
    approve_team_without_organizers(challenge, team, olga)
    assert list_events(of_team) == []


def test_the_message_is_signed_and_sent(challenge, team, olga, of_team):
    with Receiver() as receiver:
        Webhook.objects.update(url=receiver.url)
        approve_team_without_organizers(challenge, team, olga)
        assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(of_team.pk) == "idle"
    (message,) = receiver.came
    assert json.loads(message.body)["type"] == "team-approved"
    assert message.headers["webhook-signature"].startswith("v1,")


def test_a_private_address_is_refused_when_the_message_is_sent(challenge, team, olga, of_team):
    Webhook.objects.update(url="http://10.0.0.1/")
    approve_team_without_organizers(challenge, team, olga)
    webhook_delivery.deliver_due_messages_for_slice_unless_busy(of_team.pk)
    delivery = of_team.deliveries.get()
    assert (delivery.state, delivery.status) == ("failed", None)
    assert "Use a URL that is reachable from the internet." in delivery.error


def test_a_deleted_challenge_takes_its_webhooks_along(challenge, team, olga, of_team, of_challenge):
    approve_team_without_organizers(challenge, team, olga)
    delete_challenge_without_runs(challenge)
    assert list(Webhook.objects.all()) == [of_team]
    assert not Delivery.objects.exists()

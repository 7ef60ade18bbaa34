"""What a restored site does: calls go on, mail is not sent again, sealed gold standards stay sealed."""

from datetime import timedelta

import pytest
from django.core.management import CommandError
from django.db import connection
from django.db.models.functions import Now

from bcms.lib import sealing
from bcms.mail import outbox
from bcms.mail.mail_url import parse_mail_url
from bcms.mail.models import Mail
from evaluation import tasks
from evaluation.challenges.announcements.models import AnnouncementAudience
from evaluation.challenges.announcements.publishing import publish_announcement
from evaluation.challenges.discussion.models import DiscussionPost
from evaluation.challenges.discussion.posts import begin_thread
from evaluation.challenges.followers.choices import MailChoice, store_mail_choice
from evaluation.challenges.followers.models import ChallengeFollower
from evaluation.challenges.models import PhaseEvent
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.scoring.models import Score
from servers.calls import loop
from servers.calls.models import Attempt, Call
from servers.calls.queues import contents
from servers.calls.queues.wake_ups import list_unleased_servers_with_work
from servers.calls.states import CallState, Outcome, QueueMode
from servers.notifications.models import Delivery, Webhook
from servers.registry.models import Server
from servers.registry.states import ServerState
from tests.annotator import Annotator
from tests.integration.backup_cast import create_database, run_command, use_database
from tests.integration.evaluation_cast import answer, make_corpus, make_server, species
from tests.integration.server_cast import articles, put_in_flight

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = b"201\t559292\n202\t7955\n"


@pytest.fixture
def restored(tmp_path):
    """A function that restores the site and uses the copy from then on."""
    with create_database("restored") as name:
        used = use_database(name)

        def restore(*options):
            run_command("backup", tmp_path / "backup")
            used.__enter__()
            return run_command("restore", tmp_path / "backup", *options)

        try:
            yield restore
        finally:
            connection.close()
            used.__exit__(None, None, None)


def write_mail(**fields):
    return Mail.objects.create(sender="a@example.org", recipient="b@example.org", subject="S", body="B", **fields)


def serve(server):
    """Online, one call under way by a worker that holds the lease, and a webhook with a message."""
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(20000001, 2)])
    call = queue.calls.order_by("pk").first()
    put_in_flight(call)
    Attempt.objects.create(call=call, server=server, number=1, outcome=Outcome.UNDER_WAY)
    token = "0" * 32
    Server.objects.filter(pk=server.pk).update(state=ServerState.ONLINE, lease_token=token, lease_until=Now())
    webhook = Webhook.objects.create(server=server, url="https://hooks.example.org/bcms", topics=["fail"])
    Delivery.objects.create(webhook=webhook, happening="test", body="{}")
    return call


def test_waiting_mail_is_held_and_listed(restored, tmp_path, settings):
    waiting, refused = write_mail(), write_mail(failed=Now(), error="Refused.")
    settings.MAIL_DELIVERY = parse_mail_url(f"file://{tmp_path}/mail")
    assert "1 waiting mails are not sent, because they may have been: /operations/ lists them." in restored()

    assert outbox.send_and_delete_due_mail_or_put_off(waiting.pk) == "not due"
    assert [mail.error for mail in Mail.objects.order_by("pk")] == [
        "It waited when the backup was made, and may have been sent since.",
        "Refused.",
    ]
    assert refused.pk == Mail.objects.latest("pk").pk
    assert not (tmp_path / "mail").exists()


def test_news_of_challenges_are_not_mailed_again(restored, challenge, olga, carol, alice, mailoutbox):
    phase = challenge.phases.get()
    store_mail_choice(challenge, carol, MailChoice(announcements=True, discussion=True))
    publish_announcement(challenge, olga, title="News", text="x", audience=AnnouncementAudience.FOLLOWERS)
    begin_thread(challenge, alice, title="Question", text="x")
    PhaseEvent.objects.create(phase=phase, what=PhaseEvent.Type.BEGUN, to_mail=True)
    DiscussionPost.objects.update(at=Now() - timedelta(hours=1))
    ChallengeFollower.objects.update(digested=Now() - timedelta(days=2))
    mailoutbox.clear()
    restored()
    assert ChallengeFollower.objects.exists()
    assert tasks.mail_announcements_unless_busy() == "0 mails"
    assert mailoutbox == []


@pytest.mark.long
def test_a_call_under_way_is_made_again_and_the_lost_try_does_not_count(restored, server):
    call = serve(server)
    with Annotator(lambda sent: {"annotations": {"mention": []}}) as annotator:
        Server.objects.filter(pk=server.pk).update(url=annotator.url)
        restored()
        loop.run_slices_if_slot_and_lease_free(server.pk)
    attempts = Attempt.objects.filter(call=call).order_by("number")
    call.refresh_from_db()

    assert attempts[0].outcome == Outcome.LOST
    assert call.tries == len(attempts) - 1
    assert len(annotator.asked) == Call.objects.count() == 2
    assert not Call.objects.filter(state=CallState.ASKING).exists()


@pytest.mark.long
def test_a_copy_calls_nobody(restored, server, settings, tmp_path):
    serve(server)
    settings.MAIL_DELIVERY = parse_mail_url(f"file://{tmp_path}/mail")
    restored("--copy")
    server.refresh_from_db()

    assert (server.state, server.state_reason) == (ServerState.OFFLINE, "This is a copy of the site, for testing.")
    assert not list_unleased_servers_with_work().exists()
    assert [webhook.active for webhook in Webhook.objects.all()] == [False]


def test_a_copy_that_would_send_mail_is_refused(new_database, empty_site_backup):
    with pytest.raises(CommandError, match=r"A copy must not send mail to people: set EMAIL_URL=file:///FOLDER"):
        run_command("restore", empty_site_backup, "--copy")


@pytest.mark.long
def test_sealed_gold_stays_sealed_and_can_be_scored_with_its_key(restored, challenge, team, settings):
    phase = creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True)
    )
    gold = store_gold_sealed_or_open(challenge.tasks.get(name="TX"), phase, SECRET, "species.tsv")
    server = make_server(team, "reader")
    enter_eligible_server_and_enqueue_articles(server, challenge.phases.get(sort="training"))
    for run in challenge.phases.get(sort="training").runs.all():
        for pmid in (101, 102, 103, 104):
            answer(run, pmid, [] if run.task.name == "ACT" else species("9606"))
    (run,) = [each for each in enter_eligible_server_and_enqueue_articles(server, phase) if each.task.name == "TX"]
    answer(run, 201, species("559292"))
    answer(run, 202, species("9606"))
    restored()
    gold.refresh_from_db()
    assert bytes(gold.sealed).startswith(b"bcms-sealed-1 ") and b"559292" not in bytes(gold.sealed)

    key = settings.GOLD_PRIVATE_KEY
    _, other = sealing.generate_public_and_private_key(key_bits=2048)
    for unfit in (None, sealing.parse_optional_private_key(other, "GOLD_PRIVATE_KEY", "make_gold_key")):
        settings.GOLD_PRIVATE_KEY = unfit
        tasks.score_due_runs_after_cleaning_unless_busy()
        assert not Score.objects.filter(run=run).exists()
    settings.GOLD_PRIVATE_KEY = key
    tasks.score_due_runs_after_cleaning_unless_busy()
    assert Score.objects.filter(run=run).first().figures["macro_f1"] == pytest.approx(0.5)

"""Articles without an answer because of errors of the meta-server: who sees them, and who has them sent again."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from evaluation.challenges.matrix.server_matrix import build_server_matrix
from evaluation.challenges.matrix.unanswered_articles import resend_articles_failed_by_meta_server
from evaluation.challenges.models import ExcludedArticle, Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.phases import lifecycle
from evaluation.errors import ChallengeError
from evaluation.runs.models import Run
from servers.audit.models import AuditEvent
from servers.calls.models import Attempt, Call, Queue
from servers.calls.states import CallState, Outcome, QueueState
from tests.integration.evaluation_cast import make_server

pytestmark = pytest.mark.django_db

MATRIX = "/challenges/example/phases/test/matrix/"
REST = "/api/v1/challenges/example/phases/test/matrix/resend/"
OUR_ERROR = "An error of the meta-server."


def fail_call(call, outcome, message=OUR_ERROR):
    """The call has FAILED after an attempt with this outcome."""
    number = call.attempts.count() + 1
    Attempt.objects.create(call=call, server=call.server, number=number, outcome=outcome, message=message)
    Call.objects.filter(pk=call.pk).update(state=CallState.FAILED, reason=message, finished=Now())


def list_calls(server_name, **lookup):
    return Call.objects.filter(server__slug=server_name, **lookup).order_by("pk")


@pytest.fixture
def tested(challenge, testing, team):
    """The test phase with two servers. We failed the first at its first article and answered it at the second one."""
    challenge.phases.filter(sort="training").delete()
    for name in ("unlucky", "fine"):
        enter_eligible_server_and_enqueue_articles(make_server(team, name), testing)
    first, second = list_calls("unlucky")
    fail_call(first, Outcome.OUR_FAULT)
    Attempt.objects.create(call=second, server=second.server, number=1, outcome=Outcome.ANSWERED)
    Call.objects.filter(pk=second.pk).update(state=CallState.ANSWERED)
    Queue.objects.filter(server__slug="unlucky").update(state=QueueState.DONE)
    return testing


def test_its_organizer_sees_them_and_has_them_sent_again(organizer, tested):
    failed = list_calls("unlucky").first()
    assert "1 call failed because of errors of the meta-server" in organizer.get(MATRIX).content.decode()
    page = organizer.post(MATRIX + "resend/", follow=True).content.decode()
    assert "1 call to 1 server will be sent again." in page
    assert "failed because of errors of the meta-server" not in page
    again = list_calls("unlucky").last()
    assert (again.article_id, again.state, again.priority) == (failed.article_id, CallState.WAITING, failed.priority)
    assert (list_calls("unlucky").count(), list_calls("fine").count()) == (3, 2)
    assert Queue.objects.get(server__slug="unlucky").state == QueueState.RUNNING
    event = AuditEvent.objects.latest("pk")
    assert (event.action, event.actor.username) == ("phase.changed", "olga")
    assert event.after["details"] == "1 call to 1 server, after errors of the meta-server"
    assert tested.events.get(what="resent").by.username == "olga"


def test_it_sends_them_again_once(organizer, tested):
    organizer.post(MATRIX + "resend/")
    page = organizer.post(MATRIX + "resend/", follow=True).content.decode()
    assert "No call of the test phase failed because of an error of the meta-server" in page
    assert list_calls("unlucky").count() == 3


def test_it_sends_them_again_by_rest(organizer, tested):
    shown = organizer.post(REST).json()
    assert {row["server"]: row["unanswered"] for row in shown["rows"]} == {"fine": 0, "unlucky": 0}
    assert list_calls("unlucky").count() == 3
    assert organizer.post(REST).status_code == 409


def test_it_counts_and_sends_again_nothing_else(tested, olga):
    """Failures of the server, answers, what the team removed, and excluded articles stay as they are."""
    first, second = list_calls("unlucky")
    Attempt.objects.filter(call=second).update(outcome=Outcome.INVALID)
    Call.objects.filter(pk=second.pk).update(state=CallState.FAILED, reason=OUR_ERROR)
    fail_call(second, Outcome.OUR_FAULT)
    removed, refused = list_calls("fine")
    fail_call(removed, Outcome.OUR_FAULT)
    Call.objects.filter(pk=removed.pk).update(reason="Removed from the queue by the team.")
    fail_call(refused, Outcome.OUR_FAULT)
    fail_call(refused, Outcome.CONNECTION, "Refused.")
    assert {row.server.slug: row.unanswered for row in build_server_matrix(tested).rows} == {"fine": 0, "unlucky": 1}
    ExcludedArticle.objects.create(phase=tested, article=first.article, reason="Empty.")
    assert build_server_matrix(tested).unanswered == 0
    with pytest.raises(ChallengeError, match="No call of the test phase"):
        resend_articles_failed_by_meta_server(tested, olga)
    assert Call.objects.count() == 4


def test_its_matrix_counts_crashed_workers_as_errors(tested):
    call = list_calls("fine").first()
    Attempt.objects.create(call=call, server=call.server, number=1, outcome=Outcome.LOST)
    assert {row.server.slug: row.site_errors for row in build_server_matrix(tested).rows} == {"fine": 1, "unlucky": 1}


def test_it_sends_nothing_again_unless_the_phase_is_open(organizer, tested, olga):
    lifecycle.freeze_phase_and_hold_queues(tested, olga, "The power fails.")
    assert "have frozen the test phase" in organizer.post(REST).json()["detail"]
    lifecycle.unfreeze_phase_and_update_queues(tested, olga)
    Phase.objects.filter(pk=tested.pk).update(opens=Now() - timedelta(hours=2), closes=Now() - timedelta(hours=1))
    page = organizer.post(MATRIX + "resend/", follow=True).content.decode()
    assert "It is too late to send articles again." in page
    assert "Send these articles again" not in page
    assert list_calls("unlucky").count() == 2


def test_nobody_else_may_send_them_again(client, tested, alice):
    client.force_login(alice)
    assert client.post(MATRIX + "resend/").status_code == 403
    assert client.post(REST).status_code == 403
    assert list_calls("unlucky").count() == 2


def test_the_page_of_the_run_has_their_number_for_the_team_and_the_organizers(client, tested, alice, olga, carol):
    run, other = (Run.objects.filter(producer__queue__server__slug=name).earliest("pk") for name in ("unlucky", "fine"))
    for user in (alice, olga):
        client.force_login(user)
        page = client.get(f"/runs/{run.pk}/").content.decode()
        assert "1 article has no answer because of an error of the meta-server." in page
        assert client.get(f"/api/v1/runs/{run.pk}/").json()["unanswered"] == 1
        assert "error of the meta-server" not in client.get(f"/runs/{other.pk}/").content.decode()
    client.force_login(carol)
    assert client.get(f"/runs/{run.pk}/").status_code == 404
    assert client.get(f"/api/v1/runs/{run.pk}/").status_code == 404

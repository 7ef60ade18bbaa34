"""Organizers name each other, by the page and by REST; one always remains, and none is on a team that takes part."""

import re

import pytest
from django.contrib.messages import get_messages
from django.core import mail

from evaluation.challenges.participants import admission
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.errors import ChallengeError
from evaluation.runs.uploads.eligibility import check_may_upload_run
from servers.audit.models import AuditEvent
from servers.teams.invitations import create_or_renew_invitation, make_invitation_token
from tests.conftest import confirm_email_address
from tests.integration.evaluation_cast import make_server

pytestmark = pytest.mark.django_db

PAGE = "/challenges/example/"
API = "/api/v1/challenges/example/organizers/"


@pytest.fixture
def dan(django_user_model):
    return confirm_email_address(django_user_model.objects.create_user("dan", "dan@example.org"))


def list_shown_messages(response):
    return [str(message) for message in get_messages(response.wsgi_request)]


def test_an_organizer_names_another_who_is_told_and_may_do_the_same(organizer, challenge, carol):
    reply = organizer.post(PAGE + "appoint/", {"organizer": "carol@example.org"})
    assert list_shown_messages(reply) == ["carol now organizes this challenge and gets a mail about it."]
    (message,) = mail.outbox
    assert (message.to, message.subject) == (["carol@example.org"], "[BCMS] You organize Example challenge")
    assert "/challenges/example/organize/" in message.body
    assert list_shown_messages(organizer.post(PAGE + "appoint/", {"organizer": "Carol"}))[-1:] == [
        "carol already organizes this challenge."
    ]
    organizer.force_login(carol)
    shown = organizer.get(PAGE + "organize/").content.decode()
    assert "Remove<span" in shown
    reply = organizer.post(PAGE + "release/", {"organizer": "carol"})
    assert (reply.url, organizer.get(PAGE + "organize/").status_code) == (PAGE, 403)
    assert len(mail.outbox) == 1


def test_it_keeps_who_named_and_released_whom(organizer, challenge, carol, dan):
    organizer.post(PAGE + "appoint/", {"organizer": "carol"})
    organizer.post(PAGE + "appoint/", {"organizer": "carol"})
    organizer.post(API, {"organizer": "dan"}, content_type="application/json")
    organizer.force_login(carol)
    organizer.post(API, {"organizer": "olga", "released": True}, content_type="application/json")
    events = AuditEvent.objects.filter(action__startswith="challenge.organizer", challenge_id=challenge.pk)
    told = events.order_by("pk").values_list("action", "person__username", "actor__username")
    assert list(told) == [
        ("challenge.organizer_added", "carol", "olga"),
        ("challenge.organizer_added", "dan", "olga"),
        ("challenge.organizer_removed", "olga", "carol"),
    ]
    dan.delete()
    page = " ".join(re.sub("<[^>]*>", " ", organizer.get(PAGE + "organize/").content.decode()).split())
    assert "History (3) olga was removed" in page
    assert "UTC, carol A former member was added" in page


def test_one_organizer_remains_and_nobody_of_a_team_in_it_is_named(organizer, challenge, team, alice):
    assert (
        "olga is the only organizer"
        in list_shown_messages(organizer.post(PAGE + "release/", {"organizer": "olga"}))[-1]
    )
    assert (
        "“nobody” is not an organizer"
        in list_shown_messages(organizer.post(PAGE + "release/", {"organizer": "nobody"}))[-1]
    )
    assert (
        "No account has the user name"
        in list_shown_messages(organizer.post(PAGE + "appoint/", {"organizer": "nobody"}))[-1]
    )
    admission.accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    assert (
        "alice is on Team Alpha" in list_shown_messages(organizer.post(PAGE + "appoint/", {"organizer": "alice"}))[-1]
    )
    assert [each.username for each in challenge.organizers.all()] == ["olga"]


def test_a_team_with_an_organizer_on_it_does_not_take_part(organizer, challenge, team, alice):
    entered = make_server(team, "reader")
    challenge.organizers.add(alice)
    why = "alice of Team Alpha organizes Example challenge, and organizers see the annotations of all teams"
    phase, act = challenge.phases.get(), challenge.tasks.get(name="ACT")
    for step in (
        lambda: admission.accept_terms_or_refuse_ineligible_team(challenge, team, alice),
        lambda: admission.approve_team_without_organizers(challenge, team, alice),
        lambda: enter_eligible_server_and_enqueue_articles(entered, phase),
        lambda: check_may_upload_run(team, act, phase, alice),
    ):
        with pytest.raises(ChallengeError, match=why):
            step()
    assert why in list_shown_messages(organizer.post(PAGE + "approve/", {"team": team.slug}))[-1]
    organizer.post(PAGE + "release/", {"organizer": "alice"})
    assert enter_eligible_server_and_enqueue_articles(entered, phase)


def test_an_organizer_joins_no_team_that_takes_part(organizer, challenge, team, alice, olga):
    link = f"/invitations/{make_invitation_token(create_or_renew_invitation(team, olga.email, 'member', alice))}/"
    admission.accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    reply = organizer.post(link)
    assert reply.status_code == 403
    assert "You organize Example challenge, in which Team Alpha takes part" in reply.content.decode()
    challenge.organizers.remove(olga)
    assert organizer.post(link).url == "/teams/team-alpha/"


def test_it_is_done_by_rest_too(organizer, challenge, carol):
    def send(**data):
        return organizer.post(API, data, content_type="application/json")

    assert organizer.get(API).json() == [{"username": "olga"}]
    assert send(organizer="carol").json() == [{"username": "carol"}, {"username": "olga"}]
    assert send(organizer="nobody").status_code == 400
    assert send(organizer="olga", released=True).json() == [{"username": "carol"}]
    organizer.force_login(carol)
    assert send(organizer="carol", released=True).status_code == 409

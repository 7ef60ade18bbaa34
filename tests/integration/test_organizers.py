"""Organizers name each other, by the page and by REST, and one always remains."""

import pytest
from django.contrib.messages import get_messages
from django.core import mail

from evaluation import entrants
from tests.integration.evaluation_cast import make_challenge, make_corpus

pytestmark = pytest.mark.django_db

PAGE = "/challenges/example/"
API = "/api/v1/challenges/example/organizers/"


@pytest.fixture
def challenge(olga):
    return make_challenge(olga, make_corpus())


@pytest.fixture
def organizer(client, olga):
    client.force_login(olga)
    return client


def said(response):
    return [str(message) for message in get_messages(response.wsgi_request)]


def test_an_organizer_names_another_who_is_told_and_may_do_the_same(organizer, challenge, carol):
    reply = organizer.post(PAGE + "appoint/", {"organizer": "carol@example.org"})
    assert said(reply) == ["carol organizes this challenge too, and is told so by mail."]
    (message,) = mail.outbox
    assert (message.to, message.subject) == (["carol@example.org"], "[BCMS] You organize Example challenge")
    assert "/challenges/example/organize/" in message.body
    assert said(organizer.post(PAGE + "appoint/", {"organizer": "Carol"}))[-1:] == [
        "carol organized this challenge before."
    ]
    organizer.force_login(carol)
    shown = organizer.get(PAGE + "organize/").content.decode()
    assert "Release<span" in shown
    reply = organizer.post(PAGE + "release/", {"organizer": "carol"})
    assert (reply.url, organizer.get(PAGE + "organize/").status_code) == (PAGE, 403)
    assert len(mail.outbox) == 1


def test_one_organizer_remains_and_nobody_of_a_team_in_it_is_named(organizer, challenge, team, alice):
    assert "olga alone organizes" in said(organizer.post(PAGE + "release/", {"organizer": "olga"}))[-1]
    assert "nobody does not organize" in said(organizer.post(PAGE + "release/", {"organizer": "nobody"}))[-1]
    assert "Nobody here has the user name" in said(organizer.post(PAGE + "appoint/", {"organizer": "nobody"}))[-1]
    entrants.join(challenge, team, alice)
    assert "alice is on Team Alpha" in said(organizer.post(PAGE + "appoint/", {"organizer": "alice"}))[-1]
    assert [each.username for each in challenge.organizers.all()] == ["olga"]


def test_it_is_done_by_rest_too(organizer, challenge, carol):
    def send(**data):
        return organizer.post(API, data, content_type="application/json")

    assert organizer.get(API).json() == [{"username": "olga"}]
    assert send(organizer="carol").json() == [{"username": "carol"}, {"username": "olga"}]
    assert send(organizer="nobody").status_code == 400
    assert send(organizer="olga", released=True).json() == [{"username": "carol"}]
    organizer.force_login(carol)
    assert send(organizer="carol", released=True).status_code == 409

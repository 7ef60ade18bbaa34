"""Every address of servers and teams, walked as everybody who may come."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.urls import get_resolver, reverse
from django.utils import timezone

from servers.models import (
    Attempt,
    Call,
    Delivery,
    Invitation,
    MailWish,
    Maintenance,
    Membership,
    Server,
    ServerEvent,
    Team,
    Trial,
    Webhook,
)
from servers.states import ServerState
from tests.integration.server_cast import give_past

pytestmark = pytest.mark.django_db

OK, MOVED, NO, ABSENT, UNPROCESSABLE = 200, 302, 403, 404, 422
# What each address answers: to a visitor, carol (no team), bob (another team), dan (member), alice (manager), staff.
READ = {
    "server-list": (OK, OK, OK, OK, OK, OK),
    "server": (OK, OK, OK, OK, OK, OK),
    "server-availability": (OK, OK, OK, OK, OK, OK),
    "server-badge": (OK, OK, OK, OK, OK, OK),
    "team": (OK, OK, OK, OK, OK, OK),
    "team-new": (MOVED, OK, OK, OK, OK, OK),
    "server-register": (MOVED, NO, OK, OK, OK, OK),
    "server-live": (NO, NO, NO, OK, OK, OK),
    "server-attempts": (NO, NO, NO, OK, OK, OK),
    "server-attempt": (NO, NO, NO, OK, OK, OK),
    "server-trial": (MOVED, NO, NO, OK, OK, OK),
    "server-trial-live": (NO, NO, NO, OK, OK, OK),
    "server-log": (NO, NO, NO, OK, OK, OK),
    "server-edit": (MOVED, NO, NO, NO, OK, OK),
    "server-notifications": (MOVED, NO, NO, OK, OK, OK),
    "server-webhook": (MOVED, NO, NO, OK, OK, OK),
    "server-webhook-live": (NO, NO, NO, OK, OK, OK),
}
PRESSED = {
    "server-start": (MOVED, NO, NO, MOVED, MOVED, MOVED),
    "server-halt": (MOVED, NO, NO, MOVED, MOVED, MOVED),
    "server-halt-hard": (MOVED, NO, NO, MOVED, MOVED, MOVED),
    "server-load": (MOVED, NO, NO, UNPROCESSABLE, UNPROCESSABLE, UNPROCESSABLE),
    "server-maintenance": (MOVED, NO, NO, UNPROCESSABLE, UNPROCESSABLE, UNPROCESSABLE),
    "server-maintenance-end": (MOVED, NO, NO, MOVED, MOVED, MOVED),
    "server-trial-save": (MOVED, NO, NO, MOVED, MOVED, MOVED),
    "server-new-keys": (MOVED, NO, NO, NO, MOVED, MOVED),
    "server-try": (MOVED, NO, NO, MOVED, MOVED, MOVED),
    "server-queue": (MOVED, NO, NO, MOVED, MOVED, MOVED),
    "server-remove": (MOVED, NO, NO, NO, MOVED, MOVED),
    "server-mail": (MOVED, NO, NO, NO, UNPROCESSABLE, UNPROCESSABLE),
    "server-my-mail": (MOVED, NO, NO, MOVED, MOVED, ABSENT),
    "server-webhook-add": (MOVED, NO, NO, NO, UNPROCESSABLE, UNPROCESSABLE),
    "server-webhook-change": (MOVED, NO, NO, NO, UNPROCESSABLE, UNPROCESSABLE),
    "server-webhook-test": (MOVED, NO, NO, NO, MOVED, MOVED),
    "server-webhook-replay": (MOVED, NO, NO, NO, MOVED, MOVED),
    "server-webhook-secret": (MOVED, NO, NO, NO, MOVED, MOVED),
    "server-webhook-switch": (MOVED, NO, NO, NO, MOVED, MOVED),
    "server-webhook-remove": (MOVED, NO, NO, NO, MOVED, MOVED),
    "team-invite": (MOVED, NO, NO, NO, UNPROCESSABLE, UNPROCESSABLE),
    "team-withdraw": (MOVED, NO, NO, NO, MOVED, MOVED),
    "team-role": (MOVED, NO, NO, NO, MOVED, MOVED),
    "team-remove": (MOVED, NO, NO, NO, MOVED, MOVED),
    "team-dissolve": (MOVED, NO, NO, NO, MOVED, MOVED),
    "team-leave": (MOVED, NO, NO, MOVED, MOVED, ABSENT),
}
PEOPLE = ("visitor", "carol", "bob", "dan", "alice", "staff")
INSIDE = ("127.0.0.1", "R104", "refused", "/attempts/", "Halt hard", "c2VjcmV0", "eve@")


@pytest.fixture
def people(carol, alice, team, django_user_model):
    make = django_user_model.objects.create_user
    bob, dan, staff = make("bob"), make("dan"), make("staff", is_staff=True)
    Membership.objects.create(
        team=Team.objects.create(name="Team Beta", slug="team-beta"), user=bob, role=Membership.Role.MANAGER
    )
    Membership.objects.create(team=team, user=dan)
    return {"visitor": None, "carol": carol, "bob": bob, "dan": dan, "alice": alice, "staff": staff}


@pytest.fixture
def place(server, people):
    """The arguments of each address."""
    dan = people["dan"].pk
    invitation = Invitation.objects.create(team=server.team, email="eve@example.org")
    queue = give_past(server)
    slug, attempt = server.slug, Attempt.objects.get(diagnosis="R104").pk
    fields = {"name": "New", "url": "http://127.0.0.1:9/", "protocol": "bcms", "method": "Annotator.getAnnotation"}
    fields |= {"send": "struct", "kinds": ["taxon"], "time_limit": 60}
    tried = Trial.objects.create(
        team=server.team, by=people["alice"], fields=fields, finished=Now(), report={"passed": True, "seconds": 0.5}
    )
    webhook = Webhook.objects.create(server=server, url="http://127.0.0.1:9/", topics=["fail"])
    delivery = Delivery.objects.create(webhook=webhook, happening="test", body="{}")
    planned = Maintenance.objects.create(server=server, starts=Now(), ends=Now() + timedelta(days=1))
    own = {
        "server-maintenance-end": [slug, planned.pk],
        **{name: [slug, webhook.pk] for name in [*READ, *PRESSED] if name.startswith("server-webhook")},
        "server-webhook-add": [slug],
        "server-webhook-replay": [slug, webhook.pk, delivery.pk],
        **{name: [tried.pk] for name in ("server-trial", "server-trial-live", "server-trial-save")},
        "server-list": [],
        "server-register": [],
        "team-new": [],
        "team-withdraw": ["team-alpha", invitation.pk],
        "team-role": ["team-alpha", dan],
        "team-remove": ["team-alpha", dan],
        **{name: ["team-alpha"] for name in ("team", "team-invite", "team-leave", "team-dissolve")},
        "server-attempt": [slug, attempt],
        "server-queue": [slug, queue.pk, "retry-failed"],
    }
    return lambda name: reverse(name, args=own.get(name, [slug]))


def come(client, person):
    if person:
        client.force_login(person)
    return client


def test_it_knows_of_every_address():
    names = {name for name in get_resolver().reverse_dict if isinstance(name, str)}
    ours = {name for name in names if name.split("-")[0] in ("server", "team")}
    assert ours == READ.keys() | PRESSED.keys()


@pytest.mark.parametrize("who", PEOPLE)
def test_it_shows_each_page_to_whom_it_is_for(client, people, place, who):
    come(client, people[who])
    answers = {name: client.get(place(name)).status_code for name in READ}
    assert answers == {name: expected[PEOPLE.index(who)] for name, expected in READ.items()}


@pytest.mark.parametrize("who", PEOPLE)
def test_it_lets_those_press_a_button_who_may(client, people, place, who):
    come(client, people[who])
    answers = {name: client.post(place(name)).status_code for name in PRESSED}
    assert answers == {name: expected[PEOPLE.index(who)] for name, expected in PRESSED.items()}


@pytest.mark.parametrize("who", ["visitor", "carol", "bob"])
def test_it_changes_nothing_for_those_who_may_not(client, people, place, who):
    come(client, people[who])
    for name in [*PRESSED, "server-edit"]:
        client.post(place(name), {"name": "Mine now", "pmids": "20000001"})
    assert not ServerEvent.objects.exists()
    assert Call.objects.count() == 4
    assert Maintenance.objects.get().ends > timezone.now()
    server = Server.objects.get()
    assert (server.state, server.name) == (ServerState.ONLINE, "GeneDict")
    assert (Membership.objects.filter(team=server.team).count(), Invitation.objects.count()) == (2, 1)
    assert (Webhook.objects.get().old_secret, Delivery.objects.count(), MailWish.objects.count()) == ("", 1, 0)


@pytest.mark.parametrize("who", ["visitor", "carol", "bob"])
def test_it_tells_others_nothing_of_the_inside(client, people, place, who):
    come(client, people[who])
    seen = "".join(client.get(place(name)).content.decode() for name in READ)
    assert [word for word in INSIDE if word in seen] == []


@pytest.mark.parametrize("name", PRESSED)
def test_it_does_nothing_on_a_mere_visit(client, people, place, name):
    come(client, people["alice"])
    assert client.get(place(name)).status_code == 405


@pytest.mark.parametrize("name", PRESSED)
def test_it_demands_the_token_of_the_form(people, place, name, client):
    client.handler.enforce_csrf_checks = True
    come(client, people["alice"])
    assert client.post(place(name)).status_code == 403
    assert not ServerEvent.objects.exists()


def test_it_finds_a_webhook_below_its_own_server_alone(client, people, place, team):
    Server.objects.create(team=team, name="Other", slug="other", url="http://127.0.0.1:9/", kinds=["taxon"])
    come(client, people["alice"])
    webhook = Webhook.objects.get()
    assert client.get(reverse("server-webhook", args=["other", webhook.pk])).status_code == 404
    assert client.post(reverse("server-webhook-remove", args=["other", webhook.pk])).status_code == 404


def test_it_finds_an_attempt_below_its_own_server_alone(client, people, place, team):
    Server.objects.create(team=team, name="Other", slug="other", url="http://127.0.0.1:9/", kinds=["taxon"])
    come(client, people["alice"])
    attempt = Attempt.objects.get(diagnosis="R104")
    assert client.get(reverse("server-attempt", args=["other", attempt.pk])).status_code == 404
    assert (
        client.post(reverse("server-queue", args=["other", attempt.call.queue_id, "retry-failed"])).status_code == 404
    )

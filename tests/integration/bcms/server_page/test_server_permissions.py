"""What the pages of a server keep to its team, where its forms must come from, and what is below which server.

Who may open and press what: tests/integration/bcms/test_access_table.py.
"""

import re
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.urls import reverse

from bcms.access_table import iter_access_rows
from servers.availability.models import Maintenance
from servers.calls.models import Attempt
from servers.notifications.models import Delivery, Webhook
from servers.registry.models import Server, ServerEvent, Trial
from servers.teams.models import Invitation, Membership, Team
from tests.integration.server_cast import give_past

pytestmark = pytest.mark.django_db

OURS = [row for row in iter_access_rows() if row.name.split("-")[0] in ("server", "team")]
READ = [row.name for row in OURS if row.method == "GET"]
PRESSED = [row.name for row in OURS if row.method == "POST"]
TEAM_ONLY_TEXTS = ("127.0.0.1", "R104", "refused", "/attempts/", "Stop now", "c2VjcmV0", "eve@")


@pytest.fixture
def people(carol, alice, team, django_user_model):
    make = django_user_model.objects.create_user
    bob, dan = make("bob"), make("dan")
    Membership.objects.create(
        team=Team.objects.create(name="Team Beta", slug="team-beta"), user=bob, role=Membership.Role.MANAGER
    )
    Membership.objects.create(team=team, user=dan)
    return {"visitor": None, "carol": carol, "bob": bob, "dan": dan, "alice": alice}


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
    of_team = Webhook.objects.create(team=server.team, url="http://127.0.0.1:9/", topics=["run"])
    of_team_delivery = Delivery.objects.create(webhook=of_team, happening="test", body="{}")
    planned = Maintenance.objects.create(server=server, starts=Now(), ends=Now() + timedelta(days=1))
    own = {
        "server-maintenance-end": [slug, planned.pk],
        **{name: [slug, webhook.pk] for name in [*READ, *PRESSED] if name.startswith("server-webhook")},
        "server-webhook-add": [slug],
        "server-webhook-replay": [slug, webhook.pk, delivery.pk],
        **{name: ["team-alpha", of_team.pk] for name in [*READ, *PRESSED] if name.startswith("team-webhook")},
        "team-webhook-replay": ["team-alpha", of_team.pk, of_team_delivery.pk],
        **{name: [tried.pk] for name in ("server-trial", "server-trial-live", "server-trial-save")},
        "server-list": [],
        "server-register": [],
        "team-new": [],
        "team-withdraw": ["team-alpha", invitation.pk],
        "team-role": ["team-alpha", dan],
        "team-remove": ["team-alpha", dan],
        **{name: ["team-alpha"] for name in ("team", "team-invite", "team-leave", "team-dissolve")},
        **{name: ["team-alpha"] for name in ("team-webhooks", "team-webhook-add")},
        "server-attempt": [slug, attempt],
        "server-queue": [slug, queue.pk, "retry-failed"],
    }
    return lambda name: reverse(name, args=own.get(name, [slug]))


def come(client, person):
    if person:
        client.force_login(person)
    return client


@pytest.mark.parametrize("who", ["visitor", "carol", "bob"])
def test_it_tells_others_nothing_of_the_inside(client, people, place, who):
    come(client, people[who])
    seen = "".join(client.get(place(name)).content.decode() for name in READ)
    # A refusal leads to the log-in page and back to the address that was requested.
    seen = re.sub(r"\?next=[^\"]*", "", seen)
    assert [word for word in TEAM_ONLY_TEXTS if word in seen] == []


@pytest.mark.parametrize("name", PRESSED)
def test_it_demands_the_token_of_the_form(people, place, name, client):
    client.handler.enforce_csrf_checks = True
    come(client, people["alice"])
    assert client.post(place(name)).status_code == 403
    assert not ServerEvent.objects.exists()


def test_it_finds_a_webhook_below_its_own_server_alone(client, people, place, team):
    Server.objects.create(
        review="accepted", team=team, name="Other", slug="other", url="http://127.0.0.1:9/", kinds=["taxon"]
    )
    come(client, people["alice"])
    webhook = Webhook.objects.get(team=None)
    assert client.get(reverse("server-webhook", args=["other", webhook.pk])).status_code == 404
    assert client.post(reverse("server-webhook-remove", args=["other", webhook.pk])).status_code == 404


def test_it_finds_an_attempt_below_its_own_server_alone(client, people, place, team):
    Server.objects.create(
        review="accepted", team=team, name="Other", slug="other", url="http://127.0.0.1:9/", kinds=["taxon"]
    )
    come(client, people["alice"])
    attempt = Attempt.objects.get(diagnosis="R104")
    assert client.get(reverse("server-attempt", args=["other", attempt.pk])).status_code == 404
    assert (
        client.post(reverse("server-queue", args=["other", attempt.call.queue_id, "retry-failed"])).status_code == 404
    )

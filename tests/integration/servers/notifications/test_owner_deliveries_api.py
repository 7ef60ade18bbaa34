"""Messages of webhooks of teams and challenges by REST, for those who see their pages."""

import pytest

from servers.notifications.models import Delivery, Webhook
from servers.teams.models import Membership

pytestmark = pytest.mark.django_db
OWNERS = [("teams/team-alpha", "alice"), ("challenges/example", "olga")]


@pytest.fixture
def deliveries(team, challenge):
    """A failed message of each owner, by the owner's path."""
    fields = {"teams/team-alpha": {"team": team}, "challenges/example": {"challenge_id": challenge.pk}}
    return {
        path: Delivery.objects.create(
            webhook=Webhook.objects.create(url="http://127.0.0.1:9/", topics=["phase"], **owner),
            happening="phase-begun",
            body="{}",
            state="failed",
            tries=5,
            status=403,
            answer="No",
            error="Check the room ID.",
        )
        for path, owner in fields.items()
    }


@pytest.fixture
def people(alice, olga, carol):
    return {"alice": alice, "olga": olga, "carol": carol}


def list_messages(client, path, **query):
    return client.get(f"/api/v1/{path}/deliveries/", query)


def replay(client, path, delivery):
    return client.post(f"/api/v1/{path}/deliveries/{delivery.pk}/replay/")


@pytest.mark.parametrize(("path", "name"), OWNERS)
def test_who_sees_the_page_lists_messages_in_a_fixed_number_of_queries(
    client, deliveries, people, path, name, django_assert_max_num_queries
):
    failed = deliveries[path]
    Delivery.objects.bulk_create(Delivery(webhook=failed.webhook, happening="test", body="{}") for _ in range(9))
    client.force_login(people[name])
    with django_assert_max_num_queries(7):
        listed = list_messages(client, path, limit=3).json()
    assert listed["count"] == 10 and len(listed["results"]) == 3
    [message] = list_messages(client, path, state="failed").json()["results"]
    shown = {key: message[key] for key in ("id", "webhook", "happening", "state", "tries", "status", "answer", "error")}
    assert shown == {
        "id": str(failed.pk),
        "webhook": failed.webhook_id,
        "happening": "phase-begun",
        "state": "failed",
        "tries": 5,
        "status": 403,
        "answer": "No",
        "error": "Check the room ID.",
    }
    assert list_messages(client, path, state="lost").status_code == 400


@pytest.mark.parametrize(("path", "name"), OWNERS)
def test_they_send_a_message_again(client, deliveries, people, path, name):
    client.force_login(people[name])
    assert replay(client, path, deliveries[path]).json()["state"] == "waiting"
    Webhook.objects.update(active=False)
    assert replay(client, path, deliveries[path]).status_code == 409


@pytest.mark.parametrize(("path", "name"), OWNERS)
def test_nobody_else_reads_or_sends_them(client, deliveries, people, team, path, name):
    Membership.objects.create(team=team, user=people["carol"])
    message = deliveries[path]
    assert (list_messages(client, path).status_code, replay(client, path, message).status_code) == (401, 401)
    for other in people.keys() - {name}:
        client.force_login(people[other])
        assert (list_messages(client, path).status_code, replay(client, path, message).status_code) == (403, 403)
    assert not Delivery.objects.filter(state="waiting").exists()


@pytest.mark.parametrize(("path", "name"), OWNERS)
def test_an_owner_has_no_message_of_another(client, deliveries, people, path, name):
    [other] = deliveries.keys() - {path}
    client.force_login(people[name])
    assert replay(client, path, deliveries[other]).status_code == 404
    assert list_messages(client, path).json()["count"] == 1

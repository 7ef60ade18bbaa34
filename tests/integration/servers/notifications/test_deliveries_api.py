"""Messages of webhooks by REST: listed for the team, sent again by its managers."""

import pytest

from servers.notifications.models import Delivery, Webhook
from servers.registry.models import Server
from servers.teams.models import Membership

pytestmark = pytest.mark.django_db

LIST = "/api/v1/servers/genedict/deliveries/"


@pytest.fixture
def webhook(server):
    return Webhook.objects.create(server=server, url="http://127.0.0.1:9/", topics=["fail"])


@pytest.fixture
def failed(webhook):
    return Delivery.objects.create(
        webhook=webhook, happening="server-failed", body='{"a": 1}', state="failed", tries=5, status=500, answer="Oh"
    )


def replay(client, delivery, slug="genedict"):
    return client.post(f"/api/v1/servers/{slug}/deliveries/{delivery.pk}/replay/")


def test_it_lists_messages_the_newest_first(client, alice, webhook, failed, django_assert_max_num_queries):
    Delivery.objects.bulk_create(Delivery(webhook=webhook, happening="test", body="{}") for _ in range(9))
    client.force_login(alice)
    with django_assert_max_num_queries(6):
        listed = client.get(LIST).json()
    assert listed["count"] == 10
    last = listed["results"][-1]
    assert last.pop("created") and last.pop("due")
    assert last == {
        "id": str(failed.pk),
        "webhook": webhook.pk,
        "happening": "server-failed",
        "state": "failed",
        "tries": 5,
        "tried": None,
        "status": 500,
        "answer": "Oh",
        "error": "",
        "body": '{"a": 1}',
    }
    assert [each["id"] for each in client.get(LIST, {"state": "failed"}).json()["results"]] == [str(failed.pk)]
    assert client.get(LIST, {"state": "lost"}).status_code == 400


def test_it_sends_a_message_again(client, alice, failed):
    client.force_login(alice)
    said = replay(client, failed).json()
    assert (said["id"], said["state"], said["tries"]) == (str(failed.pk), "waiting", 0)


def test_it_sends_nothing_while_the_webhook_is_off(client, alice, failed, webhook):
    Webhook.objects.update(active=False)
    client.force_login(alice)
    assert replay(client, failed).status_code == 409
    assert Delivery.objects.get().state == "failed"


def test_members_read_and_managers_send(client, failed, team, carol):
    assert client.get(LIST).status_code == replay(client, failed).status_code == 401
    client.force_login(carol)
    assert client.get(LIST).status_code == replay(client, failed).status_code == 403
    Membership.objects.create(team=team, user=carol)
    assert client.get(LIST).status_code == 200
    assert replay(client, failed).status_code == 403
    assert Delivery.objects.get().state == "failed"


def test_it_finds_a_message_below_its_own_server_alone(client, alice, team, failed):
    Server.objects.create(
        review="accepted", team=team, name="Other", slug="other", url="http://127.0.0.1:9/", kinds=["taxon"]
    )
    client.force_login(alice)
    assert replay(client, failed, "other").status_code == 404
    assert client.get("/api/v1/servers/other/deliveries/").json()["count"] == 0

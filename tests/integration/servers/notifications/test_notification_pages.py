"""The pages of notifications: what is told, to whom, and the webhooks with their messages."""

import pytest
from django.urls import reverse

from servers.notifications.models import Delivery, MailPreference, Webhook
from servers.registry.models import Server
from servers.teams.models import Membership

pytestmark = pytest.mark.django_db

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def dan(team, django_user_model):
    dan = django_user_model.objects.create_user("dan", "dan@example.org")
    Membership.objects.create(team=team, user=dan)
    return dan


@pytest.fixture
def as_alice(client, alice, server):
    client.force_login(alice)
    return client


@pytest.fixture
def webhook(server):
    return Webhook.objects.create(server=server, url="http://127.0.0.1:9/hook?token=s3cret", topics=["fail"])


def read_page_source(answer):
    return " ".join(answer.content.decode().split())


def page(client):
    return read_page_source(client.get(reverse("server-notifications", args=["genedict"])))


def post(client, name, fields, *arguments):
    return client.post(reverse(name, args=["genedict", *arguments]), fields, follow=True)


def test_it_stores_what_is_told_and_when(as_alice):
    answer = post(as_alice, "server-mail-preferences", {"mail_topics": ["fail", "failure"], "mail_rhythm": "daily"})
    assert "The notification settings were saved." in read_page_source(answer)
    server = Server.objects.get()
    assert (server.mail_topics, server.mail_rhythm) == (["fail", "failure"], "daily")
    assert answer.context["mail_form"]["mail_rhythm"].value() == "daily"


def test_it_can_be_silenced(as_alice):
    post(as_alice, "server-mail-preferences", {"mail_rhythm": "at-once"})
    assert Server.objects.get().mail_topics == []


def test_members_read_in_words_what_the_managers_have_chosen(as_alice, client, dan):
    client.force_login(dan)
    shown = page(client)
    assert "<li>Queue done: all articles that were loaded into a queue are done</li>" in shown
    assert "Within a minute; at most once an hour while a problem continues." in shown
    Server.objects.update(mail_topics=[])
    assert "Nobody gets mail about this server." in page(client)


def test_topics_of_webhooks_are_named_after_what_happens(as_alice, client, dan, webhook):
    Webhook.objects.update(topics=["failure", "fail"])
    assert '<span class="meta">Failed calls, Taken offline</span>' in page(as_alice)
    client.force_login(dan)
    shown = read_page_source(client.get(reverse("server-webhook", args=["genedict", webhook.pk])))
    assert "<p>Failed calls, Taken offline</p>" in shown


def test_it_refuses_choices_that_are_none(as_alice):
    answer = post(as_alice, "server-mail-preferences", {"mail_topics": ["all"]})
    assert answer.status_code == 422
    assert "Select when mail is sent: at once or once a day." in read_page_source(answer)


def test_it_shows_who_gets_mail_and_lets_each_member_choose(as_alice, client, dan):
    shown = page(as_alice)
    assert 'alice <span class="chip">manager</span></span> <span><span class="chip good">gets emails</span>' in shown
    assert 'dan <span class="chip">member</span></span> <span><span class="chip">no emails</span>' in shown
    client.force_login(dan)
    assert "You will get mail about GeneDict." in read_page_source(
        post(client, "server-mail-own-preferences", {"wanted": "yes"})
    )
    assert "no confirmed address" in page(client)
    assert "You will not get mail about GeneDict." in read_page_source(
        post(client, "server-mail-own-preferences", {"wanted": "no"})
    )
    assert not MailPreference.objects.get().wanted


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"topics": ["fail"]}, "Enter the URL of your receiver, for example https://example.org/bcms."),
        ({"url": "http://127.0.0.1:9/"}, "Select at least one topic."),
        (
            {"url": "http://10.0.0.1/", "topics": ["fail"]},
            "The address 10.0.0.1 is not on the public internet. Enter a URL that is reachable from the internet.",
        ),
        ({"url": "ftp://a.example/", "topics": ["fail"]}, "it does not begin with http:// or https://."),
        ({"url": "http://me:secret@a.example/", "topics": ["fail"]}, "it contains a user name or password."),
    ],
)
def test_it_says_what_is_wrong_with_a_webhook(as_alice, fields, sentence):
    answer = post(as_alice, "server-webhook-add", fields)
    assert answer.status_code == 422
    assert sentence in read_page_source(answer)
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(("sent", "stored"), [({}, "events"), ({"format": "chat"}, "chat")])
def test_a_webhook_has_a_format(as_alice, sent, stored):
    post(as_alice, "server-webhook-add", {"url": "http://127.0.0.1:9/", "topics": ["fail"], **sent})
    assert Webhook.objects.get().format == stored


def test_pages_show_no_path_of_a_chat_to_members(client, dan, alice, webhook):
    """Whoever knows it can write to the chat of the team."""
    Webhook.objects.update(url="https://me@hooks.example:8443/services/T0/s3cret?a=b", format="chat")
    addresses = [
        reverse("server-notifications", args=["genedict"]),
        reverse("server-webhook", args=["genedict", webhook.pk]),
    ]
    client.force_login(dan)
    for address in addresses:
        source = read_page_source(client.get(address))
        assert "https://hooks.example:8443/[masked]" in source and "s3cret" not in source
    client.force_login(alice)
    assert "s3cret" in read_page_source(client.get(addresses[1]))


def test_it_has_no_more_than_ten_webhooks(as_alice, server):
    Webhook.objects.bulk_create(Webhook(server=server, url="http://127.0.0.1:9/", topics=["fail"]) for _ in range(10))
    answer = post(as_alice, "server-webhook-add", {"url": "http://127.0.0.1:9/", "topics": ["fail"]})
    assert "GeneDict already has 10 webhooks, the maximum. Remove one first." in read_page_source(answer)


def test_it_changes_switches_and_removes_a_webhook(as_alice, webhook):
    post(as_alice, "server-webhook-change", {"url": "http://127.0.0.1:8/", "topics": ["completed"]}, webhook.pk)
    webhook.refresh_from_db()
    assert (webhook.url, webhook.topics) == ("http://127.0.0.1:8/", ["completed"])
    off = read_page_source(post(as_alice, "server-webhook-switch", {"on": "no"}, webhook.pk))
    assert "Turned off by hand. Events that happen while it is off are not sent." in off
    assert "The webhook is switched off. Switch it on first." in read_page_source(
        post(as_alice, "server-webhook-test", {}, webhook.pk)
    )
    assert "switched on" in read_page_source(post(as_alice, "server-webhook-switch", {"on": "yes"}, webhook.pk))
    assert "A new secret was created" in read_page_source(post(as_alice, "server-webhook-secret", {}, webhook.pk))
    post(as_alice, "server-webhook-remove", {}, webhook.pk)
    assert not Webhook.objects.exists()


def test_it_sends_no_more_than_ten_tests_in_ten_minutes(as_alice, webhook):
    for _ in range(10):
        answer = post(as_alice, "server-webhook-test", {}, webhook.pk)
    assert "A test message is being sent." in read_page_source(answer)
    answer = read_page_source(post(as_alice, "server-webhook-test", {}, webhook.pk))
    assert "This webhook got 10 tests within 10 minutes. Try again later" in answer
    assert webhook.deliveries.count() == 10


def test_a_refused_change_leaves_the_webhook_as_it_is(as_alice, webhook):
    answer = post(as_alice, "server-webhook-change", {"url": "nowhere", "topics": ["fail"]}, webhook.pk)
    assert answer.status_code == 422
    assert "127.0.0.1:9/hook" in read_page_source(answer)


def test_it_shows_the_secret_to_managers_alone(as_alice, client, dan, webhook):
    place = reverse("server-webhook", args=["genedict", webhook.pk])
    assert webhook.secret in as_alice.get(place).content.decode()
    client.force_login(dan)
    seen = client.get(place).content.decode() + page(client)
    assert webhook.secret not in seen
    assert "s3cret" not in seen
    assert "Send a test" not in seen


def test_it_shows_messages_and_how_they_went(as_alice, webhook):
    Delivery.objects.create(
        webhook=webhook, happening="test", body="{}", state="failed", tries=5, status=500, answer=f"Oh {HOSTILE}"
    )
    Delivery.objects.create(webhook=webhook, happening="server-failed", body='{"a": 1}', error="Nobody there.")
    shown = read_page_source(as_alice.get(reverse("server-webhook", args=["genedict", webhook.pk])))
    assert "Nobody there." in shown
    assert '<span class="mono">500</span> Oh &lt;script&gt;' in shown
    assert HOSTILE not in shown
    assert shown.index("server-failed") < shown.index(">test<")


def test_it_pages_and_asks_a_fixed_number_of_times(as_alice, webhook, django_assert_num_queries):
    Delivery.objects.bulk_create(Delivery(webhook=webhook, happening="test", body="{}") for _ in range(60))
    place = reverse("server-webhook", args=["genedict", webhook.pk])
    with django_assert_num_queries(9):
        first = as_alice.get(place)
    assert first.content.decode().count("<tr>") == 26
    assert "?page=2" in first.content.decode()
    assert as_alice.get(f"{place}?page=3").content.decode().count("<tr>") == 11


def test_the_page_of_choices_asks_a_fixed_number_of_times(as_alice, dan, server, django_assert_num_queries):
    Webhook.objects.bulk_create(Webhook(server=server, url="http://127.0.0.1:9/", topics=["fail"]) for _ in range(9))
    with django_assert_num_queries(9):
        page(as_alice)


def test_it_is_refreshed_when_something_is_new(as_alice, webhook):
    place = reverse("server-webhook-live", args=["genedict", webhook.pk])
    version = as_alice.get(place).context["version"]
    assert as_alice.get(place, {"v": version}).status_code == 204
    Delivery.objects.create(webhook=webhook, happening="test", body="{}")
    assert as_alice.get(place, {"v": version}).status_code == 200


def test_it_leads_from_the_page_of_the_server(as_alice):
    link = 'href="/servers/genedict/notifications/"'
    assert link in read_page_source(as_alice.get("/servers/genedict/"))
    assert link in read_page_source(as_alice.get("/servers/genedict/edit/"))

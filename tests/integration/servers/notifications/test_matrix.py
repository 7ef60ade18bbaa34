"""Webhooks of Matrix: messages in a room of a homeserver, written by an account whose token is sealed."""

import html
from contextlib import closing
from datetime import timedelta
from itertools import permutations

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone
from django.views.debug import SafeExceptionReporterFilter

from bcms.lib.http import client
from servers.notifications.models import Delivery, Webhook
from servers.notifications.webhooks import views, webhook_delivery
from servers.notifications.webhooks.matrix import sending_slots
from servers.notifications.webhooks.matrix.access_tokens import open_authorization_header, seal_access_token
from servers.notifications.webhooks.matrix.sending_slots import SLOT_LOCKS, TEAM_LOCKS
from servers.notifications.webhooks.message_formats import format_matrix_message
from servers.notifications.webhooks.owners import make_server_owner
from servers.tasks import (
    deliver_due_matrix_messages_unless_busy,
    deliver_due_webhook_messages_unless_busy,
    enqueue_due_mail_and_webhook_sending,
)
from servers.teams.models import Team
from tests.homeserver import ROOM, TOKEN, Homeserver
from tests.integration.servers.credentials.test_call_credentials import list_tables_with
from tests.integration.servers.notifications.test_webhooks import fail_article, pass_time
from tests.receiver import Receiver

pytestmark = pytest.mark.django_db
SENT = {"format": "matrix", "room": ROOM, "token": TOKEN, "topics": ["failure"]}


def create_room_webhook(server, url, **fields):
    stored = {"room": ROOM, "sealed_token": seal_access_token(url, TOKEN), "topics": ["failure"]} | fields
    return Webhook.objects.create(server=server, url=url, format="matrix", **stored)


def deliver(webhook):
    return webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)


def post(client, button, fields, *ids):
    return client.post(reverse(f"server-webhook-{button}", args=["genedict", *ids]), fields)


@pytest.fixture
def as_alice(client, alice, server):
    client.force_login(alice)
    return client


def test_a_message_is_in_the_room(as_alice, server):
    server.name = "<b>Genes</b> & @room"
    server.save()
    with Homeserver() as homeserver:
        post(as_alice, "add", SENT | {"homeserver": f"{homeserver.url}/"})
        webhook = Webhook.objects.get()
        fail_article(server)
        webhook_delivery.enqueue_test_delivery_below_limit(make_server_owner(server), webhook)
        assert deliver(webhook) == "idle"
    page = "http://127.0.0.1:8000/servers/genedict/"
    failed, test = Delivery.objects.order_by("created")
    assert {failed.state, test.state} == {"delivered"} and not failed.error
    assert homeserver.events[str(test.pk)] == {
        "msgtype": "m.text",
        "body": f"<b>Genes</b> & @\u200broom: A test message. {page}",
        "format": "org.matrix.custom.html",
        "formatted_body": "&lt;b&gt;Genes&lt;/b&gt; &amp; @\u200broom: A test message.<br>"
        f'<a href="{page}">Open the page</a>',
        "m.mentions": {},
    }
    assert "1 article failed in the live queue after all retries." in homeserver.events[str(failed.pk)]["body"]


def test_a_message_that_is_sent_again_is_in_the_room_once(server):
    with Homeserver() as homeserver:
        webhook = create_room_webhook(server, homeserver.url)
        fail_article(server)
        for _ in range(2):
            assert deliver(webhook) == "idle"
            webhook_delivery.reset_delivery_and_resume_webhook_sending(Delivery.objects.get())
    assert (homeserver.requests, len(homeserver.events)) == (2, 1)


@pytest.mark.parametrize(
    ("fault", "status", "error"),
    [
        ("token", 401, "The homeserver does not accept the access token. Create a new one and enter it."),
        ("membership", 403, "The account of the access token may not write in this room. Check the room ID, invite"),
        ("room", 403, "The account of the access token may not write in this room."),
        ("path", 404, "This is not the answer of a Matrix homeserver. Correct the homeserver's URL."),
    ],
)
def test_a_refusal_says_what_to_do_and_the_message_waits_for_that(server, fault, status, error):
    with Homeserver() as homeserver:
        room = "!other:bcms.test" if fault == "room" else ROOM
        webhook = create_room_webhook(server, homeserver.url + ("/wrong" if fault == "path" else ""), room=room)
        homeserver.token = "another one" if fault == "token" else TOKEN
        homeserver.is_member = fault != "membership"
        fail_article(server)
        assert deliver(webhook) == "rests"
        message = Delivery.objects.get()
        assert (message.state, message.status, message.tries) == ("waiting", status, 1)
        assert message.error.startswith(error) and "M_" in message.answer
        homeserver.token, homeserver.is_member = TOKEN, True
        Webhook.objects.update(url=homeserver.url, room=ROOM)
        pass_time()
        assert deliver(webhook) == "idle"
    assert Delivery.objects.get().state == "delivered"


@pytest.mark.parametrize(
    ("status", "answer", "error"),
    [
        (200, b"<h1>Welcome</h1>", "This is not the answer of a Matrix homeserver."),
        (200, b'["event_id"]', "This is not the answer of a Matrix homeserver."),
        (404, b'{"errcode": "M_NOT_FOUND"}', "The homeserver does not know this room."),
        (502, b"Bad gateway", ""),
    ],
)
def test_only_a_homeserver_has_a_message_in_a_room(server, status, answer, error):
    with Receiver(status, answer=answer) as receiver:
        webhook = create_room_webhook(server, receiver.url.removesuffix("/bcms"))
        fail_article(server)
        assert deliver(webhook) == "rests"
    message = Delivery.objects.get()
    assert (message.state, message.status) == ("waiting", status)
    assert message.error.startswith(error) and bool(message.error) == bool(error)
    assert receiver.came[0].headers["authorization"] == f"Bearer {TOKEN}"


@pytest.mark.parametrize("in_header", [False, True])
@pytest.mark.parametrize(
    ("asked", "waited"),
    [(2000, timedelta(minutes=1)), (600_000, timedelta(minutes=10)), (10**8, timedelta(days=1))],
)
def test_it_waits_as_long_as_the_homeserver_asks_but_never_less_than_usual(server, asked, waited, in_header):
    with Homeserver(asked, pauses_in_header=in_header) as homeserver:
        webhook = create_room_webhook(server, homeserver.url)
        fail_article(server)
        assert deliver(webhook) == "rests"
        message, now = Delivery.objects.get(), timezone.now()
        webhook.refresh_from_db()
        for until in (message.due, webhook.rest_until):
            assert waited - timedelta(seconds=30) < until - now <= waited
        assert message.error.startswith("The homeserver accepts no more messages from this account for now.")
        pass_time()
        assert deliver(webhook) == "idle"
    assert len(homeserver.events) == 1


def test_the_token_is_stored_sealed_and_shown_nowhere(as_alice, server):
    post(as_alice, "add", SENT | {"homeserver": "http://127.0.0.1:9/"})
    webhook = Webhook.objects.get()
    assert open_authorization_header(webhook) == {"Authorization": f"Bearer {TOKEN}"}
    assert list_tables_with(TOKEN) == []
    page = as_alice.get(reverse("server-webhook", args=["genedict", webhook.pk])).content.decode()
    assert TOKEN not in page and webhook.secret not in page
    assert f"http://127.0.0.1:9 {ROOM}" in page
    refused = post(as_alice, "change", SENT | {"homeserver": "", "topics": []}, webhook.pk)
    assert refused.status_code == 422 and TOKEN not in refused.content.decode()


def test_an_answer_does_not_show_the_token(server):
    with Receiver(400, answer=f"You sent Bearer {TOKEN}".encode()) as receiver:
        webhook = create_room_webhook(server, receiver.url.removesuffix("/bcms"))
        fail_article(server)
        deliver(webhook)
    assert "s3cret" not in Delivery.objects.get().answer


def test_a_token_goes_only_to_the_homeserver_for_which_it_was_entered(as_alice, server):
    """Who may change the webhook never learns the token that somebody else entered."""
    with Homeserver() as homeserver, Homeserver() as other:
        webhook = create_room_webhook(server, homeserver.url)
        refused = post(as_alice, "change", SENT | {"homeserver": other.url, "token": ""}, webhook.pk)
        sentence = "Enter the access token again: the stored one is for another homeserver."
        assert refused.status_code == 422 and sentence in refused.content.decode()
        Webhook.objects.update(url=other.url)
        fail_article(server)
        deliver(webhook)
        assert other.requests == 0
    message = Delivery.objects.get()
    assert message.state == "failed" and message.error.startswith("The access token was entered for http://127.0.0.1:")


def test_a_change_keeps_the_token_and_another_format_erases_it(as_alice, alice, server):
    webhook = create_room_webhook(server, "http://127.0.0.1:9")
    post(
        as_alice,
        "change",
        {"format": "matrix", "homeserver": webhook.url, "room": ROOM, "topics": ["fail"]},
        webhook.pk,
    )
    webhook.refresh_from_db()
    assert (webhook.topics, webhook.room, webhook.set_by) == (["fail"], ROOM, None)
    assert open_authorization_header(webhook) == {"Authorization": f"Bearer {TOKEN}"}
    post(as_alice, "change", SENT | {"homeserver": webhook.url, "token": "syt_another_token"}, webhook.pk)
    webhook.refresh_from_db()
    assert open_authorization_header(webhook) == {"Authorization": "Bearer syt_another_token"}
    assert webhook.set_by == alice
    post(as_alice, "change", {"format": "chat", "url": "http://127.0.0.1:9/", "topics": ["fail"]}, webhook.pk)
    webhook.refresh_from_db()
    assert (webhook.format, webhook.room, bytes(webhook.sealed_token)) == ("chat", "", b"")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"homeserver": ""}, "Enter the URL of the homeserver, for example https://matrix.example.org."),
        ({"homeserver": "matrix.example.org"}, "it does not begin with http:// or https://."),
        ({"homeserver": "http://10.0.0.1"}, "The address 10.0.0.1 is not on the public internet."),
        ({"homeserver": "http://1.1.1.1"}, "never sent by http, which does not encrypt it. Enter a URL that begins"),
        ({"homeserver": "http://[2606:4700:4700::1111]:8008"}, "An access token is never sent by http"),
        ({"homeserver": "http://127.0.0.1:9/_matrix/client"}, "Enter only the address of the homeserver"),
        ({"homeserver": "http://127.0.0.1:9/?token=1"}, "Enter only the address of the homeserver"),
        ({"room": ""}, "Enter the room's internal ID, for example !abc123:example.org."),
        ({"room": "abc"}, "Enter the room's internal ID, for example !abc123:example.org."),
        ({"room": "#team:example.org"}, "This is an address of a room. Enter the room's internal ID"),
        ({"token": ""}, "Enter the access token of the account that writes in the room."),
        ({"token": "Bearer abcdefgh"}, "An access token has 8 to 2,000 printable ASCII characters without spaces."),
        ({"topics": []}, "Select at least one topic."),
    ],
)
def test_it_says_what_is_wrong(as_alice, fields, sentence):
    refused = post(as_alice, "add", SENT | {"homeserver": "http://127.0.0.1:9"} | fields)
    assert refused.status_code == 422
    assert sentence in html.unescape(refused.content.decode())
    assert not Webhook.objects.exists()


def test_a_site_without_a_key_takes_no_token(as_alice, settings):
    settings.CREDENTIALS_PUBLIC_KEY = None
    refused = post(as_alice, "add", SENT | {"homeserver": "http://127.0.0.1:9"})
    assert "This site has no key to encrypt access tokens." in refused.content.decode()
    assert not Webhook.objects.exists()


def test_it_reaches_no_private_address(server, settings):
    with Homeserver() as homeserver:
        webhook = create_room_webhook(server, homeserver.url)
        fail_article(server)
        settings.ALLOWED_NETWORKS = []
        deliver(webhook)
    message = Delivery.objects.get()
    assert (message.state, homeserver.requests) == ("failed", 0)
    assert "is not on the public internet" in message.error


def test_a_token_is_never_sent_unencrypted_to_the_internet(server, monkeypatch):
    """Also of a webhook that is older than the check of its form, or whose name resolves to another address now."""
    connected = []
    monkeypatch.setattr(client, "connect_to_first_reachable_address", lambda *given: connected.append(given))
    webhook = create_room_webhook(server, "http://1.1.1.1")
    fail_article(server)
    deliver(webhook)
    message = Delivery.objects.get()
    assert (message.state, connected) == ("failed", [])
    assert message.error.startswith("An access token is never sent by http, which does not encrypt it. Change the")


FORMATS = ("events", "chat", "matrix")


@pytest.mark.parametrize(("then", "now"), list(permutations(FORMATS, 2)))
def test_a_message_of_another_format_is_not_sent_and_holds_up_no_other_one(server, then, now):
    with Homeserver() as homeserver, Receiver() as receiver:
        webhook = create_room_webhook(server, homeserver.url)
        Webhook.objects.update(format=then)
        fail_article(server)
        Webhook.objects.update(format=now, url=homeserver.url if now == "matrix" else receiver.url)
        webhook_delivery.enqueue_test_delivery_below_limit(make_server_owner(server), Webhook.objects.get())
        assert deliver(webhook) == "idle"
    former, test = Delivery.objects.order_by("created")
    assert (former.state, test.state) == ("failed", "delivered")
    assert homeserver.requests + len(receiver.came) == 1
    assert former.error == "The message was written for another format, which the webhook had then, so it is not sent."
    webhook.refresh_from_db()
    assert (webhook.misses, webhook.failing_since) == (0, None)


def test_rooms_of_a_team_and_all_rooms_take_few_threads_of_asking_workers(server, team, settings):
    settings.ASKING_SLOTS = 10
    other = connection.copy()
    with Homeserver() as homeserver, closing(other):
        webhook = create_room_webhook(server, homeserver.url)
        fail_article(server)
        for lock in (TEAM_LOCKS + team.pk, SLOT_LOCKS):
            with other.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_lock(%s)", [lock])
                assert deliver_due_matrix_messages_unless_busy(webhook.pk) == "busy"
                cursor.execute("SELECT pg_advisory_unlock(%s)", [lock])
        assert homeserver.requests == 0
        assert deliver_due_matrix_messages_unless_busy(webhook.pk) == "idle"
    assert len(homeserver.events) == 1


def test_a_team_that_always_has_messages_lets_others_take_turns(server, team, settings):
    settings.ASKING_SLOTS = 10
    other = Team.objects.create(name="Team Beta", slug="team-beta")
    with Homeserver() as homeserver:
        often = create_room_webhook(server, homeserver.url)
        seldom = create_room_webhook(None, homeserver.url, team=other)
        Webhook.objects.filter(pk=seldom.pk).update(rest_until=Now() - timedelta(hours=1))
        for webhook in (often, seldom):
            body = format_matrix_message("A test message.", "https://bcms.test/")
            Delivery.objects.create(webhook=webhook, happening="test", body=body)
        assert deliver_due_matrix_messages_unless_busy(often.pk) == "busy"
        assert [deliver_due_matrix_messages_unless_busy(each.pk) for each in (seldom, often)] == ["idle", "idle"]
    assert len(homeserver.events) == 2


def test_a_room_that_rests_after_failures_does_not_hold_up_another_one_of_its_team(server, team, settings):
    settings.ASKING_SLOTS = 10
    other = Team.objects.create(name="Team Beta", slug="team-beta")
    with Homeserver() as homeserver:
        resting, waiting = (create_room_webhook(server, homeserver.url) for _ in range(2))
        often = create_room_webhook(None, homeserver.url, team=other)
        Webhook.objects.filter(pk=resting.pk).update(misses=3, rest_until=Now() + timedelta(hours=1))
        Webhook.objects.filter(pk=waiting.pk).update(rest_until=Now() - timedelta(hours=1))
        for webhook in (waiting, often):
            body = format_matrix_message("A test message.", "https://bcms.test/")
            Delivery.objects.create(webhook=webhook, happening="test", body=body)
        assert [deliver_due_matrix_messages_unless_busy(each.pk) for each in (often, waiting)] == ["busy", "idle"]


def test_a_room_whose_rest_ends_while_turns_are_looked_at_waits_for_the_next_sweep(server, monkeypatch):
    list_ready = sending_slots.list_ready_webhooks_with_due_messages

    def end_rest_and_list_ready():
        Webhook.objects.update(rest_until=Now())
        return list_ready()

    with Homeserver() as homeserver:
        webhook = create_room_webhook(server, homeserver.url)
        fail_article(server)
        Webhook.objects.update(misses=3, rest_until=Now() + timedelta(hours=1))
        with monkeypatch.context() as patched:
            patched.setattr(sending_slots, "list_ready_webhooks_with_due_messages", end_rest_and_list_ready)
            assert deliver_due_matrix_messages_unless_busy(webhook.pk) == "busy"
        assert deliver_due_matrix_messages_unless_busy(webhook.pk) == "idle"
    assert len(homeserver.events) == 1


def test_a_change_is_stored_with_its_audit_event_or_not_at_all(as_alice, server, monkeypatch):
    webhook = create_room_webhook(server, "http://127.0.0.1:9")

    def fail(*_):
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(views, "record_webhook_change", fail)
    with pytest.raises(RuntimeError):
        post(as_alice, "change", {"format": "chat", "url": "http://127.0.0.1:9/", "topics": ["fail"]}, webhook.pk)
    assert Webhook.objects.get().format == "matrix"


def test_an_error_report_does_not_show_the_token(as_alice, settings):
    settings.DEBUG = False
    request = post(as_alice, "add", SENT | {"homeserver": "http://10.0.0.1/kept"}).wsgi_request
    cleansed = SafeExceptionReporterFilter().get_post_parameters(request)
    assert TOKEN not in str(cleansed)


def test_asking_workers_alone_send_to_rooms(server, settings, django_capture_on_commit_callbacks, monkeypatch):
    sent = []
    monkeypatch.setattr(webhook_delivery.current_app, "send_task", lambda name, ids: sent.append((name, ids)))
    with Homeserver() as homeserver:
        webhook = create_room_webhook(server, homeserver.url)
        with django_capture_on_commit_callbacks(execute=True):
            fail_article(server)
        with django_capture_on_commit_callbacks(execute=True):
            enqueue_due_mail_and_webhook_sending()
        task = webhook_delivery.MATRIX_DELIVERY_TASK
        assert sent.count((task, [webhook.pk])) == 2
        assert settings.CELERY_TASK_ROUTES[task] == {"queue": "asking"}
        assert deliver_due_webhook_messages_unless_busy(webhook.pk) == "busy"
        assert deliver_due_matrix_messages_unless_busy(webhook.pk) == "idle"
    assert len(homeserver.events) == 1


def test_a_worker_without_the_key_says_so_and_the_message_waits(server, settings):
    webhook = create_room_webhook(server, "http://127.0.0.1:9")
    fail_article(server)
    settings.CREDENTIALS_PRIVATE_KEY = None
    assert deliver(webhook) == "rests"
    message = Delivery.objects.get()
    assert message.state == "waiting"
    assert message.error.startswith("The site cannot read the access token. CREDENTIALS_PRIVATE_KEY is not set.")

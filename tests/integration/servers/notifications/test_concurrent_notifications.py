"""Two workers with the same news at the same moment: one mail, one message."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from bcms.mail.models import Mail
from servers.notifications.events import EventType, MailFrequency
from servers.notifications.mail import mails
from servers.notifications.models import Delivery, Notice, Webhook
from servers.notifications.notices import store_wanted_notice_and_deliveries_of_event
from servers.notifications.webhooks import views, webhook_delivery
from servers.notifications.webhooks.owners import make_server_owner
from servers.registry.models import Server
from tests.receiver import Receiver

# Committed, so that both workers see it.
pytestmark = pytest.mark.django_db(transaction=True)


def run_at_once(operation, number=2):
    """What each of these threads returns, having begun together on connections of their own."""
    ready = threading.Barrier(number)

    def run(_):
        try:
            ready.wait(60)
            return operation()
        finally:
            connection.close()

    with ThreadPoolExecutor(number) as pool:
        return sorted(pool.map(run, range(number)))


@pytest.fixture
def outbox(settings):
    settings.EMAIL_BACKEND = "bcms.mail.backends.OutboxBackend"


def test_two_workers_write_one_mail(server, team, outbox):
    store_wanted_notice_and_deliveries_of_event(
        server.pk, EventType.SERVER_FAILED, reason="20 articles in a row failed"
    )
    Notice.objects.update(due=Now())
    assert run_at_once(lambda: mails.mail_unsent_notices_if_any_due(team.pk, MailFrequency.AT_ONCE)) == [0, 1]
    assert Mail.objects.count() == 1


def test_two_workers_send_one_message(server):
    with Receiver() as receiver:
        webhook = Webhook.objects.create(server=server, url=receiver.url, topics=["fail"])
        store_wanted_notice_and_deliveries_of_event(server.pk, EventType.SERVER_FAILED)
        assert run_at_once(lambda: webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)) in (
            ["busy", "idle"],
            ["idle", "idle"],
        )
    assert len(receiver.came) == 1
    assert Delivery.objects.get().tries == 1


def test_two_tests_at_once_do_not_pass_the_limit(server, monkeypatch):
    monkeypatch.setattr(webhook_delivery, "MOST_TESTS", 1)
    webhook = Webhook.objects.create(server=server, url="http://127.0.0.1:9/", topics=["fail"])

    def send_test():
        try:
            webhook_delivery.enqueue_test_delivery_below_limit(make_server_owner(server), webhook)
        except webhook_delivery.TooManyTestsError:
            return "too many"
        return "sent"

    assert run_at_once(send_test, 4) == ["sent", "too many", "too many", "too many"]
    assert Delivery.objects.count() == 1


def test_webhooks_that_are_added_at_once_do_not_pass_the_limit(server, alice, monkeypatch):
    monkeypatch.setattr(views, "MOST_WEBHOOKS", 2)
    Webhook.objects.create(server=server, url="http://127.0.0.1:9/", topics=["fail"])
    sent = {"url": "http://127.0.0.1:9/", "topics": ["fail"], "format": "events"}

    def add():
        client = Client()
        client.force_login(alice)
        return client.post(reverse("server-webhook-add", args=[server.slug]), sent).status_code

    assert run_at_once(add, 4) == [302, 422, 422, 422]
    assert Webhook.objects.count() == 2


def test_it_waits_for_what_happens_meanwhile(server, team, outbox):
    """What is written down while a mail is made is in it, or in the next one, and never in none."""
    store_wanted_notice_and_deliveries_of_event(server.pk, EventType.SERVER_FAILED)
    Notice.objects.update(due=Now())
    begun, written = threading.Event(), []

    def worker():
        begun.set()
        written.append(mails.mail_unsent_notices_if_any_due(team.pk, MailFrequency.AT_ONCE))
        connection.close()

    other = threading.Thread(target=worker)
    with transaction.atomic():
        Server.objects.select_for_update().get(pk=server.pk)
        other.start()
        assert begun.wait(60)
        store_wanted_notice_and_deliveries_of_event(server.pk, EventType.QUEUE_DONE)
    other.join(60)
    assert written == [1]
    assert not Notice.objects.filter(told__isnull=True).exists()
    assert "taken offline" in Mail.objects.get().body
    assert "is done" in Mail.objects.get().body

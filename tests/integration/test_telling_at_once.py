"""Two workers with the same news at the same moment: one mail, one message."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now

from bcms.models import Mail
from servers.models import Delivery, Notice, Server, Webhook
from servers.telling import mails, webhooks
from servers.telling.notices import note
from servers.topics import Happening, Rhythm
from tests.receiver import Receiver

# Committed, so that both workers see it.
pytestmark = pytest.mark.django_db(transaction=True)


def at_once(operation, number=2):
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
    note(server.pk, Happening.SERVER_FAILED, reason="20 articles in a row ended as failed")
    Notice.objects.update(due=Now())
    assert at_once(lambda: mails.tell(team.pk, Rhythm.AT_ONCE)) == [0, 1]
    assert Mail.objects.count() == 1


def test_two_workers_send_one_message(server):
    with Receiver() as receiver:
        webhook = Webhook.objects.create(server=server, url=receiver.url, topics=["fail"])
        note(server.pk, Happening.SERVER_FAILED)
        assert at_once(lambda: webhooks.deliver(webhook.pk)) in (["busy", "idle"], ["idle", "idle"])
    assert len(receiver.came) == 1
    assert Delivery.objects.get().tries == 1


def test_it_waits_for_what_happens_meanwhile(server, team, outbox):
    """What is written down while a mail is made is in it, or in the next one, and never in none."""
    note(server.pk, Happening.SERVER_FAILED)
    Notice.objects.update(due=Now())
    begun, written = threading.Event(), []

    def worker():
        begun.set()
        written.append(mails.tell(team.pk, Rhythm.AT_ONCE))
        connection.close()

    other = threading.Thread(target=worker)
    with transaction.atomic():
        Server.objects.select_for_update().get(pk=server.pk)
        other.start()
        assert begun.wait(60)
        note(server.pk, Happening.QUEUE_DONE)
    other.join(60)
    assert written == [1]
    assert not Notice.objects.filter(told__isnull=True).exists()
    assert "taken off" in Mail.objects.get().body
    assert "is done" in Mail.objects.get().body

"""Webhooks: signed messages to a real receiver, tried again, in order, each with an id of its own, and replayed."""

import html
import json
import re
from datetime import UTC, datetime, timedelta

import pytest
import standardwebhooks
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from bcms.lib.http.message_signatures import sign_message
from bcms.manual.contexts.teams import WEBHOOK_EXAMPLE
from bcms.operations.retention import delete_due_rows_unless_busy
from servers.calls.models import Call
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.notifications.events import EventType
from servers.notifications.models import Delivery, Webhook, generate_webhook_secret
from servers.notifications.notices import store_wanted_notice_and_deliveries_of_event
from servers.notifications.webhooks import webhook_delivery
from servers.notifications.webhooks.owners import make_server_owner
from servers.notifications.webhooks.webhook_changes import (
    rotate_webhook_secret_keeping_old,
    switch_webhook_on_resetting_failures,
)
from servers.tasks import enqueue_due_mail_and_webhook_sending
from tests.integration.server_cast import articles, create_timed_attempt
from tests.receiver import Receiver

pytestmark = pytest.mark.django_db

FAILED_ARTICLE = "The server answered at http://me:secret@a.example/: no model loaded."


def create_server_webhook(server, url, topics=("failure", "completed", "fail")):
    return Webhook.objects.create(server=server, url=url, topics=list(topics))


def fail_article(server, mode=QueueMode.LIVE, pmid=63000001):
    queue = contents.get_or_create_queue_and_producer(server, mode)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk for article in articles(pmid, 1)])
    call = queue.calls.select_related("queue", "server", "article").latest("pk")
    create_timed_attempt(call, "communication", 1.0)
    store_wanted_notice_and_deliveries_of_event(
        server.pk, EventType.ARTICLE_FAILED, queue=queue, call=call, reason=FAILED_ARTICLE
    )
    return call


def pass_time():
    """All waits are over."""
    Delivery.objects.update(due=Now())
    Webhook.objects.update(rest_until=Now())


def is_verified(headers, body, secret):
    """Whether the library of the Standard Webhooks specification accepts the message."""
    try:
        standardwebhooks.Webhook(secret).verify(body, dict(headers))
    except standardwebhooks.WebhookVerificationError:
        return False
    return True


def test_it_sends_a_signed_message(server):
    with Receiver() as receiver:
        webhook = create_server_webhook(server, receiver.url)
        call = fail_article(server)
        assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "idle"
    [message] = receiver.came
    delivery = Delivery.objects.get()
    assert is_verified(message.headers, message.body, webhook.secret)
    assert not is_verified(message.headers, message.body, generate_webhook_secret())
    assert message.headers["webhook-id"] == str(delivery.pk)
    assert message.headers["content-type"] == "application/json"
    assert message.path == "/bcms"
    said = json.loads(message.body)
    assert said.pop("timestamp").startswith("20")
    assert said == {
        "type": "article-failed",
        "topic": "failure",
        "data": {
            "server": {"slug": "genedict", "name": "GeneDict", "page": "http://127.0.0.1:8000/servers/genedict/"},
            "queue": {"id": call.queue_id, "mode": "live", "name": ""},
            "article": "63000001",
            "attempt": f"http://127.0.0.1:8000/servers/genedict/attempts/{call.attempts.get().pk}/",
            "reason": "The server answered at http://[masked]@a.example/: no model loaded.",
        },
    }
    assert (delivery.state, delivery.tries, delivery.status, delivery.answer) == ("delivered", 1, 204, "")


def load_manual_verifier(client):
    """The function of the manual's example."""
    page = client.get("/manual/teams/").content.decode()
    [source] = re.findall(r'<pre tabindex="0" id="webhook-receiver">(.*?)</pre>', page, re.S)
    names = {}
    exec(compile(html.unescape(source), "manual", "exec"), names)
    return names["verified"]


@pytest.mark.parametrize("verifier", ["library", "manual"])
def test_the_library_and_the_example_of_the_manual_verify_it(server, client, verifier):
    verify = is_verified if verifier == "library" else load_manual_verifier(client)
    with Receiver() as receiver:
        webhook = create_server_webhook(server, receiver.url)
        fail_article(server)
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    [message] = receiver.came
    assert verify(message.headers, message.body, webhook.secret)
    assert not verify(message.headers, message.body + b" ", webhook.secret)
    assert not verify({**message.headers, "webhook-id": "x"}, message.body, webhook.secret)
    assert not verify(message.headers, message.body, generate_webhook_secret())
    old = {**message.headers, "webhook-timestamp": "1700000000"}
    old["webhook-signature"] = sign_message(webhook.secret, old["webhook-id"], 1700000000, message.body)
    assert not verify(old, message.body, webhook.secret)


def test_the_manual_shows_a_message_as_it_is(server):
    with Receiver() as receiver:
        webhook = create_server_webhook(server, receiver.url)
        fail_article(server)
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    sent, shown = json.loads(receiver.came[0].body), json.loads(WEBHOOK_EXAMPLE)
    assert list(sent) == list(shown)
    assert list(sent["data"]) == list(shown["data"])


def test_it_signs_as_the_specification_does():
    """The example of the Standard Webhooks specification 1.0.0 and its libraries."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    identifier, seconds = "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330
    assert sign_message(secret, identifier, seconds, body) == expected
    moment = datetime.fromtimestamp(seconds, UTC)
    assert standardwebhooks.Webhook(secret).sign(identifier, moment, body.decode()) == expected


def test_it_names_articles_of_a_test_by_their_opaque_id(server):
    with Receiver() as receiver:
        webhook = create_server_webhook(server, receiver.url)
        call = fail_article(server, QueueMode.TEST)
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    assert json.loads(receiver.came[0].body)["data"]["article"] == call.article.opaque
    assert b"63000001" not in receiver.came[0].body


def test_it_counts_the_articles_of_a_queue_that_is_done(server):
    with Receiver() as receiver:
        webhook = create_server_webhook(server, receiver.url, ["completed"])
        call = fail_article(server)
        Call.objects.update(state="failed")
        store_wanted_notice_and_deliveries_of_event(server.pk, EventType.QUEUE_DONE, queue=call.queue)
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    [message] = receiver.came
    assert json.loads(message.body)["data"]["queue"]["articles"] == {"answered": 0, "empty": 0, "failed": 1}


def test_it_tells_only_the_chosen_topics_and_only_active_webhooks(server):
    create_server_webhook(server, "http://127.0.0.1:9/", ["completed"])
    Webhook.objects.filter(pk=create_server_webhook(server, "http://127.0.0.1:9/").pk).update(active=False)
    fail_article(server)
    assert not Delivery.objects.exists()


def test_it_forgets_what_was_undone(server):
    create_server_webhook(server, "http://127.0.0.1:9/")
    with pytest.raises(RuntimeError), transaction.atomic():
        fail_article(server)
        raise RuntimeError
    assert not Delivery.objects.exists()


def test_it_tries_again_until_the_receiver_recovers_and_keeps_the_order(server):
    with Receiver(500, 503, 200) as receiver:
        webhook = create_server_webhook(server, receiver.url)
        fail_article(server)
        fail_article(server, pmid=63000002)
        first, second = Delivery.objects.order_by("created")
        assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "rests"
        assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "busy"
        first.refresh_from_db()
        assert (first.state, first.tries, first.status, first.answer) == ("waiting", 1, 500, "thanks")
        assert list(webhook_delivery.list_ready_webhooks_with_due_messages()) == []
        pass_time()
        assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "rests"
        pass_time()
        assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "idle"
    came = [message.headers["webhook-id"] for message in receiver.came]
    assert came == [str(first.pk), str(first.pk), str(first.pk), str(second.pk)]
    assert set(Delivery.objects.values_list("state", flat=True)) == {"delivered"}
    webhook.refresh_from_db()
    assert (webhook.misses, webhook.failing_since) == (0, None)


def test_its_waits_grow_and_the_fifth_failure_is_the_last(server):
    with Receiver(500) as receiver:
        webhook = create_server_webhook(server, receiver.url)
        fail_article(server)
        waits = []
        for _ in range(5):
            pass_time()
            webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
            delivery = Delivery.objects.get()
            waits.append(round((delivery.due - delivery.tried).total_seconds() / 60))
        pass_time()
        assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "idle"
    assert waits[:4] == [1, 5, 30, 120]
    assert (delivery.state, delivery.tries, len(receiver.came)) == ("failed", 5, 5)
    assert len({message.headers["webhook-id"] for message in receiver.came}) == 1


def test_a_message_that_is_unwelcome_holds_up_no_other(server):
    with Receiver(422, 200) as receiver:
        webhook = create_server_webhook(server, receiver.url)
        fail_article(server)
        fail_article(server, pmid=63000002)
        assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "idle"
    assert sorted(Delivery.objects.values_list("state", "tries")) == [("delivered", 1), ("waiting", 1)]
    assert len(receiver.came) == 2


def test_it_follows_no_redirect_and_says_so(server):
    with Receiver() as inner, Receiver(307, location="http://127.0.0.1:9/inside?key=1") as receiver:
        receiver.location = inner.url
        webhook = create_server_webhook(server, receiver.url)
        fail_article(server)
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    delivery = Delivery.objects.get()
    assert inner.came == []
    assert (delivery.state, delivery.tries) == ("failed", 1)
    assert delivery.error == (
        f"The server redirects the request to another URL: {inner.url}. "
        "Redirects are not followed. Use the URL that the redirect leads to."
    )


def test_it_reaches_no_private_address(server, settings):
    settings.ALLOWED_NETWORKS = []
    with Receiver() as receiver:
        webhook = create_server_webhook(server, receiver.url)
        fail_article(server)
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    delivery = Delivery.objects.get()
    assert receiver.came == []
    assert delivery.state == "failed"
    assert delivery.error == (
        "The address 127.0.0.1 is not on the public internet. Use a URL that is reachable from the internet."
    )


def test_it_says_when_nobody_answers(server):
    webhook = create_server_webhook(server, "http://127.0.0.1:9/")
    fail_article(server)
    assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "rests"
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.status) == ("waiting", None)
    assert delivery.error.endswith("Check that the receiver is running and reachable from outside.")


def test_it_masks_and_cuts_what_the_receiver_answers(server):
    with Receiver(200, answer=b'{"token": "abc"}\x00<script>' + b"x" * 5000) as receiver:
        webhook = create_server_webhook(server, receiver.url)
        fail_article(server)
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    answer = Delivery.objects.get().answer
    assert answer.startswith('{"token": [masked]}\N{REPLACEMENT CHARACTER}<script>xxx')
    assert len(answer) == 1000


def test_it_masks_a_log_in_at_the_end_of_what_it_keeps(server):
    with Receiver(200, answer=b"x" * 980 + b"http://user:pass-word@a.example/") as receiver:
        webhook = create_server_webhook(server, receiver.url)
        fail_article(server)
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    assert Delivery.objects.get().answer == "x" * 980 + "http://[masked]@a.ex"


def test_it_switches_off_what_fails_for_days(server):
    webhook = create_server_webhook(server, "http://127.0.0.1:9/")
    fail_article(server)
    Webhook.objects.update(misses=9, failing_since=Now() - timedelta(days=4))
    webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    webhook.refresh_from_db()
    assert not webhook.active
    assert webhook.reason.startswith("Switched off because no message was accepted for 3 days.")
    pass_time()
    assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "busy"
    assert list(webhook_delivery.list_ready_webhooks_with_due_messages()) == []
    switch_webhook_on_resetting_failures(make_server_owner(server), webhook, AnonymousUser())
    assert list(webhook_delivery.list_ready_webhooks_with_due_messages()) == [webhook]


def test_it_signs_with_the_old_secret_too_for_a_day(server):
    with Receiver() as receiver:
        webhook = create_server_webhook(server, receiver.url)
        rotate_webhook_secret_keeping_old(make_server_owner(server), webhook)
        new = Webhook.objects.get()
        fail_article(server)
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
        Webhook.objects.update(secret_since=F("secret_since") - timedelta(days=1))
        fail_article(server, pmid=63000002)
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    assert new.secret != webhook.secret
    assert [is_verified(message.headers, message.body, webhook.secret) for message in receiver.came] == [True, False]
    assert [is_verified(message.headers, message.body, new.secret) for message in receiver.came] == [True, True]


def test_it_sends_again_what_a_worker_that_died_left(server, monkeypatch):
    with Receiver() as receiver:
        webhook = create_server_webhook(server, receiver.url)
        fail_article(server)

        def die(delivery, tried):
            raise KeyboardInterrupt

        monkeypatch.setattr(webhook_delivery, "store_attempt_and_next_delivery_state", die)
        with pytest.raises(KeyboardInterrupt):
            webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
        monkeypatch.undo()
        assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "busy"
        pass_time()
        assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "idle"
        assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "idle"
    assert [message.headers["webhook-id"] for message in receiver.came] == [str(Delivery.objects.get().pk)] * 2


def test_it_finds_what_the_broker_lost(server):
    create_server_webhook(server, "http://127.0.0.1:9/")
    assert enqueue_due_mail_and_webhook_sending() == 0
    fail_article(server)
    assert enqueue_due_mail_and_webhook_sending() == 1


def test_it_keeps_messages_for_a_month(server):
    with Receiver() as receiver:
        webhook = create_server_webhook(server, receiver.url)
        fail_article(server)
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    long_ago = Now() - timedelta(days=31)
    Delivery.objects.update(created=long_ago)
    assert delete_due_rows_unless_busy(timezone.now())["old webhook messages"] == 0
    Delivery.objects.update(tried=long_ago)
    assert delete_due_rows_unless_busy(timezone.now())["old webhook messages"] == 1


def test_it_is_replayed_and_tested_by_hand(server, client, alice):
    client.force_login(alice)
    with Receiver(500, 500, 200) as receiver:
        place = reverse("server-webhook-add", args=["genedict"])
        sent = client.post(place, {"url": receiver.url, "topics": ["fail"]})
        webhook = Webhook.objects.get()
        assert sent.url == f"/servers/genedict/webhooks/{webhook.pk}/"
        client.post(f"{sent.url}test/")
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
        Delivery.objects.update(state="failed", tries=5)
        delivery = Delivery.objects.get()
        client.post(f"{sent.url}deliveries/{delivery.pk}/replay/")
        assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "rests"
        client.post(f"{sent.url}deliveries/{delivery.pk}/replay/")
        assert webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk) == "idle"
    delivery.refresh_from_db()
    assert (delivery.happening, delivery.state, delivery.tries) == ("test", "delivered", 1)
    assert [message.headers["webhook-id"] for message in receiver.came] == [str(delivery.pk)] * 3
    assert json.loads(receiver.came[0].body)["topic"] == "test"


def test_a_webhook_with_too_many_waiting_messages_gets_no_more_and_says_how_many(client, alice, server, monkeypatch):
    monkeypatch.setattr(webhook_delivery, "MOST_WAITING", 2)
    full, other = (create_server_webhook(server, f"http://127.0.0.1:9/{name}") for name in ("full", "other"))
    fail_article(server)
    other.deliveries.update(state="failed")
    for pmid in (63000002, 63000003, 63000004):
        fail_article(server, pmid=pmid)
        other.deliveries.update(state="failed")
    assert [each.deliveries.count() for each in (full, other)] == [2, 4]
    assert list(Webhook.objects.order_by("pk").values_list("left_out", flat=True)) == [2, 0]
    client.force_login(alice)
    address = reverse("server-webhook", args=[server.slug, full.pk])
    page = " ".join(client.get(address).content.decode().split())
    assert "2 messages were left out, the last one at" in page and "because 2 messages were waiting" in page
    full.refresh_from_db()
    switch_webhook_on_resetting_failures(make_server_owner(server), full, alice)
    assert "left out" not in client.get(address).content.decode()

"""Webhooks for chats: a sentence that calls nobody and hides no link, and a URL that is kept secret."""

import json

import pytest
from django.utils import timezone

from servers.calls.models import Queue
from servers.calls.states import QueueMode
from servers.notifications.events import EventType
from servers.notifications.models import Delivery, Webhook
from servers.notifications.webhooks import webhook_delivery
from servers.notifications.webhooks.chat_messages import build_chat_message_json
from servers.notifications.webhooks.owners import make_server_owner
from servers.notifications.webhooks.webhook_messages import NotificationEvent
from tests.integration.servers.notifications.test_webhooks import create_server_webhook, fail_article
from tests.receiver import Receiver

pytestmark = pytest.mark.django_db


def test_a_chat_gets_a_sentence(server):
    server.name = "Genes & <!channel>"
    server.save()
    with Receiver() as receiver:
        webhook = create_server_webhook(server, receiver.url)
        Webhook.objects.filter(pk=webhook.pk).update(format="chat")
        fail_article(server)
        webhook_delivery.enqueue_test_delivery_below_limit(make_server_owner(server), Webhook.objects.get())
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    texts = [json.loads(message.body) for message in receiver.came]
    page = f"http://127.0.0.1:8000/servers/{server.slug}/"
    said = "1 article failed in the live queue after all retries. After fixing the cause,"
    assert texts == [
        {"text": f"Genes &amp; &lt;!channel&gt;: {said} choose “Retry failed articles” on the server's page. {page}"},
        {"text": f"Genes &amp; &lt;!channel&gt;: A test message. {page}"},
    ]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("@channel come", "@\u200bchannel come"),
        ("@room", "@\u200broom"),
        ("[free beer](https://evil.example/)", "[free beer]\u200b(https://evil.example/)"),
        ("![](https://evil.example/track.png)", "![]\u200b(https://evil.example/track.png)"),
        ("<!here> & <https://evil.example|us>", "&lt;!here&gt; &amp; &lt;https://evil.example|us&gt;"),
        ("a\nGeneDict: Your password is needed.\u202e", "a GeneDict: Your password is needed.\ufffd"),
    ],
)
def test_names_call_nobody_and_hide_no_link_in_a_chat(server, name, shown):
    """Organizers name queues of tests, and others their challenges: the team reads that in its own chat."""
    queue = Queue(server=server, mode=QueueMode.TEST, name=name)
    event = NotificationEvent(EventType.QUEUE_STOPPED, timezone.now(), queue)
    text = json.loads(build_chat_message_json(server, event))["text"]
    assert text.startswith(f"GeneDict: The test queue “{shown}” stopped because")
    assert text.endswith(" http://127.0.0.1:8000/servers/genedict/")


CHAT_PATH = "/services/T0/B0/s3cretS3cretS3cret"


@pytest.mark.parametrize(
    ("status", "field", "said"),
    [
        (404, "answer", 'Cannot POST [masked] {"path": "[masked]", "hook": "[masked]"}'),
        (307, "error", "The server redirects the request to another URL: http://127.0.0.1:9[masked]."),
    ],
)
def test_an_answer_or_error_does_not_show_the_path_of_a_chat(server, status, field, said):
    """Who knows it can write to the chat. Receivers repeat it in answers to requests that they do not expect."""
    escaped = CHAT_PATH.replace("/", "\\/")
    echo = f'Cannot POST {CHAT_PATH} {{"path": "{escaped}", "hook": "s3cretS3cretS3cret"}}'
    with Receiver(status, answer=echo.encode(), location=f"http://127.0.0.1:9{CHAT_PATH}") as receiver:
        url = receiver.url.replace("/bcms", CHAT_PATH)
        webhook = Webhook.objects.create(server=server, url=url, topics=["failure"], format="chat")
        fail_article(server)
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    assert getattr(Delivery.objects.get(), field).startswith(said)


def test_the_query_of_the_url_of_a_chat_is_masked_where_receivers_repeat_it(server):
    with Receiver(404, answer=b"No hook k=s3cretS3cretS3cret, neither s3cretS3cretS3cret") as receiver:
        url = f"{receiver.url.replace('/bcms', '/')}?k=s3cretS3cretS3cret"
        webhook = Webhook.objects.create(server=server, url=url, topics=["failure"], format="chat")
        fail_article(server)
        webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook.pk)
    assert Delivery.objects.get().answer == "No hook [masked], neither [masked]"

"""One try of a webhook message: a signed POST to a receiver, or a PUT of an event to a room of Matrix."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from bcms.lib.http.client import request_permitted_url
from bcms.lib.http.errors import HttpError, HttpFault
from bcms.lib.http.message_signatures import build_signature_headers
from bcms.lib.http.messages import HttpReply
from servers.calls.secret_masking import decode_printable_and_mask_secrets
from servers.credentials.sealed_values import CredentialsKeyError
from servers.notifications.events import WebhookFormat
from servers.notifications.models import Delivery, Webhook
from servers.notifications.webhooks.matrix.access_tokens import AccessTokenOriginError, open_authorization_header
from servers.notifications.webhooks.matrix.homeserver_replies import explain_homeserver_reply
from servers.notifications.webhooks.matrix.room_addresses import build_event_url
from servers.notifications.webhooks.message_formats import detect_message_format
from servers.notifications.webhooks.webhook_messages import mask_chat_path

# Seconds for one message.
DEADLINE = 10.0
MOST_BYTES = 64 * 1024
KEPT_CHARACTERS = 1000
OLD_SECRET = timedelta(days=1)
# Failures after which no retry helps until somebody changes the webhook, with advice.
PERMANENT = {
    HttpFault.BAD_URL: "Correct the webhook's URL.",
    HttpFault.BLOCKED_ADDRESS: "Use a URL that is reachable from the internet.",
    HttpFault.UNENCRYPTED: "Change the homeserver's URL to one that begins with https://.",
    HttpFault.REDIRECT: "Redirects are not followed. Use the URL that the redirect leads to.",
}
# Statuses below 500 that concern the receiver as a whole: request timeout, too many requests.
OVERLOADED = frozenset({408, 429})
OF_OTHER_FORMAT = "The message was written for another format, which the webhook had then, so it is not sent."


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """How a try ended: status and beginning of the answer, and what is wrong.

    error: why there is no answer, or what that of a homeserver means; permanent: whether no retry can help; pause: how
    long the receiver wants to get nothing; is_of_other_format: whether the message was not sent for that reason.
    """

    status: int | None = None
    answer: str = ""
    error: str = ""
    permanent: bool = False
    pause: timedelta = timedelta(0)
    is_of_other_format: bool = False

    @property
    def accepted(self) -> bool:
        return self.status is not None and 200 <= self.status < 300 and not self.error

    @property
    def receiver_failed(self) -> bool:
        """Whether the receiver as a whole has a problem, so that other messages would fail too."""
        return bool(self.error) or self.status is None or self.status >= 500 or self.status in OVERLOADED


@dataclass(frozen=True, slots=True)
class _DeliveryRequest:
    method: str
    url: str
    headers: Mapping[str, str]
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)


def send_delivery(delivery: Delivery) -> DeliveryAttempt:
    """Send a message once and return how that ended."""
    if detect_message_format(delivery.body) != delivery.webhook.format:
        return DeliveryAttempt(error=OF_OTHER_FORMAT, permanent=True, is_of_other_format=True)
    if delivery.webhook.format == WebhookFormat.MATRIX:
        return _send_to_room(delivery)
    webhook = delivery.webhook
    result = _send(webhook, _build_signed_request(delivery), delivery.body.encode())
    return result if isinstance(result, DeliveryAttempt) else _keep_answer(webhook, result)


def _send_to_room(delivery: Delivery) -> DeliveryAttempt:
    """A homeserver that got the message before answers with the event that it stored then."""
    webhook = delivery.webhook
    try:
        secret_headers = open_authorization_header(webhook)
    except AccessTokenOriginError as error:
        return DeliveryAttempt(error=str(error), permanent=True)
    except CredentialsKeyError as error:
        return DeliveryAttempt(error=f"The site cannot read the access token. {error}")
    url = build_event_url(webhook.url, webhook.room, str(delivery.pk))
    headers = {"Content-Type": "application/json"}
    result = _send(webhook, _DeliveryRequest("PUT", url, headers, secret_headers), delivery.body.encode())
    if isinstance(result, DeliveryAttempt):
        return result
    verdict = explain_homeserver_reply(result)
    return _keep_answer(webhook, result, verdict.advice, verdict.pause)


def _build_signed_request(delivery: Delivery) -> _DeliveryRequest:
    webhook, body = delivery.webhook, delivery.body.encode()
    secrets = [webhook.secret]
    if webhook.old_secret and webhook.secret_since > timezone.now() - OLD_SECRET:
        secrets.append(webhook.old_secret)
    signature = build_signature_headers(secrets, str(delivery.pk), int(time.time()), body)
    return _DeliveryRequest("POST", webhook.url, {"Content-Type": "application/json", **signature})


def _send(webhook: Webhook, request: _DeliveryRequest, body: bytes) -> HttpReply | DeliveryAttempt:
    """The reply, or how the try ended without one."""
    try:
        return request_permitted_url(
            request.method,
            request.url,
            body=body,
            headers=request.headers,
            secret_headers=request.secret_headers,
            deadline_seconds=DEADLINE,
            max_bytes=MOST_BYTES,
            extra_networks=settings.ALLOWED_NETWORKS,
            encrypts_secrets=True,
        )
    except HttpError as error:
        advice = PERMANENT.get(error.kind, "Check that the receiver is running and reachable from outside.")
        return DeliveryAttempt(error=mask_chat_path(webhook, f"{error} {advice}"), permanent=error.kind in PERMANENT)


def _keep_answer(
    webhook: Webhook, reply: HttpReply, error: str = "", pause: timedelta = timedelta(0)
) -> DeliveryAttempt:
    answer = mask_chat_path(webhook, decode_printable_and_mask_secrets(reply.body))
    return DeliveryAttempt(status=reply.status, answer=answer[:KEPT_CHARACTERS], error=error, pause=pause)

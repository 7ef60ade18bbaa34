"""Signatures of webhook messages (Standard Webhooks): HMAC-SHA256 over id, time and body."""

import base64
import hmac
from collections.abc import Mapping

from servers.notifications.webhook_messages import SECRET_PREFIX


def sign_webhook_message(secret: str, message_id: str, unix_seconds: int, body: bytes) -> str:
    """The signature of a message with this id that is sent at this time, in seconds since 1970."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{message_id}.{unix_seconds}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def build_headers_with_signature_per_secret(
    secrets: list[str], message_id: str, unix_seconds: int, body: bytes
) -> Mapping[str, str]:
    """The headers of a message, with a signature for each secret, so that the receiver may know any of them."""
    return {
        "Content-Type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(unix_seconds),
        "webhook-signature": " ".join(
            sign_webhook_message(secret, message_id, unix_seconds, body) for secret in secrets
        ),
    }

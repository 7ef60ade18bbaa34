"""Signatures of HTTP messages as in the Standard Webhooks specification 1.0.0, whose libraries can verify them.

The headers of a signed message hold its id, the time of sending in seconds since 1970, and signatures: "v1," and the
base64 of the HMAC-SHA256 of id, time and body, joined by full stops. The key is the base64-decoded secret without its
prefix "whsec_". Webhooks and calls to annotation servers are signed with it.
"""

import base64
import binascii
import hmac
import secrets
from collections.abc import Mapping, Sequence

SECRET_PREFIX = "whsec_"
SECRET_BYTES = 32
ID_HEADER = "webhook-id"
TIMESTAMP_HEADER = "webhook-timestamp"
SIGNATURE_HEADER = "webhook-signature"


def generate_signing_secret() -> str:
    """A new secret: "whsec_" and 32 random bytes in base64."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def parse_signing_key(secret: str) -> bytes:
    """The key in a secret, with or without its prefix. Raises ValueError, which does not quote the secret."""
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise ValueError(f"A signing secret is {SECRET_PREFIX} and base64, as the site has shown it: copy it again.")
    return key


def sign_message(secret: str, message_id: str, unix_seconds: int, body: bytes) -> str:
    """The signature of a message with this id that is sent at this time, in seconds since 1970."""
    signed = f"{message_id}.{unix_seconds}.".encode("utf-8", "replace") + body
    return "v1," + base64.b64encode(hmac.digest(parse_signing_key(secret), signed, "sha256")).decode()


def build_signature_headers(
    secrets_in_use: Sequence[str], message_id: str, unix_seconds: int, body: bytes
) -> Mapping[str, str]:
    """The headers of a message, with a signature for each secret, so that the receiver may know any of them."""
    signatures = [sign_message(secret, message_id, unix_seconds, body) for secret in secrets_in_use]
    return {ID_HEADER: message_id, TIMESTAMP_HEADER: str(unix_seconds), SIGNATURE_HEADER: " ".join(signatures)}

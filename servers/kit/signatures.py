"""Verify that a call comes from the meta-server: signatures as in the Standard Webhooks specification.

from servers.kit.signatures import SignatureError, verify_signature

try:
    verify_signature(request.headers, request.body, "whsec_...")
except SignatureError as error:
    answer with status 401 and the error
"""

import hmac
import time
from collections.abc import Iterable
from typing import Protocol

from bcms.lib.http.message_signatures import ID_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, sign_message

TOLERANCE_SECONDS = 300
# More digits than a time in seconds has for millions of years.
MOST_DIGITS = 15


class HeaderItems(Protocol):
    """The headers of a request: a dictionary, or what a web framework has in its place."""

    def items(self) -> Iterable[tuple[str, str]]: ...


class SignatureError(Exception):
    """The request is not authentic, or too old; the message says why and quotes nothing of the request."""


def verify_signature(
    headers: HeaderItems, body: bytes, secret: str, *, tolerance_seconds: float = TOLERANCE_SECONDS
) -> None:
    """Raise SignatureError unless the headers sign the body with the secret, at a time within the tolerance from now.

    Names of headers are compared without regard to case; body is the raw body, b"" for GET. ValueError if the secret
    is none.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    missing = [name for name in (ID_HEADER, TIMESTAMP_HEADER, SIGNATURE_HEADER) if not lower.get(name)]
    if missing:
        raise SignatureError(f"The request has no header {missing[0]}: it is not signed.")
    timestamp = lower[TIMESTAMP_HEADER]
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= MOST_DIGITS):
        raise SignatureError(f"The header {TIMESTAMP_HEADER} is not a time in seconds since 1970.")
    expected = sign_message(secret, lower[ID_HEADER], int(timestamp), body).encode()
    signatures = lower[SIGNATURE_HEADER].encode("utf-8", "replace").split()
    if not any(hmac.compare_digest(expected, signature) for signature in signatures):
        raise SignatureError("No signature matches: another secret signed the request, or its body was changed.")
    if abs(time.time() - int(timestamp)) > tolerance_seconds:
        raise SignatureError(
            f"The request was signed more than {tolerance_seconds:g} s ago or ahead: check the clock of this machine."
        )

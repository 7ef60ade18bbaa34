"""The headers of a request with secret ones and a signature: those of calls to annotation servers."""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from bcms.lib.http.message_signatures import SIGNATURE_HEADER, build_signature_headers


@dataclass(frozen=True, slots=True)
class RequestHeaders:
    """Headers that are recorded as they are sent, and secret ones that are recorded as masked."""

    plain: Mapping[str, str]
    secret: Mapping[str, str]


def build_authenticated_headers(
    headers: Mapping[str, str], body: bytes, secret_headers: Mapping[str, str], signing_secret: str
) -> RequestHeaders:
    """The headers with a signature of the body now, unless signing_secret is "".

    The signature is secret, as it would let others repeat the request. Each request is a message with an id of its own.
    """
    if not signing_secret:
        return RequestHeaders(headers, secret_headers)
    signed = dict(build_signature_headers([signing_secret], f"call_{uuid.uuid4().hex}", int(time.time()), body))
    secret = {**secret_headers, SIGNATURE_HEADER: signed.pop(SIGNATURE_HEADER)}
    return RequestHeaders({**headers, **signed}, secret)

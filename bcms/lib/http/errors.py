"""Errors of HTTP requests that got no usable answer."""

from enum import StrEnum

from bcms.lib.text import clip_text_replacing_unprintable

LONGEST_DETAIL = 300


class HttpFault(StrEnum):
    BAD_URL = "bad-url"
    NAME_NOT_FOUND = "name-not-found"
    BLOCKED_ADDRESS = "blocked-address"
    UNENCRYPTED = "unencrypted"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    TLS = "tls"
    CONNECT_LIMIT = "connect-limit"
    DEADLINE = "deadline"
    CUT_OFF = "cut-off"
    NOT_HTTP = "not-http"
    TOO_LARGE = "too-large"
    REDIRECT = "redirect"
    ABORTED = "aborted"


class HttpError(Exception):
    """A request got no usable answer: message says what happened, detail quotes the server or a library.

    quoted is the detail before it was clipped. Not an OSError, so that no layer in between handles it as a network
    failure.
    """

    def __init__(self, kind: HttpFault, message: str, detail: str = "") -> None:
        self.kind = kind
        self.message = message
        self.quoted = detail
        self.detail = clip_text_replacing_unprintable(detail, LONGEST_DETAIL)
        super().__init__(f"{message}: {self.detail}." if self.detail else f"{message}.")


def make_aborted_error() -> HttpError:
    return HttpError(HttpFault.ABORTED, "The request was aborted by the meta-server")

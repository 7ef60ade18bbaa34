"""Rate limits for accounts and for anonymous addresses, counted in the cache (Redis).

Requests by REST, by XML-RPC and for downloads from pages are counted together, in fixed windows of a minute. Large
files, such as all results of a search or all articles of a phase, have a limit of their own, and only a few are
generated at the same time. Settings: API_*.
"""

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from math import ceil
from secrets import token_hex
from time import monotonic, time
from typing import Any, NamedTuple, cast

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, StreamingHttpResponse
from redis.exceptions import ConnectionError as RedisConnectionError
from rest_framework.exceptions import Throttled
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

log = logging.getLogger(__name__)

WINDOW_SECONDS = 60
# Customers get whole IPv6 networks, usually /64, and can use every address in them.
IPV6_NETWORK = 64
# Uploaded files above this size take seconds to process.
LARGE_FILE_BYTES = 1 << 20
# Smaller ones, too, keep a thread and a processor busy: pictures are decoded, runs are checked.
MOST_UPLOADS_PER_MINUTE = 60
# How long the slot of a file outlives a process that dies; renewed while the file is sent.
FILE_SLOT_SECONDS = 120
FILE_SLOT_WAIT_SECONDS = 15
TOO_MANY_FILES = "The site is generating its maximum number of large files."
COUNTED = "limits_are_counted"
NEAREST_LIMIT = "nearest_limit"


class TooManyRequests(Throttled):
    """A rate limit was exceeded: a sentence that states the limit, and the seconds for Retry-After."""

    wait: float
    extra_detail_singular = "Try again in {wait} second."
    extra_detail_plural = "Try again in {wait} seconds."

    def __init__(self, sentence: str, wait: float) -> None:
        super().__init__(max(wait, 1), sentence)


class LimitState(NamedTuple):
    """How much of a limit is left: of so many a minute, and the seconds until the minute ends."""

    left: int
    most: int
    seconds: float

    def format_headers(self) -> dict[str, str]:
        """The headers of draft-ietf-httpapi-ratelimit-headers-07."""
        return {
            "RateLimit-Limit": str(self.most),
            "RateLimit-Remaining": str(self.left),
            "RateLimit-Reset": str(ceil(self.seconds)),
            "RateLimit-Policy": f"{self.most};w={WINDOW_SECONDS}",
        }


class RequestLimit(BaseThrottle):
    """The limit of requests, for all views of the API; raises TooManyRequests (429 with Retry-After)."""

    def allow_request(self, request: Request, view: Any) -> bool:
        count_request_and_check_limit(request)
        return True


class FileLimit(BaseThrottle):
    """The limit of large files, for views that send one."""

    def allow_request(self, request: Request, view: Any) -> bool:
        count_download_and_check_limit(request)
        return True


class SentFileLimit(BaseThrottle):
    """The limit of large files, for views that receive one."""

    def allow_request(self, request: Request, view: Any) -> bool:
        count_large_upload_and_check_limit(request)
        return True


def count_no_more(request: HttpRequest) -> None:
    """The request was counted, and is answered once more."""
    setattr(request, COUNTED, True)


def count_request_and_check_limit(request: HttpRequest | Request) -> None:
    """Count a request; raises TooManyRequests above the limit."""
    if request.user.is_authenticated:
        caller, most = "An account", settings.API_PER_MINUTE_ACCOUNT
    else:
        caller, most = "An address without a login", settings.API_PER_MINUTE_ADDRESS
    sentence = f"{caller} may send {most} requests per minute to the API."
    _throttle_caller("requests", request, most, sentence)


def count_download_and_check_limit(request: HttpRequest | Request) -> None:
    """Count the download of a large file; raises TooManyRequests above the limit."""
    most = settings.API_FILES_PER_MINUTE
    _throttle_caller("files", request, most, f"You may download {most} such files per minute.")


def count_large_upload_and_check_limit(request: HttpRequest | Request) -> None:
    """Count an upload, and once more if it is large; raises TooManyRequests above a limit."""
    if request.method not in SAFE_METHODS:
        sentence = f"An account may upload {MOST_UPLOADS_PER_MINUTE} files per minute."
        _throttle_caller("uploads", request, MOST_UPLOADS_PER_MINUTE, sentence)
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdecimal() and int(length) > LARGE_FILE_BYTES:
        most = settings.API_FILES_PER_MINUTE
        _throttle_caller("files", request, most, f"You may download or upload {most} large files per minute.")


def _identify_caller(request: HttpRequest | Request) -> str:
    """The account, or the address without a login; all tokens of an account count together."""
    return f"user-{request.user.pk}" if request.user.is_authenticated else identify_network(request)


def identify_network(request: HttpRequest | Request) -> str:
    """The client's IPv4 address, or its IPv6 network."""
    address = ip_address(get_adapter().get_client_ip(request))
    if address.version == 4:
        return str(address)
    # A socket for both versions gives IPv4 addresses in the form of IPv6, all in one network.
    return str(address.ipv4_mapped or ip_network((address, IPV6_NETWORK), strict=False))


def _throttle_caller(counter: str, request: HttpRequest | Request, most: int, sentence: str) -> None:
    """Count one in this minute; raises TooManyRequests with the rest of the minute when there are more than most."""
    if getattr(request, COUNTED, False):
        return
    minute, elapsed = divmod(time(), WINDOW_SECONDS)
    key = f"api:{counter}:{_identify_caller(request)}:{int(minute)}"
    with _ignore_redis_outage():
        cache.add(key, 0, 2 * WINDOW_SECONDS)
        count = cache.incr(key)
        _note_nearest_limit(request, LimitState(max(most - count, 0), most, WINDOW_SECONDS - elapsed))
        if count > most:
            raise TooManyRequests(sentence, WINDOW_SECONDS - elapsed)


def _note_nearest_limit(request: HttpRequest | Request, state: LimitState) -> None:
    """Note the limit of this request with the least left, for the headers of its answer."""
    nearest = find_nearest_limit(request)
    # What REST framework wraps reaches the middleware.
    setattr(getattr(request, "_request", request), NEAREST_LIMIT, min(nearest, state) if nearest else state)


def find_nearest_limit(request: HttpRequest | Request) -> LimitState | None:
    """The limit with the least left among those that have counted this request; None if none has."""
    state: LimitState | None = getattr(request, NEAREST_LIMIT, None)
    return state


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot that is kept until it is freed, or for FILE_SLOT_SECONDS after it was last renewed.

    token: of its holder, as somebody else may hold the slot once Redis has lost it.
    """

    key: str
    token: str

    def renew(self) -> None:
        if cache.get(self.key) == self.token:
            cache.touch(self.key, FILE_SLOT_SECONDS)

    def free(self) -> None:
        if cache.get(self.key) == self.token:
            cache.delete(self.key)


class SlottedFileStream:
    """The pieces of a file, which keeps its slot until it is sent or the client disconnects."""

    def __init__(self, pieces: Iterable[bytes], file_slot: Slot) -> None:
        self.pieces, self.file_slot = pieces, file_slot

    def __iter__(self) -> Iterator[bytes]:
        renewed = monotonic()
        for piece in self.pieces:
            if monotonic() > renewed + FILE_SLOT_SECONDS / 4:
                renewed = monotonic()
                self.file_slot.renew()
            yield piece

    def close(self) -> None:
        self.file_slot.free()


def claim_file_slot_while_streaming(response: StreamingHttpResponse) -> StreamingHttpResponse:
    """Make a response keep one of the slots for large files; raises TooManyRequests when none is free."""
    with _ignore_redis_outage():
        file_slot = _claim_slot("file", settings.API_FILES_AT_ONCE, TOO_MANY_FILES)
        # Django closes the stream when the answer is sent, and when the client disconnects.
        response.streaming_content = SlottedFileStream(cast(Iterator[bytes], response.streaming_content), file_slot)
    return response


@contextmanager
def claim_slot(kind: str, most: int, busy: str) -> Iterator[None]:
    """Keep one of so many slots while something of this kind is computed; raises TooManyRequests when none is free.

    busy: the sentence of that error.
    """
    slot = None
    with _ignore_redis_outage():
        slot = _claim_slot(kind, most, busy)
    ended = threading.Event()
    if slot is not None:
        threading.Thread(target=_renew_slot_until, args=(slot, ended), name="slot", daemon=True).start()
    try:
        yield
    finally:
        ended.set()
        if slot is not None:
            with _ignore_redis_outage():
                slot.free()


def _renew_slot_until(slot: Slot, ended: threading.Event) -> None:
    """Keep the slot however long the computation takes; a process that dies loses it."""
    while not ended.wait(FILE_SLOT_SECONDS / 4):
        with _ignore_redis_outage():
            slot.renew()


def _claim_slot(kind: str, most: int, busy: str) -> Slot:
    """A free slot. Raises TooManyRequests when none is free."""
    for number in range(most):
        slot = Slot(f"api:{kind}:{number}", token_hex())
        if cache.add(slot.key, slot.token, FILE_SLOT_SECONDS):
            return slot
    raise TooManyRequests(busy, FILE_SLOT_WAIT_SECONDS)


@contextmanager
def _ignore_redis_outage() -> Iterator[None]:
    """Count nothing while Redis is unavailable, so that reading does not depend on it."""
    try:
        yield
    except RedisConnectionError as error:
        log.warning("Requests to the API are not counted, because Redis is unavailable: %s", error)

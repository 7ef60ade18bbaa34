"""How often programs may ask, counted in the cache (Redis): each address without a log-in, and each account.

Requests are counted by the minute, those by REST, by XML-RPC and for downloads from pages together: the counter of a
minute begins at nothing, and is forgotten with it. Files with all that a search, a phase or a challenge has, or a score
is made from, are counted once more, by themselves, and only a few are written at once. Settings: API_*.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address, ip_network
from time import monotonic, time
from typing import Any, cast

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, StreamingHttpResponse
from redis.exceptions import ConnectionError as RedisConnectionError
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

log = logging.getLogger(__name__)

SECONDS = 60
# A network of IPv6 is one household: whoever has one has all of its addresses.
IPV6_NETWORK = 64
# Files that are sent and larger are worked on for seconds; in bytes.
LARGE = 1 << 20
# So long the place of a file outlives a process that dies; renewed as pieces are sent.
LEASE_SECONDS = 120
WAIT_FOR_PLACE = 15


class TooMany(Throttled):
    """Asked for too often; the sentence says what the limit is, wait is in seconds and goes into Retry-After."""

    wait: float
    extra_detail_singular = "Try again in {wait} second."
    extra_detail_plural = "Try again in {wait} seconds."

    def __init__(self, sentence: str, wait: float) -> None:
        super().__init__(max(wait, 1), sentence)


class RequestLimit(BaseThrottle):
    """For all addresses of the API; TooMany, a 429 with Retry-After, for what is above the limit."""

    def allow_request(self, request: Request, view: Any) -> bool:
        count_request(request)
        return True


class FileLimit(BaseThrottle):
    """For large files."""

    def allow_request(self, request: Request, view: Any) -> bool:
        count_file(request)
        return True


class SentFileLimit(BaseThrottle):
    """For files that are sent, of which the large ones count as those that are asked for."""

    def allow_request(self, request: Request, view: Any) -> bool:
        count_sent(request)
        return True


def count_request(request: HttpRequest | Request) -> None:
    """One more of whoever sends it; TooMany for what is above the limit."""
    if request.user.is_authenticated:
        each, most = "An account", settings.API_PER_MINUTE_ACCOUNT
    else:
        each, most = "An address without a log-in", settings.API_PER_MINUTE_ADDRESS
    count("requests", caller(request), most, f"{each} may send {most} requests a minute to the API.")


def count_file(request: HttpRequest | Request) -> None:
    """The same of large files."""
    most = settings.API_FILES_PER_MINUTE
    count("files", caller(request), most, f"You may ask for {most} such files a minute.")


def count_sent(request: HttpRequest | Request) -> None:
    """One more large file, if what is sent is one; as count_file."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdecimal() and int(length) > LARGE:
        most = settings.API_FILES_PER_MINUTE
        count("files", caller(request), most, f"You may ask for or send {most} large files a minute.")


def caller(request: HttpRequest | Request) -> str:
    """All tokens of an account count together."""
    return f"user-{request.user.pk}" if request.user.is_authenticated else network_of(request)


def network_of(request: HttpRequest | Request) -> str:
    address = ip_address(get_adapter().get_client_ip(request))
    return str(ip_network((address, IPV6_NETWORK), strict=False)) if address.version == 6 else str(address)


def count(what: str, who: str, most: int, sentence: str) -> None:
    """One more in this minute; TooMany, with the seconds that are left of it, for the first one too many."""
    minute, gone = divmod(time(), SECONDS)
    key = f"api:{what}:{who}:{int(minute)}"
    with open_without_redis():
        cache.add(key, 0, 2 * SECONDS)
        if cache.incr(key) > most:
            raise TooMany(sentence, SECONDS - gone)


class Held:
    """The pieces of a file, which holds its place until it is sent or its reader is gone."""

    def __init__(self, pieces: Iterable[bytes], place: str) -> None:
        self.pieces, self.place = pieces, place

    def __iter__(self) -> Iterator[bytes]:
        renewed = monotonic()
        for piece in self.pieces:
            if monotonic() > renewed + LEASE_SECONDS / 4:
                renewed = monotonic()
                cache.touch(self.place, LEASE_SECONDS)
            yield piece

    def close(self) -> None:
        cache.delete(self.place)


def held(response: StreamingHttpResponse) -> StreamingHttpResponse:
    """The same file, in one of the places of those that are written at once; TooMany when there is none."""
    with open_without_redis():
        place = free_place()
        # Django closes what it streams when the answer is sent, and when its reader goes away.
        response.streaming_content = Held(cast(Iterator[bytes], response.streaming_content), place)
    return response


def free_place() -> str:
    for number in range(settings.API_FILES_AT_ONCE):
        place = f"api:file:{number}"
        if cache.add(place, 1, LEASE_SECONDS):
            return place
    raise TooMany("The site is writing as many such files as it does at once.", WAIT_FOR_PLACE)


@contextmanager
def open_without_redis() -> Iterator[None]:
    """Who reads need not wait for Redis: while it is away nothing is counted."""
    try:
        yield
    except RedisConnectionError as error:
        log.warning("Requests to the API are not counted: Redis is away (%s).", error)

"""How long a server may take for one call: the strictest limit of the server, the phase and the site.

The limit of a server may grow with the length of the text. That of a request with several articles is the sum of
theirs.
"""

from collections.abc import Iterable

from django.conf import settings

from servers.calls.models import Call


def compute_strictest_time_limit_seconds(call: Call) -> float:
    """Seconds for one call including all waiting: the minimum of the limits of server, phase and site."""
    minutes = min(settings.MINUTES_PER_CALL, call.queue.minutes or settings.MINUTES_PER_CALL)
    server = call.server
    server_limit = compute_text_time_limit_seconds(
        server.time_limit, server.seconds_per_1000_characters, len(call.article.text)
    )
    return min(server_limit, float(minutes * 60))


def compute_batch_time_limit_seconds(calls: Iterable[Call]) -> float:
    """Seconds for a request with these calls: their limits together, at most the limit of the site for one request."""
    return min(sum(map(compute_strictest_time_limit_seconds, calls)), float(settings.MINUTES_PER_CALL * 60))


def compute_text_time_limit_seconds(
    time_limit: float, seconds_per_1000_characters: float | None, character_count: int
) -> float:
    """A server's own limit for a text: its time limit, longer by so many seconds for each 1,000 characters."""
    return time_limit + (seconds_per_1000_characters or 0.0) * character_count / 1000

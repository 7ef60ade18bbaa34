"""Pauses of a registry that failed to answer: a minute, then twice as long each time, up to six hours."""

import logging

from django.core.cache import cache

from annotations.errors import ServiceUnavailableError

# How long the failures of a database are remembered, in seconds.
FAILURE_MEMORY = 24 * 3600
# In seconds.
FIRST_PAUSE, LONGEST_PAUSE = 60, 6 * 3600
log = logging.getLogger(__name__)


def pause_registry(database: str, error: ServiceUnavailableError) -> None:
    """Pause a database after a failure, twice as long each time, and at least as long as it asked for."""
    failures = cache.get(failure_cache_key(database), 0)
    seconds = max(error.retry_after, min(FIRST_PAUSE * 2**failures, LONGEST_PAUSE))
    cache.set(failure_cache_key(database), failures + 1, FAILURE_MEMORY)
    cache.set(pause_cache_key(database), True, seconds)
    log.warning("%s Retrying in %d min; until then identifiers are not verified.", error, -(-seconds // 60))


def pause_cache_key(database: str) -> str:
    return f"registry-rests-{database}"


def failure_cache_key(database: str) -> str:
    return f"registry-failures-{database}"

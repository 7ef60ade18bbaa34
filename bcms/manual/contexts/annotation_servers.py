"""Context of the manual's page about annotation servers: starter files, time limits and retries."""

from django.conf import settings

from bcms.manual.wait_formats import format_wait_in_seconds_or_minutes
from servers.calls import retry
from servers.kit.starter_files import STARTERS

STARTER_PROTOCOL_NAMES = {"bcms": "XML-RPC", "rest": "JSON-REST"}


def build_starters_and_retry_limits_context() -> dict[str, object]:
    return {
        "starters": [
            (starter, STARTER_PROTOCOL_NAMES[starter.protocol]) for starter in STARTERS if not starter.asks_model
        ],
        "minutes": settings.MINUTES_PER_CALL,
        "tries": retry.TRIES,
        "failures": retry.FAILURES_RUNNING,
        "waits": ", ".join(format_wait_in_seconds_or_minutes(wait) for wait in retry.WAITS),
    }

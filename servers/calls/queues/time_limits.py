"""How long a server may take for one call: the strictest limit of the server, the phase and the site."""

from django.conf import settings

from servers.calls.models import Call


def compute_strictest_time_limit_seconds(call: Call) -> float:
    """Seconds for one call including all waiting: the minimum of the limits of server, phase and site."""
    minutes = min(settings.MINUTES_PER_CALL, call.queue.minutes or settings.MINUTES_PER_CALL)
    return float(min(call.server.time_limit, minutes * 60))

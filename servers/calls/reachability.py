"""When a server counts as down: after three calls in a row that did not reach it, or one answer that says so.

HTTP status 429, 502, 503 and 504 say that the server does not work for any article. Its queues rest between further
calls (servers/calls/outcomes/server_rest.py), and after a day without a success it is taken offline.
"""

from datetime import timedelta

TOO_MANY_REQUESTS, BAD_GATEWAY, SERVICE_UNAVAILABLE, GATEWAY_TIMEOUT = 429, 502, 503, 504
# The status codes with which a server, or the proxy in front of it, says that it does not work now: for each what
# happened and what to do.
OUTAGES = {
    TOO_MANY_REQUESTS: (
        "The server refuses further calls for now",
        "Raise the server's own limit, or enter a lower number of calls per minute on its page.",
    ),
    BAD_GATEWAY: (
        "The proxy in front of the server got no usable answer from it",
        "Start the program behind the proxy, and check the address and port to which the proxy forwards.",
    ),
    SERVICE_UNAVAILABLE: (
        "The server is not available now",
        "Check that the program runs and is not overloaded or in maintenance.",
    ),
    GATEWAY_TIMEOUT: (
        "The proxy in front of the server got no answer from it in time",
        "Raise the proxy's timeout (in nginx proxy_read_timeout) to the time limit of the server, or make the program "
        "faster.",
    ),
}
OUTAGE_STATUSES = frozenset(OUTAGES)
UNREACHABLE_REST = timedelta(seconds=60)
# However long a server asks to be left alone.
LONGEST_OUTAGE_REST = timedelta(hours=1)
# The number of consecutive calls that do not reach the server after which it counts as down.
MISSES_UNTIL_UNREACHABLE = 3
UNREACHABLE_UNTIL_FAILED = timedelta(hours=24)


def limit_outage_rest_or_default(retry_after_seconds: float) -> timedelta:
    """How long the queues rest for a server that asks to wait so many seconds; 0 or less: it does not say."""
    if retry_after_seconds <= 0:
        return UNREACHABLE_REST
    return min(timedelta(seconds=max(retry_after_seconds, 1.0)), LONGEST_OUTAGE_REST)

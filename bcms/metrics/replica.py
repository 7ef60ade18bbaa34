"""Counts which database has answered the requests that the replica may answer."""

from prometheus_client import Counter

from bcms.metrics.requests import OWN_REGISTRY

REQUESTS = Counter(
    "bcms_replica_requests_total",
    "Requests that may be answered from the replica: by the replica, by the primary because the replica was away or "
    "behind, or by the primary after the replica failed",
    ["answer"],
    registry=OWN_REGISTRY,
)


def count_replica_request(answer: str) -> None:
    """answer: replica, primary, or primary after failure."""
    REQUESTS.labels(answer).inc()

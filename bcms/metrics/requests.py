"""Counts and times of the requests that the web processes of this host have answered.

Several processes of one host share their numbers by files in the folder PROMETHEUS_MULTIPROC_DIR, which the web server
sets (bcms/web_server/configuration.py).
"""

import os

from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

SHARED_FOLDER_SETTING = "PROMETHEUS_MULTIPROC_DIR"
OWN_REGISTRY = CollectorRegistry()
REQUESTS = Counter(
    "bcms_http_requests_total",
    "Requests that were answered, by the name of the URL",
    ["method", "route", "status"],
    registry=OWN_REGISTRY,
)
SECONDS = Histogram(
    "bcms_http_request_duration_seconds",
    "Time until the answer was made, by the name of the URL",
    ["route"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0),
    registry=OWN_REGISTRY,
)
# Another method is counted under this name, so that clients cannot make up labels.
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER = "other"


def count_request(request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    """Count an answered request. Its labels come from fixed sets, whatever the client sends."""
    matched = request.resolver_match
    route = (matched.view_name if matched is not None else "") or OTHER
    method = request.method if request.method in METHODS else OTHER
    REQUESTS.labels(method, route, response.status_code).inc()
    SECONDS.labels(route).observe(seconds)


def format_request_metrics() -> bytes:
    """The metrics of all web processes of this host, in Prometheus's text format."""
    if SHARED_FOLDER_SETTING not in os.environ:
        return generate_latest(OWN_REGISTRY)
    shared = CollectorRegistry()
    MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
    return generate_latest(shared)

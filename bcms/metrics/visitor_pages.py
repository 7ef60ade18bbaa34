"""Counts the pages for visitors that were kept, and those that were made."""

from prometheus_client import Counter

from bcms.metrics.requests import OWN_REGISTRY

PAGES = Counter(
    "bcms_visitor_pages_total",
    "Pages for visitors: kept from another visitor, made anew, or kept while the database was away",
    ["answer"],
    registry=OWN_REGISTRY,
)


def count_visitor_page(answer: str) -> None:
    """answer: kept, made, or kept during outage."""
    PAGES.labels(answer).inc()

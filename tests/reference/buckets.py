"""The bucket of a response time, in Python: the product computes it in SQL (servers/availability/rollups.py)."""

from math import floor, log

from servers.availability.measures.percentiles import SHORTEST, WIDTH


def compute_bucket(seconds):
    """The number of the bucket of a time in seconds."""
    return max(floor(log(seconds / SHORTEST) / log(WIDTH)), 0) if seconds > SHORTEST else 0

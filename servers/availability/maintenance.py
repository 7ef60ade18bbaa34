"""The limits of planned maintenance. It must be planned in advance, so that it cannot hide a downtime afterwards."""

from collections.abc import Iterator
from datetime import datetime, timedelta

LONGEST_MAINTENANCE = timedelta(days=14)
LATEST_START = timedelta(days=365)
# Accepts the current minute, which has begun when the form is sent.
GRACE_PERIOD = timedelta(minutes=2)


def iter_maintenance_period_faults(starts: datetime, ends: datetime, now: datetime) -> Iterator[tuple[str, str]]:
    """A field ("starts" or "ends") and a message for each limit that the planned period breaks."""
    if starts < now - GRACE_PERIOD:
        yield "starts", "This time has passed. Maintenance must be planned before it starts."
    if starts > now + LATEST_START:
        yield "starts", f"Maintenance can be planned at most {LATEST_START.days} days in advance."
    if ends <= starts:
        yield "ends", "The end must be after the start."
    elif ends - starts > LONGEST_MAINTENANCE:
        yield (
            "ends",
            f"Maintenance can last at most {LONGEST_MAINTENANCE.days} days. Stop the server for longer periods.",
        )

"""The time that an article is in sight of its curator, by the server's clock: it stops while the curator is away."""

from datetime import datetime, timedelta

from annotations.curation.models import Curation

# Nobody reads for longer than this without a decision: the curator was away.
LONGEST_SIGHT = timedelta(minutes=10)


def stop_timer(curation: Curation, now: datetime) -> None:
    """Add the time since the timer was started to the curation, without saving it."""
    if curation.running is not None:
        elapsed = min(max(now - curation.running, timedelta(0)), LONGEST_SIGHT).total_seconds()
        curation.seconds += elapsed
        curation.pending += elapsed
    curation.running = None


def take_seconds_since_decision(curation: Curation, now: datetime) -> float:
    """The time in sight since the decision before; the timer runs on for the next one. The curation is not saved."""
    was_running = curation.running is not None
    stop_timer(curation, now)
    seconds = min(curation.pending, LONGEST_SIGHT.total_seconds())
    curation.pending = 0.0
    curation.running = now if was_running else None
    return seconds

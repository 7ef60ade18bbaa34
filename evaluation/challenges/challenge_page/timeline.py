"""The phases of a challenge as bars on one time axis."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from evaluation.challenges.models import Phase

# Widths are in thousandths of the axis; a bar is never too thin to see.
AXIS = 1000
NARROWEST_BAR = 8
# How far the axis goes past what it shows if nothing has an end.
OPEN_END = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """A phase on the axis: left edge and width of its bar, and the position of today, in thousandths of the axis."""

    phase: Phase
    left: int
    width: int
    today: int


def build_phase_timeline(phases: Sequence[Phase], now: datetime) -> list[TimelineRow]:
    """The phases in the order of their beginnings; without an end, a bar goes to the end of the axis.

    Today counts from its beginning (UTC), so that pages are the same all day.
    """
    if not phases:
        return []
    now = now.replace(hour=0, minute=0, second=0, microsecond=0)
    start = min(now, *(phase.opens for phase in phases))
    ends = [phase.closes or phase.opens + OPEN_END for phase in phases]
    length = max(now, *ends) - start

    def place(at: datetime) -> int:
        return round(AXIS * ((at - start) / length)) if length else 0

    return [
        TimelineRow(
            phase,
            min(place(phase.opens), AXIS - NARROWEST_BAR),
            max((place(phase.closes) if phase.closes else AXIS) - place(phase.opens), NARROWEST_BAR),
            min(place(now), AXIS - 2),
        )
        for phase in sorted(phases, key=lambda phase: (phase.opens, phase.pk))
    ]

"""The phases of a challenge as bars on one time axis."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from evaluation.challenges.models import Phase

# Widths are in thousandths of the axis; a bar is never too thin to see.
AXIS = 1000
NARROWEST_BAR = 8
DAY = timedelta(days=1)
# How far the axis goes past what it shows if nothing has an end.
OPEN_END = timedelta(days=30)
LATEST_BEGINNING = datetime.max.replace(tzinfo=UTC) - OPEN_END


@dataclass(frozen=True, slots=True)
class Band:
    """A part of the axis: left edge and width, in thousandths."""

    left: int
    width: int

    @property
    def middle_percent(self) -> int:
        return round((self.left + self.width / 2) / 10)


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """A phase on the axis, and the band of today, which is none if today is far from all phases."""

    phase: Phase
    bar: Band
    today: Band | None


def build_phase_timeline(phases: Sequence[Phase], now: datetime) -> list[TimelineRow]:
    """The phases in the order of their beginnings; without an end, a bar goes to the end of the axis.

    Today is the whole day (UTC), so that pages are the same all day and a phase that begins or ends today touches it.
    """
    if not phases:
        return []
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    start = min(phase.opens for phase in phases)
    end = max(phase.closes or max(min(phase.opens, LATEST_BEGINNING) + OPEN_END, day + DAY) for phase in phases)
    # Long before and long after the phases, an axis to today would leave no room for their bars.
    shows_today = max(start - day, day - end) <= end - start
    if shows_today:
        start, end = min(start, day), max(end, day + DAY)
    length = max(end - start, timedelta(minutes=1))

    def build_band(left: datetime, right: datetime) -> Band:
        edges = [round(AXIS * ((at - start) / length)) for at in (left, right)]
        return Band(min(edges[0], AXIS - NARROWEST_BAR), max(edges[1] - edges[0], NARROWEST_BAR))

    today = build_band(day, day + DAY) if shows_today else None
    return [
        TimelineRow(phase, build_band(phase.opens, phase.closes or end), today)
        for phase in sorted(phases, key=lambda phase: (phase.opens, phase.pk))
    ]

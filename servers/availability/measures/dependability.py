"""Measures of a server's availability over a time window.

Source: Perez-Perez et al. 2019, J Cheminform 11:42, tables 1 and 2. Where the source leaves a choice: time that was not
observed or was planned maintenance counts as neither up nor down; a downtime that continues counts with its length so
far; a server that never failed has no mean time between failures, but at least the time it was up.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from servers.availability.measures.time_spans import (
    TimeSpan,
    intersect_time_spans,
    merge_time_spans,
    subtract_time_spans,
    sum_span_seconds,
)


@dataclass(frozen=True, slots=True)
class AvailabilityHistory:
    """When a server was at work, down, paused as it reported itself, and in planned maintenance.

    The spans may overlap and have any order. Spans that continue end with the window.
    """

    at_work: Sequence[TimeSpan]
    down: Sequence[TimeSpan]
    paused: Sequence[TimeSpan] = ()
    maintenance: Sequence[TimeSpan] = ()


@dataclass(frozen=True, slots=True)
class Dependability:
    """The availability of a server over a window.

    observed, down, down_or_paused: seconds, the latter two as parts of observed; failures: number of downtimes that
    overlap with the window; down_now: whether the last downtime continues at the end of the window.
    """

    observed: float = 0.0
    down: float = 0.0
    down_or_paused: float = 0.0
    failures: int = 0
    down_now: bool = False

    @property
    def up(self) -> float:
        """Seconds."""
        return self.observed - self.down

    @property
    def availability(self) -> float | None:
        """up / (up + down), in [0, 1]; None if nothing was observed. A server that reports a pause counts as up."""
        return self.up / self.observed if self.observed else None

    @property
    def strict_availability(self) -> float | None:
        """The availability if reported pauses (suspended or overloaded) count as down; None if nothing was observed."""
        return (self.observed - self.down_or_paused) / self.observed if self.observed else None

    @property
    def mtbf(self) -> float | None:
        """Mean time between failures in seconds: up / failures. None without failures, when it is at least `up`."""
        return self.up / self.failures if self.failures else None

    @property
    def mttr(self) -> float | None:
        """Mean time to repair in seconds: down / failures; None without failures. Too small while `down_now`."""
        return self.down / self.failures if self.failures else None


def compute_dependability(window: TimeSpan, history: AvailabilityHistory) -> Dependability:
    """The availability over a window.

    A downtime that extends beyond the window, or is interrupted by maintenance, counts as one failure with its observed
    part. A downtime within maintenance, or while the server was not at work, is no failure.
    """
    observed = subtract_time_spans(
        intersect_time_spans([window], merge_time_spans(history.at_work)), merge_time_spans(history.maintenance)
    )
    downtimes = merge_time_spans(history.down)
    down = intersect_time_spans(observed, downtimes)
    down_or_paused = intersect_time_spans(observed, merge_time_spans([*history.down, *history.paused]))
    starts = [downtime.start for downtime in downtimes]
    failures = {bisect_right(starts, span.start) for span in down}
    return Dependability(
        observed=sum_span_seconds(observed),
        down=sum_span_seconds(down),
        down_or_paused=sum_span_seconds(down_or_paused),
        failures=len(failures),
        down_now=bool(down) and down[-1].end == window.end,
    )

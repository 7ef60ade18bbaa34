"""Precision over recall, as measured after each rank or article, and interpolated.

The area under the steps through the points as measured, each as high as the point at its end, is average precision;
that under the interpolated steps is AUC iP/R.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bcms.lib.svg.axes import Axis, Frame, Point
from bcms.lib.svg.lines import Series, line
from bcms.lib.svg.sheet import Panel
from bcms.lib.svg.tables import Row, Table
from evaluation.measures.columns import Floats
from evaluation.measures.curves import Curve, corners
from evaluation.measures.ranking import RankedHits, best_from_here, precisions
from evaluation.plotting.drawn import MOST_DRAWN, NOTHING, drawing, index_of, shown

LEVELS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
FRAME = Frame(Axis("Recall"), Axis("Precision"))


@dataclass(frozen=True, slots=True)
class Measured:
    """A run's curve and the area under it; start: where its line begins, None at its first point."""

    name: str
    curve: Curve
    area: float
    start: Point | None = None


@dataclass(frozen=True, slots=True)
class Steps:
    """Steps from recall 0 on: the recall at which each ends, rising, and its precision; arrays [steps] in [0, 1]."""

    ends: Floats
    heights: Floats

    @property
    def area(self) -> float:
        return float(np.sum(self.heights * np.diff(self.ends, prepend=0.0)))

    def at(self, recall: float) -> float | None:
        """The precision at this recall, None where no step gets so far."""
        place = int(np.searchsorted(self.ends, recall))
        return float(self.heights[place]) if place < len(self.ends) else None

    def points(self) -> list[Point]:
        """The corners, from recall 0 to precision 0 where the last step ends."""
        if not len(self.ends):
            return []
        ends, heights = self.ends.tolist(), self.heights.tolist()
        starts = [0.0, *ends[:-1]]
        pairs = zip(starts, ends, heights, strict=True)
        return [*(point for start, end, high in pairs for point in ((start, high), (end, high))), (ends[-1], 0.0)]


@dataclass(frozen=True, slots=True)
class Interpolated:
    """A run's steps, and the figure that is the area under them."""

    name: str
    steps: Steps
    area: float


def steps_of(curve: Curve) -> Steps:
    """The highest precision at each recall or more of one curve; their area is curves.step_area."""
    best = np.maximum.accumulate(curve.precision[::-1])[::-1]
    rises = np.diff(curve.recall, prepend=0.0) > 0
    return Steps(curve.recall[rises], best[rises])


def mean_steps(ranked: RankedHits) -> Steps:
    """The mean over articles of their own steps, 0 past the last recall of each; their area is macro AUC iP/R."""
    article = ranked.article[ranked.hits]
    best = best_from_here(precisions(ranked)[ranked.hits], article)
    before = np.concatenate([[0], np.cumsum(ranked.found)])[article]
    number, whole = np.arange(len(article)) - before, ranked.gold[article]
    starts, ends = number / whole, (number + 1) / whole
    levels = np.unique(np.concatenate([starts, ends]))
    rise, fall = (np.bincount(np.searchsorted(levels, at), best, len(levels)) for at in (starts, ends))
    heights = np.cumsum(rise - fall)[:-1] / max(ranked.articles, 1)
    return Steps(levels[1:], np.maximum(heights, 0.0))


def measured_panel(
    title: str, note: str, area: str, runs: Sequence[Measured], positions: Sequence[int], decimals: int = 3
) -> Panel:
    """Lines through the points; the table has the area (its name is `area`) and P and R at positions and at the end.

    runs: best first; positions: from 1, of ranks or articles.
    """
    head = ["run", area, *(f"{name}@{place}" for place in positions for name in "PR"), "P", "R"]
    rows = [
        Row([own.name, shown(own.area, decimals), *figures_at(own.curve, positions, decimals)], index_of(place))
        for place, own in enumerate(runs)
    ]
    lines = [
        line(Series(own.name, points_of(own), f"{area} {own.area:.4f}"), place, FRAME)
        for place, own in enumerate(runs[:MOST_DRAWN])
    ]
    return Panel(title, note, drawing(FRAME, *lines), Table(head, rows))


def points_of(own: Measured) -> list[Point]:
    points = corners(own.curve)
    return points if own.start is None or not points else [own.start, *points]


def figures_at(curve: Curve, positions: Sequence[int], decimals: int) -> list[str]:
    """Precision and recall after each of these positions and the last one; nothing past the last."""
    cells: list[str] = []
    for place in [*positions, max(len(curve), 1)]:
        inside = place <= len(curve)
        pair = (float(curve.precision[place - 1]), float(curve.recall[place - 1])) if inside else None
        cells += [shown(value, decimals) for value in pair] if pair else [NOTHING, NOTHING]
    return cells


def interpolated_panel(title: str, note: str, runs: Sequence[Interpolated]) -> Panel:
    """The steps; the table has AUC iP/R and the precision at LEVELS. runs: best first."""
    rows = [
        Row([own.name, shown(own.area), *(shown(own.steps.at(level)) for level in LEVELS)], index_of(place))
        for place, own in enumerate(runs)
    ]
    lines = [
        line(Series(own.name, own.steps.points(), f"AUC iP/R {own.area:.4f}"), place, FRAME)
        for place, own in enumerate(runs[:MOST_DRAWN])
    ]
    head = ["run", "AUC iP/R", *(f"{level:.1f}" for level in LEVELS)]
    return Panel(title, note, drawing(FRAME, *lines), Table(head, rows))

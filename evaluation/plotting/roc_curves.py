"""Receiver operating characteristic of classifications: recall over fall-out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bcms.lib.svg.axes import Axis, Frame
from bcms.lib.svg.lines import Series, line
from bcms.lib.svg.sheet import Panel
from bcms.lib.svg.tables import Row, Table
from evaluation.measures.classification import known_rows
from evaluation.measures.columns import CallColumns
from evaluation.measures.order import Order, best_order, chosen
from evaluation.measures.roc import Roc, roc_area, roc_curve
from evaluation.plotting.drawn import MOST_DRAWN, drawing, guide, index_of, shown

LEVELS = (0.05, 0.1, 0.2, 0.4, 0.6)
FRAME = Frame(Axis("Fall-out (1 - specificity)"), Axis("Recall (sensitivity)"))


@dataclass(frozen=True, slots=True)
class RocRun:
    """A run's curve and the area under it."""

    name: str
    roc: Roc
    area: float


def roc_of(name: str, gold: Mapping[str, bool], calls: CallColumns, order: Order | None = None) -> RocRun:
    """The curve down the list of a classification, relevant calls first; calls that are equally sure are one step.

    gold: {article: relevant}. What the run lacks is in no order. ValueError when the order needs a lacking column.
    """
    rows = known_rows(gold, calls, order)
    hits = np.array([gold[calls.article[row]] for row in rows.tolist()], dtype=np.bool_)
    unsure = chosen(calls, order or best_order(calls))[rows]
    new = np.diff(unsure, prepend=np.nan) != 0
    new[1:] |= np.diff(calls.relevant[rows]) != 0
    scores = -np.cumsum(new).astype(np.float64)
    positives = sum(gold.values())
    sizes = (positives, len(gold) - positives)
    return RocRun(name, roc_curve(hits, scores, *sizes), roc_area(hits, scores, *sizes))


def recall_at(roc: Roc, fall_out: float) -> float:
    """The height of the curve at this fall-out, its upper end where it rises there."""
    place = int(np.searchsorted(roc.fall_out, fall_out, side="right"))
    if roc.fall_out[place - 1] == fall_out or place == len(roc.fall_out):
        return float(roc.recall[place - 1])
    ends = slice(place - 1, place + 1)
    return float(np.interp(fall_out, roc.fall_out[ends], roc.recall[ends]))


def roc_panel(runs: Sequence[RocRun]) -> Panel:
    """The curves; the table has the areas and the recall at LEVELS of fall-out. runs: best first."""
    rows = [
        Row([own.name, shown(own.area), *(shown(recall_at(own.roc, level)) for level in LEVELS)], index_of(place))
        for place, own in enumerate(runs)
    ]
    lines = [line(series_of(own), place, FRAME) for place, own in enumerate(runs[:MOST_DRAWN])]
    return Panel(
        "ROC",
        "Recall at each fall-out; the area is how often a relevant article stands above another one. "
        "The dotted line is chance.",
        drawing(FRAME, guide([(0.0, 0.0), (1.0, 1.0)], FRAME), *lines),
        Table(["run", "area", *(f"{level:g}" for level in LEVELS)], rows),
    )


def series_of(own: RocRun) -> Series:
    points = list(zip(own.roc.fall_out.tolist(), own.roc.recall.tolist(), strict=True))
    return Series(own.name, points, f"area {own.area:.4f}")

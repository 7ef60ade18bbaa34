"""Precision-recall curves: their points, the area under them, and what of them is worth drawing."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.measures.columns import Floats


@dataclass(frozen=True, slots=True)
class Curve:
    """Precision and recall after each position of a list, in list order: two arrays [positions] in [0, 1].

    recall never falls from one position to the next.
    """

    precision: Floats
    recall: Floats

    def __len__(self) -> int:
        return len(self.recall)


def pr_curve(hits: Sequence[bool] | npt.NDArray[np.bool_], positives: int) -> Curve:
    """The curve of one list: hits [positions], best first; positives: how many there are to find, found or not.

    With nothing to find, recall is 0 everywhere. Source: BioCreative evaluation library, ACT.
    """
    found = np.cumsum(np.asarray(hits, dtype=np.int64))
    position = np.arange(1, len(found) + 1)
    return Curve(found / position, found / positives if positives else np.zeros(len(found)))


def trapezium_area(curve: Curve) -> float:
    """AUC PR: the trapezium over every point in list order from (recall 0, precision 1), up to the last recall reached.

    False positives at the head are points (0, 0), come first and pull the first segment down: list F T has 0.25, list T
    has 1. Nothing is added up to recall 1. An empty list has 0. Source: BioCreative evaluation library 3.2.
    """
    recall = np.concatenate([[0.0], curve.recall])
    precision = np.concatenate([[1.0], curve.precision])
    return float(np.sum(np.diff(recall) * (precision[1:] + precision[:-1])) / 2)


def average_precision(curve: Curve) -> float:
    """AP = sum over the points of p_k (r_k - r_(k-1)) with r_0 = 0. An empty curve has 0."""
    return float(np.sum(curve.precision * np.diff(curve.recall, prepend=0.0)))


def step_area(curve: Curve) -> float:
    """AUC iP/R: the highest precision at this recall or more, times the step of recall, summed; from recall 0.

    It ends at the last recall reached. An empty curve has 0. Source: BioCreative evaluation library 2.3.1.
    """
    best = np.maximum.accumulate(curve.precision[::-1])[::-1]
    return float(np.sum(best * np.diff(curve.recall, prepend=0.0)))


def precision_at_full_recall(curve: Curve) -> float | None:
    """The highest precision at recall 1, None when recall 1 is not reached. Source: BioCreative evaluation library."""
    full = curve.precision[curve.recall == 1.0]
    return float(full.max()) if len(full) else None


def corners(curve: Curve) -> list[tuple[float, float]]:
    """The (recall, precision) points that are needed to draw the curve: of each recall the first and the last.

    Between them precision only falls, so the line through the corners is the line through all points.
    """
    if not len(curve):
        return []
    moves = np.diff(curve.recall) > 0
    first = np.concatenate([[True], moves])
    last = np.concatenate([moves, [True]])
    kept = first | last
    return [(float(r), float(p)) for r, p in zip(curve.recall[kept], curve.precision[kept], strict=True)]


def thinned(points: Sequence[tuple[float, float]], parts: int = 200) -> list[tuple[float, float]]:
    """Of (recall, precision) points those that are seen in a drawing: in each of so many equal parts of recall the
    first, the last, the highest and the lowest. The highest precision at any multiple of 1 / parts or more stays.
    """
    kept: dict[int, None] = {}
    start = 0
    ends = [
        place for place in range(1, len(points)) if part_of(points[place], parts) != part_of(points[place - 1], parts)
    ]
    for end in [*ends, len(points)] if points else []:
        own = sorted(range(start, end), key=lambda place: points[place][1])
        kept |= dict.fromkeys(sorted({start, own[0], own[-1], end - 1}))
        start = end
    return [points[place] for place in kept]


def part_of(point: tuple[float, float], parts: int) -> int:
    return int(point[0] * parts + 1e-9)


def interpolated(points: Sequence[tuple[float, float]], recall: float) -> float | None:
    """The highest precision at this recall or more, among (recall, precision) points; None where none gets so far."""
    return max((p for r, p in points if r >= recall), default=None)

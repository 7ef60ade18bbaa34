"""Precision-recall curves: their points, the areas under them, and the points that a drawing needs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.measures.columns import Floats


@dataclass(frozen=True, slots=True)
class PrecisionRecallCurve:
    """Precision and recall after each position of a list, in list order: two arrays [positions] in [0, 1].

    recall never falls from one position to the next.
    """

    precision: Floats
    recall: Floats

    def __len__(self) -> int:
        return len(self.recall)


def compute_precision_recall_curve(
    hits: Sequence[bool] | npt.NDArray[np.bool_], positives: int
) -> PrecisionRecallCurve:
    """The curve of one list: hits [positions], best first; positives: how many gold items there are, found or not.

    With no gold item, recall is 0 everywhere. Source: BioCreative evaluation library, ACT.
    """
    found = np.cumsum(np.asarray(hits, dtype=np.int64))
    position = np.arange(1, len(found) + 1)
    return PrecisionRecallCurve(found / position, found / positives if positives else np.zeros(len(found)))


def trapezium_area_from_precision_one(curve: PrecisionRecallCurve) -> float:
    """AUC PR: trapezia between the points in list order, from (recall 0, precision 1) to the last recall reached.

    False positives at the head are points (0, 0) and lower the first segment: the list F T has 0.25, the list T has 1.
    Nothing is added between the last recall and 1. An empty list has 0. Source: BioCreative evaluation library 3.2.
    """
    recall = np.concatenate([[0.0], curve.recall])
    precision = np.concatenate([[1.0], curve.precision])
    return float(np.sum(np.diff(recall) * (precision[1:] + precision[:-1])) / 2)


def average_precision(curve: PrecisionRecallCurve) -> float:
    """AP = sum over the points of p_k (r_k - r_(k-1)) with r_0 = 0. An empty curve has 0."""
    return float(np.sum(curve.precision * np.diff(curve.recall, prepend=0.0)))


def interpolated_area(curve: PrecisionRecallCurve) -> float:
    """AUC iP/R: the sum over points of the highest precision at this recall or more times the step of recall.

    It starts at recall 0 and ends at the last recall reached. An empty curve has 0. Source: BioCreative evaluation
    library 2.3.1.
    """
    best = np.maximum.accumulate(curve.precision[::-1])[::-1]
    return float(np.sum(best * np.diff(curve.recall, prepend=0.0)))


def precision_at_full_recall(curve: PrecisionRecallCurve) -> float | None:
    """The highest precision at recall 1, None when recall 1 is not reached. Source: BioCreative evaluation library."""
    full = curve.precision[curve.recall == 1.0]
    return float(full.max()) if len(full) else None


def list_recall_precision_corners(curve: PrecisionRecallCurve) -> list[tuple[float, float]]:
    """The (recall, precision) points that are needed to draw the curve: the first and the last of each recall.

    Between them precision only falls, so the line through these corners is the line through all points.
    """
    if not len(curve):
        return []
    moves = np.diff(curve.recall) > 0
    first = np.concatenate([[True], moves])
    last = np.concatenate([moves, [True]])
    kept = first | last
    return [(float(r), float(p)) for r, p in zip(curve.recall[kept], curve.precision[kept], strict=True)]


def keep_extreme_points_per_recall_bin(
    recall_precision_points: Sequence[tuple[float, float]], recall_bin_count: int = 200
) -> list[tuple[float, float]]:
    """The (recall, precision) points that are visible in a drawing.

    In each of `recall_bin_count` equal bins of recall these are the first, the last, the highest and the lowest point,
    so the highest precision at or beyond any multiple of 1 / recall_bin_count is kept.
    """
    kept: dict[int, None] = {}
    start = 0
    ends = [
        index
        for index in range(1, len(recall_precision_points))
        if _recall_bin(recall_precision_points[index], recall_bin_count)
        != _recall_bin(recall_precision_points[index - 1], recall_bin_count)
    ]
    for end in [*ends, len(recall_precision_points)] if recall_precision_points else []:
        by_precision = sorted(range(start, end), key=lambda index: recall_precision_points[index][1])
        kept |= dict.fromkeys(sorted({start, by_precision[0], by_precision[-1], end - 1}))
        start = end
    return [recall_precision_points[index] for index in kept]


def _recall_bin(point: tuple[float, float], parts: int) -> int:
    return int(point[0] * parts + 1e-9)


def find_highest_precision_from_recall(
    recall_precision_points: Sequence[tuple[float, float]], min_recall: float
) -> float | None:
    """The highest precision among (recall, precision) points at this recall or more; None when no point reaches it."""
    return max((p for r, p in recall_precision_points if r >= min_recall), default=None)

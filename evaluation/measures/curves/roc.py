"""Receiver operating characteristic: recall over fall-out, the area under it, and ROC_n up to the n-th error.

Source of ROC_n, single and pooled: Gribskov and Robinson (1996) as used by Carroll et al. (2010).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.measures.columns import Floats
from evaluation.measures.confusion_counts import divide_or_undefined

HitFlags = Sequence[bool] | npt.NDArray[np.bool_]
ListScores = Sequence[float] | npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RocCurve:
    """fall_out and recall: two arrays [points] in [0, 1] that never fall, from (0, 0) to (1, 1)."""

    fall_out: Floats
    recall: Floats


def check_hit_total(
    hit_count: int | npt.NDArray[np.int64], relevant_count: int | npt.NDArray[np.int64], label: str = "relevant"
) -> None:
    """ValueError if there are more records in a list than there are in all, so that recall would exceed 1."""
    if np.any(np.asarray(hit_count) > np.asarray(relevant_count)):
        raise ValueError(f"A list has more {label} records than there are in all; give the number of all of them.")


def compute_roc_curve(
    hits_best_first: HitFlags,
    scores_for_ties: ListScores | None = None,
    positives: int | None = None,
    negatives: int | None = None,
) -> RocCurve:
    """The curve of one list, best first. Neighbours with equal scores_for_ties [positions] make one straight step.

    positives, negatives: how many there are; by default those in the list. Records outside the list have no order, so
    the curve ends with a straight line to (1, 1). An axis without any record stays 0 up to that point. ValueError for
    smaller numbers than those in the list.
    """
    flags = np.asarray(hits_best_first, dtype=np.bool_)
    _check_totals(flags, positives, negatives)
    true_positives, false_positives = np.cumsum(flags, dtype=np.int64), np.cumsum(~flags, dtype=np.int64)
    is_step_end = np.ones(len(flags), dtype=np.bool_)
    if scores_for_ties is not None:
        is_step_end[:-1] = np.diff(np.asarray(scores_for_ties, dtype=np.float64)) != 0
    return RocCurve(
        _build_roc_axis(false_positives[is_step_end], int((~flags).sum()) if negatives is None else negatives),
        _build_roc_axis(true_positives[is_step_end], int(flags.sum()) if positives is None else positives),
    )


def _check_totals(flags: npt.NDArray[np.bool_], positives: int | None, negatives: int | None) -> None:
    if positives is not None:
        check_hit_total(int(flags.sum()), positives)
    if negatives is not None:
        check_hit_total(int((~flags).sum()), negatives, "irrelevant")


def _build_roc_axis(counts: npt.NDArray[np.int64], total: int) -> Floats:
    shares = counts / total if total else np.zeros(len(counts))
    return np.concatenate([[0.0], shares, [1.0]])


def roc_area(
    hits_best_first: HitFlags,
    scores_for_ties: ListScores | None = None,
    positives: int | None = None,
    negatives: int | None = None,
    undefined: float = 0.0,
) -> float:
    """The area under recall over fall-out in [0, 1]: how often a positive is ranked above a negative, ties half.

    `undefined` when there is no positive or no negative. Arguments as in compute_roc_curve.
    """
    flags = np.asarray(hits_best_first, dtype=np.bool_)
    _check_totals(flags, positives, negatives)
    positive_count = int(flags.sum()) if positives is None else positives
    negative_count = int((~flags).sum()) if negatives is None else negatives
    if not positive_count or not negative_count:
        return undefined
    curve = compute_roc_curve(flags, scores_for_ties, positive_count, negative_count)
    return float(np.trapezoid(curve.recall, curve.fall_out))


def roc_n(hits_best_first: HitFlags, n: int, positives: int, undefined: float = 0.0) -> float:
    """ROC_n of one list, best first: relevant records ahead of each of the first n irrelevant ones, over n * positives.

    A list with fewer irrelevant records is padded with irrelevant ones. In [0, 1]; `undefined` without positives.
    ValueError for fewer positives than the list has.
    """
    flags = np.asarray(hits_best_first, dtype=np.bool_)
    check_hit_total(int(flags.sum()), positives)
    ahead = np.cumsum(flags, dtype=np.int64)[~flags][:n]
    padding = (n - len(ahead)) * int(flags.sum())
    return divide_or_undefined(int(ahead.sum()) + padding, n * positives, undefined)


def pooled_roc_n(
    lists: Sequence[HitFlags],
    scores: Sequence[ListScores],
    n: int,
    positives: Sequence[int],
    *,
    ascending: bool,
    undefined: float = 0.0,
) -> float:
    """ROC_n of all lists merged by score into one. ascending: the smallest score is the best (E-values).

    lists and scores: [queries][positions]; positives: [queries]. Equal scores stay in the order of the lists.
    ValueError for fewer positives of a query than its list has.
    """
    for hits, positive_count in zip(lists, positives, strict=True):
        check_hit_total(sum(map(bool, hits)), positive_count)
    flags = np.concatenate([np.asarray(hits, dtype=np.bool_) for hits in lists])
    values = np.concatenate([np.asarray(list_scores, dtype=np.float64) for list_scores in scores])
    order = np.argsort(values if ascending else -values, kind="stable")
    return roc_n(flags[order], n, sum(positives), undefined)

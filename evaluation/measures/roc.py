"""Receiver operating characteristic: recall over fall-out, the area under it, and ROC_n up to the n-th error.

Source: ROC_n, single and pooled: Gribskov and Robinson (1996) as used by Carroll et al. (2010).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.measures.columns import Floats
from evaluation.measures.counts import ratio

Flags = Sequence[bool] | npt.NDArray[np.bool_]
Scores = Sequence[float] | npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Roc:
    """fall_out and recall: two arrays [points] in [0, 1] that never fall, from (0, 0) to (1, 1)."""

    fall_out: Floats
    recall: Floats


def roc_curve(
    hits: Flags, scores: Scores | None = None, positives: int | None = None, negatives: int | None = None
) -> Roc:
    """The curve of one list, best first. Equal neighbours in scores [positions] make one straight step.

    positives and negatives: how many there are, those in the list by default. What the list lacks is in no order, so
    the curve ends with a straight line to (1, 1). Of nothing, an axis stays 0 up to that point.
    """
    flags = np.asarray(hits, dtype=np.bool_)
    found, wrong = np.cumsum(flags, dtype=np.int64), np.cumsum(~flags, dtype=np.int64)
    last = np.ones(len(flags), dtype=np.bool_)
    if scores is not None:
        last[:-1] = np.diff(np.asarray(scores, dtype=np.float64)) != 0
    return Roc(
        axis(wrong[last], int((~flags).sum()) if negatives is None else negatives),
        axis(found[last], int(flags.sum()) if positives is None else positives),
    )


def axis(counts: npt.NDArray[np.int64], whole: int) -> Floats:
    shares = counts / whole if whole else np.zeros(len(counts))
    return np.concatenate([[0.0], shares, [1.0]])


def roc_area(
    hits: Flags,
    scores: Scores | None = None,
    positives: int | None = None,
    negatives: int | None = None,
    undefined: float = 0.0,
) -> float:
    """The area under recall over fall-out in [0, 1]: how often a right answer stands above a wrong one, ties half.

    `undefined` when there is no positive or no negative. Arguments as of roc_curve.
    """
    flags = np.asarray(hits, dtype=np.bool_)
    right = int(flags.sum()) if positives is None else positives
    wrong = int((~flags).sum()) if negatives is None else negatives
    if not right or not wrong:
        return undefined
    curve = roc_curve(flags, scores, right, wrong)
    return float(np.trapezoid(curve.recall, curve.fall_out))


def roc_n(hits: Flags, n: int, positives: int, undefined: float = 0.0) -> float:
    """ROC_n of one list, best first: the relevant ahead of each of the first n irrelevant, over n times positives.

    A list with fewer irrelevant records is padded with irrelevant ones. In [0, 1]; `undefined` without positives.
    """
    flags = np.asarray(hits, dtype=np.bool_)
    ahead = np.cumsum(flags, dtype=np.int64)[~flags][:n]
    padding = (n - len(ahead)) * int(flags.sum())
    return ratio(int(ahead.sum()) + padding, n * positives, undefined)


def pooled_roc_n(
    lists: Sequence[Flags],
    scores: Sequence[Scores],
    n: int,
    positives: Sequence[int],
    *,
    ascending: bool,
    undefined: float = 0.0,
) -> float:
    """ROC_n of the lists merged by score as one list. ascending: the smallest score is the best (E-values).

    lists and scores: [queries][positions]; positives: [queries]. Equal scores stay in the order of the lists.
    """
    flags = np.concatenate([np.asarray(hits, dtype=np.bool_) for hits in lists])
    values = np.concatenate([np.asarray(own, dtype=np.float64) for own in scores])
    order = np.argsort(values if ascending else -values, kind="stable")
    return roc_n(flags[order], n, sum(positives), undefined)

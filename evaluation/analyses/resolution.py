"""How small a difference between two runs a test set can tell: before anybody has run on it.

Two runs are compared by their figures article by article. With n articles and a standard deviation s of the differences
of two runs, a true mean difference d is found significant (two-sided, level alpha) with probability `power` when
d = (z(1 - alpha / 2) + z(power)) s / sqrt(n), z the quantiles of the normal distribution (Cohen 1988, Statistical
Power Analysis, section 2.5; for paired tests of retrieval runs: Sakai 2016, Topic set size design). The randomization
test that ranks the runs has the power of this test for all but the smallest sets.
"""

from collections.abc import Sequence
from itertools import combinations
from math import sqrt
from statistics import NormalDist

import numpy as np

ALPHA = 0.05
POWER = 0.8
# Where nothing is known of runs: they differ in one article of five, as two systems at 85 and 90 % accuracy that err
# mostly alike do, and then by all (1 or 0).
DISAGREEMENT = 0.2


def smallest_difference(articles: int, spread: float, *, alpha: float = ALPHA, power: float = POWER) -> float | None:
    """The smallest mean difference per article that is found significant with this power; never more than 1.

    spread: standard deviation over articles of the difference of two runs, in units of the measure, from 0. None when
    no difference can be significant: the randomization test over n articles has no p below 2 / 2^n. ValueError for a
    spread below 0.
    """
    if spread < 0:
        raise ValueError(f"A standard deviation is at least 0, not {spread}.")
    if articles < 1 or 2.0 ** (1 - min(articles, 1000)) > alpha:
        return None
    quantiles = NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)
    return min(quantiles * spread / sqrt(articles), 1.0)


def articles_needed(difference: float, spread: float, *, alpha: float = ALPHA, power: float = POWER) -> int:
    """How many articles tell such a difference: the smallest number with which smallest_difference is no larger.

    ValueError unless the difference is in ]0, 1].
    """
    if not 0 < difference <= 1:
        raise ValueError(f"A difference is in ]0, 1], not {difference}.")
    quantiles = NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)
    least = int(np.ceil(1 - np.log2(alpha)))
    return max(least, int(np.ceil((quantiles * spread / difference) ** 2)))


def spread_of(figures: Sequence[Sequence[float]]) -> float | None:
    """The standard deviation over articles of the difference of two runs, pooled over all pairs of runs.

    figures: float [runs, articles], one figure of each run and article, such as its F1. Pairs that are alike in every
    article say nothing and do not count. None with fewer than two runs, fewer than two articles or no such pair.
    ValueError when the runs have not the same number of articles.
    """
    rows = np.asarray(figures, dtype=float)
    if rows.ndim != 2 and len(figures):
        raise ValueError("Each run needs one figure for each article.")
    if len(figures) < 2 or rows.shape[1] < 2:
        return None
    variances = [float(np.var(a - b, ddof=1)) for a, b in combinations(rows, 2) if (a != b).any()]
    return sqrt(float(np.mean(variances))) if variances else None


def assumed_spread(disagreement: float = DISAGREEMENT) -> float:
    """The spread of two runs that differ in this share of articles, by 1 up as often as down."""
    return sqrt(disagreement)

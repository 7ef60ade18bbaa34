"""Power analysis: the smallest difference between two runs that a test set can detect, before it is used.

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

DEFAULT_ALPHA = 0.05
DEFAULT_POWER = 0.8
# Assumption without known runs: they differ in one of five articles, as do two systems with 85 and 90 % accuracy that
# make mostly the same errors, and there by 1 (right or wrong).
ASSUMED_DISAGREEMENT = 0.2


def smallest_detectable_difference_capped_at_one(
    article_count: int, difference_deviation: float, *, alpha: float = DEFAULT_ALPHA, power: float = DEFAULT_POWER
) -> float | None:
    """The smallest mean difference per article that is detected with this power, at most 1.

    difference_deviation: standard deviation over articles of the difference of two runs, in units of the measure, 0 or
    more. None when no difference can be significant, as the randomization test over n articles has no p below 2 / 2^n.
    ValueError for a negative deviation.
    """
    if difference_deviation < 0:
        raise ValueError(f"The standard deviation must be 0 or more, not {difference_deviation}.")
    if article_count < 1 or 2.0 ** (1 - min(article_count, 1000)) > alpha:
        return None
    quantiles = NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)
    return min(quantiles * difference_deviation / sqrt(article_count), 1.0)


def required_articles(
    mean_difference: float, difference_deviation: float, *, alpha: float = DEFAULT_ALPHA, power: float = DEFAULT_POWER
) -> int:
    """The smallest number of articles whose smallest_detectable_difference_capped_at_one is not larger than this
    difference.

    ValueError unless the difference is in ]0, 1].
    """
    if not 0 < mean_difference <= 1:
        raise ValueError(f"The difference must be greater than 0 and at most 1, not {mean_difference}.")
    quantiles = NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)
    minimum = int(np.ceil(1 - np.log2(alpha)))
    return max(minimum, int(np.ceil((quantiles * difference_deviation / mean_difference) ** 2)))


def pooled_deviation_of_unequal_run_pairs(figures_by_run_and_article: Sequence[Sequence[float]]) -> float | None:
    """The standard deviation over articles of the difference of two runs, pooled over all pairs of runs.

    figures_by_run_and_article: float [runs, articles], one figure of each run and article, such as its F1. Pairs that
    are equal in every article are left out. None for fewer than two runs, fewer than two articles or only equal pairs.
    ValueError when the runs differ in their number of articles.
    """
    rows = np.asarray(figures_by_run_and_article, dtype=float)
    if rows.ndim != 2 and len(figures_by_run_and_article):
        raise ValueError("Each run needs one figure for each article.")
    if len(figures_by_run_and_article) < 2 or rows.shape[1] < 2:
        return None
    variances = [float(np.var(a - b, ddof=1)) for a, b in combinations(rows, 2) if (a != b).any()]
    return sqrt(float(np.mean(variances))) if variances else None


def deviation_if_articles_differ_by_one(differing_article_share: float = ASSUMED_DISAGREEMENT) -> float:
    """The spread of two runs that differ in this share of articles, by +1 as often as by -1."""
    return sqrt(differing_article_share)

"""Figures of the head of each list: precision at a rank, break-even precision, reciprocal ranks.

All are arrays [articles] in [0, 1] (the total reciprocal rank may exceed 1), to be averaged by `ranking.mean_or_zero`;
the mean of `reciprocal_ranks` is MRR. Source: P@k, break-even and MRR as in trec_eval (P_k, Rprec, recip_rank); the
total reciprocal rank: Radev et al. (2002).
"""

import numpy as np

from evaluation.measures.columns import Floats, Integers
from evaluation.measures.lists.ranking import RankedHits, divide_arrays


def precision_at_rank(ranked: RankedHits, k: int) -> Floats:
    """P@k: hits among the first k items over k; a shorter list is padded with wrong items. ValueError for k < 1."""
    if k < 1:
        raise ValueError(f"Precision at rank {k} is not defined; give a rank of 1 or more.")
    return _count_hits_within_ranks(ranked, np.full(ranked.articles, k)) / k


def break_even_precision(ranked: RankedHits, undefined: float = 0.0) -> Floats:
    """Precision at rank T, the number of gold items, where it equals recall; `undefined` where T is 0."""
    return divide_arrays(_count_hits_within_ranks(ranked, ranked.gold), ranked.gold, undefined)


def reciprocal_ranks(ranked: RankedHits) -> Floats:
    """1 over the rank of the first hit, 0 without a hit."""
    reciprocals = np.zeros(ranked.articles)
    np.maximum.at(reciprocals, ranked.hit_article, 1.0 / ranked.hit_position)
    return reciprocals


def total_reciprocal_ranks(ranked: RankedHits) -> Floats:
    """TRR: the sum over all hits of 1 over their rank."""
    totals = np.zeros(ranked.articles)
    np.add.at(totals, ranked.hit_article, 1.0 / ranked.hit_position)
    return totals


def _count_hits_within_ranks(ranked: RankedHits, ranks: Integers) -> Integers:
    """int [articles]: hits among the first ranks[article] items of each list."""
    is_counted = ranked.hits & (ranked.position <= ranks[ranked.article])
    return np.bincount(ranked.article[is_counted], minlength=ranked.articles)

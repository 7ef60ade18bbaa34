"""Figures that look at the head of each list: precision at a rank, break-even, reciprocal ranks.

All are arrays [articles] in [0, 1] (the total reciprocal rank may be more), to be averaged by `ranking.mean`: the mean
of `reciprocal_ranks` is MRR. Source: P@k, break-even and MRR as in trec_eval (P_k, Rprec,
recip_rank); the total reciprocal rank: Radev et al. (2002).
"""

import numpy as np

from evaluation.measures.columns import Floats, Integers
from evaluation.measures.ranking import RankedHits, divide


def precision_at(ranked: RankedHits, k: int) -> Floats:
    """P@k: hits among the first k items over k; a shorter list counts as if wrong items followed. ValueError: k < 1."""
    if k < 1:
        raise ValueError(f"Precision at {k} means nothing; give a rank of 1 or more.")
    return hits_within(ranked, np.full(ranked.articles, k)) / k


def break_even(ranked: RankedHits, undefined: float = 0.0) -> Floats:
    """Precision at rank T, the number of right items, where it equals recall; `undefined` where T is 0."""
    return divide(hits_within(ranked, ranked.gold), ranked.gold, undefined)


def reciprocal_ranks(ranked: RankedHits) -> Floats:
    """1 over the rank of the first hit, 0 without a hit."""
    best = np.zeros(ranked.articles)
    np.maximum.at(best, ranked.article[ranked.hits], 1.0 / ranked.position[ranked.hits])
    return best


def total_reciprocal_ranks(ranked: RankedHits) -> Floats:
    """TRR: the sum over all hits of 1 over their rank."""
    totals = np.zeros(ranked.articles)
    np.add.at(totals, ranked.article[ranked.hits], 1.0 / ranked.position[ranked.hits])
    return totals


def hits_within(ranked: RankedHits, ranks: Integers) -> Integers:
    """int [articles]: hits among the first ranks[article] items of each list."""
    near = ranked.hits & (ranked.position <= ranks[ranked.article])
    return np.bincount(ranked.article[near], minlength=ranked.articles)

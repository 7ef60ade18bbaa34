"""Shared ranks: runs that a paired test does not separate share a rank.

Separation is not transitive, so each run has an interval of ranks: behind the runs that are significantly better, and
ahead of those that are significantly worse.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses.significance.randomization import PairedTests
from evaluation.measures.columns import Booleans, Floats, Integers


class SharedRank(NamedTuple):
    """The interval of ranks of a run, from 1, best <= worst. Runs that share a rank both have it in their intervals."""

    best: int
    worst: int

    def __str__(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"


def compute_shared_ranks(tests: PairedTests, *, higher_is_better: bool = True) -> list[SharedRank]:
    """The ranks of each run, in the order of the tests; a p of at most the tests' level separates two runs."""
    return ranks_from_separation(tests.difference if higher_is_better else -tests.difference, tests.p <= tests.level)


def ranks_from_separation(lead: Floats, is_separated: Booleans) -> list[SharedRank]:
    """The ranks of each run; lead [runs, runs]: by how much the row is better than the column."""
    better_runs = np.sum(is_separated & (lead < 0), axis=1)
    worse_runs = np.sum(is_separated & (lead > 0), axis=1)
    return [
        SharedRank(1 + int(better), len(is_separated) - int(worse))
        for better, worse in zip(better_runs, worse_runs, strict=True)
    ]


def correct_p_values_by_holm(p: Floats) -> Floats:
    """The p values [tests] corrected for the number of tests, so that the level bounds the error of all together.

    Source: Holm (1979), Scandinavian Journal of Statistics 6: 65-70.
    """
    order = np.argsort(p, kind="stable")
    corrected = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(corrected, 1.0)
    return adjusted


def p_values_from_counts(counts: Integers, samples: int) -> Floats:
    """(c + 1) / (n + 1) of each of the counts [tests] of n samples."""
    return (counts + 1) / (samples + 1)


def build_symmetric_matrix(pairs: Floats, runs: int) -> Floats:
    """float [runs, runs], symmetric, 1 on the diagonal, from the values of the pairs (0, 1), (0, 2), ..., (1, 2)."""
    matrix = np.ones((runs, runs))
    above = np.triu_indices(runs, 1)
    matrix[above] = pairs
    matrix.T[above] = pairs
    return matrix


def median_critical_difference(tests: PairedTests) -> float:
    """The smallest detectable difference over these articles: the median over pairs of the critical difference.

    In the units of the figure. It falls with the square root of the number of articles.
    """
    return float(np.median(tests.critical[np.triu_indices(len(tests.p), 1)]))


def order_runs_by_score(tests: PairedTests, names: Sequence[str], *, higher_is_better: bool = True) -> list[int]:
    """The indexes of the runs, best score first, equal scores by name."""
    sign = -1 if higher_is_better else 1
    return sorted(range(len(names)), key=lambda run: (sign * tests.scores[run], names[run]))

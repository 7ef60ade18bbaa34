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


def compute_shared_rank_intervals(tests: PairedTests, *, higher_is_better: bool = True) -> list[SharedRank]:
    """The ranks of each run, in the order of the tests; a p of at most the tests' level separates two runs."""
    return compute_rank_intervals_from_separation(
        tests.difference if higher_is_better else -tests.difference, tests.p <= tests.level
    )


def compute_rank_intervals_from_separation(lead_of_row_over_column: Floats, is_separated: Booleans) -> list[SharedRank]:
    """The ranks of each run; lead_of_row_over_column [runs, runs]: by how much the row is better than the column."""
    better_runs = np.sum(is_separated & (lead_of_row_over_column < 0), axis=1)
    worse_runs = np.sum(is_separated & (lead_of_row_over_column > 0), axis=1)
    return [
        SharedRank(1 + int(better), len(is_separated) - int(worse))
        for better, worse in zip(better_runs, worse_runs, strict=True)
    ]


def p_values_from_counts(reaching_sample_counts: Integers, samples: int) -> Floats:
    """(c + 1) / (n + 1) of each of the counts [tests] of n samples."""
    return (reaching_sample_counts + 1) / (samples + 1)


def build_symmetric_matrix_with_unit_diagonal(values_above_diagonal: Floats, run_count: int) -> Floats:
    """float [runs, runs], symmetric, 1 on the diagonal, from the values of the pairs (0, 1), (0, 2), ..., (1, 2)."""
    matrix = np.ones((run_count, run_count))
    above = np.triu_indices(run_count, 1)
    matrix[above] = values_above_diagonal
    matrix.T[above] = values_above_diagonal
    return matrix


def median_critical_difference(tests: PairedTests) -> float:
    """The smallest detectable difference over these articles: the median over pairs of the critical difference.

    In the units of the figure. It falls with the square root of the number of articles.
    """
    return float(np.median(tests.critical[np.triu_indices(len(tests.p), 1)]))


def list_run_indexes_by_score_then_name(
    tests: PairedTests, run_names: Sequence[str], *, higher_is_better: bool = True
) -> list[int]:
    """The indexes of the runs, best score first, equal scores by name."""
    sign = -1 if higher_is_better else 1
    return sorted(range(len(run_names)), key=lambda run: (sign * tests.scores[run], run_names[run]))

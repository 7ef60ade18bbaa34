"""Ranks that admit ties: runs that a paired test does not separate share a rank.

Being separated is not transitive, so a run has an interval of ranks: it stands behind the
runs that are separated from it and better, and ahead of those that are separated from it and worse.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses.randomization import PairedTests
from evaluation.measures.columns import Booleans, Floats, Integers


class SharedRank(NamedTuple):
    """The ranks that a run may have, from 1, best <= worst. Runs that share a rank have it in both their intervals."""

    best: int
    worst: int

    def __str__(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"


def shared_ranks(tests: PairedTests, *, higher_is_better: bool = True) -> list[SharedRank]:
    """The ranks of each run, in the order of the tests, where a p of at most the tests' level separates two runs."""
    return ranks_of(tests.difference if higher_is_better else -tests.difference, tests.p <= tests.level)


def ranks_of(ahead: Floats, apart: Booleans) -> list[SharedRank]:
    """The ranks of each run: ahead [runs, runs], by how much the row is better than the column; apart [runs, runs]."""
    behind = np.sum(apart & (ahead < 0), axis=1)
    in_front = np.sum(apart & (ahead > 0), axis=1)
    return [SharedRank(1 + int(b), len(apart) - int(f)) for b, f in zip(behind, in_front, strict=True)]


def holm(p: Floats) -> Floats:
    """The p [tests] of several tests corrected for their number: each at most `level` with the error of all at `level`.

    Source: Holm (1979), Scandinavian Journal of Statistics 6: 65-70.
    """
    order = np.argsort(p, kind="stable")
    corrected = np.maximum.accumulate((len(p) - np.arange(len(p))) * p[order])
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(corrected, 1.0)
    return adjusted


def p_of_counts(counts: Integers, samples: int) -> Floats:
    """(c + 1) / (n + 1) of each of the counts [tests] out of so many samples."""
    return (counts + 1) / (samples + 1)


def as_matrix(pairs: Floats, runs: int) -> Floats:
    """float [runs, runs], symmetrical, 1 on the diagonal, from the values of the pairs (0, 1), (0, 2), ..., (1, 2)."""
    matrix = np.ones((runs, runs))
    above = np.triu_indices(runs, 1)
    matrix[above] = pairs
    matrix.T[above] = pairs
    return matrix


def resolution(tests: PairedTests) -> float:
    """The smallest difference that these articles can tell from chance: the median over pairs of the critical one.

    In the units of the figure. It falls with the square root of the number of articles.
    """
    return float(np.median(tests.critical[np.triu_indices(len(tests.p), 1)]))


def best_first(tests: PairedTests, names: Sequence[str], *, higher_is_better: bool = True) -> list[int]:
    """The places of the runs, best score first; equal scores by name."""
    sign = -1 if higher_is_better else 1
    return sorted(range(len(names)), key=lambda run: (sign * tests.scores[run], names[run]))

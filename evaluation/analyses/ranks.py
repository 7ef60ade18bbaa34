"""Ranks that admit ties: runs that a paired test does not separate share a rank.

Being separated is not transitive, so a run has an interval of ranks: it stands behind the
runs that are separated from it and better, and ahead of those that are separated from it and worse.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.analyses.randomization import PairedTests


class SharedRank(NamedTuple):
    """The ranks that a run may have, from 1, best <= worst. Runs that share a rank have it in both their intervals."""

    best: int
    worst: int

    def __str__(self) -> str:
        return str(self.best) if self.best == self.worst else f"{self.best}-{self.worst}"


def shared_ranks(tests: PairedTests, *, higher_is_better: bool = True) -> list[SharedRank]:
    """The ranks of each run, in the order of the tests, where a p of at most the tests' level separates two runs."""
    ahead = tests.difference if higher_is_better else -tests.difference
    apart = tests.p <= tests.level
    behind = np.sum(apart & (ahead < 0), axis=1)
    in_front = np.sum(apart & (ahead > 0), axis=1)
    return [SharedRank(1 + int(b), len(tests.p) - int(f)) for b, f in zip(behind, in_front, strict=True)]


def resolution(tests: PairedTests) -> float:
    """The smallest difference that these articles can tell from chance: the median over pairs of the critical one.

    In the units of the figure. It falls with the square root of the number of articles.
    """
    return float(np.median(tests.critical[np.triu_indices(len(tests.p), 1)]))


def best_first(tests: PairedTests, names: Sequence[str], *, higher_is_better: bool = True) -> list[int]:
    """The places of the runs, best score first; equal scores by name."""
    sign = -1 if higher_is_better else 1
    return sorted(range(len(names)), key=lambda run: (sign * tests.scores[run], names[run]))

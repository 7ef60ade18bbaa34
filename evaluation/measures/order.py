"""The order in which a run's answers count, surest first."""

from typing import Literal, Protocol

import numpy as np

from evaluation.measures.columns import Floats, Integers

Order = Literal["rank", "confidence", "line"]


class Ranked(Protocol):
    """Anything with a rank (positive) and a confidence in (0, 1], each None when it was not given."""

    @property
    def rank(self) -> int | None: ...

    @property
    def confidence(self) -> float | None: ...


def unsureness(item: Ranked) -> tuple[float, float]:
    """Smaller is surer: first what has a rank, by rank; then what has a confidence, highest first; then the rest.

    Rank beats confidence, whatever the confidence says. Source: the BioCreative evaluation library.
    """
    if item.rank is not None:
        return 0.0, float(item.rank)
    if item.confidence is not None:
        return 1.0, -item.confidence
    return 2.0, 0.0


class Columns(Protocol):
    """A run as columns: rank int [rows] and confidence float [rows], each None when the run has none."""

    @property
    def rank(self) -> Integers | None: ...

    @property
    def confidence(self) -> Floats | None: ...

    def __len__(self) -> int: ...


def best_order(run: Columns) -> Order:
    """The first of rank, confidence and line that the run has."""
    if run.rank is not None:
        return "rank"
    return "line" if run.confidence is None else "confidence"


def chosen(run: Columns, order: Order) -> Integers | Floats:
    """[rows], smaller is surer, in the order chosen. ValueError when it needs a column that the run has not."""
    if order == "line":
        return np.arange(1, len(run) + 1)
    if order == "rank" and run.rank is not None:
        return run.rank
    if order == "confidence" and run.confidence is not None:
        return -run.confidence
    raise ValueError(f"The run has no {order} column to put its lists in order; choose another order.")

"""The order of a run's predictions, surest first."""

from typing import Literal, Protocol

import numpy as np

from evaluation.measures.columns import Floats, Integers

ListOrder = Literal["rank", "confidence", "line"]


class RankedAnswer(Protocol):
    """Anything with a rank (positive) and a confidence in (0, 1], each None when it was not given."""

    @property
    def rank(self) -> int | None: ...

    @property
    def confidence(self) -> float | None: ...


def sort_key_by_rank_else_confidence(answer: RankedAnswer) -> tuple[float, float]:
    """A sort key, smaller is surer: items with a rank, by rank; then by confidence, highest first; then the rest.

    A rank always beats a confidence. Source: the BioCreative evaluation library.
    """
    if answer.rank is not None:
        return 0.0, float(answer.rank)
    if answer.confidence is not None:
        return 1.0, -answer.confidence
    return 2.0, 0.0


class OrderColumns(Protocol):
    """A run as columns: rank int [rows] and confidence float [rows], each None when the run has none."""

    @property
    def rank(self) -> Integers | None: ...

    @property
    def confidence(self) -> Floats | None: ...

    def __len__(self) -> int: ...


def choose_rank_else_confidence_else_line(run: OrderColumns) -> ListOrder:
    """The first of rank, confidence and line that the run has."""
    if run.rank is not None:
        return "rank"
    return "line" if run.confidence is None else "confidence"


def get_order_values_smallest_surest(run: OrderColumns, order: ListOrder) -> Integers | Floats:
    """[rows] of the order's sort values, smaller is surer. ValueError when the run does not have its column."""
    if order == "line":
        return np.arange(1, len(run) + 1)
    if order == "rank" and run.rank is not None:
        return run.rank
    if order == "confidence" and run.confidence is not None:
        return -run.confidence
    raise ValueError(f"The run has no {order} column to sort its lists by; choose another order.")

"""The order in which a run's answers count, surest first."""

from typing import Protocol


class Ranked(Protocol):
    """Anything with a rank (positive) and a confidence in (0, 1], each None when it was not given."""

    @property
    def rank(self) -> int | None: ...

    @property
    def confidence(self) -> float | None: ...


def unsureness(item: Ranked) -> tuple[float, float]:
    """Smaller is surer: first what has a rank, by rank; then what has a confidence, highest first; then the rest.

    Rank beats confidence, whatever the confidence says. Source: DOMAIN section 2, BioCreative evaluation library.
    """
    if item.rank is not None:
        return 0.0, float(item.rank)
    if item.confidence is not None:
        return 1.0, -item.confidence
    return 2.0, 0.0

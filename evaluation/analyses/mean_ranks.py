"""Mean ranks of teams over several tasks.

In each task the teams with a figure are ranked by it, and equal figures share the mean of their ranks. A team without a
figure in a task has the rank after the last of those with one. The mean over the tasks orders the teams.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Competitor = TypeVar("Competitor", bound=Hashable)


@dataclass(frozen=True, slots=True)
class MeanRank(Generic[Competitor]):
    """One competitor: its rank in each task, their mean, its place by it, and whether others have the same place."""

    competitor: Competitor
    ranks: Sequence[float]
    mean: float
    place: int
    shared: bool


def rank_by_figure(figures: Mapping[Competitor, float], *, higher_is_better: bool) -> dict[Competitor, float]:
    """The rank of each competitor from 1, the best; equal figures share the mean of their ranks."""
    sign = -1 if higher_is_better else 1
    keys = {competitor: sign * figure for competitor, figure in figures.items()}
    values = list(keys.values())
    return {
        competitor: sum(other < key for other in values) + (values.count(key) + 1) / 2
        for competitor, key in keys.items()
    }


def compute_mean_ranks_best_first(
    tasks: Sequence[tuple[Mapping[Competitor, float], bool]],
) -> list[MeanRank[Competitor]]:
    """The mean rank of everybody with a figure in any task, best first.

    tasks: {competitor: figure} and whether higher figures are better, for each task.
    """
    ranked = [rank_by_figure(figures, higher_is_better=higher) for figures, higher in tasks]
    competitors = dict.fromkeys(competitor for figures, _ in tasks for competitor in figures)
    ranks = {
        competitor: [in_task.get(competitor, len(in_task) + 1.0) for in_task in ranked] for competitor in competitors
    }
    # Sums instead of means, which are exact, as ranks are multiples of 0.5.
    sums = {competitor: sum(own) for competitor, own in ranks.items()}
    places = {competitor: 1 + sum(other < own for other in sums.values()) for competitor, own in sums.items()}
    of_all = list(places.values())
    rows = [
        MeanRank(competitor, own, sums[competitor] / len(own), place, of_all.count(place) > 1)
        for competitor, own in ranks.items()
        for place in [places[competitor]]
    ]
    return sorted(rows, key=lambda row: row.place)

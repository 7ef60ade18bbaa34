"""Bootstrap intervals of the figures that a task or `score --further` chooses, from the same samples as the others."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from evaluation.analyses.significance.confidence_intervals import (
    ConfidenceInterval,
    iter_bootstrap_weight_batches,
    percentile_interval,
)
from evaluation.measures.classification.further_figures import RankedCalls, compute_further_call_figures_per_sample
from evaluation.measures.columns import Booleans, Floats
from evaluation.measures.lists.further_figures import ScoredLists, compute_further_list_figures_per_sample


def bootstrap_further_list_intervals(
    lists: ScoredLists, has_gold_items: Booleans, names: Sequence[str], samples: int, rng: np.random.Generator
) -> dict[str, ConfidenceInterval]:
    """{name: 95 % interval} of these FURTHER_LIST_FIGURES.

    has_gold_items: bool [articles], whether an article of the scenario is in `lists`; all articles are drawn from.
    """
    batches = (copies[:, has_gold_items] for copies in iter_bootstrap_weight_batches(len(has_gold_items), samples, rng))
    return _collect_intervals(
        names, batches, lambda copies: compute_further_list_figures_per_sample(lists, names, copies)
    )


def bootstrap_further_call_intervals(
    calls: RankedCalls, names: Sequence[str], samples: int, rng: np.random.Generator
) -> dict[str, ConfidenceInterval]:
    """{name: 95 % interval} of these FURTHER_CALL_FIGURES."""
    batches = iter_bootstrap_weight_batches(len(calls.relevant), samples, rng)
    return _collect_intervals(
        names, batches, lambda copies: compute_further_call_figures_per_sample(calls, names, copies)
    )


def _collect_intervals(
    names: Sequence[str], batches: Iterator[Floats], compute: Callable[[Floats], Mapping[str, Floats]]
) -> dict[str, ConfidenceInterval]:
    figures = [compute(copies) for copies in batches]
    return {name: percentile_interval(np.concatenate([values[name] for values in figures])) for name in names}

"""Krippendorff's alpha of any number of coders, of whom each may leave out units.

Source: Krippendorff 2011, Computing Krippendorff's Alpha-Reliability; for sets of items, with the distance of Jaccard
as in Passonneau 2006, Measuring Agreement on Set-valued Items (MASI) for Semantic and Pragmatic Annotation.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping
from itertools import combinations
from typing import TypeVar

Value = TypeVar("Value", bound=Hashable)
# How different two values are, from 0 to 1; symmetric, and 0 for equal values.
Distance = Callable[[Value, Value], float]


def nominal_distance(first: Hashable, second: Hashable) -> float:
    """0 for equal values, 1 for others."""
    return 0.0 if first == second else 1.0


def jaccard_distance(first: Collection[Hashable], second: Collection[Hashable]) -> float:
    """1 - |intersection| / |union| of two sets; 0 for two empty sets."""
    one, other = frozenset(first), frozenset(second)
    union = len(one | other)
    return 1.0 - len(one & other) / union if union else 0.0


def krippendorff_alpha(
    unit_count_by_values: Mapping[tuple[Value, ...], int], distance: Distance[Value], undefined: float = 0.0
) -> float:
    """Alpha, at most 1, of units counted by the values that coders gave them, in any order.

    Units with fewer than two values are left out, as nothing can be compared. 0 is agreement by chance, and below it
    systematic disagreement. `undefined` without a unit that can be compared, or if all values are equal.
    """
    totals = Counter[Value]()
    observed = 0.0
    for values, units in unit_count_by_values.items():
        if len(values) < 2:
            continue
        counts = Counter(values)
        between = sum(counts[one] * counts[other] * distance(one, other) for one, other in combinations(counts, 2))
        observed += 2 * units * between / (len(values) - 1)
        for value, number in counts.items():
            totals[value] += units * number
    size = sum(totals.values())
    expected = 2 * sum(totals[one] * totals[other] * distance(one, other) for one, other in combinations(totals, 2))
    if not expected:
        return undefined
    return 1.0 - (size - 1) * observed / expected

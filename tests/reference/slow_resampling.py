"""Bootstrap and randomization done slowly: articles are really drawn, answers really swapped, all scored anew."""

from functools import cache
from itertools import product

from tests.reference.ranked_lists import figures


def flat(lists):
    """{"micro.f1": value, ...} of [(hits, number of right items)]."""
    return {f"{way}.{name}": float(value) for way, own in figures(lists).items() for name, value in own.items()}


@cache
def score_frozen_lists(lists):
    """flat() of lists as tuples, which swaps make again for each figure, and for the other run."""
    return flat([(list(hits), number) for hits, number in lists])


def draw_lists(lists, counts):
    """The lists in which each article stands as often as it was drawn."""
    return [own for own, number in zip(lists, counts, strict=True) for _ in range(int(number))]


def difference(first, second, swaps, name):
    """How much more the first run scores after the swaps: [whether each article's answers are swapped]."""
    pairs = [(b, a) if swap else (a, b) for a, b, swap in zip(first, second, swaps, strict=True)]
    one, other = (tuple((tuple(hits), number) for hits, number in run) for run in zip(*pairs, strict=True))
    return score_frozen_lists(one)[name] - score_frozen_lists(other)[name]


def exact_p(first, second, name):
    """The share of all possible swaps that make at least the difference observed, either way."""
    observed = abs(difference(first, second, [False] * len(first), name))
    every = [abs(difference(first, second, swaps, name)) for swaps in product([False, True], repeat=len(first))]
    return sum(away >= observed - 1e-12 for away in every) / len(every)

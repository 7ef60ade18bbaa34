"""How far two or more producers say the same: every two of them, and all together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan

from evaluation.measures.agreement import (
    Agreement,
    Reported,
    Rows,
    defined,
    fleiss_of,
    label_agreement,
    presence,
    presence_agreement,
)


@dataclass(frozen=True, slots=True)
class Agreements:
    """By the places of two producers; fleiss: kappa of all of them, None of two or where it is 0/0.

    articles: those of which any producer says something, in ACT all; instances: what is said of these, or, in ACT, they
    themselves.
    """

    names: Sequence[str]
    pairs: Mapping[tuple[int, int], Agreement]
    fleiss: float | None
    instances: int
    articles: int


def of_labels(names: Sequence[str], labels: Sequence[Mapping[str, bool]]) -> Agreements:
    """Of classifications, {article: relevant} of each producer: the articles that both of two, and for the kappa of all
    those that all, call so or so."""
    pairs = {(a, b): label_agreement(labels[a], labels[b]) for a, b in combinations(range(len(labels)), 2)}
    shared = [article for article in labels[0] if all(article in own for own in labels)]
    rows = Counter(tuple(own[article] for own in labels) for article in shared)
    return agreements(names, pairs, rows, len(shared))


def of_items(names: Sequence[str], reported: Sequence[Reported]) -> Agreements:
    """Of identifiers, {article: items} of each producer: what all together report of the articles that all have.

    An article in which a producer finds nothing has no items, and is there; left out, such disagreement would not be
    seen.
    """
    articles = sum(all(article in own for own in reported) for article in reported[0])
    return of_rows(names, presence(reported), articles)


def of_rows(names: Sequence[str], rows: Rows, articles: int) -> Agreements:
    """The same of items counted by who reports them."""
    return agreements(names, presence_agreement(rows, len(names)), rows, articles)


def agreements(
    names: Sequence[str], pairs: Mapping[tuple[int, int], Agreement], rows: Rows, articles: int
) -> Agreements:
    """rows: the instances counted by what each of all producers says of them."""
    fleiss = defined(fleiss_of(rows, nan)) if len(names) > 2 else None
    return Agreements(list(names), pairs, fleiss, sum(rows.values()), articles)

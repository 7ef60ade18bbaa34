"""Pooling of evidence passages: what is judged, in which order, what was decided, and how far the judges agree.

All systems' passages are collected without duplicates and judged by people who do not know whose they are.
Source: BioCreative II, task ISS; pooling as in TREC (Voorhees and Harman 2005).
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from math import nan
from typing import TypeVar

from annotations.kinds import Finding
from bcms.lib.text import one_spaced
from evaluation.measures.agreement import Agreement, defined, joint_probability, pair_agreement
from evaluation.measures.order import unsureness
from evaluation.measures.passages import Verdict

# An account's key, or a pseudonym.
Judge = int | str
# What each judge said of one passage.
Marks = Mapping[Judge, Verdict]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, order=True)
class Pooled:
    """One passage to be judged, white space as single spaces; article: a key; first and second: the pair, sorted."""

    article: int
    first: str
    second: str
    passage: str
    database: str

    @property
    def pair(self) -> tuple[int, str, str]:
        return self.article, self.first, self.second


def pooled(said: Mapping[int, Iterable[Finding]]) -> set[Pooled]:
    """Each passage of the findings, {article: findings}, once, whichever way round its pair is given."""
    return {
        Pooled(article, *pair_of(own), one_spaced(own.text), own.database)
        for article, findings in said.items()
        for own in findings
    }


def pair_of(finding: Finding) -> tuple[str, str]:
    """Its two identifiers, sorted."""
    return min(finding.identifier, finding.partner), max(finding.identifier, finding.partner)


def listed(findings: Iterable[Finding]) -> dict[tuple[str, str], list[str]]:
    """{pair, sorted: its passages, best first} of one article; by rank, else confidence, then by their text.

    A passage that stands there twice, but for white space, counts where it is placed best.
    """
    lists: dict[tuple[str, str], dict[str, None]] = {}
    order = sorted(findings, key=lambda own: (*unsureness(own), one_spaced(own.text)))
    for own in order:
        lists.setdefault(pair_of(own), {})[one_spaced(own.text)] = None
    return {pair: list(passages) for pair, passages in lists.items()}


def shuffled(items: Iterable[Item], seed: str, *parts: Callable[[Item], Hashable]) -> list[Item]:
    """The items in an order that tells nothing: by digests of the seed and of each of the parts in turn.

    Items that share their first part stand together. The same seed gives the same order, and one item more moves none
    of the others.
    """

    def place(item: Item) -> list[bytes]:
        return [sha256(f"{seed}\n{part(item)}".encode()).digest() for part in parts]

    return sorted(items, key=place)


def settled(marks: Iterable[Verdict], adjudicated: Verdict | None = None) -> Verdict | None:
    """What counts of a passage: what was adjudicated, or else what all of its judges say.

    None when they differ, and when nobody has judged it.
    """
    if adjudicated is not None:
        return adjudicated
    said = set(marks)
    return said.pop() if len(said) == 1 else None


def in_conflict(marks: Iterable[Verdict], adjudicated: Verdict | None = None) -> bool:
    """Whether judges differ about a passage, and nobody has adjudicated it."""
    return adjudicated is None and len(set(marks)) > 1


@dataclass(frozen=True, slots=True)
class JudgesAgreement:
    """Of two judges: relevant or not, over the passages that both judged; same_best: over the pairs of which both
    judged every passage, the share for which both choose the same best passage or none; None without such a pair."""

    relevance: Agreement
    pairs: int
    same_best: float | None


def agreement_of(
    passages: Mapping[Hashable, Sequence[Marks]], judges: Sequence[Judge]
) -> dict[tuple[Judge, Judge], JudgesAgreement]:
    """The agreement of every two judges; passages: {pair: marks of each of its passages}."""
    return {(a, b): agreement_of_two(passages, a, b) for a, b in combinations(judges, 2)}


def agreement_of_two(passages: Mapping[Hashable, Sequence[Marks]], a: Judge, b: Judge) -> JudgesAgreement:
    both = [marks for own in passages.values() for marks in own if a in marks and b in marks]
    relevance = pair_agreement([m[a].relevant for m in both], [m[b].relevant for m in both], kappa=True)
    whole = [own for own in passages.values() if all(a in marks and b in marks for marks in own)]
    first, second = ([best_place(own, judge) for own in whole] for judge in (a, b))
    return JudgesAgreement(relevance, len(whole), defined(joint_probability(first, second, nan)))


def best_place(passages: Sequence[Marks], judge: Judge) -> int | None:
    """Which of the passages of a pair the judge calls the best, None for none."""
    return next((place for place, marks in enumerate(passages) if marks[judge].best), None)

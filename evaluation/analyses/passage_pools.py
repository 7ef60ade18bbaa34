"""Pooling of evidence passages: the items to judge, their order, the final verdicts and the judges' agreement.

The passages of all systems are collected without duplicates and judged by people who do not know their source.
Source: BioCreative II, task ISS; pooling as in TREC (Voorhees and Harman 2005).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from typing import TypeVar

from annotations.schema import AnnotationData
from bcms.lib.text import collapse_white_space
from evaluation.analyses.significance.agreement_intervals import (
    IntervalsByFigure,
    WeightSource,
    bootstrap_pair_agreement_intervals,
)
from evaluation.measures.agreement import (
    PairwiseAgreement,
    add_up_counts,
    compute_agreement_from_label_pair_counts,
)
from evaluation.measures.list_order import sort_key_by_rank_else_confidence
from evaluation.measures.passages import Verdict

# The primary key of an account, or a pseudonym.
JudgeKey = int | str
VerdictsByJudge = Mapping[JudgeKey, Verdict]
# The primary key of an article, and the two identifiers of a pair, sorted.
JudgedPair = tuple[int, str, str]
ShuffledItem = TypeVar("ShuffledItem")


@dataclass(frozen=True, slots=True, order=True)
class PoolItem:
    """A passage to be judged, with single spaces; article: a primary key; first, second: the pair, sorted."""

    article: int
    first: str
    second: str
    passage: str
    database: str

    @property
    def pair(self) -> JudgedPair:
        return self.article, self.first, self.second


def collect_pool_items(annotations_by_article: Mapping[int, Iterable[AnnotationData]]) -> set[PoolItem]:
    """Each passage of the annotations once; annotations_by_article: {article: annotations}; pairs are unordered."""
    return {
        PoolItem(
            article, *_sort_identifier_pair(annotation), collapse_white_space(annotation.text), annotation.database
        )
        for article, annotations in annotations_by_article.items()
        for annotation in annotations
    }


def _sort_identifier_pair(annotation: AnnotationData) -> tuple[str, str]:
    """The two identifiers of an annotated pair, sorted."""
    return min(annotation.identifier, annotation.partner), max(annotation.identifier, annotation.partner)


def list_distinct_passages_best_first_by_pair(
    annotations_of_article: Iterable[AnnotationData],
) -> dict[tuple[str, str], list[str]]:
    """{sorted pair: its passages, best first} of one article: by rank, else by confidence, then by text.

    A passage that occurs twice, ignoring white space, counts once, at its best position.
    """
    lists: dict[tuple[str, str], dict[str, None]] = {}
    in_order = sorted(
        annotations_of_article,
        key=lambda annotation: (*sort_key_by_rank_else_confidence(annotation), collapse_white_space(annotation.text)),
    )
    for annotation in in_order:
        lists.setdefault(_sort_identifier_pair(annotation), {})[collapse_white_space(annotation.text)] = None
    return {pair: list(passages) for pair, passages in lists.items()}


def shuffle_reproducibly_by_key_digests(
    items: Iterable[ShuffledItem], seed: str, *parts: Callable[[ShuffledItem], Hashable]
) -> list[ShuffledItem]:
    """The items in pseudo-random order: sorted by digests of the seed and each of the parts in turn.

    Items with an equal first part stay together. The same seed gives the same order, and another item does not change
    the order of the others.
    """

    def digest_key(item: ShuffledItem) -> list[bytes]:
        return [sha256(f"{seed}\n{part(item)}".encode()).digest() for part in parts]

    return sorted(items, key=digest_key)


def find_adjudicated_or_unanimous_verdict(
    verdicts: Iterable[Verdict], adjudicated: Verdict | None = None
) -> Verdict | None:
    """The adjudicated verdict on a passage, or else the unanimous verdict of its judges.

    None when they disagree or nobody has judged it.
    """
    if adjudicated is not None:
        return adjudicated
    distinct = set(verdicts)
    return distinct.pop() if len(distinct) == 1 else None


def has_unadjudicated_verdict_conflict(verdicts: Iterable[Verdict], adjudicated: Verdict | None = None) -> bool:
    """Whether the judges of a passage disagree and nobody has adjudicated it."""
    return adjudicated is None and len(set(verdicts)) > 1


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of two judges.

    relevance: on relevance, over the passages that both judged; pairs: number of pairs of which both judged every
    passage; same_best: share of these for which both choose the same best passage or none; None without such a pair.
    intervals: 95 % intervals of the figures of relevance, and of same_best.
    """

    relevance: PairwiseAgreement
    pairs: int
    same_best: float | None
    intervals: IntervalsByFigure


def compute_judge_agreements(
    passage_verdicts_by_pair: Mapping[JudgedPair, Sequence[VerdictsByJudge]],
    judges: Sequence[JudgeKey],
    get_weights: WeightSource,
) -> dict[tuple[JudgeKey, JudgeKey], JudgeAgreement]:
    """The agreement of every two judges; passage_verdicts_by_pair: {pair: verdicts by judge on each of its
    passages}; get_weights: to resample articles for intervals, each with all of its passages.
    """
    return {
        (a, b): _compare_two_judges(passage_verdicts_by_pair, a, b, get_weights) for a, b in combinations(judges, 2)
    }


def _compare_two_judges(
    passages: Mapping[JudgedPair, Sequence[VerdictsByJudge]], a: JudgeKey, b: JudgeKey, get_weights: WeightSource
) -> JudgeAgreement:
    relevance = defaultdict[int, Counter[tuple[bool, bool]]](Counter)
    # Pairs of which both judged every passage, by (True, whether they choose the same best one).
    best = defaultdict[int, Counter[tuple[bool, bool]]](Counter)
    for (article, _, _), of_pair in passages.items():
        both = [verdicts for verdicts in of_pair if a in verdicts and b in verdicts]
        relevance[article].update((verdicts[a].relevant, verdicts[b].relevant) for verdicts in both)
        if len(both) == len(of_pair):
            best[article][True, _find_best_passage_index(both, a) == _find_best_passage_index(both, b)] += 1
    same_best = compute_agreement_from_label_pair_counts(add_up_counts(best.values()), with_kappa=False)
    intervals = {**bootstrap_pair_agreement_intervals(relevance.values(), get_weights, with_kappa=True)}
    of_best = bootstrap_pair_agreement_intervals(best.values(), get_weights, with_kappa=False)
    if "joint" in of_best:
        intervals["same_best"] = of_best["joint"]
    return JudgeAgreement(
        compute_agreement_from_label_pair_counts(add_up_counts(relevance.values()), with_kappa=True),
        same_best.instances,
        same_best.joint,
        intervals,
    )


def _find_best_passage_index(passages: Sequence[VerdictsByJudge], judge: JudgeKey) -> int | None:
    """The index of the passage of a pair that the judge calls the best, None for none."""
    return next((index for index, verdicts in enumerate(passages) if verdicts[judge].best), None)

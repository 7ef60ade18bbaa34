"""Figures of an article classification (ACT): is the article relevant or not.

Source: BioCreative evaluation library 3.2. Labels give the counts; the order of the whole list, in which the labels
play no part any more, gives the precision-recall curve and the area under it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluation.measures.columns import Booleans, CallColumns, Integers
from evaluation.measures.counts import Counts
from evaluation.measures.curves import Curve, pr_curve
from evaluation.measures.order import Order, best_order, chosen, unsureness

Unreported = Literal["negative", "ignore"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a run says of one article. rank is positive and counts per class; confidence is in (0, 1]; both may lack."""

    article: str
    relevant: bool
    rank: int | None = None
    confidence: float | None = None


def count(judgements: Iterable[Judgement], gold: Mapping[str, bool], unreported: Unreported) -> Counts:
    """Counts of a run against gold, {article: relevant}.

    An article that the run does not report is a negative call with unreported="negative" (challenge leaderboards) and
    is in no count with "ignore" (the official library). Judgements of articles that gold does not know count nowhere.
    """
    called = {judgement.article: judgement.relevant for judgement in judgements}
    if unreported == "negative":
        called = {article: called.get(article, False) for article in gold}
    pairs = [(relevant, gold[article]) for article, relevant in called.items() if article in gold]
    return Counts(
        tp=pairs.count((True, True)),
        fp=pairs.count((True, False)),
        fn=pairs.count((False, True)),
        tn=pairs.count((False, False)),
    )


def in_list_order(judgements: Iterable[Judgement]) -> list[Judgement]:
    """All positive calls, surest first, then the negative calls, surest last: best candidates at the head.

    The surest has the smallest rank; without ranks the highest confidence; an annotation without either sorts behind
    those that have one. Equally sure calls of a class stand by article identifier, ascending in both classes.
    """
    calls = list(judgements)
    positive = sorted((call for call in calls if call.relevant), key=lambda call: (*unsureness(call), call.article))
    negative = sorted(
        (call for call in calls if not call.relevant),
        key=lambda call: (*(-part for part in unsureness(call)), call.article),
    )
    return positive + negative


def curve(judgements: Iterable[Judgement], gold: Mapping[str, bool]) -> Curve:
    """Precision and recall after each known article in list order; recall is of all positives of gold."""
    hits = [gold[call.article] for call in in_list_order(judgements) if call.article in gold]
    return pr_curve(hits, sum(gold.values()))


def called(gold: Mapping[str, bool], calls: CallColumns, unreported: Unreported) -> Counts:
    """Counts of calls in columns against gold, as `count` does."""
    truth = known_truth(gold, calls)
    yes, no = truth == 1, truth == 0
    table = Counts(
        tp=int((calls.relevant & yes).sum()),
        fp=int((calls.relevant & no).sum()),
        fn=int((~calls.relevant & yes).sum()),
        tn=int((~calls.relevant & no).sum()),
    )
    if unreported == "ignore":
        return table
    positives = sum(gold.values())
    missed, left = positives - int(yes.sum()), len(gold) - positives - int(no.sum())
    return table + Counts(fn=missed, tn=left)


def known_truth(gold: Mapping[str, bool], calls: CallColumns) -> Integers:
    """int [rows]: 1 relevant, 0 not, -1 unknown to gold."""
    return np.array([int(gold.get(article, -1)) for article in calls.article], dtype=np.int64)


def list_hits(gold: Mapping[str, bool], calls: CallColumns, order: Order | None = None) -> Booleans:
    """bool [known articles]: whether each article is relevant, in list order (as `in_list_order`).

    ValueError when the order needs a column that the calls have not.
    """
    return known_truth(gold, calls)[known_rows(gold, calls, order)] == 1


def known_rows(gold: Mapping[str, bool], calls: CallColumns, order: Order | None = None) -> Integers:
    """int [known articles]: the rows of the articles that gold knows, in list order; errors as for list_hits."""
    truth, order = known_truth(gold, calls), order or best_order(calls)
    unsure = chosen(calls, order)
    keys = [np.where(calls.relevant, unsure, -unsure), ~calls.relevant]
    ties = [places_by_name(calls.article)] if order == "confidence" else []
    placed = np.lexsort((*ties, *keys))
    return placed[truth[placed] >= 0]


def places_by_name(names: Sequence[str]) -> Integers:
    """int [names]: the place of each among the sorted names."""
    places = np.zeros(len(names), dtype=np.int64)
    places[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    return places

"""Producers side by side over a corpus: how far they agree with each other and with themselves, what they share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain

import numpy as np
from django.core.cache import cache

from annotations.kinds import Kind
from annotations.models import Corpus
from bcms.lib.version import VERSION
from evaluation.analyses.agreements import Agreements, of_items, of_labels
from evaluation.analyses.overlap import Overlap, overlap
from evaluation.answers import Candidate, Items, answered_by_all, answers_in, earlier_answers, state_of
from evaluation.measures.agreement import Agreement, item_agreement, label_agreement
from evaluation.measures.columns import Coded, GoldColumns, RunColumns, coded

SECONDS_KEPT = 3600


@dataclass(frozen=True, slots=True)
class Itself:
    """How far a producer said the same when it was asked a second time."""

    name: str
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class Comparison:
    """articles: those that every producer answered, of which the overlap tells; agreements and overlap are None of one
    producer alone. overlap has gold in it when it is given."""

    articles: int
    agreements: Agreements | None
    itself: Sequence[Itself]
    overlap: Overlap | None


def compared(corpus: Corpus, kind: Kind, producers: Sequence[Candidate], gold: Candidate | None = None) -> Comparison:
    """What compare() finds, made once of what these producers say now, and kept an hour: two queries to see whether it
    was made, which are of Results alone and not of their annotations."""
    asked = [*producers, *([] if gold is None else [gold])]
    state = state_of(corpus, kind, [own.id for own in asked])
    made_of = (VERSION, corpus.pk, kind, [(own.id, own.name) for own in asked], gold is None, state)
    key = f"comparison:{sha256(repr(made_of).encode()).hexdigest()}"
    found: Comparison | None = cache.get(key)
    if found is None:
        found = compare(corpus, kind, producers, gold)
        cache.set(key, found, SECONDS_KEPT)
    return found


def compare(corpus: Corpus, kind: Kind, producers: Sequence[Candidate], gold: Candidate | None = None) -> Comparison:
    """One or more producers over the articles of a corpus: five queries. gold: what counts as right in the overlap."""
    ids = [own.id for own in producers]
    answers = answers_in(corpus, kind, {*ids, *([] if gold is None else [gold.id])})
    earlier = earlier_answers(corpus, kind, ids)
    said = [answers[pk] for pk in ids]
    shared = answered_by_all(said)
    names = [own.name for own in producers]
    itself = [
        Itself(name, of_two(kind, earlier[pk], answers[pk]))
        for name, pk in zip(names, ids, strict=True)
        if pk in earlier
    ]
    if len(producers) < 2:
        return Comparison(len(shared), None, itself, None)
    right = None if gold is None else answers[gold.id]
    return Comparison(len(shared), agreements(kind, names, said, shared), itself, common(said, shared, right))


def agreements(kind: Kind, names: Sequence[str], said: Sequence[Items], shared: Sequence[int]) -> Agreements:
    if kind == Kind.CLASSIFICATION:
        return of_labels(names, [labels(own) for own in said])
    return of_items(names, [{str(article): own[article] for article in shared} for own in said])


def of_two(kind: Kind, before: Items, now: Items) -> Agreement:
    """Over the articles of both."""
    if kind == Kind.CLASSIFICATION:
        return label_agreement(labels(before), labels(now))
    shared = answered_by_all([before, now])
    named = [{str(article): own[article] for article in shared} for own in (before, now)]
    return item_agreement(named)[0, 1]


def labels(own: Items) -> dict[str, bool]:
    return {str(article): bool(items) for article, items in own.items()}


def common(said: Sequence[Items], shared: Sequence[int], right: Items | None) -> Overlap:
    """Over the shared articles, with gold over those of them that it has."""
    runs = [RunColumns(*columns(own, shared)) for own in said]
    return overlap(runs, None if right is None else gold_columns(right, shared))


def gold_columns(right: Items, shared: Sequence[int]) -> GoldColumns:
    return GoldColumns(*columns(right, [article for article in shared if article in right]))


def columns(own: Mapping[int, frozenset[str]], articles: Sequence[int]) -> tuple[Coded[str], Coded]:
    """Documents and items of these articles, one row for each item; all articles have a name."""
    numbers = [len(own[article]) for article in articles]
    names = [str(article) for article in articles]
    document = Coded(names, np.repeat(np.arange(len(names), dtype=np.int64), numbers))
    return document, coded(chain.from_iterable(sorted(own[article]) for article in articles))

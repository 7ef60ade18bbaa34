"""Producers side by side over a corpus: how far they agree with each other and with themselves, what they share."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations

from django.core.cache import cache

from annotations.kinds import Kind
from annotations.models import Corpus
from bcms.lib.version import VERSION
from evaluation.analyses.agreements import Agreements, agreements, of_rows
from evaluation.analyses.overlap import Overlap, overlap_of, overlap_with_gold
from evaluation.answers import Candidate, state_of
from evaluation.counted_answers import Counted, count_answers
from evaluation.measures.agreement import Agreement, counted_agreement, pairs_in

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
    """One or more producers over the articles of a corpus: one query. gold: what counts as right in the overlap."""
    number, names = len(producers), [own.name for own in producers]
    counted = count_answers(corpus, kind, [own.id for own in producers], gold.id if gold else None)
    shared = counted.answered_by(range(number))
    itself = [
        Itself(name, of_two(kind, counted, (number + place, place)))
        for place, name in enumerate(names)
        if counted.heard(number + place)
    ]
    if number < 2:
        return Comparison(shared, None, itself, None)
    return Comparison(shared, agreements_of(kind, names, counted, shared), itself, common(counted, number, gold))


def agreements_of(kind: Kind, names: Sequence[str], counted: Counted, shared: int) -> Agreements:
    voices = range(len(names))
    if kind != Kind.CLASSIFICATION:
        return of_rows(names, counted.items(voices), shared)
    pairs = {pair: of_two(kind, counted, pair) for pair in combinations(voices, 2)}
    return agreements(names, pairs, counted.labels(voices), shared)


def of_two(kind: Kind, counted: Counted, voices: tuple[int, int]) -> Agreement:
    """Over the articles of both; kappa says nothing of items, of which there is none that neither reports."""
    calls = kind == Kind.CLASSIFICATION
    rows = counted.labels(voices) if calls else counted.items(voices)
    return counted_agreement(pairs_in(rows, 0, 1), kappa=calls)


def common(counted: Counted, number: int, gold: Candidate | None) -> Overlap:
    """Over the articles that all answered, with gold over those of them that it has."""
    voices = range(number)
    if gold is None:
        return overlap_of(counted.items(voices))
    return overlap_with_gold(counted.items([*voices, 2 * number]))

"""Figures of ranked lists over many articles, micro and macro.

The lists become one table of counts (`RankedHits`), counted once; every figure is made from it. Source: BioCreative
evaluation library 3.2 (INT, IMT, IPT) and DOMAIN section 7 of the design documents.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.measures.counts import f_of, ratio
from evaluation.measures.curves import Curve, Floats, average_precision

Integers = npt.NDArray[np.int64]
# Articles whose table [articles, ranks] is held at once: bounds memory, changes no figure.
CHUNK = 1000


@dataclass(frozen=True, slots=True)
class RankedHits:
    """What is right in the ranked lists of a run.

    hits: bool [articles, ranks], True where the item at that rank is in the gold standard, False past a list's end;
    lengths: int [articles], how long each list is; gold: int [articles], how many items each article has to find.
    An article without an answer is a row of length 0: it is scored as unanswered, not left out.
    """

    hits: npt.NDArray[np.bool_]
    lengths: Integers
    gold: Integers

    @property
    def found(self) -> Integers:
        """int [articles]: hits in each whole list."""
        return self.hits.sum(axis=1, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Averages:
    """Precision, recall, F1, average precision and FAP of a run, averaged in one way; all in [0, 1]."""

    precision: float
    recall: float
    f1: float
    ap: float
    fap: float


@dataclass(frozen=True, slots=True)
class PerArticle:
    """Each article's own figures: four arrays [articles] in [0, 1]; 0/0 is 0."""

    precision: Floats
    recall: Floats
    f1: Floats
    ap: Floats


def ranked_hits(lists: Sequence[Sequence[bool]], gold: Sequence[int]) -> RankedHits:
    """The table of one run: lists[article][rank] says whether that item is right; gold[article] counts the right items.

    ValueError when the two differ in length, or when a list has more hits than its article has items.
    """
    if len(lists) != len(gold):
        raise ValueError(f"{len(lists)} lists but gold counts of {len(gold)} articles; give one of each per article.")
    lengths = np.array([len(hits) for hits in lists], dtype=np.int64)
    table = np.zeros((len(lists), int(lengths.max(initial=0))), dtype=np.bool_)
    for row, hits in enumerate(lists):
        table[row, : len(hits)] = hits
    ranked = RankedHits(table, lengths, np.array(gold, dtype=np.int64))
    if (ranked.found > ranked.gold).any():
        raise ValueError("A list has more hits than its article has gold items; count each item once.")
    return ranked


def micro_curve(ranked: RankedHits) -> Curve:
    """Precision and recall [ranks] from counts over all articles: the k-th items of every list enter at once."""
    hits = np.cumsum(ranked.hits.sum(axis=0, dtype=np.int64))
    ranks = np.arange(ranked.hits.shape[1])
    listed = np.cumsum((ranked.lengths[:, None] > ranks).sum(axis=0, dtype=np.int64)) if len(ranks) else ranks
    gold = int(ranked.gold.sum())
    return Curve(divide(hits, listed), divide(hits, np.full(len(hits), gold)))


def macro_curve(ranked: RankedHits) -> Curve:
    """Means over all articles of precision and recall at each rank; a list that is over keeps its last values."""
    articles, ranks = ranked.hits.shape
    precision, recall = np.zeros(ranks), np.zeros(ranks)
    for hits, listed, gold in cumulated(ranked):
        precision += divide(hits, listed).sum(axis=0)
        recall += divide(hits, gold).sum(axis=0)
    return Curve(precision / max(articles, 1), recall / max(articles, 1))


def micro(ranked: RankedHits) -> Averages:
    """Figures from counts over all articles; F1 is that of the precision and recall."""
    found, listed, gold = int(ranked.found.sum()), int(ranked.lengths.sum()), int(ranked.gold.sum())
    precision, recall = ratio(found, listed), ratio(found, gold)
    f1, ap = f_of(precision, recall), average_precision(micro_curve(ranked))
    return Averages(precision, recall, f1, ap, fap(f1, ap))


def macro(ranked: RankedHits) -> Averages:
    """Means over all articles. F1 is the mean of the articles' own F1; AP is of the mean curve, which is not MAP."""
    own = per_article(ranked)
    f1, ap = mean(own.f1), average_precision(macro_curve(ranked))
    return Averages(mean(own.precision), mean(own.recall), f1, ap, fap(f1, ap))


def per_article(ranked: RankedHits) -> PerArticle:
    """Each article's own precision, recall, F1 and AP [articles]; AP is trec_eval's `map` of that list."""
    precision, recall = divide(ranked.found, ranked.lengths), divide(ranked.found, ranked.gold)
    f1 = divide(2 * ranked.found, ranked.lengths + ranked.gold)
    at_hits = [(divide(hits, listed) * steps(hits)).sum(axis=1) for hits, listed, _ in cumulated(ranked)]
    return PerArticle(precision, recall, f1, divide(np.concatenate([np.zeros(0), *at_hits]), ranked.gold))


def fap(f: float, ap: float, beta: float = 1.0) -> float:
    """FAP_b = (1 + b^2) F AP / (b^2 F + AP), the harmonic mean of F and AP for b = 1; 0 when both are 0."""
    return f_of(f, ap, beta)


def cumulated(ranked: RankedHits) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Chunks of articles: hits and list items so far, both [chunk, ranks], and gold items [chunk, 1]."""
    ranks = np.arange(1, ranked.hits.shape[1] + 1)
    for start in range(0, len(ranked.gold), CHUNK):
        rows = slice(start, start + CHUNK)
        hits = np.cumsum(ranked.hits[rows], axis=1, dtype=np.int64)
        yield hits, np.minimum(ranks, ranked.lengths[rows, None]), ranked.gold[rows, None]


def steps(hits: Integers) -> Integers:
    """1 where the cumulated hits [chunk, ranks] go up, else 0."""
    return np.diff(hits, axis=1, prepend=0)


def divide(part: npt.NDArray[np.generic], whole: npt.NDArray[np.generic]) -> Floats:
    """part / whole elementwise, 0 where whole is 0."""
    shape = np.broadcast_shapes(part.shape, whole.shape)
    return np.divide(part, whole, out=np.zeros(shape), where=np.broadcast_to(whole != 0, shape))


def mean(values: Floats) -> float:
    """The mean, and 0 of no values."""
    return float(values.mean()) if len(values) else 0.0

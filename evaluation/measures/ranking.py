"""Figures of ranked lists over many articles, micro and macro.

The lists become one table of counts (`RankedHits`), counted once; every figure is made from it at a cost linear in its
rows. Source: BioCreative evaluation library 3.2 and, for AUC iP/R, 2.3.1 (INT, IMT, IPT).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evaluation.measures.columns import Booleans, Floats, Integers
from evaluation.measures.counts import f_of, ratio
from evaluation.measures.curves import Curve, average_precision, step_area


@dataclass(frozen=True, slots=True)
class RankedHits:
    """What is right in the ranked lists of a run, one list after the other.

    hits: bool [rows], the first lengths[0] of them the list of article 0, best first: True where the item is in the
    gold standard; lengths: int [articles]; gold: int [articles], how many items each article has to find.
    An article without an answer is a list of length 0: it is scored as unanswered, not left out.
    """

    hits: Booleans
    lengths: Integers
    gold: Integers

    @property
    def articles(self) -> int:
        return len(self.gold)

    @property
    def article(self) -> Integers:
        """int [rows]: the article of each row."""
        return np.repeat(np.arange(self.articles), self.lengths)

    @property
    def position(self) -> Integers:
        """int [rows]: the place of each row in its list, from 1."""
        starts = np.cumsum(self.lengths) - self.lengths
        return np.arange(1, len(self.hits) + 1) - np.repeat(starts, self.lengths)

    @property
    def found(self) -> Integers:
        """int [articles]: hits in each whole list."""
        so_far = np.concatenate([[0], np.cumsum(self.hits, dtype=np.int64)])
        ends = np.cumsum(self.lengths)
        return so_far[ends] - so_far[ends - self.lengths]


@dataclass(frozen=True, slots=True)
class Averages:
    """Precision, recall, F1, average precision, FAP and AUC iP/R of a run, averaged in one way; all in [0, 1]."""

    precision: float
    recall: float
    f1: float
    ap: float
    fap: float
    auc_ipr: float


@dataclass(frozen=True, slots=True)
class PerArticle:
    """Each article's own figures: arrays [articles] in [0, 1]."""

    precision: Floats
    recall: Floats
    f1: Floats
    ap: Floats
    auc_ipr: Floats


def ranked_hits(lists: Sequence[Sequence[bool]], gold: Sequence[int]) -> RankedHits:
    """The table of one run: lists[article][rank] says whether that item is right; gold[article] counts the right items.

    ValueError when the two differ in length, or when a list has more hits than its article has items.
    """
    if len(lists) != len(gold):
        raise ValueError(f"{len(lists)} lists but gold counts of {len(gold)} articles; give one of each per article.")
    lengths = np.array([len(hits) for hits in lists], dtype=np.int64)
    rows = np.array([hit for hits in lists for hit in hits], dtype=np.bool_)
    ranked = RankedHits(rows, lengths, np.array(gold, dtype=np.int64))
    if (ranked.found > ranked.gold).any():
        raise ValueError("A list has more hits than its article has gold items; count each item once.")
    return ranked


def with_right_items(ranked: RankedHits) -> RankedHits:
    """The articles that have something to find."""
    kept = ranked.gold > 0
    return RankedHits(ranked.hits[kept[ranked.article]], ranked.lengths[kept], ranked.gold[kept])


def micro_curve(ranked: RankedHits) -> Curve:
    """Precision and recall [ranks] from counts over all articles: the k-th items of every list enter at once."""
    position = ranked.position
    listed = np.cumsum(np.bincount(position)[1:])
    hits = np.cumsum(np.bincount(position[ranked.hits], minlength=len(listed) + 1)[1:])
    return Curve(divide(hits, listed), divide(hits, ranked.gold.sum()))


def macro_curve(ranked: RankedHits) -> Curve:
    """Means over all articles of precision and recall at each rank; a list that is over keeps its last values."""
    own, position = precisions(ranked), ranked.position
    running = np.bincount(position, weights=own)[1:]
    ended = np.bincount(ranked.lengths, weights=divide(ranked.found, ranked.lengths), minlength=len(running) + 1)
    gain = divide(np.float64(1), ranked.gold)[ranked.article[ranked.hits]]
    gains = np.bincount(position[ranked.hits], weights=gain, minlength=len(running) + 1)[1:]
    articles = max(ranked.articles, 1)
    return Curve((running + np.cumsum(ended)[: len(running)]) / articles, np.cumsum(gains) / articles)


def micro(ranked: RankedHits, beta: float = 1.0, undefined: float = 0.0) -> Averages:
    """Figures from counts over all articles; F is that of the precision and recall. 0/0 is `undefined`."""
    found, listed, gold = int(ranked.found.sum()), len(ranked.hits), int(ranked.gold.sum())
    precision, recall = ratio(found, listed, undefined), ratio(found, gold, undefined)
    curve = micro_curve(ranked)
    f1, ap = f_of(precision, recall, beta, undefined), average_precision(curve)
    return Averages(precision, recall, f1, ap, fap(f1, ap, beta, undefined), step_area(curve))


def macro(ranked: RankedHits, beta: float = 1.0, undefined: float = 0.0) -> Averages:
    """Means over all articles. F is the mean of the articles' own F; AP is of the mean curve, which is not MAP.

    AUC iP/R is the mean of the articles' own. `undefined` is what an article's own 0/0 counts as.
    """
    return macro_of(per_article(ranked, beta, undefined), ranked, beta, undefined)


def macro_of(own: PerArticle, ranked: RankedHits, beta: float = 1.0, undefined: float = 0.0) -> Averages:
    """As macro, from the articles' own figures."""
    f1, ap = mean(own.f1), average_precision(macro_curve(ranked))
    return Averages(mean(own.precision), mean(own.recall), f1, ap, fap(f1, ap, beta, undefined), mean(own.auc_ipr))


def per_article(ranked: RankedHits, beta: float = 1.0, undefined: float = 0.0) -> PerArticle:
    """Each article's own figures [articles]; AP is trec_eval's `map` of that list; 0/0 is `undefined`.

    An article's F, (1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP), is 0/0 only when it has nothing to find and no result.
    """
    found, square = ranked.found, beta * beta
    at_hits, article = precisions(ranked)[ranked.hits], ranked.article[ranked.hits]
    return PerArticle(
        precision=divide(found, ranked.lengths, undefined),
        recall=divide(found, ranked.gold, undefined),
        f1=divide((1 + square) * found, ranked.lengths + square * ranked.gold, undefined),
        ap=over_gold(at_hits, article, ranked, undefined),
        auc_ipr=over_gold(best_from_here(at_hits, article), article, ranked, undefined),
    )


def precisions(ranked: RankedHits) -> Floats:
    """float [rows]: precision of each list up to and with each of its rows."""
    so_far = np.cumsum(ranked.hits, dtype=np.int64)
    before = np.concatenate([[0], so_far])[np.cumsum(ranked.lengths) - ranked.lengths]
    return (so_far - np.repeat(before, ranked.lengths)) / ranked.position


def over_gold(values: Floats, article: Integers, ranked: RankedHits, undefined: float) -> Floats:
    """float [articles]: the sum of the values of each article's hits over its number of gold items."""
    return divide(np.bincount(article, weights=values, minlength=ranked.articles), ranked.gold, undefined)


def best_from_here(values: Floats, article: Integers) -> Floats:
    """float [hits]: the highest value of the same article at this hit or a later one; article never falls.

    The values are replaced by their place in sorted order, so that one running maximum serves all articles exactly.
    """
    levels, place = np.unique(values, return_inverse=True)
    shift = -article * len(levels)
    return levels[np.maximum.accumulate((place + shift)[::-1])[::-1] - shift]


def fap(f: float, ap: float, beta: float = 1.0, undefined: float = 0.0) -> float:
    """FAP_b = (1 + b^2) F AP / (b^2 F + AP), the harmonic mean of F and AP for b = 1; `undefined` when both are 0."""
    return f_of(f, ap, beta, undefined)


def divide(
    part: npt.NDArray[np.generic] | np.generic, whole: npt.NDArray[np.generic] | np.generic, undefined: float = 0.0
) -> Floats:
    """part / whole elementwise, `undefined` where whole is 0."""
    shape = np.broadcast_shapes(part.shape, whole.shape)
    return np.divide(part, whole, out=np.full(shape, undefined), where=np.broadcast_to(whole != 0, shape))


def mean(values: Floats) -> float:
    """The mean, and 0 of no values."""
    return float(values.mean()) if len(values) else 0.0


def deviation(values: Floats) -> float:
    """The standard deviation of the whole population (divided by the number of values), and 0 of no values."""
    return float(values.std()) if len(values) else 0.0

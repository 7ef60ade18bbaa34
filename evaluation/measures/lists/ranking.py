"""Figures of ranked lists over many articles, micro and macro.

The lists become one table of hits (`RankedHits`); every figure is computed from it in time linear in its rows.
Source: BioCreative evaluation library 3.2 and, for AUC iP/R, 2.3.1 (INT, IMT, IPT).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from evaluation.measures.columns import Booleans, Floats, Integers
from evaluation.measures.confusion_counts import divide_or_undefined, f_score
from evaluation.measures.curves.precision_recall import PrecisionRecallCurve, average_precision, interpolated_area

ROWS_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class RankedHits:
    """The hits in the ranked lists of a run, one list after the other.

    hits: bool [rows], the first lengths[0] of them the list of article 0, best first: True where the item is in the
    gold standard; lengths: int [articles]; gold: int [articles], the number of gold items of each.
    An article without an answer is a list of length 0: it is scored as an empty list, not left out.
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
        """int [rows]: the position of each row in its list, from 1."""
        return _count_within_lists(np.ones(len(self.hits), dtype=np.int64), self.lengths, self.lengths)

    @property
    def hit_counts(self) -> Integers:
        """int [articles]: hits in each whole list."""
        hit_counts: Integers = np.diff(np.searchsorted(np.flatnonzero(self.hits), np.cumsum(self.lengths)), prepend=0)
        return hit_counts

    @property
    def hit_article(self) -> Integers:
        """int [hits]: the article of each hit."""
        return np.repeat(np.arange(self.articles), self.hit_counts)

    @property
    def hit_position(self) -> Integers:
        """int [hits]: the position of each hit in its list, from 1."""
        position: Integers = np.flatnonzero(self.hits) + 1
        position -= (np.cumsum(self.lengths) - self.lengths)[self.hit_article]
        return position

    def iter_parts(self) -> Iterator["RankedHits"]:
        """Consecutive articles with about ROWS_AT_ONCE rows, so that a column of a part needs little memory."""
        starts = np.cumsum(self.lengths) - self.lengths
        first = np.unique(starts // ROWS_AT_ONCE, return_index=True)[1].tolist()
        for start, stop in pairwise([*first, self.articles]):
            row = int(starts[start])
            rows = slice(row, row + int(self.lengths[start:stop].sum()))
            yield RankedHits(self.hits[rows], self.lengths[start:stop], self.gold[start:stop])


@dataclass(frozen=True, slots=True)
class AveragedFigures:
    """Precision, recall, F1, average precision, FAP and AUC iP/R of a run, averaged in one way; all in [0, 1]."""

    precision: float
    recall: float
    f1: float
    ap: float
    fap: float
    auc_ipr: float


@dataclass(frozen=True, slots=True)
class ArticleFigures:
    """Each article's own figures: arrays [articles] in [0, 1]."""

    precision: Floats
    recall: Floats
    f1: Floats
    ap: Floats
    auc_ipr: Floats


def build_checked_ranked_hits(hit_lists: Sequence[Sequence[bool]], gold_counts: Sequence[int]) -> RankedHits:
    """The table of one run: hit_lists[article][rank] is whether that item is right; gold_counts[article] counts the
    gold items.

    ValueError when the two differ in length, or when a list has more hits than its article has items.
    """
    if len(hit_lists) != len(gold_counts):
        raise ValueError(
            f"There are {len(hit_lists)} lists but gold counts of {len(gold_counts)} articles; "
            "give one of each per article."
        )
    lengths = np.array([len(hits) for hits in hit_lists], dtype=np.int64)
    rows = np.array([hit for hits in hit_lists for hit in hits], dtype=np.bool_)
    ranked = RankedHits(rows, lengths, np.array(gold_counts, dtype=np.int64))
    if (ranked.hit_counts > ranked.gold).any():
        raise ValueError("A list has more hits than its article has gold items; count each item once.")
    return ranked


def select_articles_with_gold_items(ranked: RankedHits) -> RankedHits:
    """The articles that have gold items."""
    kept = ranked.gold > 0
    return RankedHits(ranked.hits[np.repeat(kept, ranked.lengths)], ranked.lengths[kept], ranked.gold[kept])


def compute_micro_curve(ranked: RankedHits) -> PrecisionRecallCurve:
    """Precision and recall [ranks] from counts over all articles: the k-th items of every list enter at once."""
    listed = np.cumsum(ranked.articles - np.cumsum(np.bincount(ranked.lengths))[:-1])
    hits = np.cumsum(np.bincount(ranked.hit_position, minlength=len(listed) + 1)[1:])
    return PrecisionRecallCurve(divide_arrays(hits, listed), divide_arrays(hits, ranked.gold.sum()))


def compute_macro_curve_holding_ended_lists(ranked: RankedHits) -> PrecisionRecallCurve:
    """Means over all articles of precision and recall at each rank; a list that has ended keeps its last values."""
    running = _sum_precisions_at_each_rank(ranked)
    ended = np.bincount(
        ranked.lengths, weights=divide_arrays(ranked.hit_counts, ranked.lengths), minlength=len(running) + 1
    )
    gain = divide_arrays(np.float64(1), ranked.gold)[ranked.hit_article]
    gains = np.bincount(ranked.hit_position, weights=gain, minlength=len(running) + 1)[1:]
    articles = max(ranked.articles, 1)
    return PrecisionRecallCurve((running + np.cumsum(ended)[: len(running)]) / articles, np.cumsum(gains) / articles)


def _sum_precisions_at_each_rank(ranked: RankedHits) -> Floats:
    """float [ranks]: the sum of the precision of the lists that have not ended, in the order of the articles."""
    sums: Floats = np.zeros(int(ranked.lengths.max(initial=0)))
    for part in ranked.iter_parts():
        # The sums of the parts before come first, so that all are added in the same order as without parts.
        index = np.concatenate([np.arange(len(sums), dtype=np.int64), part.position - 1])
        weights = np.concatenate([sums, precision_at_each_row(part)])
        sums[:] = np.bincount(index, weights=weights, minlength=len(sums))
    return sums


def compute_micro_averages(ranked: RankedHits, beta: float = 1.0, undefined: float = 0.0) -> AveragedFigures:
    """Figures from counts over all articles; F is that of the precision and recall. 0/0 is `undefined`."""
    hits, listed, gold = int(ranked.hit_counts.sum()), len(ranked.hits), int(ranked.gold.sum())
    precision, recall = divide_or_undefined(hits, listed, undefined), divide_or_undefined(hits, gold, undefined)
    curve = compute_micro_curve(ranked)
    f1, ap = f_score(precision, recall, beta, undefined), average_precision(curve)
    return AveragedFigures(precision, recall, f1, ap, fap_score(f1, ap, beta, undefined), interpolated_area(curve))


def compute_macro_averages_with_mean_curve_ap(
    ranked: RankedHits, beta: float = 1.0, undefined: float = 0.0
) -> AveragedFigures:
    """Means over all articles. F is the mean of the articles' own F; AP is that of the mean curve, which is not MAP.

    AUC iP/R is the mean of the articles' own. `undefined` is the value of an article's own 0/0.
    """
    return average_article_figures_with_mean_curve_ap(
        compute_f_ap_and_auc_ipr_per_article(ranked, beta, undefined), ranked, beta, undefined
    )


def average_article_figures_with_mean_curve_ap(
    figures: ArticleFigures, ranked: RankedHits, fap_beta: float = 1.0, undefined_fap: float = 0.0
) -> AveragedFigures:
    """The means of compute_macro_averages_with_mean_curve_ap, from the articles' own figures."""
    f1, ap = mean_or_zero(figures.f1), average_precision(compute_macro_curve_holding_ended_lists(ranked))
    return AveragedFigures(
        mean_or_zero(figures.precision),
        mean_or_zero(figures.recall),
        f1,
        ap,
        fap_score(f1, ap, fap_beta, undefined_fap),
        mean_or_zero(figures.auc_ipr),
    )


def compute_f_ap_and_auc_ipr_per_article(
    ranked: RankedHits, beta: float = 1.0, undefined: float = 0.0
) -> ArticleFigures:
    """Each article's own figures [articles]; AP is trec_eval's `map` of that list; 0/0 is `undefined`.

    An article's F, (1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP), is 0/0 only when it has no gold item and no result.
    """
    hits, square = ranked.hit_counts, beta * beta
    at_hits, article = precision_at_each_hit(ranked), ranked.hit_article
    return ArticleFigures(
        precision=divide_arrays(hits, ranked.lengths, undefined),
        recall=divide_arrays(hits, ranked.gold, undefined),
        f1=divide_arrays((1 + square) * hits, ranked.lengths + square * ranked.gold, undefined),
        ap=_sum_per_gold_item(at_hits, article, ranked, undefined),
        auc_ipr=_sum_per_gold_item(highest_value_from_here_per_article(at_hits, article), article, ranked, undefined),
    )


def precision_at_each_row(ranked: RankedHits) -> Floats:
    """float [rows]: precision of each list up to and with each of its rows."""
    precision: Floats = (
        _count_within_lists(ranked.hits.astype(np.int64), ranked.lengths, ranked.hit_counts) / ranked.position
    )
    return precision


def precision_at_each_hit(ranked: RankedHits) -> Floats:
    """float [hits]: precision of each list up to and with each of its hits."""
    counts = ranked.hit_counts
    precision: Floats = (
        _count_within_lists(np.ones(int(counts.sum()), dtype=np.int64), counts, counts) / ranked.hit_position
    )
    return precision


def _count_within_lists(steps: Integers, lengths: Integers, totals: Integers) -> Integers:
    """int [rows]: the sum of the steps, which are overwritten, from the start of each list to each row.

    lengths, totals: int [articles], the rows and the sum of the steps of each list.
    """
    filled = lengths > 0
    starts = np.cumsum(lengths[filled])[:-1]
    steps[starts] -= totals[filled][:-1]
    return np.cumsum(steps, out=steps)


def _sum_per_gold_item(values: Floats, article: Integers, ranked: RankedHits, undefined: float) -> Floats:
    """float [articles]: the sum of the values of each article's hits over its number of gold items."""
    return divide_arrays(np.bincount(article, weights=values, minlength=ranked.articles), ranked.gold, undefined)


def highest_value_from_here_per_article(hit_values: Floats, sorted_article_by_hit: Integers) -> Floats:
    """float [hits]: the highest value of the same article at this hit or a later one; sorted_article_by_hit never
    falls.

    The values are replaced by their position in sorted order, so that one running maximum serves all articles exactly.
    """
    levels, level = np.unique(hit_values, return_inverse=True)
    shift = -sorted_article_by_hit * len(levels)
    return levels[np.maximum.accumulate((level + shift)[::-1])[::-1] - shift]


def fap_score(f: float, ap: float, beta: float = 1.0, undefined: float = 0.0) -> float:
    """FAP_b = (1 + b^2) F AP / (b^2 F + AP), the harmonic mean of F and AP for b = 1; `undefined` when both are 0."""
    return f_score(f, ap, beta, undefined)


def divide_arrays(
    part: npt.NDArray[np.generic] | np.generic, whole: npt.NDArray[np.generic] | np.generic, undefined: float = 0.0
) -> Floats:
    """part / whole element by element, `undefined` where whole is 0."""
    shape = np.broadcast_shapes(part.shape, whole.shape)
    quotients = np.full(shape, undefined)
    np.divide(part, whole, out=quotients, where=np.broadcast_to(whole != 0, shape))
    return quotients


def mean_or_zero(values: Floats) -> float:
    """The mean, and 0 of no values."""
    return float(values.mean()) if len(values) else 0.0


def population_deviation(values: Floats) -> float:
    """The standard deviation of the whole population (divided by the number of values), and 0 of no values."""
    return float(values.std()) if len(values) else 0.0

"""Figures of ranked lists that a task or `score --further` can choose besides the usual ones.

Means are over the articles with gold items. Lists are ordered by score for ROC_n of pooled lists and TAP-k: by the
confidences if these never rise within a list, otherwise by the positions in the lists.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.measures.columns import Booleans, Floats, Integers
from evaluation.measures.curves.roc import check_hit_total
from evaluation.measures.lists.early_precision import (
    break_even_precision,
    precision_at_rank,
    reciprocal_ranks,
    total_reciprocal_ranks,
)
from evaluation.measures.lists.ranking import (
    RankedHits,
    compute_f_ap_and_auc_ipr_per_article,
    divide_arrays,
    mean_or_zero,
    precision_at_each_row,
    select_articles_with_gold_items,
)
from evaluation.measures.tap import WEIGHT_TOLERANCE

# The ranks and numbers of errors of the figures on leaderboards.
PRECISION_RANK, ROC_ERRORS, TAP_ERRORS = 5, 10, 5


def average_precision_per_article(ranked: RankedHits) -> Floats:
    """float [articles]: each list's own average precision, trec_eval's `map` of that list; their mean is MAP."""
    return compute_f_ap_and_auc_ipr_per_article(ranked).ap


def roc_n_per_article(ranked: RankedHits, n: int) -> Floats:
    """float [articles]: ROC_n of each list, short lists padded with wrong items; 0 for an article without gold items.

    ValueError when a list has more hits than its article has gold items.
    """
    check_hit_total(ranked.hit_counts, ranked.gold)
    hits_so_far = np.rint(precision_at_each_row(ranked) * ranked.position)
    is_counted = ~ranked.hits & (ranked.position - hits_so_far <= n)
    article = ranked.article[is_counted]
    ahead = np.bincount(article, weights=hits_so_far[is_counted], minlength=ranked.articles)
    errors = np.bincount(article, minlength=ranked.articles)
    return divide_arrays(ahead + (n - errors) * ranked.hit_counts, n * ranked.gold)


def tap_k_per_list(ranked: RankedHits, k: int) -> Floats:
    """float [articles]: TAP of each list cut at its own k-th error, or at its end."""
    hits_so_far = np.rint(precision_at_each_row(ranked) * ranked.position)
    errors = ranked.position - hits_so_far
    is_retrieved = (errors < k) | ((errors == k) & ~ranked.hits)
    return _compute_taps(ranked, is_retrieved, is_list_endless=False)


def _compute_taps(ranked: RankedHits, is_retrieved: Booleans, *, is_list_endless: bool) -> Floats:
    """float [articles]: TAP of the retrieved heads of all lists, as tap.threshold_average_precision."""
    counted = is_retrieved & ranked.hits
    sums = np.bincount(
        ranked.article[counted], weights=precision_at_each_row(ranked)[counted], minlength=ranked.articles
    )
    retrieved = np.bincount(ranked.article[is_retrieved], minlength=ranked.articles)
    last_precisions = np.zeros(ranked.articles)
    if not is_list_endless:
        last_precisions = divide_arrays(np.bincount(ranked.article[counted], minlength=ranked.articles), retrieved)
    return np.where(ranked.gold > 0, (sums + last_precisions) / (ranked.gold + 1), 1.0 / (retrieved + 1))


@dataclass(frozen=True)
class ScoredLists:
    """The lists of a run with the scores that order all of them together.

    ranked: of articles with gold items only; strictness: float [rows], smaller is better, never falls within a list.
    """

    ranked: RankedHits
    strictness: Floats

    @cached_property
    def pooled_order(self) -> Integers:
        """int [rows]: the rows of all lists merged by score; equal scores stay in the order of the lists."""
        return np.argsort(self.strictness, kind="stable")

    def pooled_roc_n(self, n: int, weights: Floats) -> float:
        """ROC_n of all lists merged by score; weights: float [articles], how often each list is there."""
        total = float(weights @ self.ranked.gold)
        if not total:
            return 0.0
        rows = self.pooled_order
        copies, hits = weights[self.ranked.article[rows]], self.ranked.hits[rows]
        hits_ahead, errors = np.cumsum(copies * hits), np.cumsum(copies * ~hits)
        counted = np.where(hits, 0.0, np.clip(n - (errors - copies), 0.0, copies))
        found, wrong = (float(sums[-1]) if len(sums) else 0.0 for sums in (hits_ahead, errors))
        return float(counted @ hits_ahead + (n - min(wrong, n)) * found) / (n * total)

    def tap_k(self, k: int, weights: Floats) -> float:
        """TAP-k with one threshold for all lists, or of whole lists as padded with errors if there is none.

        weights: float [articles], how often each list is there.
        """
        total = weights.sum()
        threshold = self._find_threshold(self._list_kth_error_scores(k), weights)
        return float(weights @ self._get_or_compute_taps(threshold) / total) if total else 0.0

    def _find_threshold(self, kth_error_scores: Floats, weights: Floats) -> float | None:
        """E_k: the strictest score at which lists of half of the total weight have k errors; None if there is none."""
        order = np.argsort(kth_error_scores, kind="stable")
        reached = np.cumsum(weights[order])
        first = int(np.searchsorted(reached, 0.5 * weights.sum() * (1.0 - WEIGHT_TOLERANCE)))
        value = float(kth_error_scores[order[first]]) if first < len(order) else np.inf
        return None if np.isinf(value) else value

    def _list_kth_error_scores(self, k: int) -> Floats:
        """float [articles]: the score of each list's k-th error, infinity in a list with fewer."""
        if k not in self._kth_error_scores:
            errors = self.ranked.position - np.rint(precision_at_each_row(self.ranked) * self.ranked.position)
            is_kth = ~self.ranked.hits & (errors == k)
            scores = np.full(self.ranked.articles, np.inf)
            scores[self.ranked.article[is_kth]] = self.strictness[is_kth]
            self._kth_error_scores[k] = scores
        return self._kth_error_scores[k]

    @cached_property
    def _kth_error_scores(self) -> dict[int, Floats]:
        return {}

    @cached_property
    def _taps_by_threshold(self) -> dict[float | None, Floats]:
        return {}

    def _get_or_compute_taps(self, threshold: float | None) -> Floats:
        if threshold not in self._taps_by_threshold:
            is_retrieved = self.strictness <= (np.inf if threshold is None else threshold)
            self._taps_by_threshold[threshold] = _compute_taps(
                self.ranked, is_retrieved, is_list_endless=threshold is None
            )
        return self._taps_by_threshold[threshold]


def build_scored_lists(ranked: RankedHits, confidence: Floats | None) -> ScoredLists:
    """The lists with gold items and their scores; confidence: float [rows] of `ranked`, None without confidences."""
    kept_rows = (ranked.gold > 0)[ranked.article]
    judged = select_articles_with_gold_items(ranked)
    strictness = judged.position.astype(np.float64)
    if confidence is not None:
        kept = -confidence[kept_rows]
        is_same_list = np.diff(judged.article) == 0
        if not (is_same_list & (np.diff(kept) < 0)).any():
            strictness = kept
    return ScoredLists(judged, strictness)


ArticleValues = Callable[[RankedHits], Floats]
# Each article's own values; the figure is their mean over the articles with gold items.
ARTICLE_MEANS: Mapping[str, ArticleValues] = {
    "precision_at": lambda ranked: precision_at_rank(ranked, PRECISION_RANK),
    "break_even": break_even_precision,
    "mrr": reciprocal_ranks,
    "trr": total_reciprocal_ranks,
    "map": average_precision_per_article,
    "roc_n": lambda ranked: roc_n_per_article(ranked, ROC_ERRORS),
    "tap_k_per_list": lambda ranked: tap_k_per_list(ranked, TAP_ERRORS),
}
POOLED_FIGURES: Mapping[str, Callable[[ScoredLists, Floats], float]] = {
    "pooled_roc_n": lambda lists, weights: lists.pooled_roc_n(ROC_ERRORS, weights),
    "tap_k": lambda lists, weights: lists.tap_k(TAP_ERRORS, weights),
}
FURTHER_LIST_FIGURES = (
    *("precision_at", "break_even", "mrr", "trr", "map"),
    *("roc_n", "pooled_roc_n", "tap_k", "tap_k_per_list"),
)


def compute_further_list_figures(lists: ScoredLists, names: Sequence[str]) -> dict[str, float]:
    """{name: value} of these FURTHER_LIST_FIGURES."""
    ones = np.ones(lists.ranked.articles)
    return {
        name: mean_or_zero(ARTICLE_MEANS[name](lists.ranked))
        if name in ARTICLE_MEANS
        else POOLED_FIGURES[name](lists, ones)
        for name in names
    }


def compute_further_list_figures_per_sample(
    lists: ScoredLists, names: Sequence[str], copies_by_sample: Floats
) -> dict[str, Floats]:
    """{name: float [samples]}; copies_by_sample: float [samples, articles with gold items], how often each is drawn."""
    totals = copies_by_sample.sum(axis=1)
    return {
        name: divide_arrays(copies_by_sample @ ARTICLE_MEANS[name](lists.ranked), totals)
        if name in ARTICLE_MEANS
        else np.array([POOLED_FIGURES[name](lists, copies) for copies in copies_by_sample])
        for name in names
    }

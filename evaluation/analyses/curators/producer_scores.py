"""Precision, recall and F1 of authors, curators and systems against one reference, with bootstrap intervals.

Figures 4.14 and 4.15 of Leitner (2011) compare them so. Only the articles that a producer has annotated count
(document-centric), as nobody curates all of them. Hits and errors are added up over articles (micro-average), or each
article has figures of its own, of which the means are taken (macro-average). Articles are resampled for the intervals,
each with everything that was annotated in it.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.analyses.significance.confidence_intervals import (
    ConfidenceInterval,
    iter_bootstrap_weight_batches,
    percentile_interval,
)
from evaluation.analyses.significance.count_tests import bootstrap_count_intervals
from evaluation.analyses.tables.count_tables import build_count_table, compute_count_figures
from evaluation.measures.columns import Floats
from evaluation.measures.confusion_counts import ConfusionCounts, divide_or_undefined, precision, recall

FIGURES = ("micro.precision", "micro.recall", "micro.f1")
Items = frozenset[Hashable]


@dataclass(frozen=True, slots=True)
class ArticleMeans:
    """Means over the articles with items in the reference, as on leaderboards. articles: how many. Figures are None
    without one, 0/0 is 0 in an article; intervals are None for less than two.
    """

    articles: int = 0
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    precision_interval: ConfidenceInterval | None = None
    recall_interval: ConfidenceInterval | None = None
    f1_interval: ConfidenceInterval | None = None


@dataclass(frozen=True, slots=True)
class ReferenceScore:
    """The score of a producer, or of several together. Figures are None without an article, 0/0 is 0; intervals are
    None for less than two articles.

    articles: how many different ones. counts: added up over answers, of which an article may have several. The figures
    are of these counts (micro-average); macro: the means of articles.
    """

    articles: int
    counts: ConfusionCounts
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    precision_interval: ConfidenceInterval | None = None
    recall_interval: ConfidenceInterval | None = None
    f1_interval: ConfidenceInterval | None = None
    macro: ArticleMeans = ArticleMeans()


def count_items(answer: Items, reference: Items) -> ConfusionCounts:
    """The counts of one answer to one article."""
    hits = len(answer & reference)
    return ConfusionCounts(hits, len(answer) - hits, len(reference) - hits)


def score_answers(
    answers: Iterable[tuple[int, Items]], reference: Mapping[int, Items], samples: int, rng: np.random.Generator
) -> ReferenceScore:
    """Score answers, (article, items), by the reference, {article: items}; those to other articles do not count."""
    by_article: dict[int, ConfusionCounts] = {}
    for article, items in answers:
        if article in reference:
            known = by_article.get(article, ConfusionCounts())
            by_article[article] = known + count_items(items, reference[article])
    if not by_article:
        return ReferenceScore(0, ConfusionCounts())
    counts = [by_article[article] for article in sorted(by_article)]
    return _build_score(counts, samples, rng)


def _build_score(counts: Sequence[ConfusionCounts], samples: int, rng: np.random.Generator) -> ReferenceScore:
    rows = np.array([[each.tp, each.tp + each.fp, each.tp + each.fn] for each in counts], dtype=np.float64)
    items = rows.reshape(-1, 1, 3)
    # All items are in one group, so there are no others.
    table = build_count_table(np.concatenate([items, np.zeros_like(items)], axis=1))
    values = compute_count_figures(table, FIGURES)
    several = len(counts) > 1
    intervals = bootstrap_count_intervals(table, samples, rng, figures=FIGURES) if several else {}
    return ReferenceScore(
        len(counts),
        sum(counts, ConfusionCounts()),
        values["micro.precision"],
        values["micro.recall"],
        values["micro.f1"],
        intervals.get("micro.precision"),
        intervals.get("micro.recall"),
        intervals.get("micro.f1"),
        _average_articles(counts, samples, rng),
    )


def _average_articles(counts: Sequence[ConfusionCounts], samples: int, rng: np.random.Generator) -> ArticleMeans:
    """counts: of each article, over everything that was annotated in it."""
    own = [_list_figures(each) for each in counts if each.tp + each.fn]
    if not own:
        return ArticleMeans()
    figures = np.array(own)
    mean_precision, mean_recall, mean_f1 = (float(mean) for mean in figures.mean(axis=0))
    intervals = _sample_intervals_of_means(figures, samples, rng) if len(own) > 1 else [None] * len(FIGURES)
    return ArticleMeans(len(own), mean_precision, mean_recall, mean_f1, *intervals)


def _list_figures(counts: ConfusionCounts) -> list[float]:
    f1 = divide_or_undefined(2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn)
    return [precision(counts), recall(counts), f1]


def _sample_intervals_of_means(
    figures: Floats, samples: int, rng: np.random.Generator
) -> Sequence[ConfidenceInterval | None]:
    """figures: [articles, figures]."""
    weights = iter_bootstrap_weight_batches(len(figures), samples, rng)
    sampled = np.concatenate([rows @ figures / len(figures) for rows in weights])
    return [percentile_interval(column) for column in sampled.T]

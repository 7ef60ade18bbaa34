"""Precision, recall and F1 of authors, curators and systems against one reference, with bootstrap intervals.

Figures 4.14 and 4.15 of Leitner (2011) compare them so. Only the articles that a producer has annotated count
(document-centric), as nobody curates all of them; hits and errors are added up over articles (micro-average). Articles
are resampled for the intervals, each with everything that was annotated in it.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.analyses.significance.confidence_intervals import ConfidenceInterval
from evaluation.analyses.significance.count_tests import bootstrap_count_intervals
from evaluation.analyses.tables.count_tables import build_count_table, compute_count_figures
from evaluation.measures.confusion_counts import ConfusionCounts

FIGURES = ("micro.precision", "micro.recall", "micro.f1")
Items = frozenset[Hashable]


@dataclass(frozen=True, slots=True)
class ReferenceScore:
    """The score of a producer, or of several together. Figures are None without an article, 0/0 is 0; intervals are
    None for less than two articles.

    articles: how many different ones. counts: added up over answers, of which an article may have several.
    """

    articles: int
    counts: ConfusionCounts
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    precision_interval: ConfidenceInterval | None = None
    recall_interval: ConfidenceInterval | None = None
    f1_interval: ConfidenceInterval | None = None


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
    )

"""Confidence intervals and paired tests of the figures of evidence passages, by resampling or swapping articles."""

from collections.abc import Sequence

import numpy as np

from evaluation.analyses.significance.confidence_intervals import (
    ConfidenceInterval,
    intervals_by_figure,
    iter_bootstrap_weights,
    require_equal_article_counts,
)
from evaluation.analyses.significance.randomization import (
    PairedTests,
    build_paired_tests,
    check_same_articles,
    swap_run_differences,
)
from evaluation.measures.columns import Floats
from evaluation.measures.lists.ranking import divide_arrays
from evaluation.measures.passages import PASSAGE_COUNT_COLUMNS

# The figures that are defined for every run in any sample of articles.
PASSAGE_FIGURES = ("submitted", "relevant", "relevant_share", "pairs", "mrr", "unjudged")


def compute_passage_figure(name: str, sums: Floats) -> Floats:
    """One of PASSAGE_FIGURES, float [samples], from sums [samples, PASSAGE_COUNT_COLUMNS]; 0/0 is 0."""
    column: dict[str, Floats] = dict(zip(PASSAGE_COUNT_COLUMNS, sums.T, strict=True))
    match name:
        case "relevant_share":
            return divide_arrays(column["relevant"], column["submitted"])
        case "mrr":
            return divide_arrays(column["reciprocal"], column["pairs"])
    return column[name]


def passage_confidence_intervals(
    table: Floats, samples: int, rng: np.random.Generator, level: float = 0.95
) -> dict[str, ConfidenceInterval]:
    """{figure: interval that holds `level` of its samples} of one run.

    table: float [judged articles, PASSAGE_COUNT_COLUMNS]. ValueError without an article.
    """
    require_equal_article_counts([len(table)])
    sums = np.concatenate([rows @ table for rows in iter_bootstrap_weights(len(table), samples, rng)])
    return intervals_by_figure(
        PASSAGE_FIGURES, np.stack([compute_passage_figure(name, sums) for name in PASSAGE_FIGURES]), level
    )


def run_paired_passage_tests(
    tables: Sequence[Floats], figure: str, samples: int, rng: np.random.Generator, *, level: float = 0.05
) -> PairedTests:
    """Tests of all pairs of runs on one of PASSAGE_FIGURES, by swapping their counts of an article.

    ValueError for another figure, fewer than two runs, or runs over different articles.
    """
    check_same_articles([table[:, PASSAGE_COUNT_COLUMNS.index("pairs")] for table in tables])
    if figure not in PASSAGE_FIGURES:
        raise ValueError(f"There is no paired test of {figure}; choose one of {', '.join(PASSAGE_FIGURES)}.")

    def statistic(sums: Floats) -> Floats:
        return compute_passage_figure(figure, sums)

    return build_paired_tests(tables, statistic, swap_run_differences(tables, statistic, samples, rng), level)

"""Confidence intervals and paired tests of the figures of evidence passages, by resampling or swapping articles."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from evaluation.analyses.significance.confidence_intervals import (
    ConfidenceInterval,
    get_common_nonzero_article_count,
    intervals_by_figure,
    iter_bootstrap_weight_batches,
)
from evaluation.analyses.significance.randomization import (
    PairedTests,
    check_figure_has_paired_test,
    check_several_runs_over_same_articles,
    run_paired_swap_tests,
)
from evaluation.measures.columns import Floats
from evaluation.measures.lists.ranking import divide_arrays
from evaluation.measures.passages import PASSAGE_COUNT_COLUMNS

# The figures that are defined for every run in any sample of articles.
PASSAGE_FIGURES = ("submitted", "relevant", "relevant_share", "pairs", "mrr", "unjudged")


def compute_passage_figure_per_sample(figure_name: str, passage_count_sums: Floats) -> Floats:
    """One of PASSAGE_FIGURES, float [samples], from passage_count_sums [samples, PASSAGE_COUNT_COLUMNS]; 0/0 is 0."""
    column: dict[str, Floats] = dict(zip(PASSAGE_COUNT_COLUMNS, passage_count_sums.T, strict=True))
    match figure_name:
        case "relevant_share":
            return divide_arrays(column["relevant"], column["submitted"])
        case "mrr":
            return divide_arrays(column["reciprocal"], column["pairs"])
    return column[figure_name]


def bootstrap_passage_intervals(
    passage_counts_by_article: Floats, samples: int, rng: np.random.Generator, level: float = 0.95
) -> dict[str, ConfidenceInterval]:
    """{figure: interval that holds `level` of its samples} of one run.

    passage_counts_by_article: float [judged articles, PASSAGE_COUNT_COLUMNS]. ValueError without an article.
    """
    get_common_nonzero_article_count([len(passage_counts_by_article)])
    sums = np.concatenate(
        [
            rows @ passage_counts_by_article
            for rows in iter_bootstrap_weight_batches(len(passage_counts_by_article), samples, rng)
        ]
    )
    return intervals_by_figure(
        PASSAGE_FIGURES, np.stack([compute_passage_figure_per_sample(name, sums) for name in PASSAGE_FIGURES]), level
    )


def run_paired_passage_tests(
    passage_count_tables: Sequence[Floats], figure: str, samples: int, rng: np.random.Generator, *, level: float = 0.05
) -> PairedTests:
    """Tests of all pairs of runs on one of PASSAGE_FIGURES, by swapping their counts of an article.

    ValueError for another figure, fewer than two runs, or runs over different articles.
    """
    check_several_runs_over_same_articles(
        [table[:, PASSAGE_COUNT_COLUMNS.index("pairs")] for table in passage_count_tables]
    )
    check_figure_has_paired_test(figure, PASSAGE_FIGURES)
    return run_paired_swap_tests(
        passage_count_tables, partial(compute_passage_figure_per_sample, figure), samples, rng, level=level
    )

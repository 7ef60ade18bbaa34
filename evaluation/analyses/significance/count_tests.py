"""Confidence intervals and paired tests of the figures of count tables, by resampling or swapping articles."""

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
from evaluation.analyses.tables.count_tables import LABEL_FIGURES, CountTable, compute_count_figure_per_sample


def bootstrap_count_intervals(
    table: CountTable,
    samples: int,
    rng: np.random.Generator,
    level: float = 0.95,
    figures: Sequence[str] = LABEL_FIGURES,
) -> dict[str, ConfidenceInterval]:
    """{figure: interval that holds `level` of its samples} of one run. ValueError without an article."""
    articles = get_common_nonzero_article_count([len(table.values)])
    sums = np.concatenate([rows @ table.values for rows in iter_bootstrap_weight_batches(articles, samples, rng)])
    return intervals_by_figure(
        figures, np.stack([compute_count_figure_per_sample(name, sums) for name in figures]), level
    )


def run_paired_count_tests(
    tables: Sequence[CountTable], figure: str, samples: int, rng: np.random.Generator, *, level: float = 0.05
) -> PairedTests:
    """Tests of all pairs of runs on one of LABEL_FIGURES, by swapping their counts of an article.

    ValueError for another figure, fewer than two runs, or runs over different articles.
    """
    check_several_runs_over_same_articles([table.gold for table in tables])
    check_figure_has_paired_test(figure, LABEL_FIGURES)
    return run_paired_swap_tests(
        [table.values for table in tables], partial(compute_count_figure_per_sample, figure), samples, rng, level=level
    )

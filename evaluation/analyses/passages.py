"""Intervals and paired tests of the figures of evidence passages: articles are drawn anew, or swapped between runs."""

from collections.abc import Sequence

import numpy as np

from evaluation.analyses.randomization import PairedTests, check_runs, swapped, tested
from evaluation.analyses.resampling import Interval, draws, intervals, same_articles
from evaluation.measures.columns import Floats
from evaluation.measures.passages import COUNTED
from evaluation.measures.ranking import divide

# Those that every run has a value of in any sample of articles.
PASSAGE_FIGURES = ("submitted", "relevant", "relevant_share", "pairs", "mrr", "unjudged")


def passage_figure(name: str, sums: Floats) -> Floats:
    """The figure of PASSAGE_FIGURES of that name, float [samples], from sums [samples, COUNTED]; 0/0 is 0."""
    column = dict(zip(COUNTED, sums.T, strict=True))
    match name:
        case "relevant_share":
            return divide(column["relevant"], column["submitted"])
        case "mrr":
            return divide(column["reciprocal"], column["pairs"])
    return column[name]


def passage_intervals(
    table: Floats, samples: int, rng: np.random.Generator, level: float = 0.95
) -> dict[str, Interval]:
    """{figure: interval that holds `level` of its samples} of one run; table: passage_counts of it.

    ValueError when there is no article.
    """
    same_articles([len(table)])
    sums = np.concatenate([rows @ table for rows in draws(len(table), samples, rng)])
    return intervals(PASSAGE_FIGURES, np.stack([passage_figure(name, sums) for name in PASSAGE_FIGURES]), level)


def passage_tests(
    tables: Sequence[Floats], figure: str, samples: int, rng: np.random.Generator, *, level: float = 0.05
) -> PairedTests:
    """Tests of every two runs on a figure of PASSAGE_FIGURES, by swapping what each counts of an article.

    ValueError for another figure, fewer than two runs, or runs over different articles.
    """
    check_runs([table[:, COUNTED.index("pairs")] for table in tables])
    if figure not in PASSAGE_FIGURES:
        raise ValueError(f"There is no paired test of {figure}; choose one of {', '.join(PASSAGE_FIGURES)}.")

    def statistic(sums: Floats) -> Floats:
        return passage_figure(figure, sums)

    return tested(tables, statistic, swapped(tables, statistic, samples, rng), level)

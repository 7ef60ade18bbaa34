"""What each article adds to figures that are made of points, predictions and gold items, for resampling and tests.

They are those of labels, and of mentions that may be half correct.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.measures.columns import Floats
from evaluation.measures.items.labels import CREDIT_COLUMNS, LabelCounts
from evaluation.measures.lists.ranking import divide_arrays
from evaluation.measures.mentions.schemes import SchemeCounts

MICRO_COUNT_FIGURES = ("micro.tp", "micro.fp", "micro.fn", "micro.precision", "micro.recall", "micro.f1")
MACRO_COUNT_FIGURES = ("macro.precision", "macro.recall", "macro.f1")
INSTANCE_F1 = "instance_f1"
LABEL_FIGURES = (*MICRO_COUNT_FIGURES, *MACRO_COUNT_FIGURES, INSTANCE_F1)
# The columns in front of the counts: 1 for each article, and its own F1.
ARTICLE_COLUMNS = 2


@dataclass(frozen=True, slots=True)
class CountTable:
    """values: float [articles, ARTICLE_COLUMNS + 3 for each group and 3 for all others]; groups: their number.

    The last three columns count in micro figures and in the F1 of articles, but not in macro figures.
    """

    values: Floats
    groups: int

    @property
    def gold(self) -> Floats:
        """float [articles, groups + 1]: number of gold items."""
        return self.values[:, ARTICLE_COLUMNS + CREDIT_COLUMNS.index("gold") :: len(CREDIT_COLUMNS)]


def build_count_table(counts: Floats) -> CountTable:
    """The table of counts [articles, groups + 1, CREDIT_COLUMNS]."""
    credit, predicted, gold = counts.sum(axis=1).T
    article_f1 = divide_arrays(2 * credit, predicted + gold)
    head = np.column_stack([np.ones(len(counts)), article_f1])
    cells = counts.reshape(len(counts), counts.shape[1] * counts.shape[2])
    return CountTable(np.concatenate([head, cells], axis=1), counts.shape[1] - 1)


def build_label_table(labels: LabelCounts) -> CountTable:
    """The table of labels, a group for each value."""
    return build_count_table(labels.counts)


def build_scheme_table(counts_by_article: Mapping[str, SchemeCounts]) -> CountTable:
    """The table of mentions, all in one group."""
    rows = [[each.credit, each.predicted, each.gold] for each in counts_by_article.values()]
    counts = np.array(rows, dtype=np.float64).reshape(-1, 1, len(CREDIT_COLUMNS))
    return build_count_table(np.concatenate([counts, np.zeros_like(counts)], axis=1))


def compute_count_figure_per_sample(figure: str, sums: Floats) -> Floats:
    """One of LABEL_FIGURES, float [samples], from sums [samples, columns] of a table's rows; 0/0 is 0.

    Macro figures are means over groups, INSTANCE_F1 is the mean over articles.
    """
    if figure == INSTANCE_F1:
        return divide_arrays(sums[:, 1], sums[:, 0])
    counts = sums[:, ARTICLE_COLUMNS:].reshape(len(sums), -1, len(CREDIT_COLUMNS))
    average, _, name = figure.partition(".")
    if average == "micro":
        return _compute_figure_of_counts(name, counts.sum(axis=1))
    groups = counts[:, :-1]
    if not groups.shape[1]:
        return np.zeros(len(sums))
    means: Floats = _compute_figure_of_counts(name, groups).mean(axis=1)
    return means


def _compute_figure_of_counts(name: str, counts: Floats) -> Floats:
    """float [...]: a figure from counts [..., CREDIT_COLUMNS]."""
    credit, predicted, gold = counts[..., 0], counts[..., 1], counts[..., 2]
    match name:
        case "tp":
            return credit
        case "fp":
            return predicted - credit
        case "fn":
            return gold - credit
        case "precision":
            return divide_arrays(credit, predicted)
        case "recall":
            return divide_arrays(credit, gold)
        case "f1":
            return divide_arrays(2 * credit, predicted + gold)
    raise KeyError(name)


def compute_count_figures(table: CountTable, figures: Sequence[str] = LABEL_FIGURES) -> dict[str, float]:
    """{figure: value} of a run."""
    sums = table.values.sum(axis=0)[None]
    return {figure: float(compute_count_figure_per_sample(figure, sums)[0]) for figure in figures}

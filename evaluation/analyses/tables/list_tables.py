"""What each article adds to the figures of a run of ranked lists, as one table of numbers to be summed.

Every micro and macro figure of measures/lists/ranking.py is a function of sums over articles: counts, means, and
precision and recall at each rank. A resampled set of articles is a row of weights; its figures follow from weights @
table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.measures.columns import Floats, Integers
from evaluation.measures.lists.ranking import (
    ArticleFigures,
    RankedHits,
    compute_f_ap_and_auc_ipr_per_article,
    divide_arrays,
    precision_at_each_row,
)

ARTICLE_FIGURES = ("precision", "recall", "f1", "auc_ipr")
# judged: whether the article has gold items and so enters the means; squares are those of distances from the mean.
SCALAR_COLUMNS = (
    "judged",
    "found",
    "listed",
    "gold",
    *ARTICLE_FIGURES,
    *(f"{name}_square" for name in ARTICLE_FIGURES),
)
MICRO_FIGURES = ("tp", "fp", "fn", "precision", "recall", "f1", "ap", "fap", "auc_ipr")
MACRO_FIGURES = (
    *("documents", "precision", "precision_sd", "recall", "recall_sd", "f1", "f1_sd"),
    *("ap", "fap", "auc_ipr", "auc_ipr_sd"),
)
RANKED_LIST_FIGURES = (*(f"micro.{name}" for name in MICRO_FIGURES), *(f"macro.{name}" for name in MACRO_FIGURES))
# The figures that are computed from sums at each rank; the others are computed from SCALAR_COLUMNS.
RANK_FIGURES = ("micro.ap", "micro.fap", "micro.auc_ipr", "macro.ap", "macro.fap")


@dataclass(frozen=True, slots=True)
class TableLayout:
    """The columns of a table.

    They are SCALAR_COLUMNS; for each of `ranks` the frozen precision, the gain in recall and the hit; and for each of
    `lengths` whether the list is that long. Ranks without a hit add nothing to an area and have no columns.
    """

    ranks: Integers
    lengths: Integers

    @property
    def columns(self) -> int:
        return len(SCALAR_COLUMNS) + 3 * len(self.ranks) + len(self.lengths)

    def rank_columns(self, block: int) -> slice:
        """The columns of precision (0), gain (1) or hits (2)."""
        start = len(SCALAR_COLUMNS) + block * len(self.ranks)
        return slice(start, start + len(self.ranks))

    @property
    def length_columns(self) -> slice:
        return slice(self.columns - len(self.lengths), self.columns)


@dataclass(frozen=True, slots=True)
class ListTable:
    """values: float [articles, layout.columns]; centres: float [4], means of ARTICLE_FIGURES over judged articles."""

    values: Floats
    layout: TableLayout
    centres: Floats
    beta: float = 1.0


def build_layout_of_hit_ranks_and_lengths(runs: Sequence[RankedHits]) -> TableLayout:
    """The columns that these runs need for all figures."""
    ranks = [np.unique(run.hit_position) for run in runs]
    lengths = [np.unique(run.lengths) for run in runs]
    return TableLayout(np.unique(np.concatenate(ranks)), np.unique(np.concatenate(lengths)))


# The columns for figures of whole lists only.
SCALAR_LAYOUT = TableLayout(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def build_list_table_of_article_summands(
    ranked: RankedHits, layout: TableLayout | None = None, beta: float = 1.0
) -> ListTable:
    """The table of one run, 0/0 as 0. Columns: three for each rank with a hit, and one for each distinct length."""
    layout = layout or build_layout_of_hit_ranks_and_lengths([ranked])
    values = np.zeros((ranked.articles, layout.columns))
    centres = _fill_scalar_columns(values, ranked, compute_f_ap_and_auc_ipr_per_article(ranked, beta))
    if len(layout.ranks):
        _fill_rank_columns(values, ranked, layout)
    return ListTable(values, layout, centres, beta)


def _fill_scalar_columns(values: Floats, ranked: RankedHits, article_figures: ArticleFigures) -> Floats:
    """Write SCALAR_COLUMNS into values and return the means of ARTICLE_FIGURES over judged articles."""
    is_judged = ranked.gold > 0
    values[:, :4] = np.column_stack([is_judged, ranked.hit_counts, ranked.lengths, ranked.gold])
    figures = np.column_stack([getattr(article_figures, name) for name in ARTICLE_FIGURES])
    centres = figures[is_judged].mean(axis=0) if is_judged.any() else np.zeros(len(ARTICLE_FIGURES))
    values[:, 4:8] = figures * is_judged[:, None]
    values[:, 8:12] = (figures - centres) ** 2 * is_judged[:, None]
    return centres


def _fill_rank_columns(values: Floats, ranked: RankedHits, layout: TableLayout) -> None:
    """Write the columns of ranks and lengths into values."""
    values[:, layout.rank_columns(0)] = _frozen_precision(ranked, layout.ranks) * (ranked.gold > 0)[:, None]
    row, column = ranked.hit_article, np.searchsorted(layout.ranks, ranked.hit_position)
    values[:, layout.rank_columns(1)][row, column] = 1.0 / ranked.gold[row]
    values[:, layout.rank_columns(2)][row, column] = 1.0
    values[:, layout.length_columns] = ranked.lengths[:, None] == layout.lengths


def _frozen_precision(ranked: RankedHits, ranks: Integers) -> Floats:
    """float [articles, ranks]: precision of each list at each rank; a list that has ended keeps its last value."""
    ends = np.cumsum(ranked.lengths)
    precisions = np.append(precision_at_each_row(ranked), 0.0)
    rows = (ends - ranked.lengths)[:, None] + np.minimum(ranked.lengths[:, None], ranks) - 1
    return np.where(ranked.lengths[:, None] > 0, precisions[rows], 0.0)


@dataclass(frozen=True)
class ListSums:
    """Sums of a table's rows, one row for each sample, and the figures of each sample: float [samples] each.

    values: float [samples, layout.columns]. Attributes have the names of RANKED_LIST_FIGURES: `micro_f1` for
    `micro.f1`.
    """

    values: Floats
    layout: TableLayout
    centres: Floats
    beta: float = 1.0

    def get_figure(self, name: str) -> Floats:
        """One of RANKED_LIST_FIGURES by name, float [samples]. KeyError when there is none."""
        if name not in RANKED_LIST_FIGURES:
            raise KeyError(name)
        figure: Floats = getattr(self, name.replace(".", "_"))
        return figure

    def sums(self, name: str) -> Floats:
        return self.values[:, SCALAR_COLUMNS.index(name)]

    def mean(self, name: str) -> Floats:
        return divide_arrays(self.sums(name), self.macro_documents)

    def deviation(self, name: str) -> Floats:
        """The standard deviation of the population: the mean square minus the squared mean, both around a centre."""
        offset = self.mean(name) - self.centres[ARTICLE_FIGURES.index(name)]
        deviation: Floats = np.sqrt(np.maximum(self.mean(f"{name}_square") - offset * offset, 0.0))
        return deviation

    @property
    def micro_tp(self) -> Floats:
        return self.sums("found")

    @property
    def micro_fp(self) -> Floats:
        return self.sums("listed") - self.sums("found")

    @property
    def micro_fn(self) -> Floats:
        return self.sums("gold") - self.sums("found")

    @property
    def micro_precision(self) -> Floats:
        return divide_arrays(self.sums("found"), self.sums("listed"))

    @property
    def micro_recall(self) -> Floats:
        return divide_arrays(self.sums("found"), self.sums("gold"))

    @property
    def micro_f1(self) -> Floats:
        return f_score_arrays(self.micro_precision, self.micro_recall, self.beta)

    @cached_property
    def micro_points(self) -> Floats:
        """float [samples, ranks]: precision over all articles; 0 when no list of the sample has an item."""
        hits = np.cumsum(self.values[:, self.layout.rank_columns(2)], axis=1)
        listed = self.listed_at_ranks()
        return np.divide(hits, np.maximum(listed, 1.0, out=listed), out=hits)

    def listed_at_ranks(self) -> Floats:
        """float [samples, ranks]: number of items of all lists up to each rank."""
        length_counts, ranks = self.values[:, self.layout.length_columns], self.layout.ranks
        ended = np.searchsorted(self.layout.lengths, ranks)
        list_counts, item_counts = (
            np.concatenate([np.zeros((len(counts), 1)), np.cumsum(counts, axis=1)], axis=1)
            for counts in (length_counts, length_counts * self.layout.lengths)
        )
        listed: Floats = item_counts[:, ended] + (list_counts[:, -1:] - list_counts[:, ended]) * ranks
        return listed

    def area(self, precision: Floats) -> Floats:
        """The sum of the precision of each point times its step of recall over all articles."""
        hits = self.values[:, self.layout.rank_columns(2)]
        return divide_arrays(np.einsum("ij,ij->i", precision, hits), self.sums("gold"))

    @cached_property
    def micro_ap(self) -> Floats:
        return self.area(self.micro_points)

    @property
    def micro_fap(self) -> Floats:
        return f_score_arrays(self.micro_f1, self.micro_ap, self.beta)

    @property
    def micro_auc_ipr(self) -> Floats:
        return self.area(np.maximum.accumulate(self.micro_points[:, ::-1], axis=1)[:, ::-1])

    @property
    def macro_documents(self) -> Floats:
        return self.sums("judged")

    @property
    def macro_precision(self) -> Floats:
        return self.mean("precision")

    @property
    def macro_precision_sd(self) -> Floats:
        return self.deviation("precision")

    @property
    def macro_recall(self) -> Floats:
        return self.mean("recall")

    @property
    def macro_recall_sd(self) -> Floats:
        return self.deviation("recall")

    @property
    def macro_f1(self) -> Floats:
        return self.mean("f1")

    @property
    def macro_f1_sd(self) -> Floats:
        return self.deviation("f1")

    @cached_property
    def macro_ap(self) -> Floats:
        """The sum over ranks of the mean precision times the gain in mean recall, both means those of the sample."""
        precision, gain = self.values[:, self.layout.rank_columns(0)], self.values[:, self.layout.rank_columns(1)]
        return divide_arrays(np.einsum("ij,ij->i", precision, gain), self.macro_documents**2)

    @property
    def macro_fap(self) -> Floats:
        return f_score_arrays(self.macro_f1, self.macro_ap, self.beta)

    @property
    def macro_auc_ipr(self) -> Floats:
        return self.mean("auc_ipr")

    @property
    def macro_auc_ipr_sd(self) -> Floats:
        return self.deviation("auc_ipr")


def f_score_arrays(precision: Floats, recall: Floats, beta: float) -> Floats:
    """F_b element by element, 0 where both are 0; also FAP_b from F and AP."""
    square = beta * beta
    return divide_arrays((1 + square) * precision * recall, square * precision + recall)

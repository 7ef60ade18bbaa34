"""What each article adds to the figures of a run of ranked lists, as one table of numbers to be summed.

Every figure of ranking.micro and ranking.macro is a function of sums over articles: counts, means, and precision and
recall at each rank. So a resampled set of articles is a row of weights, and its figures follow from weights @ table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.measures.columns import Floats, Integers
from evaluation.measures.ranking import PerArticle, RankedHits, divide, per_article, precisions

OWN = ("precision", "recall", "f1", "auc_ipr")
# judged: whether the article has right items, and so enters the means; the squares are of distances from the mean.
SCALARS = ("judged", "found", "listed", "gold", *OWN, *(f"{name}_square" for name in OWN))
MICRO = ("tp", "fp", "fn", "precision", "recall", "f1", "ap", "fap", "auc_ipr")
MACRO = (
    *("documents", "precision", "precision_sd", "recall", "recall_sd", "f1", "f1_sd"),
    *("ap", "fap", "auc_ipr", "auc_ipr_sd"),
)
FIGURES = (*(f"micro.{name}" for name in MICRO), *(f"macro.{name}" for name in MACRO))
# Those that are made from sums at each rank; the others are made from SCALARS.
OF_RANKS = ("micro.ap", "micro.fap", "micro.auc_ipr", "macro.ap", "macro.fap")


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a table: SCALARS; at each of `ranks` the frozen precision, the gain in recall and the hit; and for
    each of `lengths` whether the list is that long. Ranks without a hit add nothing to an area and have no columns.
    """

    ranks: Integers
    lengths: Integers

    @property
    def columns(self) -> int:
        return len(SCALARS) + 3 * len(self.ranks) + len(self.lengths)

    def at_ranks(self, block: int) -> slice:
        """The columns of precision (0), gain (1) or hits (2)."""
        start = len(SCALARS) + block * len(self.ranks)
        return slice(start, start + len(self.ranks))

    @property
    def of_lengths(self) -> slice:
        return slice(self.columns - len(self.lengths), self.columns)


@dataclass(frozen=True, slots=True)
class ListTable:
    """values: float [articles, layout.columns]; centres: float [4], the run's means of OWN over judged articles."""

    values: Floats
    layout: Layout
    centres: Floats
    beta: float = 1.0


def layout_of(runs: Sequence[RankedHits]) -> Layout:
    """The columns that all these runs need for all figures."""
    ranks = [np.unique(run.position[run.hits]) for run in runs]
    lengths = [np.unique(run.lengths) for run in runs]
    return Layout(np.unique(np.concatenate(ranks)), np.unique(np.concatenate(lengths)))


# Columns for the figures that are made from whole lists only.
WITHOUT_RANKS = Layout(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def list_table(ranked: RankedHits, layout: Layout | None = None, beta: float = 1.0) -> ListTable:
    """The table of one run, 0/0 as 0. Size: articles times (ranks with a hit, three times, and distinct lengths)."""
    layout = layout or layout_of([ranked])
    values = np.zeros((ranked.articles, layout.columns))
    centres = fill_scalars(values, ranked, per_article(ranked, beta))
    if len(layout.ranks):
        fill_ranks(values, ranked, layout)
    return ListTable(values, layout, centres, beta)


def fill_scalars(values: Floats, ranked: RankedHits, own: PerArticle) -> Floats:
    """Writes the columns of SCALARS and gives the means of OWN."""
    judged = ranked.gold > 0
    values[:, :4] = np.column_stack([judged, ranked.found, ranked.lengths, ranked.gold])
    figures = np.column_stack([getattr(own, name) for name in OWN])
    centres = figures[judged].mean(axis=0) if judged.any() else np.zeros(len(OWN))
    values[:, 4:8] = figures * judged[:, None]
    values[:, 8:12] = (figures - centres) ** 2 * judged[:, None]
    return centres


def fill_ranks(values: Floats, ranked: RankedHits, layout: Layout) -> None:
    """Writes the columns at ranks and of lengths."""
    values[:, layout.at_ranks(0)] = frozen_precision(ranked, layout.ranks) * (ranked.gold > 0)[:, None]
    row, column = ranked.article[ranked.hits], np.searchsorted(layout.ranks, ranked.position[ranked.hits])
    values[:, layout.at_ranks(1)][row, column] = 1.0 / ranked.gold[row]
    values[:, layout.at_ranks(2)][row, column] = 1.0
    values[:, layout.of_lengths] = ranked.lengths[:, None] == layout.lengths


def frozen_precision(ranked: RankedHits, ranks: Integers) -> Floats:
    """float [articles, ranks]: precision of each list at each rank; a list that is over keeps its last value."""
    ends = np.cumsum(ranked.lengths)
    own = np.append(precisions(ranked), 0.0)
    reached = (ends - ranked.lengths)[:, None] + np.minimum(ranked.lengths[:, None], ranks) - 1
    return np.where(ranked.lengths[:, None] > 0, own[reached], 0.0)


@dataclass(frozen=True)
class ListSums:
    """Sums of a table's rows, one row for each sample, and the figures of each sample: float [samples] each.

    values: float [samples, layout.columns]. Attributes are named as FIGURES are, `micro_f1` for `micro.f1`.
    """

    values: Floats
    layout: Layout
    centres: Floats
    beta: float = 1.0

    def figure(self, name: str) -> Floats:
        """The figure of FIGURES of that name. KeyError when there is none."""
        if name not in FIGURES:
            raise KeyError(name)
        return getattr(self, name.replace(".", "_"))

    def sums(self, name: str) -> Floats:
        return self.values[:, SCALARS.index(name)]

    def mean(self, name: str) -> Floats:
        return divide(self.sums(name), self.macro_documents)

    def deviation(self, name: str) -> Floats:
        """The standard deviation of the population; the mean square less the square of the mean, both from a centre."""
        away = self.mean(name) - self.centres[OWN.index(name)]
        return np.sqrt(np.maximum(self.mean(f"{name}_square") - away * away, 0.0))

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
        return divide(self.sums("found"), self.sums("listed"))

    @property
    def micro_recall(self) -> Floats:
        return divide(self.sums("found"), self.sums("gold"))

    @property
    def micro_f1(self) -> Floats:
        return f_of_arrays(self.micro_precision, self.micro_recall, self.beta)

    @cached_property
    def micro_points(self) -> Floats:
        """float [samples, ranks]: precision over all articles; 0 where no list of the sample has an item."""
        hits = np.cumsum(self.values[:, self.layout.at_ranks(2)], axis=1)
        listed = self.listed_at_ranks()
        return np.divide(hits, np.maximum(listed, 1.0, out=listed), out=hits)

    def listed_at_ranks(self) -> Floats:
        """float [samples, ranks]: items of all lists up to each rank."""
        of_lengths, ranks = self.values[:, self.layout.of_lengths], self.layout.ranks
        over = np.searchsorted(self.layout.lengths, ranks)
        lists, items = (
            np.concatenate([np.zeros((len(own), 1)), np.cumsum(own, axis=1)], axis=1)
            for own in (of_lengths, of_lengths * self.layout.lengths)
        )
        return items[:, over] + (lists[:, -1:] - lists[:, over]) * ranks

    def area(self, precision: Floats) -> Floats:
        """The precision of each point times its step of recall over all articles, summed."""
        hits = self.values[:, self.layout.at_ranks(2)]
        return divide(np.einsum("ij,ij->i", precision, hits), self.sums("gold"))

    @cached_property
    def micro_ap(self) -> Floats:
        return self.area(self.micro_points)

    @property
    def micro_fap(self) -> Floats:
        return f_of_arrays(self.micro_f1, self.micro_ap, self.beta)

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
        """Mean precision at each rank times the gain in mean recall there: both means are taken anew in each sample."""
        precision, gain = self.values[:, self.layout.at_ranks(0)], self.values[:, self.layout.at_ranks(1)]
        return divide(np.einsum("ij,ij->i", precision, gain), self.macro_documents**2)

    @property
    def macro_fap(self) -> Floats:
        return f_of_arrays(self.macro_f1, self.macro_ap, self.beta)

    @property
    def macro_auc_ipr(self) -> Floats:
        return self.mean("auc_ipr")

    @property
    def macro_auc_ipr_sd(self) -> Floats:
        return self.deviation("auc_ipr")


def f_of_arrays(precision: Floats, recall: Floats, beta: float) -> Floats:
    """F_b elementwise, 0 where both are 0; FAP_b is made of F and AP in the same way."""
    square = beta * beta
    return divide((1 + square) * precision * recall, square * precision + recall)

"""Weighted sums over the articles of a run: `weights @ build_list_table_of_article_summands(run).values` in less time.

Most cells of that table are 0 because an article has few hits. The precision of a list at a rank is its hits so far
over the rank, so its sum follows from that of the hits until the list ends.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluation.analyses.tables.list_tables import (
    SCALAR_LAYOUT,
    ListTable,
    TableLayout,
    build_layout_of_hit_ranks_and_lengths,
    build_list_table_of_article_summands,
)
from evaluation.measures.columns import Floats, Integers
from evaluation.measures.lists.ranking import RankedHits, divide_arrays

Number = TypeVar("Number", np.float32, np.float64)


@dataclass(frozen=True, slots=True)
class ArticleGroups:
    """Groups of articles. order: int [n], the article of each member; starts: int [groups], each first member."""

    order: Integers
    starts: Integers

    def sum_weights(self, weights: NDArray[Number]) -> NDArray[Number]:
        """[samples, groups]: the summed weights [samples, articles] of the members of each group."""
        return sum_runs_of_columns(weights.take(self.order, axis=1), self.starts)

    def sum_weights_and_products(self, weights: Floats, factors: Floats) -> tuple[Floats, Floats]:
        """As sum_weights, and the sums of the weights times the factors, float [articles]."""
        members = weights.take(self.order, axis=1)
        sums = sum_runs_of_columns(members, self.starts)
        members *= factors[self.order]
        return sums, sum_runs_of_columns(members, self.starts)


@dataclass(frozen=True, slots=True)
class HitGroups:
    """The articles with a hit at a rank and equally many gold items, as groups in the order of their ranks.

    gold: int [groups]; starts: int [ranks], the first group of each rank with a hit.
    """

    articles: ArticleGroups
    gold: Integers
    starts: Integers

    def sum_hits_and_gains(self, weights: Floats) -> tuple[Floats, Floats]:
        """float [samples, ranks] each: the summed hits and gains of recall; weights: float [samples, articles]."""
        # Half the memory. Sums of whole numbers are exact as long as a sample has fewer than 2**24 articles.
        hits = self.articles.sum_weights(weights.astype(np.float32)).astype(np.float64)
        return sum_runs_of_columns(hits, self.starts), sum_runs_of_columns(hits / self.gold, self.starts)


def sum_runs_of_columns(values: NDArray[Number], starts: Integers) -> NDArray[Number]:
    """[rows, starts]: the sums of the columns from each start to the next one, as one array."""
    sums: NDArray[Number] = np.add.reduceat(values, starts, axis=1)
    return sums


def _group_articles_by_key(keys: Integers, article: Integers) -> ArticleGroups:
    """A group for each distinct key, in ascending order; keys, article: int [members]."""
    order = np.argsort(keys, kind="stable")
    return ArticleGroups(article[order], np.unique(keys[order], return_index=True)[1])


def _group_articles_by_hit_rank_and_gold(ranked: RankedHits) -> HitGroups:
    article, position = ranked.hit_article, ranked.hit_position
    most_gold = int(ranked.gold.max(initial=0))
    keys = position * (most_gold + 1) + ranked.gold[article]
    groups = np.unique(keys)
    starts = np.unique(groups // (most_gold + 1), return_index=True)[1]
    return HitGroups(_group_articles_by_key(keys, article), groups % (most_gold + 1), starts)


@dataclass(frozen=True)
class ListSummands:
    """The summands of a run with F_beta: SCALAR_COLUMNS and, with at_ranks, the other columns of its list table."""

    ranked: RankedHits
    beta: float = 1.0
    at_ranks: bool = True

    @cached_property
    def layout(self) -> TableLayout:
        return build_layout_of_hit_ranks_and_lengths([self.ranked]) if self.at_ranks else SCALAR_LAYOUT

    @cached_property
    def scalar_table(self) -> ListTable:
        """The table with SCALAR_COLUMNS alone."""
        return build_list_table_of_article_summands(self.ranked, SCALAR_LAYOUT, self.beta)

    @property
    def centres(self) -> Floats:
        return self.scalar_table.centres

    @cached_property
    def hit_groups(self) -> HitGroups:
        return _group_articles_by_hit_rank_and_gold(self.ranked)

    @cached_property
    def articles_by_length(self) -> ArticleGroups:
        return _group_articles_by_key(self.ranked.lengths, np.arange(self.ranked.articles))

    @cached_property
    def hit_counts(self) -> Floats:
        """float [articles]: hits in each whole list."""
        return self.ranked.hit_counts.astype(np.float64)

    def sum_columns(self, weights: Floats) -> Floats:
        """float [samples, layout.columns]: sums of the list table's columns; weights: float [samples, articles]."""
        scalars: Floats = weights @ self.scalar_table.values
        if not self.at_ranks:
            return scalars
        list_counts, ended_hits = self.articles_by_length.sum_weights_and_products(weights, self.hit_counts)
        if not len(self.layout.ranks):
            return np.concatenate([scalars, list_counts], axis=1)
        hits, gains = self.hit_groups.sum_hits_and_gains(weights)
        precisions = self.sum_rank_precisions(hits, ended_hits)
        return np.concatenate([scalars, precisions, gains, hits, list_counts], axis=1)

    def sum_rank_precisions(self, hits: Floats, ended_hits: Floats) -> Floats:
        """float [samples, ranks]: sums of the precision at each rank; a list that has ended keeps its last value.

        hits: float [samples, ranks]; ended_hits: float [samples, lengths], the hits of all lists of each length.
        """
        ended = np.searchsorted(self.layout.lengths, self.layout.ranks)
        ended_precisions = divide_arrays(ended_hits, self.layout.lengths)
        hits_before, precisions_before = (
            np.concatenate([np.zeros((len(sums), 1)), np.cumsum(sums, axis=1)], axis=1)[:, ended]
            for sums in (ended_hits, ended_precisions)
        )
        precisions: Floats = (np.cumsum(hits, axis=1) - hits_before) / self.layout.ranks + precisions_before
        return precisions

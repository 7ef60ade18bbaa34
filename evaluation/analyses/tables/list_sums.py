"""Weighted sums over the articles of a run: `weights @ build_list_table_of_article_summands(run).values` in less time.

Most cells of that table are 0 because an article has few hits. The precision of a list at a rank is its hits so far
over the rank, so its sum follows from that of the hits until the list ends.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.analyses.tables.list_tables import (
    SCALAR_LAYOUT,
    TableLayout,
    build_layout_of_hit_ranks_and_lengths,
    build_list_table_of_article_summands,
)
from evaluation.measures.columns import Floats, Integers
from evaluation.measures.lists.ranking import RankedHits, divide_arrays


@dataclass(frozen=True, slots=True)
class ArticleGroups:
    """Groups of articles. order: int [n], the article of each member; starts: int [groups], each first member."""

    order: Integers
    starts: Integers

    def sum_weights(self, weights: Floats) -> Floats:
        """float [groups, samples]: the summed weights [articles, samples] of the members of each group."""
        return np.add.reduceat(weights[self.order], self.starts, axis=0)


def _group_articles_by_key(keys: Integers, article: Integers) -> ArticleGroups:
    """A group for each distinct key; keys, article: int [members]."""
    order = np.argsort(keys, kind="stable")
    return ArticleGroups(article[order], np.unique(keys[order], return_index=True)[1])


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
    def scalars(self) -> Floats:
        """float [SCALAR_COLUMNS, articles]."""
        return np.ascontiguousarray(
            build_list_table_of_article_summands(self.ranked, SCALAR_LAYOUT, self.beta).values.T
        )

    @cached_property
    def centres(self) -> Floats:
        return build_list_table_of_article_summands(self.ranked, SCALAR_LAYOUT, self.beta).centres

    @cached_property
    def articles_by_rank(self) -> ArticleGroups:
        hits = self.ranked.hits
        return _group_articles_by_key(self.ranked.position[hits], self.ranked.article[hits])

    @cached_property
    def articles_by_length(self) -> ArticleGroups:
        return _group_articles_by_key(self.ranked.lengths, np.arange(self.ranked.articles))

    def sum_columns(self, weights: Floats) -> Floats:
        """float [samples, layout.columns]: sums of the list table's columns; weights: float [articles, samples]."""
        scalars = self.scalars @ weights
        if not self.at_ranks:
            return scalars.T
        lengths = self.articles_by_length.sum_weights(weights)
        ended = (
            self.articles_by_length.sum_weights(weights * self.hit_counts),
            self.articles_by_length.sum_weights(weights * self.precision),
        )
        if not len(self.layout.ranks):
            return np.concatenate([scalars, lengths]).T
        hits = self.articles_by_rank.sum_weights(weights)
        gains = self.articles_by_rank.sum_weights(divide_arrays(weights, self.ranked.gold[:, None]))
        return np.concatenate([scalars, self.sum_rank_precisions(hits, *ended), gains, hits, lengths]).T

    @cached_property
    def hit_counts(self) -> Floats:
        """float [articles, 1]: hits in each whole list."""
        return self.ranked.hit_counts[:, None].astype(np.float64)

    @cached_property
    def precision(self) -> Floats:
        """float [articles, 1]: precision of each whole list."""
        return divide_arrays(self.hit_counts, self.ranked.lengths[:, None])

    def sum_rank_precisions(self, hits: Floats, ended_hits: Floats, ended_precisions: Floats) -> Floats:
        """float [ranks, samples]: sums of the precision at each rank; a list that has ended keeps its last value.

        hits: float [ranks, samples]; ended_hits, ended_precisions: float [lengths, samples], sums over lists of each
        length.
        """
        ranks = self.layout.ranks[:, None]
        before = np.searchsorted(self.layout.lengths, self.layout.ranks)
        ended_hits, ended_precisions = (
            np.concatenate([np.zeros((1, sums.shape[1])), np.cumsum(sums, axis=0)])
            for sums in (ended_hits, ended_precisions)
        )
        return (np.cumsum(hits, axis=0) - ended_hits[before]) / ranks + ended_precisions[before]

"""Weighted sums over the articles of a run, as `weights @ list_table(run).values` gives them, but in less time.

Most cells of that table are 0: an article has few hits. And the precision of a list at a rank is its hits so far by
the rank, so that its sum follows from that of the hits, until the list is over.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evaluation.analyses.list_tables import WITHOUT_RANKS, Layout, layout_of, list_table
from evaluation.measures.columns import Floats, Integers
from evaluation.measures.ranking import RankedHits, divide


@dataclass(frozen=True, slots=True)
class Grouping:
    """Articles in groups: order: int [n], the article of each member; starts: int [groups], where each begins there."""

    order: Integers
    starts: Integers

    def sums(self, weights: Floats) -> Floats:
        """float [groups, samples]: the weights [articles, samples] of the members of each group."""
        return np.add.reduceat(weights[self.order], self.starts, axis=0)


def grouping(keys: Integers, article: Integers) -> Grouping:
    """A group for each of the keys: int [members]; article: int [members]."""
    order = np.argsort(keys, kind="stable")
    return Grouping(article[order], np.unique(keys[order], return_index=True)[1])


@dataclass(frozen=True)
class ListSummands:
    """What is summed of a run with F_beta: SCALARS, and at_ranks what else list_table has.

    Its layout is that of its own hits and lengths.
    """

    ranked: RankedHits
    beta: float = 1.0
    at_ranks: bool = True

    @cached_property
    def layout(self) -> Layout:
        return layout_of([self.ranked]) if self.at_ranks else WITHOUT_RANKS

    @cached_property
    def scalars(self) -> Floats:
        """float [SCALARS, articles]."""
        return np.ascontiguousarray(list_table(self.ranked, WITHOUT_RANKS, self.beta).values.T)

    @cached_property
    def centres(self) -> Floats:
        return list_table(self.ranked, WITHOUT_RANKS, self.beta).centres

    @cached_property
    def by_rank(self) -> Grouping:
        hits = self.ranked.hits
        return grouping(self.ranked.position[hits], self.ranked.article[hits])

    @cached_property
    def by_length(self) -> Grouping:
        return grouping(self.ranked.lengths, np.arange(self.ranked.articles))

    def sums(self, weights: Floats) -> Floats:
        """float [samples, layout.columns], the columns of list_table; weights: float [articles, samples]."""
        scalars = self.scalars @ weights
        if not self.at_ranks:
            return scalars.T
        lengths = self.by_length.sums(weights)
        over = self.by_length.sums(weights * self.found), self.by_length.sums(weights * self.precision)
        if not len(self.layout.ranks):
            return np.concatenate([scalars, lengths]).T
        hits = self.by_rank.sums(weights)
        gains = self.by_rank.sums(divide(weights, self.ranked.gold[:, None]))
        return np.concatenate([scalars, self.precisions(hits, *over), gains, hits, lengths]).T

    @cached_property
    def found(self) -> Floats:
        """float [articles, 1]: hits in the whole list."""
        return self.ranked.found[:, None].astype(np.float64)

    @cached_property
    def precision(self) -> Floats:
        """float [articles, 1]: of the whole list."""
        return divide(self.found, self.ranked.lengths[:, None])

    def precisions(self, hits: Floats, found: Floats, last: Floats) -> Floats:
        """float [ranks, samples]: sums of the precision at each rank; a list that is over keeps its last value.

        hits: float [ranks, samples]; found, last: float [lengths, samples], the hits and the precision of whole lists.
        """
        ranks = self.layout.ranks[:, None]
        before = np.searchsorted(self.layout.lengths, self.layout.ranks)
        found, last = (np.concatenate([np.zeros((1, own.shape[1])), np.cumsum(own, axis=0)]) for own in (found, last))
        return (np.cumsum(hits, axis=0) - found[before]) / ranks + last[before]

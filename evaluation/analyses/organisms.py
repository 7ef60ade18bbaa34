"""The figures of a run for each organism of the gold standard by itself."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.measures.by_organism import OfOrganism, by_organism
from evaluation.measures.columns import GoldColumns, RunColumns
from evaluation.measures.lists import counted
from evaluation.measures.ranking import RankedHits
from evaluation.measures.run_figures import ListFigures, figures_of
from evaluation.measures.scenarios import PLAIN, Evaluated, Scenario, evaluated


@dataclass(frozen=True, slots=True)
class OrganismFigures:
    """organism: a taxon, or two joined by a plus; items: right items of it; figures: of these and of results of it."""

    organism: str
    items: int
    figures: ListFigures


def figures_by_organism(
    gold: GoldColumns, run: RunColumns, organisms: Mapping[str, str], scenario: Scenario = PLAIN
) -> list[OrganismFigures]:
    """Figures for each organism, the one with most right items first; organisms: {accession: taxon}.

    The true positives and misses of all organisms add up to those of the whole run in this scenario; the means are over
    the documents with a right item of the organism. ValueError when a right item has no organism, or as
    run_figures.list_figures.
    """
    return [
        OrganismFigures(part.organism, len(part.right.item), part_figures(part, scenario.beta))
        for part in parts(gold, run, organisms, scenario)
    ]


def ranked_by_organism(
    gold: GoldColumns, run: RunColumns, organisms: Mapping[str, str], scenario: Scenario = PLAIN
) -> dict[str, RankedHits]:
    """{organism: what is right in its lists} over all documents, in the order and with the errors of
    figures_by_organism."""
    return {own.organism: counted(own.right, own.lists) for own in parts(gold, run, organisms, scenario)}


def parts(gold: GoldColumns, run: RunColumns, organisms: Mapping[str, str], scenario: Scenario) -> list[OfOrganism]:
    """The right items and the results of each organism in this scenario."""
    whole = evaluated(gold, run, scenario)
    return by_organism(whole.right, whole.lists, organisms)


def part_figures(part: OfOrganism, beta: float) -> ListFigures:
    """The figures of one organism."""
    answered = len(np.unique(part.lists.document))
    return figures_of(Evaluated(counted(part.right, part.lists), part.right, part.lists, answered, ()), beta)

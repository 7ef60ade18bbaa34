"""The figures of a run for each organism of the gold standard."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.measures.columns import GoldColumns, RunColumns
from evaluation.measures.lists.matching import count_ranked_hits
from evaluation.measures.lists.organisms import OrganismPart, split_by_organism
from evaluation.measures.lists.ranking import RankedHits
from evaluation.measures.lists.scenarios import DEFAULT_SCENARIO, EvaluatedRun, ScoringScenario, evaluate_run
from evaluation.measures.run_figures import ListFigures, compute_evaluated_figures


@dataclass(frozen=True, slots=True)
class OrganismFigures:
    """The figures of one organism (a taxon, or two joined by a plus); items: number of its gold items."""

    organism: str
    items: int
    figures: ListFigures


def compute_organism_figures(
    gold: GoldColumns, run: RunColumns, organisms: Mapping[str, str], scenario: ScoringScenario = DEFAULT_SCENARIO
) -> list[OrganismFigures]:
    """Figures for each organism, the one with the most gold items first; organisms: {accession: taxon}.

    The true positives and false negatives of all organisms add up to those of the run in this scenario; the means are
    over the documents with a gold item of the organism. ValueError when a gold item has no organism, or as in
    evaluate_run.
    """
    return [
        OrganismFigures(part.organism, len(part.gold_items.item), compute_organism_part_figures(part, scenario.beta))
        for part in split_evaluated_organisms(gold, run, organisms, scenario)
    ]


def group_hits_by_organism(
    gold: GoldColumns, run: RunColumns, organisms: Mapping[str, str], scenario: ScoringScenario = DEFAULT_SCENARIO
) -> dict[str, RankedHits]:
    """{organism: hits in its lists} over all documents; order and errors as in compute_organism_figures."""
    return {
        part.organism: count_ranked_hits(part.gold_items, part.lists)
        for part in split_evaluated_organisms(gold, run, organisms, scenario)
    }


def split_evaluated_organisms(
    gold: GoldColumns, run: RunColumns, organisms: Mapping[str, str], scenario: ScoringScenario
) -> list[OrganismPart]:
    """The gold items and the results of each organism in this scenario."""
    evaluated = evaluate_run(gold, run, scenario)
    return split_by_organism(evaluated.gold_items, evaluated.lists, organisms)


def compute_organism_part_figures(part: OrganismPart, beta: float) -> ListFigures:
    answered = len(np.unique(part.lists.document))
    return compute_evaluated_figures(
        EvaluatedRun(count_ranked_hits(part.gold_items, part.lists), part.gold_items, part.lists, answered, ()), beta
    )

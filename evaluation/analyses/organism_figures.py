"""The figures of a run for each organism of the gold standard."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evaluation.measures.columns import GoldColumns, RunColumns
from evaluation.measures.lists.matching import mark_gold_items_in_ranked_lists
from evaluation.measures.lists.organisms import OrganismPart, split_by_gold_organism_largest_first
from evaluation.measures.lists.scenarios import DEFAULT_SCENARIO, EvaluatedRun, ScoringScenario, match_run_and_mark_hits
from evaluation.measures.run_figures import ListFigures, compute_evaluated_figures


@dataclass(frozen=True, slots=True)
class OrganismFigures:
    """The figures of one organism (a taxon, or two joined by a plus); items: number of its gold items."""

    organism: str
    items: int
    figures: ListFigures


def compute_figures_per_gold_organism(
    gold: GoldColumns,
    run: RunColumns,
    taxon_by_accession: Mapping[str, str],
    scenario: ScoringScenario = DEFAULT_SCENARIO,
) -> list[OrganismFigures]:
    """Figures for each organism, the one with the most gold items first; taxon_by_accession: {accession: taxon}.

    The true positives and false negatives of all organisms add up to those of the run in this scenario; the means are
    over the documents with a gold item of the organism. ValueError when a gold item has no organism, or as in
    match_run_and_mark_hits.
    """
    return [
        OrganismFigures(part.organism, len(part.gold_items.item), _compute_organism_part_figures(part, scenario.beta))
        for part in _split_evaluated_organisms(gold, run, taxon_by_accession, scenario)
    ]


def group_evaluations_by_gold_organism(
    gold: GoldColumns,
    run: RunColumns,
    taxon_by_accession: Mapping[str, str],
    scenario: ScoringScenario = DEFAULT_SCENARIO,
) -> dict[str, EvaluatedRun]:
    """{organism: its gold items and lists} over all documents; order and errors as in
    compute_figures_per_gold_organism."""
    return {
        part.organism: _mark_hits_of_part(part)
        for part in _split_evaluated_organisms(gold, run, taxon_by_accession, scenario)
    }


def _split_evaluated_organisms(
    gold: GoldColumns, run: RunColumns, organisms: Mapping[str, str], scenario: ScoringScenario
) -> list[OrganismPart]:
    """The gold items and the results of each organism in this scenario."""
    evaluated = match_run_and_mark_hits(gold, run, scenario)
    return split_by_gold_organism_largest_first(evaluated.gold_items, evaluated.lists, organisms)


def _compute_organism_part_figures(part: OrganismPart, beta: float) -> ListFigures:
    return compute_evaluated_figures(_mark_hits_of_part(part), beta)


def _mark_hits_of_part(part: OrganismPart) -> EvaluatedRun:
    answered = len(np.unique(part.lists.document))
    ranked = mark_gold_items_in_ranked_lists(part.gold_items, part.lists)
    return EvaluatedRun(ranked, part.gold_items, part.lists, answered, ())

"""The figures of a run for each organism of the gold standard by itself."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evaluation.analyses.cut_runs import cut_run
from evaluation.measures.by_organism import by_organism
from evaluation.measures.columns import GoldColumns, RunColumns
from evaluation.measures.run_figures import ListFigures, list_figures
from evaluation.measures.scenarios import PLAIN, Scenario


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

    Documents are those with a right item of the organism. The lists are cut before they are split, so that a rank means
    the same in all of them. ValueError when a right item has no organism, or as run_figures.list_figures.
    """
    whole = cut_run(
        run,
        order=scenario.order,
        cutoff_rank=scenario.cutoff_rank,
        min_confidence=None if run.confidence is None else scenario.min_confidence,
    )
    inside = replace(scenario, cutoff_rank=None, min_confidence=None)
    return [
        OrganismFigures(part.organism, len(part.gold.item), list_figures(part.gold, part.run, inside))
        for part in by_organism(gold, whole, organisms)
    ]

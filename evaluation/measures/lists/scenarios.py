"""The scenarios in which a run of ranked lists can be scored; all their options can be combined.

Order of operations as in the BioCreative evaluation library 3.2: drop unknown documents, sort each list, map homonym
orthologs, filter organisms, optionally leave out documents without results, cut the lists, count.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.schema import Span
from evaluation.measures.columns import GoldColumns, RunColumns
from evaluation.measures.list_order import ListOrder
from evaluation.measures.lists import accession_mapping
from evaluation.measures.lists.matching import (
    GoldItems,
    MatchedRun,
    RankedLists,
    cut_ranked_lists_ignoring_missing_confidences,
    mark_gold_items_in_ranked_lists,
    select_documents_and_renumber,
    sort_run_lists_over_gold_documents,
)
from evaluation.measures.lists.ranking import RankedHits
from evaluation.measures.mentions.mention_hits import mark_mention_hits_in_lists
from evaluation.measures.mentions.spans import SpanMatch


@dataclass(frozen=True, slots=True)
class ScoringScenario:
    """How a run of ranked lists is scored; the defaults are those of the profile bc3.

    order: the column that sorts a list, by default the first of rank, confidence and line that the run has;
    cutoff_rank: how many items of each list count, None for all; min_confidence: a list ends before its first item with
    a lower confidence; answered_only: leave out documents for which the run has nothing after mapping and filters,
    before the cuts; homonyms: {gold accession: accessions of the same name in other organisms, which count as it};
    organisms: {accession: taxon}: drop results of organisms that no gold item of the document has;
    swissprot_gold: accessions: keep only documents whose gold items are all among them;
    swissprot_results: accessions: drop every result that is not among them; beta: that of F and FAP.
    For mentions: spans: how a predicted span matches a gold one; alternatives: {document: spans accepted instead of
    genes} scores as in BioCreative II; empty_documents: documents without a gold item count in the micro figures, too,
    so that predictions there are false positives.
    """

    order: ListOrder | None = None
    cutoff_rank: int | None = None
    min_confidence: float | None = None
    answered_only: bool = False
    homonyms: Mapping[str, Sequence[str]] | None = None
    organisms: Mapping[str, str] | None = None
    swissprot_gold: Collection[str] | None = None
    swissprot_results: Collection[str] | None = None
    beta: float = 1.0
    spans: SpanMatch = "exact"
    alternatives: Mapping[str, Collection[Span]] | None = None
    empty_documents: bool = False


DEFAULT_SCENARIO = ScoringScenario()


@dataclass(frozen=True, slots=True)
class EvaluatedRun:
    """The table of hits of a run, and the gold items and lists from which it was counted.

    answered: number of documents with a result after mapping and filters, before the cuts; unknown_documents: documents
    of the run that are not in the gold standard.
    """

    ranked: RankedHits
    gold_items: GoldItems
    lists: RankedLists
    answered: int
    unknown_documents: Sequence[str]


def match_run_and_mark_hits(
    gold: GoldColumns, run: RunColumns, scenario: ScoringScenario = DEFAULT_SCENARIO
) -> EvaluatedRun:
    """Match the run to the gold standard in this scenario and count its hits.

    ValueError when the scenario's order needs a column that the run does not have, or a gold accession has no organism.
    """
    matched = sort_run_lists_over_gold_documents(
        gold, run, scenario.order, keep_documents_without_gold=scenario.empty_documents
    )
    return _finish_evaluation(matched, *_map_and_filter_accessions(matched, scenario), scenario)


def iter_scenario_matches_and_hits(
    gold: GoldColumns, run: RunColumns, scenarios: Sequence[ScoringScenario]
) -> Iterator[EvaluatedRun]:
    """Evaluate the run in each of the scenarios; scenarios with equal orders, maps and filters share that work.

    Errors as in match_run_and_mark_hits.
    """
    matches: dict[Hashable, MatchedRun] = {}
    maps: dict[Hashable, tuple[GoldItems, RankedLists]] = {}
    for scenario in scenarios:
        order_key = (scenario.order, scenario.empty_documents)
        if order_key not in matches:
            matches[order_key] = sort_run_lists_over_gold_documents(
                gold, run, scenario.order, keep_documents_without_gold=scenario.empty_documents
            )
        tables = (scenario.homonyms, scenario.organisms, scenario.swissprot_gold, scenario.swissprot_results)
        map_key = (*order_key, *(id(table) for table in tables))
        if map_key not in maps:
            maps[map_key] = _map_and_filter_accessions(matches[order_key], scenario)
        yield _finish_evaluation(matches[order_key], *maps[map_key], scenario)


def _finish_evaluation(
    matched: MatchedRun, gold_items: GoldItems, lists: RankedLists, scenario: ScoringScenario
) -> EvaluatedRun:
    """Select the answered documents if the scenario asks for it, cut the lists and count the hits."""
    is_answered = np.bincount(lists.document, minlength=len(gold_items.documents)) > 0
    if scenario.answered_only:
        gold_items, lists = select_documents_and_renumber(gold_items, lists, is_answered)
    lists = cut_ranked_lists_ignoring_missing_confidences(lists, scenario.cutoff_rank, scenario.min_confidence)
    return EvaluatedRun(
        _count_scenario_hits(gold_items, lists, scenario),
        gold_items,
        lists,
        int(is_answered.sum()),
        matched.unknown_documents,
    )


def _count_scenario_hits(gold_items: GoldItems, lists: RankedLists, scenario: ScoringScenario) -> RankedHits:
    """The table of hits; mentions are matched by their spans when the scenario asks for it."""
    if scenario.spans == "exact" and scenario.alternatives is None:
        return mark_gold_items_in_ranked_lists(gold_items, lists)
    return mark_mention_hits_in_lists(gold_items, lists, scenario.spans, scenario.alternatives)


def _map_and_filter_accessions(matched: MatchedRun, scenario: ScoringScenario) -> tuple[GoldItems, RankedLists]:
    """Gold items and lists after the Swiss-Prot selection, the homonym map and the organism filter, in this order."""
    gold_items, lists = matched.gold_items, matched.lists
    if scenario.swissprot_gold is not None:
        is_selected = accession_mapping.mask_documents_with_all_gold_known(
            gold_items, lists.items, scenario.swissprot_gold
        )
        gold_items, lists = select_documents_and_renumber(gold_items, lists, is_selected)
    if scenario.swissprot_results is not None:
        lists = accession_mapping.keep_results_with_known_accessions(lists, scenario.swissprot_results)
    if scenario.homonyms is not None:
        lists = accession_mapping.replace_homonyms_by_gold_items(gold_items, lists, scenario.homonyms)
    if scenario.organisms is not None:
        lists = accession_mapping.keep_results_of_document_gold_organisms(gold_items, lists, scenario.organisms)
    return gold_items, lists

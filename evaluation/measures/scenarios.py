"""The scenarios in which a run of ranked lists can be scored; all their parts combine freely.

Order of operations as in the BioCreative evaluation library 3.2: drop unknown documents, put each list in order, map
homonym orthologs, filter organisms, leave out documents without results if asked, cut the lists, count.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.measures import mapping
from evaluation.measures.columns import GoldColumns, RunColumns
from evaluation.measures.lists import Lists, Matched, Right, counted, cut, match, only_documents
from evaluation.measures.mentions import counted_mentions
from evaluation.measures.order import Order
from evaluation.measures.ranking import RankedHits
from evaluation.measures.spans import Span, SpanMatch


@dataclass(frozen=True, slots=True)
class Scenario:
    """How a run of ranked lists is scored; the defaults are those of the profile bc3.

    order: what puts a list in order, by default the first of rank, confidence and line that the run has;
    cutoff_rank: how many items of each list count, None for all; min_confidence: a list ends at its first item below;
    answered_only: leave out documents for which the run has nothing after mapping and filters, before the cuts;
    homonyms: {gold accession: accessions of the same name in other organisms, which count as the gold one};
    organisms: {accession: taxon}, drops what is of no organism of the document's gold items;
    swissprot_gold: accessions, keeps only documents whose gold items are all among them;
    swissprot_results: accessions, drops every result that is not among them; beta: of F and FAP.
    Of mentions: spans: how a found span matches a right one; alternatives: {document: spans accepted in place of genes}
    scores as BioCreative II did; empty_documents: documents of the gold standard without a right item count, too, in
    the micro figures, so that what is found there is a false alarm.
    """

    order: Order | None = None
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


PLAIN = Scenario()


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What is scored of a run: the table of hits and what it was counted from.

    answered: documents with a result after mapping and filters, before the cuts; unknown: documents of the run that the
    gold standard does not know.
    """

    ranked: RankedHits
    right: Right
    lists: Lists
    answered: int
    unknown: Sequence[str]


def evaluated(gold: GoldColumns, run: RunColumns, scenario: Scenario = PLAIN) -> Evaluated:
    """The run against the gold standard in this scenario, ready to be scored.

    ValueError when the scenario's order needs a column that the run has not, or a gold accession has no organism.
    """
    matched = match(gold, run, scenario.order, empty=scenario.empty_documents)
    return finished(matched, *mapped(matched, scenario), scenario)


def evaluated_in(gold: GoldColumns, run: RunColumns, scenarios: Sequence[Scenario]) -> Iterator[Evaluated]:
    """As evaluated, in each of the scenarios; those that map or order alike share that work. Errors as evaluated."""
    matches: dict[Hashable, Matched] = {}
    maps: dict[Hashable, tuple[Right, Lists]] = {}
    for scenario in scenarios:
        ordered = (scenario.order, scenario.empty_documents)
        if ordered not in matches:
            matches[ordered] = match(gold, run, scenario.order, empty=scenario.empty_documents)
        tables = (scenario.homonyms, scenario.organisms, scenario.swissprot_gold, scenario.swissprot_results)
        alike = (*ordered, *(id(table) for table in tables))
        if alike not in maps:
            maps[alike] = mapped(matches[ordered], scenario)
        yield finished(matches[ordered], *maps[alike], scenario)


def finished(matched: Matched, right: Right, lists: Lists, scenario: Scenario) -> Evaluated:
    """The steps from the mapped lists on."""
    answered = np.bincount(lists.document, minlength=len(right.documents)) > 0
    if scenario.answered_only:
        right, lists = only_documents(right, lists, answered)
    lists = cut(lists, scenario.cutoff_rank, scenario.min_confidence)
    return Evaluated(hits_of(right, lists, scenario), right, lists, int(answered.sum()), matched.unknown)


def hits_of(right: Right, lists: Lists, scenario: Scenario) -> RankedHits:
    """The table of hits, of mentions by their spans."""
    if scenario.spans == "exact" and scenario.alternatives is None:
        return counted(right, lists)
    return counted_mentions(right, lists, scenario.spans, scenario.alternatives)


def mapped(matched: Matched, scenario: Scenario) -> tuple[Right, Lists]:
    """Gold and lists after everything that looks at accessions; Swiss-Prot is looked for in what the run reported."""
    right, lists = matched.right, matched.lists
    if scenario.swissprot_gold is not None:
        within = mapping.documents_within(right, lists.items, scenario.swissprot_gold)
        right, lists = only_documents(right, lists, within)
    if scenario.swissprot_results is not None:
        lists = mapping.keep_accessions(lists, scenario.swissprot_results)
    if scenario.homonyms is not None:
        lists = mapping.map_homonyms(right, lists, scenario.homonyms)
    if scenario.organisms is not None:
        lists = mapping.filter_organisms(right, lists, scenario.organisms)
    return right, lists

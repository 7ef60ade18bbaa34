"""Error analysis: the likely cause of each false negative and false positive.

Every error has one cause, the first that applies in the order of ErrorCause.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeVar

from annotations.schema import Span
from evaluation.analyses.run_truncation import sort_and_truncate_run_lists
from evaluation.measures.columns import GoldColumns, Item, LabelItem, MentionItem, RelationItem, RunColumns
from evaluation.measures.lists.accession_mapping import (
    group_gold_items_by_homonym_outside_gold,
    list_accessions_of_identifier_or_pair,
)
from evaluation.measures.lists.scenarios import DEFAULT_SCENARIO, ScoringScenario, match_run_and_mark_hits
from evaluation.measures.mentions.gene_mentions import split_found_genes_and_false_positives
from evaluation.measures.mentions.mention_items import has_common_character, pair_most_mentions_one_to_one
from evaluation.measures.mentions.spans import SpanMatch, list_matching_gold_indexes, pair_most_spans_one_to_one

Value = TypeVar("Value")


class ErrorCause(StrEnum):
    """Causes of false negatives (FN) and false positives (FP), the most specific first."""

    CUT_OFF = "cut-off"  # FN: the run has it below the cut
    BOUNDARY = "boundary"  # FN, FP: a predicted and a gold mention share characters but do not match
    HOMONYM = "homonym"  # FN, FP: the same name in another organism
    NAME = "another type or link"  # FN, FP: a mention is right but for its type or link
    STATEMENT = "another type, direction or novelty"  # FN, FP: a relation of the same entities
    LABEL = "another label"  # FN, FP: the document has another label, which is wrong, or misses one
    PARTNER = "one partner"  # FN, FP: one partner of an interaction pair, or of another relation, is right
    ORGANISM = "wrong organism"  # FP: of an organism that no gold item of the document has
    UNANSWERED = "document unanswered"  # FN: the run has nothing for the document
    NOBODY = "not in any run's output"  # FN: no other run has it either, if other runs are given
    OVERLOOKED = "overlooked"  # FN: none of these
    NOT_RIGHT = "not in the gold standard"  # FP: none of these


@dataclass(frozen=True, slots=True)
class ScoringError:
    """A false negative or a false positive; counterpart_item: the prediction or gold item that it is confused with."""

    document: str
    item: Item
    is_false_negative: bool
    cause: ErrorCause
    counterpart_item: Item | None = None


@dataclass(frozen=True, slots=True)
class ErrorKnowledge:
    """What errors are explained with.

    homonyms: {gold accession: accessions of the same name}; organisms: {accession: taxon}; other_runs: {document:
    items} of each other run.
    """

    homonyms: Mapping[str, Sequence[str]] = field(default_factory=dict)
    organisms: Mapping[str, str] = field(default_factory=dict)
    other_runs: Sequence[Mapping[str, frozenset[Item]]] = ()


@dataclass(frozen=True, slots=True)
class DocumentErrors:
    """The gold items, predictions in list order and errors of one document; cut_items: predictions below the cut."""

    name: str
    gold_items: Sequence[Item]
    false_negatives: Sequence[Item]
    reported_items: Sequence[Item]
    false_positives: Sequence[Item]
    cut_items: frozenset[Item]


def list_errors_with_likely_causes(
    gold: GoldColumns,
    run: RunColumns,
    scenario: ScoringScenario = DEFAULT_SCENARIO,
    knowledge: ErrorKnowledge | None = None,
) -> list[ScoringError]:
    """All false negatives and false positives of a run in a scenario, document by document, false negatives first.

    Results that the scenario itself corrects, by its homonyms or organism filter, are not errors. ValueError as in
    match_run_and_mark_hits. Linear in results, except for the pairing of mentions.
    """
    known = knowledge or ErrorKnowledge()
    documents = (
        _list_document_errors(gold, run, scenario)
        if scenario.alternatives is None
        else _list_alternative_document_errors(gold, run, scenario)
    )
    return [
        error
        for document in documents
        for error in [*_explain_false_negatives(document, known), *_explain_false_positives(document, known)]
    ]


def count_error_causes_false_negatives_first(errors: Sequence[ScoringError]) -> list[tuple[bool, ErrorCause, int]]:
    """(is false negative, cause, number) of the causes that occur: false negatives first, then most frequent first."""
    numbers = Counter((error.is_false_negative, error.cause) for error in errors)
    rows = [(is_false_negative, cause, number) for (is_false_negative, cause), number in numbers.items()]
    return sorted(rows, key=lambda row: (not row[0], -row[2], list(ErrorCause).index(row[1])))


def group_items_remaining_after_cuts_by_document(
    run: RunColumns, scenario: ScoringScenario = DEFAULT_SCENARIO
) -> dict[str, frozenset[Item]]:
    """{document: items} of a run after its cuts, for ErrorKnowledge.other_runs."""
    confidence = None if run.confidence is None else scenario.min_confidence
    cut = sort_and_truncate_run_lists(
        run, order=scenario.order, cutoff_rank=scenario.cutoff_rank, min_confidence=confidence
    )
    names: dict[str, list[Item]] = {}
    for document, item in zip(cut.document.codes.tolist(), cut.item.codes.tolist(), strict=True):
        names.setdefault(cut.document.names[document], []).append(cut.item.names[item])
    return {document: frozenset(items) for document, items in names.items()}


def _list_document_errors(gold: GoldColumns, run: RunColumns, scenario: ScoringScenario) -> list[DocumentErrors]:
    """The errors of every evaluated document, for scenarios without accepted alternatives."""
    uncut = match_run_and_mark_hits(gold, run, replace(scenario, cutoff_rank=None, min_confidence=None))
    evaluated = match_run_and_mark_hits(gold, run, scenario)
    items, document_count = evaluated.lists.items, len(evaluated.gold_items.documents)
    gold_items = _group_values_by_document(
        document_count,
        evaluated.gold_items.document.tolist(),
        [items[code] for code in evaluated.gold_items.item.tolist()],
    )
    reported = _group_values_by_document(
        document_count, evaluated.lists.document.tolist(), [items[code] for code in evaluated.lists.item.tolist()]
    )
    hits = _group_values_by_document(document_count, evaluated.lists.document.tolist(), evaluated.ranked.hits.tolist())
    uncut_reported = _group_values_by_document(
        document_count, uncut.lists.document.tolist(), [items[code] for code in uncut.lists.item.tolist()]
    )
    return [
        _build_document_errors(name, gold_items[index], reported[index], hits[index], uncut_reported[index], scenario)
        for index, name in enumerate(evaluated.gold_items.documents)
    ]


def _list_alternative_document_errors(
    gold: GoldColumns, run: RunColumns, scenario: ScoringScenario
) -> list[DocumentErrors]:
    """The errors of every evaluated document when mentions may match accepted alternatives; lists are not cut."""
    evaluated = match_run_and_mark_hits(gold, run, replace(scenario, alternatives=None))
    items, document_count = evaluated.lists.items, len(evaluated.gold_items.documents)
    gold_items = _group_values_by_document(
        document_count,
        evaluated.gold_items.document.tolist(),
        [items[code] for code in evaluated.gold_items.item.tolist()],
    )
    reported = _group_values_by_document(
        document_count, evaluated.lists.document.tolist(), [items[code] for code in evaluated.lists.item.tolist()]
    )
    documents = []
    for name, genes, spans in zip(
        evaluated.gold_items.documents, map(_filter_spans, gold_items), map(_filter_spans, reported), strict=True
    ):
        found_genes, false_positives = split_found_genes_and_false_positives(
            genes, (scenario.alternatives or {}).get(name, ()), spans
        )
        missed = [gene for gene in genes if gene not in found_genes]
        documents.append(
            DocumentErrors(name, genes, missed, spans, [span for span in spans if span in false_positives], frozenset())
        )
    return documents


def _group_values_by_document(size: int, document: Sequence[int], values: Sequence[Value]) -> list[list[Value]]:
    """[documents][values]: the values of each of `size` documents; document and values: [rows]."""
    groups: list[list[Value]] = [[] for _ in range(size)]
    for index, value in zip(document, values, strict=True):
        groups[index].append(value)
    return groups


def _build_document_errors(
    name: str,
    gold_items: list[Item],
    reported: list[Item],
    hits: list[bool],
    uncut_reported: list[Item],
    scenario: ScoringScenario,
) -> DocumentErrors:
    false_positives = [item for item, hit in zip(reported, hits, strict=True) if not hit]
    return DocumentErrors(
        name,
        gold_items,
        _list_missed_items(gold_items, reported, hits, scenario),
        reported,
        false_positives,
        frozenset(uncut_reported[len(reported) :]),
    )


def _list_missed_items(
    gold_items: list[Item], reported: list[Item], hits: list[bool], scenario: ScoringScenario
) -> list[Item]:
    """The gold items without a hit; mentions are paired in the same way as for scoring."""
    if any(isinstance(item, MentionItem) for item in gold_items) and scenario.spans != "exact":
        return list(_list_unpaired_mentions(gold_items, reported, hits, scenario.spans))
    gold_spans, hit_spans = (
        _filter_spans(gold_items),
        _filter_spans([item for item, hit in zip(reported, hits, strict=True) if hit]),
    )
    if not gold_spans or scenario.spans == "exact":
        return [item for item in gold_items if item not in set(reported)]
    paired = set(pair_most_spans_one_to_one(list_matching_gold_indexes(gold_spans, hit_spans, scenario.spans)).values())
    return [span for index, span in enumerate(gold_spans) if index not in paired]


def _list_unpaired_mentions(
    gold_items: Sequence[Item], reported: Sequence[Item], hits: Sequence[bool], span_match: SpanMatch
) -> list[MentionItem]:
    gold = [item for item in gold_items if isinstance(item, MentionItem)]
    found = [item for item, hit in zip(reported, hits, strict=True) if hit and isinstance(item, MentionItem)]
    paired = set(pair_most_mentions_one_to_one(gold, found, span_match).values())
    return [mention for index, mention in enumerate(gold) if index not in paired]


def _filter_spans(items: Sequence[Item]) -> list[Span]:
    return [item for item in items if isinstance(item, Span)]


def _explain_false_negatives(document: DocumentErrors, knowledge: ErrorKnowledge) -> list[ScoringError]:
    """The false negatives of one document with their causes."""
    homonym_of = _match_homonym_false_positives(document, knowledge)
    return [
        ScoringError(document.name, item, True, *_explain_false_negative(item, document, homonym_of, knowledge))
        for item in document.false_negatives
    ]


def _explain_false_negative(
    item: Item, document: DocumentErrors, homonym_of: Mapping[Item, Item], knowledge: ErrorKnowledge
) -> tuple[ErrorCause, Item | None]:
    if item in document.cut_items:
        return ErrorCause.CUT_OFF, None
    half_right = _find_half_right_item(item, document.false_positives)
    if half_right is not None:
        return half_right
    if item in homonym_of:
        return ErrorCause.HOMONYM, homonym_of[item]
    if not document.reported_items and not document.cut_items:
        return ErrorCause.UNANSWERED, None
    if knowledge.other_runs and not any(item in other.get(document.name, ()) for other in knowledge.other_runs):
        return ErrorCause.NOBODY, None
    return ErrorCause.OVERLOOKED, None


def _match_homonym_false_positives(document: DocumentErrors, knowledge: ErrorKnowledge) -> dict[Item, Item]:
    """{gold item: false positive that is a homonym of it}; mentions have none."""
    if not knowledge.homonyms or _filter_spans(document.gold_items):
        return {}
    gold_of_homonym = group_gold_items_by_homonym_outside_gold(document.gold_items, knowledge.homonyms)
    return {
        item: false_positive
        for false_positive in reversed(document.false_positives)
        for item in gold_of_homonym.get(false_positive, ())
    }


def _explain_false_positives(document: DocumentErrors, knowledge: ErrorKnowledge) -> list[ScoringError]:
    """The false positives of one document with their causes."""
    gold_of_homonym = {
        false_positive: item for item, false_positive in _match_homonym_false_positives(document, knowledge).items()
    }
    taxa = _list_gold_taxa(document, knowledge) if knowledge.organisms else set()
    return [
        ScoringError(
            document.name, item, False, *_explain_false_positive(item, document, gold_of_homonym, taxa, knowledge)
        )
        for item in document.false_positives
    ]


def _list_gold_taxa(document: DocumentErrors, knowledge: ErrorKnowledge) -> set[str | None]:
    """The organisms of the gold items; mentions, relations and labels have none."""
    return {
        knowledge.organisms.get(name)
        for gold_item in document.gold_items
        if not isinstance(gold_item, Span | MentionItem | RelationItem | LabelItem)
        for name in list_accessions_of_identifier_or_pair(gold_item)
    }


def _explain_false_positive(
    item: Item,
    document: DocumentErrors,
    gold_of_homonym: Mapping[Item, Item],
    gold_taxa: set[str | None],
    knowledge: ErrorKnowledge,
) -> tuple[ErrorCause, Item | None]:
    # A label is confused with one that the document should have had instead.
    others = document.false_negatives if isinstance(item, LabelItem) else document.gold_items
    half_right = _find_half_right_item(item, others)
    if half_right is not None:
        return half_right
    if item in gold_of_homonym:
        return ErrorCause.HOMONYM, gold_of_homonym[item]
    if knowledge.organisms and not isinstance(item, Span | MentionItem | RelationItem | LabelItem):
        item_taxa = {knowledge.organisms.get(name) for name in list_accessions_of_identifier_or_pair(item)}
        if not item_taxa <= gold_taxa:
            return ErrorCause.ORGANISM, None
    return ErrorCause.NOT_RIGHT, None


def _find_half_right_item(item: Item, others: Sequence[Item]) -> tuple[ErrorCause, Item] | None:
    """The cause and the first other item that is half right: an overlapping span, a pair with a common
    partner, or another label.
    """
    if isinstance(item, MentionItem):
        return _find_half_right_mention(item, [other for other in others if isinstance(other, MentionItem)])
    if isinstance(item, RelationItem):
        return _find_half_right_relation(item, [other for other in others if isinstance(other, RelationItem)])
    if isinstance(item, LabelItem):
        return next(((ErrorCause.LABEL, other) for other in others), None)
    if isinstance(item, Span):
        overlapping = (other for other in _filter_spans(others) if other.start < item.end and item.start < other.end)
        return next(((ErrorCause.BOUNDARY, other) for other in overlapping), None)
    if isinstance(item, str):
        return None
    partners = (
        other for other in others if isinstance(other, tuple) and not isinstance(other, Span) and set(other) & set(item)
    )
    return next(((ErrorCause.PARTNER, other) for other in partners), None)


def _find_half_right_mention(item: MentionItem, others: Sequence[MentionItem]) -> tuple[ErrorCause, Item] | None:
    """A mention of the same text, else one that overlaps, rather with the same name."""
    for other in others:
        if other.parts == item.parts:
            return ErrorCause.NAME, other
    overlapping = [other for other in others if has_common_character(other, item)]
    overlapping.sort(key=lambda other: other.name != item.name)
    return (ErrorCause.BOUNDARY, overlapping[0]) if overlapping else None


def _find_half_right_relation(item: RelationItem, others: Sequence[RelationItem]) -> tuple[ErrorCause, Item] | None:
    """A relation of the same entities, else one with an entity in common."""
    entities = {argument.rpartition("=")[2] for argument in item.arguments}
    for cause, is_half_right in (
        (ErrorCause.STATEMENT, entities.__eq__),
        (ErrorCause.PARTNER, entities.intersection),
    ):
        for other in others:
            if is_half_right({argument.rpartition("=")[2] for argument in other.arguments}):
                return cause, other
    return None

"""Error analysis: why each miss was missed and each false alarm given, as far as the files tell.

Every fault has one cause, the first that applies in the order of Cause.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from evaluation.analyses.cut_runs import cut_run
from evaluation.measures.bc2gm import accounted
from evaluation.measures.columns import GoldColumns, Item, RunColumns
from evaluation.measures.mapping import accessions, meanings
from evaluation.measures.scenarios import PLAIN, Scenario, evaluated
from evaluation.measures.spans import Span, candidates, pairing


class Cause(StrEnum):
    """What a miss (M) or a false alarm (F) comes from, the most telling first."""

    CUT_OFF = "cut-off"  # M: the run has it, below the cut
    BOUNDARY = "boundary"  # M, F: a mention and a right one share characters, but do not match
    HOMONYM = "homonym"  # M, F: the same name in another organism stands for it
    PARTNER = "one partner"  # M, F: one of the two of an interaction is right
    ORGANISM = "wrong organism"  # F: of no organism of the document's right items
    UNANSWERED = "document unanswered"  # M: the run has nothing for the document
    NOBODY = "not in any run's output"  # M: no other run has it either, where other runs are given
    OVERLOOKED = "overlooked"  # M: none of these
    NOT_RIGHT = "not in the gold standard"  # F: none of these


@dataclass(frozen=True, slots=True)
class Fault:
    """miss: a right item that was not found, else a false alarm; instead: what stands for it or what it stands for."""

    document: str
    item: Item
    miss: bool
    cause: Cause
    instead: Item | None = None


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What faults are explained with: homonyms {gold accession: accessions of the same name}, organisms {accession:
    taxon}, and the runs of others, one {document: items} for each.
    """

    homonyms: Mapping[str, Sequence[str]] = field(default_factory=dict)
    organisms: Mapping[str, str] = field(default_factory=dict)
    others: Sequence[Mapping[str, frozenset[Item]]] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its right items, those missed, the items counted in list order, the false ones, and those cut."""

    name: str
    right: Sequence[Item]
    missed: Sequence[Item]
    found: Sequence[Item]
    false: Sequence[Item]
    cut: frozenset[Item]


def faults(
    gold: GoldColumns, run: RunColumns, scenario: Scenario = PLAIN, knowledge: Knowledge | None = None
) -> list[Fault]:
    """All misses and false alarms of a run in a scenario, document by document, misses first.

    Where the scenario itself maps homonyms or filters organisms, what it mends is no fault. ValueError as
    scenarios.evaluated. Cost: linear in results, but for mentions the pairing.
    """
    known = knowledge or Knowledge()
    own_documents = documents(gold, run, scenario) if scenario.alternatives is None else sentences(gold, run, scenario)
    return [fault for own in own_documents for fault in [*misses(own, known), *false_alarms(own, known)]]


def by_cause(found: Sequence[Fault]) -> list[tuple[bool, Cause, int]]:
    """(miss, cause, number) of the causes that occur, misses first, most frequent first."""
    numbers = Counter((fault.miss, fault.cause) for fault in found)
    rows = [(miss, cause, number) for (miss, cause), number in numbers.items()]
    return sorted(rows, key=lambda row: (not row[0], -row[2], list(Cause).index(row[1])))


def reported_items(run: RunColumns, scenario: Scenario = PLAIN) -> dict[str, frozenset[Item]]:
    """{document: items} of a run after its cuts, for Knowledge.others."""
    confidence = None if run.confidence is None else scenario.min_confidence
    cut = cut_run(run, order=scenario.order, cutoff_rank=scenario.cutoff_rank, min_confidence=confidence)
    names: dict[str, list[Item]] = {}
    for document, item in zip(cut.document.codes.tolist(), cut.item.codes.tolist(), strict=True):
        names.setdefault(cut.document.names[document], []).append(cut.item.names[item])
    return {document: frozenset(items) for document, items in names.items()}


def documents(gold: GoldColumns, run: RunColumns, scenario: Scenario) -> list[Document]:
    """Every document that is evaluated."""
    whole = evaluated(gold, run, replace(scenario, cutoff_rank=None, min_confidence=None))
    table = evaluated(gold, run, scenario)
    items, size = table.lists.items, len(table.right.documents)
    right = grouped(size, table.right.document.tolist(), [items[code] for code in table.right.item.tolist()])
    found = grouped(size, table.lists.document.tolist(), [items[code] for code in table.lists.item.tolist()])
    hits = grouped(size, table.lists.document.tolist(), table.ranked.hits.tolist())
    full = grouped(size, whole.lists.document.tolist(), [items[code] for code in whole.lists.item.tolist()])
    return [
        document(name, right[place], found[place], hits[place], full[place], scenario)
        for place, name in enumerate(table.right.documents)
    ]


def sentences(gold: GoldColumns, run: RunColumns, scenario: Scenario) -> list[Document]:
    """Every document of mentions that count at accepted alternatives of genes, too; its lists are not cut."""
    table = evaluated(gold, run, replace(scenario, alternatives=None))
    items, size = table.lists.items, len(table.right.documents)
    right = grouped(size, table.right.document.tolist(), [items[code] for code in table.right.item.tolist()])
    found = grouped(size, table.lists.document.tolist(), [items[code] for code in table.lists.item.tolist()])
    made = []
    for name, genes, own in zip(table.right.documents, map(only_spans, right), map(only_spans, found), strict=True):
        got, false = accounted(genes, (scenario.alternatives or {}).get(name, ()), own)
        missed = [gene for gene in genes if gene not in got]
        made.append(Document(name, genes, missed, own, [span for span in own if span in false], frozenset()))
    return made


def grouped(size: int, document: Sequence[int], values: Sequence) -> list[list]:
    """The values of each of `size` documents."""
    groups: list[list] = [[] for _ in range(size)]
    for place, value in zip(document, values, strict=True):
        groups[place].append(value)
    return groups


def document(
    name: str, right: list[Item], found: list[Item], hits: list[bool], full: list[Item], scenario: Scenario
) -> Document:
    false = [item for item, hit in zip(found, hits, strict=True) if not hit]
    return Document(name, right, missed(right, found, hits, scenario), found, false, frozenset(full[len(found) :]))


def missed(right: list[Item], found: list[Item], hits: list[bool], scenario: Scenario) -> list[Item]:
    """The right items that no hit stands for; of mentions the hits are paired as they were counted."""
    named, own = only_spans(right), only_spans([item for item, hit in zip(found, hits, strict=True) if hit])
    if not named or scenario.spans == "exact":
        return [item for item in right if item not in set(found)]
    paired = set(pairing(candidates(named, own, scenario.spans)).values())
    return [span for place, span in enumerate(named) if place not in paired]


def only_spans(items: Sequence[Item]) -> list[Span]:
    return [item for item in items if isinstance(item, Span)]


def misses(own: Document, known: Knowledge) -> list[Fault]:
    """The causes of what was missed in one document."""
    instead = stand_ins(own, known)
    return [Fault(own.name, item, True, *cause_of_miss(item, own, instead, known)) for item in own.missed]


def cause_of_miss(
    item: Item, own: Document, instead: Mapping[Item, Item], known: Knowledge
) -> tuple[Cause, Item | None]:
    if item in own.cut:
        return Cause.CUT_OFF, None
    nearest = near(item, own.false)
    if nearest is not None:
        return nearest
    if item in instead:
        return Cause.HOMONYM, instead[item]
    if not own.found and not own.cut:
        return Cause.UNANSWERED, None
    if known.others and not any(item in other.get(own.name, ()) for other in known.others):
        return Cause.NOBODY, None
    return Cause.OVERLOOKED, None


def stand_ins(own: Document, known: Knowledge) -> dict[Item, Item]:
    """{right item: false alarm that is a homonym of it}; mentions have none."""
    if not known.homonyms or only_spans(own.right):
        return {}
    meant = meanings(own.right, known.homonyms)
    return {item: alarm for alarm in reversed(own.false) for item in meant.get(alarm, ())}


def false_alarms(own: Document, known: Knowledge) -> list[Fault]:
    """The causes of what was reported in one document without being right."""
    stands_for = {alarm: item for item, alarm in stand_ins(own, known).items()}
    taxa = set() if only_spans(own.right) else {known.organisms.get(name) for i in own.right for name in accessions(i)}
    return [Fault(own.name, item, False, *cause_of_alarm(item, own, stands_for, taxa, known)) for item in own.false]


def cause_of_alarm(
    item: Item, own: Document, stands_for: Mapping[Item, Item], taxa: set[str | None], known: Knowledge
) -> tuple[Cause, Item | None]:
    nearest = near(item, own.right)
    if nearest is not None:
        return nearest
    if item in stands_for:
        return Cause.HOMONYM, stands_for[item]
    if known.organisms and not isinstance(item, Span):
        own_taxa = {known.organisms.get(name) for name in accessions(item)}
        if not own_taxa <= taxa:
            return Cause.ORGANISM, None
    return Cause.NOT_RIGHT, None


def near(item: Item, others: Sequence[Item]) -> tuple[Cause, Item] | None:
    """The first of the others that is half right: a span that shares a character, or a pair with one partner."""
    if isinstance(item, Span):
        shared = (own for own in only_spans(others) if own.start < item.end and item.start < own.end)
        return next(((Cause.BOUNDARY, own) for own in shared), None)
    if isinstance(item, str):
        return None
    partners = (own for own in others if isinstance(own, tuple) and not isinstance(own, Span) and set(own) & set(item))
    return next(((Cause.PARTNER, own) for own in partners), None)

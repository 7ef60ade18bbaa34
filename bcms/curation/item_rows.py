"""The items of one kind as a curator sees them: what was proposed, what was added, and what was decided on each."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from django.db.models import IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce

from annotations.curation.contents import (
    Content,
    read_annotation_content,
    read_content_sources,
    read_interaction_content,
)
from annotations.curation.models import Candidate, Curation, DecidedItem
from annotations.curation.projection import ORGANISM_DATABASE
from annotations.curation.states import ItemKind
from annotations.digital_abstract import Interaction
from annotations.identifiers.curies import format_curie_for_readers
from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.models import Entry
from annotations.identifiers.namespaces import build_entry_url_or_empty
from annotations.identifiers.queries import find_named_entries
from annotations.schema import AnnotationData, EntityId, Shape

ROWS_PER_PAGE = 50
# The columns of an annotation's row that name an entity (annotations/results/annotation_rows.py).
DATABASE_COLUMN, IDENTIFIER_COLUMN = KT("content__row__6"), KT("content__row__7")
TAXON_COLUMN = KT("content__row__9")
# The entry may have become known after the candidates were built.
TAXON_OF_ENTRY = Entry.objects.filter(database=OuterRef("database"), identifier=OuterRef("identifier")).values("taxon")
Item = TypeVar("Item")
EntriesByKey = Mapping[tuple[str, str], NamedEntry]


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One item, or all mentions of one text, as a row of a list.

    title: what a reader calls it. curie, url: its identifier and the page of its entry. organism, taxon: of a gene or
    protein. type: of a mention or entity. count: how many mentions are decided on at once. producers: how many proposed
    it. state: "" before a decision. added: the curator added it. taken_from: whose record had it, if the curation
    continues one. sources: names of what it was taken over from with a file. other_organism: of an organism that was
    not chosen.
    """

    kind: ItemKind
    key: str
    title: str
    curie: str = ""
    url: str = ""
    name: str = ""
    organism: str = ""
    taxon: int | None = None
    type: str = ""
    count: int = 1
    producers: int = 0
    confidence: float | None = None
    state: str = ""
    reason: str = ""
    added: bool = False
    taken_from: str = ""
    sources: Sequence[str] = ()
    other_organism: bool = False
    interaction: Interaction | None = None

    @property
    def facts(self) -> list[str]:
        """What a reader needs to decide, besides its name and identifier."""
        facts = (
            self.type,
            self.organism,
            f"{self.count} mentions" if self.count > 1 else "",
            self.origin,
            "another organism" if self.other_organism else "",
        )
        return list(filter(None, facts))

    @property
    def origin(self) -> str:
        """Who proposed it."""
        if self.taken_from:
            return f"from the record of {self.taken_from}"
        if self.sources:
            return f"taken over from {', '.join(self.sources)}"
        if self.added:
            return "added by you"
        confidence = "" if self.confidence is None else f", confidence {self.confidence:.2f}"
        return f"{self.producers} server{'' if self.producers == 1 else 's'}{confidence}"

    @property
    def html_id(self) -> str:
        """Unique on its page: keys may have hundreds of characters, and differ in the last one or in case only."""
        return f"item-{self.kind}-{hashlib.sha256(self.key.encode()).hexdigest()[:32]}"


@dataclass(frozen=True, slots=True)
class ItemPage:
    """The rows of one page of a list, and how many rows all pages have."""

    rows: Sequence[ItemRow]
    total: int


@dataclass(frozen=True, slots=True)
class _KnownItem:
    """An item with what is known of it before it has names."""

    kind: ItemKind
    key: str
    content: Content
    producers: int
    confidence: float | None
    decided: DecidedItem | None


def load_item_page(curation: Curation, kind: ItemKind, chosen_taxa: Sequence[int], page: int) -> ItemPage:
    """A page of the items of a kind but mentions: 6 queries.

    Added ones come first, then the candidates in their order; those of organisms that were not chosen come last.
    """
    candidates, decided = list_items(curation, kind)
    keys = _list_ordered_keys(candidates, decided, kind, chosen_taxa)
    wanted = cut_page(keys, page)
    return ItemPage(load_item_rows(curation, kind, chosen_taxa, wanted), len(keys))


def cut_page(items: Sequence[Item], page: int) -> Sequence[Item]:
    """The items of a page, which are counted from 1."""
    return items[(page - 1) * ROWS_PER_PAGE : page * ROWS_PER_PAGE]


def list_items(curation: Curation, kind: ItemKind) -> tuple[QuerySet[Candidate], QuerySet[DecidedItem]]:
    """What is proposed of a kind, and what is decided now, both in their order."""
    candidates = Candidate.objects.filter(candidate_list=curation.candidates_id, kind=kind).order_by("position")
    return candidates, curation.items.filter(kind=kind, superseded_by__isnull=True).order_by("pk")


def load_item_rows(
    curation: Curation, kind: ItemKind, chosen_taxa: Sequence[int], keys: Sequence[str]
) -> Sequence[ItemRow]:
    """The rows of the items with these keys, in their order: 4 queries."""
    candidates, decided = list_items(curation, kind)
    items = _find_known_items(candidates.filter(key__in=keys), decided.filter(key__in=keys))
    entries = _load_entries(items.values())
    rows = [_build_row(items[key], entries, chosen_taxa) for key in keys if key in items]
    if not curation.basis_id:
        return rows
    taken_over = list_taken_over(curation, kind).filter(key__in=keys)
    return name_basis(rows, curation, set(taken_over.values_list("key", flat=True)))


def name_basis(rows: Sequence[ItemRow], curation: Curation, taken_over: Collection[str]) -> list[ItemRow]:
    """The rows, those with one of these keys as from the record that the curation continues."""
    name = str(curation.basis.curator) if curation.basis else ""
    return [replace(row, taken_from=name) if row.key in taken_over else row for row in rows]


def list_taken_over(curation: Curation, kind: ItemKind) -> QuerySet[DecidedItem]:
    """The items that are as in the record that the curation continues."""
    makers = Curation.objects.filter(continued_by=curation).values_list("curator__producer", flat=True)
    return curation.items.filter(kind=kind, superseded_by__isnull=True, producers__contains=list(makers))


def _list_ordered_keys(
    candidates: QuerySet[Candidate], decided: QuerySet[DecidedItem], kind: ItemKind, chosen_taxa: Sequence[int]
) -> list[str]:
    """The keys of all items in the order of their list, without reading their contents: 2 queries."""
    proposed = _map_taxa_by_key(candidates, kind, chosen_taxa)
    current = _map_taxa_by_key(decided, kind, chosen_taxa)
    added = {key: taxa for key, taxa in current.items() if key not in proposed}
    taxa_by_key = {**added, **proposed, **current}
    return sorted(taxa_by_key, key=lambda key: is_of_other_organism(taxa_by_key[key], chosen_taxa))


def _map_taxa_by_key(
    items: QuerySet[Candidate] | QuerySet[DecidedItem], kind: ItemKind, chosen_taxa: Sequence[int]
) -> dict[str, Collection[int]]:
    """The taxa of items by their keys, in their order: 1 query. Nothing but entities and interactions has any."""
    if chosen_taxa and kind is ItemKind.INTERACTION:
        participants = items.values_list("key", "content__interaction__participants")
        return {key: {each["taxon"] for each in given if each["taxon"]} for key, given in participants}
    if chosen_taxa and kind is ItemKind.ENTITY:
        named = items.annotate(database=DATABASE_COLUMN, identifier=IDENTIFIER_COLUMN)
        taxa = named.values_list(
            "key", Coalesce(Cast(TAXON_COLUMN, IntegerField()), Subquery(TAXON_OF_ENTRY, IntegerField()))
        )
        return {key: (taxon,) if taxon else () for key, taxon in taxa}
    return dict.fromkeys(items.values_list("key", flat=True), ())


def is_of_other_organism(taxa: Collection[int], chosen_taxa: Collection[int]) -> bool:
    """Whether organisms were chosen, and what has these taxa is of none of them."""
    return bool(taxa and chosen_taxa and not set(taxa) & set(chosen_taxa))


def _find_known_items(candidates: QuerySet[Candidate], decided: QuerySet[DecidedItem]) -> Mapping[str, _KnownItem]:
    """The items by their keys: 2 queries."""
    current = {item.key: item for item in decided.select_related("decision")}
    items = {
        key: _KnownItem(ItemKind(item.kind), key, item.content, len(item.producers), None, item)
        for key, item in current.items()
    }
    for each in candidates:
        item = current.get(each.key)
        content = item.content if item else each.content
        number, confidence = len(each.producers), each.confidence
        items[each.key] = _KnownItem(ItemKind(each.kind), each.key, content, number, confidence, item)
    return items


def _load_entries(items: Iterable[_KnownItem]) -> EntriesByKey:
    """The entries that the items name, and their organisms: 2 queries."""
    named = find_named_entries({(*entity,) for item in items for entity in _iter_entity_ids(item)})
    taxa = {(ORGANISM_DATABASE, str(entry.taxon)) for entry in named.values() if entry.taxon}
    taxa |= {(ORGANISM_DATABASE, str(taxon)) for item in items if (taxon := _find_taxon(item, named))}
    return {**named, **find_named_entries(taxa)}


def _iter_entity_ids(item: _KnownItem) -> Iterable[EntityId]:
    if item.kind is ItemKind.INTERACTION:
        return [each.entity for each in read_interaction_content(item.content).participants]
    return read_annotation_content(item.content).iter_entity_ids()


def _find_taxon(item: _KnownItem, entries: EntriesByKey) -> int | None:
    if item.kind is not ItemKind.ENTITY:
        return None
    annotation = read_annotation_content(item.content)
    entry = entries.get((annotation.database, annotation.identifier))
    return annotation.taxon or (entry.taxon if entry else None)


def _build_row(item: _KnownItem, entries: EntriesByKey, chosen_taxa: Sequence[int]) -> ItemRow:
    state = item.decided.state if item.decided else ""
    reason = item.decided.decision.reason if item.decided else ""
    added = item.decided is not None and not item.producers
    common = (item.producers, item.confidence, state, reason, added)
    if item.kind is ItemKind.INTERACTION:
        return _build_interaction_row(item, entries, chosen_taxa, common)
    annotation = read_annotation_content(item.content)
    entity = next(iter(annotation.iter_entity_ids()), None) if annotation.shape is Shape.ENTITY else None
    entry = entries.get(entity) if entity else None
    taxon = _find_taxon(item, entries)
    return ItemRow(
        item.kind,
        item.key,
        _title_annotation(annotation, entry, entries),
        format_curie_for_readers(entity) if entity else "",
        build_entry_url_or_empty(*entity) if entity else "",
        entry.name if entry and entry.symbol else "",
        _name_organism(taxon, entries),
        taxon,
        annotation.type,
        1,
        *common,
        sources=_name_sources(item.content),
        other_organism=is_of_other_organism((taxon,) if taxon else (), chosen_taxa),
    )


def _title_annotation(annotation: AnnotationData, entry: NamedEntry | None, entries: EntriesByKey) -> str:
    if annotation.shape is Shape.ENTITY:
        return (entry.symbol or entry.name if entry else "") or annotation.text or annotation.identifier
    if annotation.shape is Shape.LABEL:
        return f"{annotation.type}: {annotation.text}"
    ends = [
        argument.text or ", ".join(_name_related_entity(each, entries) for each in argument.identifiers)
        for argument in annotation.arguments
    ]
    return (" → " if annotation.is_directed else " – ").join(ends)


def _name_related_entity(entity: EntityId, entries: EntriesByKey) -> str:
    entry = entries.get(entity)
    return (entry.symbol or entry.name if entry else "") or format_curie_for_readers(entity)


def _build_interaction_row(
    item: _KnownItem,
    entries: EntriesByKey,
    chosen_taxa: Sequence[int],
    common: tuple[int, float | None, str, str, bool],
) -> ItemRow:
    interaction = read_interaction_content(item.content)
    names = []
    for each in interaction.participants:
        entry = entries.get(each.entity)
        names.append(each.name or (entry.symbol or entry.name if entry else "") or each.entity.identifier)
    taxa = {each.taxon for each in interaction.participants if each.taxon}
    return ItemRow(
        item.kind,
        item.key,
        (" → " if interaction.directed else " – ").join(names),
        ", ".join(format_curie_for_readers(each.entity) for each in interaction.participants),
        "",
        "",
        ", ".join(name for taxon in sorted(taxa) if (name := _name_organism(taxon, entries))),
        None,
        "",
        1,
        *common,
        sources=_name_sources(item.content),
        other_organism=is_of_other_organism(taxa, chosen_taxa),
        interaction=interaction,
    )


def _name_sources(content: Content) -> list[str]:
    return [source.name for source in read_content_sources(content)]


def _name_organism(taxon: int | None, entries: EntriesByKey) -> str:
    if not taxon:
        return ""
    entry = entries.get((ORGANISM_DATABASE, str(taxon)))
    return entry.name if entry and entry.name else f"NCBI:txid{taxon}"

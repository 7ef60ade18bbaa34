"""The items of one kind as a curator sees them: what was proposed, what was added, and what was decided on each."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import Count, F, IntegerField, Max, Min, OuterRef, QuerySet, Subquery
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
from annotations.curation.states import ItemKind, ItemState
from annotations.digital_abstract import Interaction
from annotations.identifiers.curies import format_curie_for_readers
from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.models import Entry
from annotations.identifiers.namespaces import build_entry_url_or_empty
from annotations.identifiers.queries import find_named_entries
from annotations.schema import AnnotationData, EntityId, Shape
from bcms.lib.text import strip_case_spaces_and_dashes

ROWS_PER_PAGE = 50
# The columns of an annotation's row that name a mention (annotations/results/annotation_rows.py).
TEXT_COLUMN, TYPE_COLUMN = KT("content__row__4"), KT("content__row__5")
# Those that name an entity.
DATABASE_COLUMN, IDENTIFIER_COLUMN = KT("content__row__6"), KT("content__row__7")
TAXON_COLUMN = KT("content__row__9")
# The entry may have become known after the candidates were built.
TAXON_OF_ENTRY = Entry.objects.filter(database=OuterRef("database"), identifier=OuterRef("identifier")).values("taxon")
# The text of a mention without case, spaces and dashes, and its type.
MentionGroup = tuple[str, str]
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
        return f"item-{self.kind}-{strip_case_spaces_and_dashes(self.key).encode().hex()[:120]}"


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


@dataclass(frozen=True, slots=True)
class _KnownMentions:
    """The mentions of one text and type; the fields are those of ItemRow."""

    text: str
    count: int
    producers: int = 0
    confidence: float | None = None
    sources: Sequence[str] = ()


def load_item_page(curation: Curation, kind: ItemKind, chosen_taxa: Sequence[int], page: int) -> ItemPage:
    """A page of the items of a kind but mentions: 6 queries.

    Added ones come first, then the candidates in their order; those of organisms that were not chosen come last.
    """
    candidates = Candidate.objects.filter(candidate_list=curation.candidates_id, kind=kind).order_by("position")
    decided = curation.items.filter(kind=kind, superseded_by__isnull=True).order_by("pk")
    keys = _list_ordered_keys(candidates, decided, kind, chosen_taxa)
    wanted = keys[(page - 1) * ROWS_PER_PAGE : page * ROWS_PER_PAGE]
    items = _find_known_items(candidates.filter(key__in=wanted), decided.filter(key__in=wanted))
    entries = _load_entries(items.values())
    rows = [_build_row(items[key], entries, chosen_taxa) for key in wanted if key in items]
    taken_over = set(_list_taken_over(curation, kind).values_list("key", flat=True)) if curation.basis_id else set()
    return ItemPage(_name_basis(rows, curation, taken_over), len(keys))


def _name_basis(rows: Sequence[ItemRow], curation: Curation, taken_over: Collection[str]) -> list[ItemRow]:
    """The rows, those with one of these keys as from the record that the curation continues."""
    name = str(curation.basis.curator) if curation.basis else ""
    return [replace(row, taken_from=name) if row.key in taken_over else row for row in rows]


def _list_taken_over(curation: Curation, kind: ItemKind) -> QuerySet[DecidedItem]:
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
        _title_annotation(annotation, entry),
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


def _title_annotation(annotation: AnnotationData, entry: NamedEntry | None) -> str:
    if annotation.shape is Shape.ENTITY:
        return (entry.symbol or entry.name if entry else "") or annotation.text or annotation.identifier
    if annotation.shape is Shape.LABEL:
        return f"{annotation.type}: {annotation.text}"
    ends = [
        argument.text or ", ".join(each.curie for each in argument.identifiers) for argument in annotation.arguments
    ]
    return (" → " if annotation.is_directed else " – ").join(ends)


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


def load_mention_page(curation: Curation, page: int) -> ItemPage:
    """A page of the mentions, those of one text and type as one row, in the order of the candidates: 2 queries."""
    states, decided = _count_decided_mentions(curation)
    candidates = Candidate.objects.filter(candidate_list=curation.candidates_id, kind=ItemKind.MENTION)
    groups = candidates.values("group", entity_type=TYPE_COLUMN).annotate(
        words=Min(TEXT_COLUMN),
        number=Count("pk"),
        best=Max("confidence"),
        first=Min("position"),
        voters=Max(F("producers__len")),
    )
    proposed = {
        (each["group"], each["entity_type"]): _KnownMentions(
            each["words"], each["number"], each["voters"] or 0, each["best"]
        )
        for each in groups.order_by("first")
    }
    added = {key: mentions for key, mentions in decided.items() if key not in proposed}
    known = [*added.items(), *proposed.items()]
    rows = [
        _build_mention_row(key, states.get(key, {}), mentions)
        for key, mentions in known[(page - 1) * ROWS_PER_PAGE : page * ROWS_PER_PAGE]
    ]
    taken_over = _list_taken_over_groups(curation) if curation.basis_id else set()
    return ItemPage(_name_basis(rows, curation, taken_over), len(known))


def _list_taken_over_groups(curation: Curation) -> set[str]:
    rows = _list_taken_over(curation, ItemKind.MENTION).values_list(TEXT_COLUMN, TYPE_COLUMN)
    return {format_group_key(strip_case_spaces_and_dashes(text), entity_type) for text, entity_type in rows}


def _count_decided_mentions(
    curation: Curation,
) -> tuple[dict[MentionGroup, dict[str, int]], dict[MentionGroup, _KnownMentions]]:
    """The number of decided mentions by group and state, and what is known of each group: 1 query."""
    states: dict[MentionGroup, dict[str, int]] = {}
    mentions: dict[MentionGroup, _KnownMentions] = {}
    decided = curation.items.filter(kind=ItemKind.MENTION, superseded_by__isnull=True)
    rows = decided.values_list(TEXT_COLUMN, TYPE_COLUMN, "state", "content__sources").annotate(number=Count("pk"))
    for text, entity_type, state, given, number in rows.order_by():
        key = (strip_case_spaces_and_dashes(text), entity_type)
        numbers = states.setdefault(key, {})
        numbers[state] = numbers.get(state, 0) + number
        known = mentions.get(key, _KnownMentions(text, 0))
        sources = dict.fromkeys((*known.sources, *(source["name"] for source in given or ())))
        mentions[key] = replace(known, count=known.count + number, sources=tuple(sources))
    return states, mentions


def _build_mention_row(key: MentionGroup, states: Mapping[str, int], mentions: _KnownMentions) -> ItemRow:
    return ItemRow(
        ItemKind.MENTION,
        format_group_key(*key),
        mentions.text,
        type=key[1],
        count=mentions.count,
        producers=mentions.producers,
        confidence=mentions.confidence,
        state=_summarize_states(states, mentions.count),
        added=not mentions.producers,
        sources=mentions.sources,
    )


def format_group_key(group: str, entity_type: str) -> str:
    """What names all mentions of one text and type in forms."""
    return f"{group}\t{entity_type}"


def _summarize_states(numbers: Mapping[str, int], total: int) -> str:
    """The state of all mentions of a group; "" while any is not decided, or they were decided differently."""
    return next((state for state in ItemState if numbers.get(state, 0) >= total), "")

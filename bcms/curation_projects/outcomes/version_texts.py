"""The items of several records as texts to compare."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotations.curation.annotation_texts import describe_annotation, format_named_curie
from annotations.curation.contents import Content, read_annotation_content, read_interaction_content
from annotations.curation.projects.comparison import ComparedItem, ItemVersion
from annotations.curation.states import ItemKind
from annotations.digital_abstract import UNSPECIFIED_ROLE, Interaction, Participant
from annotations.identifiers.curies import format_curie_for_readers
from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.psi_mi_terms import PSI_MI_NAMESPACE
from annotations.identifiers.queries import find_named_entries
from annotations.schema import EntityId

EntriesById = Mapping[tuple[str, str], NamedEntry]


@dataclass(frozen=True, slots=True)
class VersionText:
    """One form of an item. details: further statements, such as methods; curators: the names of those who accepted."""

    title: str
    details: Sequence[str]
    curators: Sequence[str]


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """An item side by side. number: its position in the comparison, by which forms name it.

    missed_by: the curators who neither accepted nor rejected it.
    """

    number: int
    kind: ItemKind
    key: str
    versions: Sequence[VersionText]
    rejected_by: Sequence[str]
    missed_by: Sequence[str]
    agreed: bool


def build_compared_rows(items: Sequence[ComparedItem], curators: Sequence[str]) -> list[ComparedRow]:
    """The items with the names of entries and terms; curators: their names by number. 1 query."""
    contents = [(item.kind, version.content) for item in items for version in item.versions]
    entries = find_named_entries({(*each,) for kind, content in contents for each in _iter_named(kind, content)})
    return [
        ComparedRow(
            number,
            item.kind,
            item.key,
            [_build_version_text(item, version, curators, entries) for version in item.versions],
            [curators[each] for each in item.rejected_by],
            [name for each, name in enumerate(curators) if each not in _list_deciding_curators(item)],
            item.agreed,
        )
        for number, item in enumerate(items)
    ]


def _list_deciding_curators(item: ComparedItem) -> list[int]:
    return [*item.rejected_by, *(curator for version in item.versions for curator in version.curators)]


def _build_version_text(
    item: ComparedItem, version: ItemVersion, curators: Sequence[str], entries: EntriesById
) -> VersionText:
    title, details = describe_content(item.kind, version.content, entries)
    return VersionText(title, details, [curators[each] for each in version.curators])


def _iter_named(kind: ItemKind, content: Content) -> Iterable[EntityId]:
    """The entities and terms whose names are shown."""
    if kind is not ItemKind.INTERACTION:
        return read_annotation_content(content).iter_entity_ids()
    interaction = read_interaction_content(content)
    roles = [role for each in interaction.participants for role in (each.biological_role, each.experimental_role)]
    terms = [interaction.interaction_type, *interaction.methods, *roles]
    entities = [participant.entity for participant in interaction.participants]
    return [*entities, *(EntityId(PSI_MI_NAMESPACE, term) for term in terms if term)]


def describe_content(kind: ItemKind, content: Content, entries: EntriesById) -> tuple[str, list[str]]:
    """A title and the details of an item."""
    if kind is ItemKind.INTERACTION:
        return _describe_interaction(read_interaction_content(content), entries)
    annotation = read_annotation_content(content)
    return describe_annotation(annotation, lambda entity: _name_entity(entity, entries), with_position=True), []


def _name_entity(entity: EntityId, entries: EntriesById) -> str:
    entry = entries.get(entity)
    return format_named_curie((entry.symbol or entry.name) if entry else "", entity)


def _describe_interaction(interaction: Interaction, entries: EntriesById) -> tuple[str, list[str]]:
    names = [_name_entity(each.entity, entries) for each in interaction.participants]
    details = [f"type: {_name_term(interaction.interaction_type, entries)}"] if interaction.interaction_type else []
    details += ["they do not interact"] if interaction.negative else []
    for participant in interaction.participants:
        details += _describe_roles(participant, entries)
    for detection in interaction.detections:
        method = _name_term(detection.method, entries) if detection.method else "no method"
        passages = [f"“{each.text}”{f' ({each.figure})' if each.figure else ''}" for each in detection.evidence]
        details.append(f"{method}{': ' if passages else ''}{'; '.join(passages)}")
    details += [f"comment: {interaction.comment}"] if interaction.comment else []
    return (" → " if interaction.directed else " – ").join(names), details


def _describe_roles(participant: Participant, entries: EntriesById) -> list[str]:
    roles = (participant.biological_role, participant.experimental_role)
    named = [_name_term(role, entries) for role in roles if role and role != UNSPECIFIED_ROLE]
    return [f"{format_curie_for_readers(participant.entity)} is {', '.join(named)}"] if named else []


def _name_term(term: str, entries: EntriesById) -> str:
    return _name_entity(EntityId(PSI_MI_NAMESPACE, term), entries)

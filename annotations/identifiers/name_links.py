"""Links from annotations to database entries: current identifiers, and entries that a mention may refer to."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotations.identifiers.entries import NamedEntry
from annotations.schema import AnnotationData, EntityId
from annotations.search.greek import spell_out_greek_letters
from bcms.lib.text import strip_case_spaces_and_dashes


def replace_outdated_identifiers(
    annotation: AnnotationData, entries: Mapping[tuple[str, str], NamedEntry]
) -> AnnotationData:
    """The annotation with current identifiers instead of outdated ones (such as secondary accessions).

    So are the links of a mention and the identifiers of a relation's arguments. entries are by (database, identifier).
    Returns the annotation itself if nothing is outdated.
    """
    if annotation.identifiers:
        identifiers = _replace_outdated_ids(annotation.identifiers, entries)
        return annotation if identifiers == annotation.identifiers else replace(annotation, identifiers=identifiers)
    if annotation.relation is not None:
        arguments = tuple(
            replace(each, identifiers=_replace_outdated_ids(each.identifiers, entries)) for each in annotation.arguments
        )
        if arguments == annotation.arguments:
            return annotation
        return replace(annotation, relation=replace(annotation.relation, arguments=arguments))
    # Most mentions have neither links nor an identifier, and a long article has thousands.
    if not (annotation.identifier or annotation.partner):
        return annotation
    known = [entries.get((annotation.database, name)) for name in (annotation.identifier, annotation.partner)]
    if not any(entry and entry.current != entry.identifier for entry in known):
        return annotation
    identifier, partner = (entry.current if entry else "" for entry in known)
    return replace(annotation, identifier=identifier or annotation.identifier, partner=partner or annotation.partner)


def _replace_outdated_ids(
    entity_ids: Sequence[EntityId], entries: Mapping[tuple[str, str], NamedEntry]
) -> tuple[EntityId, ...]:
    """The identifiers, each replaced by its successor if there is exactly one; each once, in their order."""
    current = (
        EntityId(entity_id.database, entry.current) if (entry := entries.get(entity_id)) else entity_id
        for entity_id in entity_ids
    )
    return tuple(dict.fromkeys(current))


@dataclass(frozen=True, slots=True)
class NameLink:
    """An entry that a mention may refer to; because: the kind of matching name ("symbol", "name" or "synonym")."""

    entry: NamedEntry
    because: str
    spelling: str


class NameLinker:
    """Finds entries with a name that equals a mention's text, both regularized and with Greek letters spelled out."""

    def __init__(self, entries: Sequence[NamedEntry]) -> None:
        self._by_name: dict[str, dict[NamedEntry, NameLink]] = defaultdict(dict)
        for entry in entries:
            self._add(entry, "symbol", [entry.symbol])
            self._add(entry, "name", [entry.name])
            self._add(entry, "synonym", entry.synonyms)

    def _add(self, entry: NamedEntry, because: str, spellings: Iterable[str]) -> None:
        for spelling in spellings:
            if name := _normalize_name(spelling):
                self._by_name[name].setdefault(entry, NameLink(entry, because, spelling))

    def list_links(self, mention: str) -> list[NameLink]:
        """The links for the text of a mention, in the order of the entries; empty if no name matches."""
        return list(self._by_name.get(_normalize_name(mention), {}).values())


def _normalize_name(name: str) -> str:
    """The form for comparing mentions and names; tables of entries spell out Greek letters ("beta-catenin")."""
    return strip_case_spaces_and_dashes(spell_out_greek_letters(name))

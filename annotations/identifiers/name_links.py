"""Links from annotations to database entries: current identifiers, and entries that a mention may refer to."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotations.identifiers.entries import NamedEntry
from annotations.schema import AnnotationData
from annotations.search.greek import spell_out_greek_letters
from bcms.lib.text import strip_case_spaces_and_dashes


def replace_outdated_identifiers(
    annotation: AnnotationData, entries: Mapping[tuple[str, str], NamedEntry]
) -> AnnotationData:
    """The annotation with current identifiers instead of outdated ones (such as secondary accessions).

    entries are by (database, identifier). Returns the annotation itself if nothing is outdated.
    """
    known = [entries.get((annotation.database, name)) for name in (annotation.identifier, annotation.partner)]
    if not any(entry and entry.current != entry.identifier for entry in known):
        return annotation
    identifier, partner = (entry.current if entry else "" for entry in known)
    return replace(annotation, identifier=identifier or annotation.identifier, partner=partner or annotation.partner)


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

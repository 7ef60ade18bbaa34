"""Terms of ontologies as entries of the database that the ontology is."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from annotations.identifiers.curies import parse_curie_or_url
from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_names import list_distinct_nonempty_names
from annotations.identifiers.namespaces import (
    find_database_by_spelling,
    find_namespace,
    is_well_formed_identifier,
)
from annotations.identifiers.tables.table_lines import INCOMPLETE, FaultNotingTableLines
from annotations.schema import EntityId

# Files with these words in their names have some of the terms only.
SUBSET_WORDS = ("subset", "slim", "import")
# Accessions of cell lines that were deleted or merged are in files of their own.
DATABASES_WITHOUT_OBSOLETE_TERMS = {"cellosaurus"}
LONGEST_SOURCE = 64


@dataclass(frozen=True, slots=True)
class OntologyTerm:
    """A term as its file has it. Identifiers are CURIEs or URLs; synonyms have the same meaning as the name."""

    identifier: str
    name: str
    synonyms: tuple[str, ...] = ()
    alternative_ids: tuple[str, ...] = ()
    successors: tuple[str, ...] = ()
    obsolete: bool = False


def iter_entries_of_own_terms(
    lines: FaultNotingTableLines, terms: Iterable[OntologyTerm], ontology: str, has_obsolete_terms: bool = True
) -> Iterator[EntryRecord]:
    """The entries of the terms that are the ontology's own; those of others, to which it refers, are left out.

    ontology: its name, such as `go` or `go/subsets/goslim_generic`, or "": then it is that of the first term. Obsolete
    terms are withdrawn; alternative identifiers follow at the end, with their term as the successor. Notes that the
    table is complete if it is a whole ontology by its name and has obsolete terms, and a fault (R436) if it has no
    term of a known ontology.
    """
    named = find_database_by_spelling(ontology.split("/")[0].removesuffix(".owl")) or ""
    database, number = named, 0
    aliases: list[EntryRecord] = []
    for term in terms:
        entity = _find_entity(term.identifier)
        if entity is None:
            continue
        database = database or entity.database
        if entity.database == database:
            number += 1
            entry = _make_term_entry(term, entity)
            yield entry
            aliases += [
                replace(entry, identifier=alias, withdrawn=True, successors=(entity.identifier,))
                for alias in _list_identifiers(term.alternative_ids, database)
            ]
    # In JSON, aliases are obsolete terms without a name, too; the last record of an identifier is stored.
    yield from aliases
    if not number:
        message = "there are no terms of an ontology that the Bioregistry has - use an ontology as published"
        lines.add_fault(1, INCOMPLETE, message)
    elif named and has_obsolete_terms and named not in DATABASES_WITHOUT_OBSOLETE_TERMS and not _is_subset(ontology):
        lines.note_complete_database(database)


def _is_subset(ontology: str) -> bool:
    return any(word in ontology.lower() for word in SUBSET_WORDS)


def _find_entity(identifier: str) -> EntityId | None:
    """The entity of a CURIE or URL, None if it is malformed."""
    entity = parse_curie_or_url(identifier)
    return entity if entity and is_well_formed_identifier(*entity) else None


def _make_term_entry(term: OntologyTerm, entity: EntityId) -> EntryRecord:
    namespace = find_namespace(entity.database)
    return EntryRecord(
        entity.database,
        entity.identifier,
        (namespace.title if namespace else entity.database)[:LONGEST_SOURCE],
        name=term.name,
        synonyms=list_distinct_nonempty_names(term.synonyms, exclude=(term.name,)),
        withdrawn=term.obsolete,
        successors=_list_identifiers(term.successors, entity.database) if term.obsolete else (),
    )


def _list_identifiers(curies: Iterable[str], database: str) -> tuple[str, ...]:
    """The identifiers of those that are of the database."""
    entities = (_find_entity(curie) for curie in curies)
    return tuple(dict.fromkeys(entity.identifier for entity in entities if entity and entity.database == database))

"""Identifiers that curators enter: which entity they name, and why they cannot be used."""

from annotations.curation.errors import CurationError
from annotations.curation.projection import GENE_DATABASES, ORGANISM_DATABASE
from annotations.curation.states import ItemKind
from annotations.identifiers.curies import has_known_form
from annotations.identifiers.given_identifiers import parse_given_identifier
from annotations.identifiers.loaded_namespaces import find_unchecked_entities
from annotations.identifiers.namespaces import namespace_title_or_raw_name
from annotations.identifiers.psi_mi_terms import PSI_MI_NAMESPACE
from annotations.identifiers.queries import find_named_entries
from annotations.rules.links import LONGEST_IDENTIFIER
from annotations.schema import AnnotationData, EntityId, Kind, make_entity
from annotations.search.entity_curies import list_organism_curies_by_name_or_taxon

# The databases that items of these kinds are from.
DATABASES_BY_KIND = {ItemKind.ORGANISM: (ORGANISM_DATABASE,), ItemKind.METHOD: (PSI_MI_NAMESPACE,)}


def read_given_entity(
    text: str, entity_type: str = "", *, kind: ItemKind = ItemKind.ENTITY, field: str = "identifier"
) -> EntityId:
    """The entity that an identifier names: CurationError if it is missing, malformed, withdrawn or does not exist.

    A bare identifier is of a database that has such items or entities of this type. field: where the error is shown.
    """
    databases = DATABASES_BY_KIND.get(kind, ())
    entity = parse_given_identifier(text.strip(), entity_type, (*databases, *GENE_DATABASES))
    if entity is None:
        raise CurationError("Enter an identifier, or choose one of the suggestions.", field)
    if not entity.database:
        message = f"“{text[:60]}” is not an identifier of a known database. Write it as in uniprot:P04637."
        raise CurationError(message, field)
    if databases and entity.database not in databases:
        title = namespace_title_or_raw_name(databases[0])
        raise CurationError(f"“{text[:60]}” is not an identifier of {title}.", field)
    check_entity(entity, text, field)
    return entity


def check_entity(entity: EntityId, text: str, field: str) -> None:
    """CurationError if the entity is malformed, withdrawn or does not exist: 1 query. text: as it was written."""
    title = namespace_title_or_raw_name(entity.database)
    if len(entity.identifier) > LONGEST_IDENTIFIER or not has_known_form(entity):
        raise CurationError(f"“{text[:60]}” does not have the form of an identifier of {title}.", field)
    entry = find_named_entries([entity]).get(entity)
    if entry is None:
        return
    if entry.exists is False:
        raise CurationError(f"{title} has no entry {entity.identifier}. Check it for a typing error.", field)
    if entry.current != entity.identifier:
        raise CurationError(f"{entity.identifier} was replaced by {entry.current}. Use that one.", field)
    if entry.withdrawn:
        successors = f" It was split into {', '.join(entry.successors)}." if entry.successors else ""
        raise CurationError(f"{title} has withdrawn {entity.identifier}.{successors} Choose another entry.", field)


def find_item_kind(entity: EntityId) -> ItemKind:
    """The kind of the items that name such an entity: organisms, methods, or all other entities."""
    return next((kind for kind, names in DATABASES_BY_KIND.items() if entity.database in names), ItemKind.ENTITY)


def build_entity_annotation(kind: ItemKind, entity: EntityId, entity_type: str = "") -> AnnotationData:
    """The annotation of an organism, method or other entity, with the organism of its entry: 1 query for the latter."""
    database, identifier = entity
    if kind is ItemKind.ORGANISM:
        return AnnotationData(Kind.TAXON, database=database, identifier=identifier)
    if kind is ItemKind.METHOD:
        return AnnotationData(Kind.METHOD, database=database, identifier=identifier)
    entry = find_named_entries([entity]).get(entity)
    taxon = entry.taxon if entry else None
    if database in GENE_DATABASES:
        return AnnotationData(Kind.NORMALIZATION, database=database, identifier=identifier, taxon=taxon)
    return make_entity(entity, entity_type, taxon=taxon)


def read_given_organism(text: str, field: str) -> int | None:
    """The NCBI Taxonomy id of an organism by its id or name, None for no text: 3 queries at most.

    CurationError if the organism is unknown, was replaced, or is one of several with this name.
    """
    entity = parse_given_identifier(text.strip(), databases=(ORGANISM_DATABASE,))
    if entity is None:
        return None
    if not entity.database:
        return _find_organism_named(entity.identifier, field)
    title = namespace_title_or_raw_name(ORGANISM_DATABASE)
    if entity.database != ORGANISM_DATABASE:
        raise CurationError(f"“{text[:60]}” is not an identifier of {title}. Write its number, such as 9606.", field)
    check_entity(entity, text, field)
    if not find_named_entries([entity]) and not find_unchecked_entities([entity]):
        raise CurationError(f"{title} has no entry {entity.identifier[:60]}. Check it for a typing error.", field)
    return int(entity.identifier)


def _find_organism_named(name: str, field: str) -> int:
    named = [parse_given_identifier(curie) for curie in list_organism_curies_by_name_or_taxon(name)]
    found = [entity for entity in named if entity]
    entries = find_named_entries(found)
    # An outdated entry has the names of the one that replaced it.
    current = {entries[entity].current if entity in entries else entity.identifier for entity in found}
    if not current:
        message = f"No organism named “{name[:60]}” is known. Choose a suggestion, or write its number, such as 9606."
        raise CurationError(message, field)
    if len(current) > 1:
        message = f"Several organisms are named “{name[:60]}”. Choose a suggestion, or write the number of one."
        raise CurationError(message, field)
    return int(current.pop())

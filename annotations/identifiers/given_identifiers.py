"""Identifiers as people write them in files and answers, with and without the name of their database."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from annotations.entity_types import find_known_entity_type
from annotations.identifiers.curies import has_known_form, parse_curie_or_url
from annotations.schema import EntityId

# What stands in place of an identifier where there is none.
NO_IDENTIFIER_TEXTS = frozenset({"", "-", "-1"})
# GNormPlus writes the taxon after a gene: 10434(Tax:9606).
TAXON_MARK = re.compile(r"\(tax:\d*\)", re.IGNORECASE)
SEPARATORS = re.compile(r"[,;|]")
VARIANT_SEPARATORS = re.compile(r"[,;]")
VARIANT = "Variant"
# tmVar's form of a variant, which names the kind of change after the kind of sequence.
VARIANT_FORM = re.compile(r"[a-z]?\|(?:SUB|DEL|INS|INDEL|DUP|INV|FS|Allele)\|", re.ASCII)
REFERENCE_SNP = re.compile(r"rs[0-9]+", re.ASCII)


@lru_cache(maxsize=1 << 16)
def parse_identifier_field(text: str, entity_type: str = "", databases: tuple[str, ...] = ()) -> tuple[EntityId, ...]:
    """The distinct entities in a field of identifiers, in their order; see the two functions below.

    A bare identifier may belong to the database of the one before it: `MESH:D007674|D008107`.
    """
    entities: list[EntityId] = []
    for part in split_given_identifiers(text, entity_type):
        previous = (entities[-1].database,) if entities else ()
        if entity := parse_given_identifier(part, entity_type, (*databases, *previous)):
            entities.append(entity)
    return tuple(dict.fromkeys(entities))


def split_given_identifiers(text: str, entity_type: str = "") -> tuple[str, ...]:
    """The identifiers of a field with several, which `,`, `;` or `|` separates, as they are written.

    Empty parts, `-` and marks of taxa are left out. Identifiers of variants may contain the separators
    (`c|SUB|C|1858|T;Gene:672`): a field of variants, which such a form or the type shows, is divided only if it
    consists of identifiers of dbSNP. So may
    identifiers of other databases, InChI for one: a field that is well-formed as a whole is not divided.
    """
    field = TAXON_MARK.sub("", text).strip()
    if not SEPARATORS.search(field):
        return () if field in NO_IDENTIFIER_TEXTS else (field,)
    if _names_variant(entity_type) or VARIANT_FORM.match(field):
        parts = [part.strip() for part in VARIANT_SEPARATORS.split(field)]
        return tuple(parts) if all(map(REFERENCE_SNP.fullmatch, parts)) else (field,)
    entity = parse_curie_or_url(field)
    if entity and has_known_form(entity):
        return (field,)
    return tuple(_iter_parts(field))


def _iter_parts(field: str) -> Iterator[str]:
    for part in SEPARATORS.split(field):
        if (text := part.strip()) not in NO_IDENTIFIER_TEXTS:
            yield text


def _names_variant(entity_type: str) -> bool:
    known_type = find_known_entity_type(entity_type)
    return known_type is not None and known_type.name == VARIANT


def parse_given_identifier(text: str, entity_type: str = "", databases: Iterable[str] = ()) -> EntityId | None:
    """The entity of one identifier as it was given; None where `-`, `-1` or an empty text means that there is none.

    A CURIE or URL names its database. A bare identifier belongs to the first database whose form it has: one of
    `databases`, else one that has entities of this type. Any other text is kept, with "" for the database.
    """
    identifier = TAXON_MARK.sub("", text).strip()
    if identifier in NO_IDENTIFIER_TEXTS:
        return None
    if entity := parse_curie_or_url(identifier):
        return None if entity.identifier in NO_IDENTIFIER_TEXTS else entity
    known_type = find_known_entity_type(entity_type)
    for database in (*databases, *(known_type.databases if known_type else ())):
        if has_known_form(entity := EntityId(database, identifier)):
            return entity
    return EntityId("", identifier)

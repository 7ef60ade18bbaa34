"""What infons say of annotations in a form that is read back without loss.

The writer of BioC and that of PubAnnotation, whose attributes are read as infons, write these; other people's files
have some of them, too. Keys are normalized: without case and punctuation.
"""

from collections.abc import Mapping, Sequence
from itertools import count

from annotations.identifiers.curies import format_curie
from annotations.identifiers.given_identifiers import parse_identifier_field
from annotations.schema import EntityId, Kind

Infons = Mapping[str, str]
KIND_INFON, PRODUCER_INFON = "kind", "sort"
# Annotations that only relations refer to: a mention that is none of its producer's mentions, and a passage of text.
ARGUMENT_KIND, EVIDENCE_KIND = "argument", "evidence"
EVIDENCE_ROLE, EVIDENCE_TYPE = "evidence", "Passage"
# The keys of qualifiers and labels, before their names.
QUALIFIER_PREFIX, LABEL_PREFIX = "qualifier:", "label:"
# BioRED calls novelty novel.
QUALIFIERS_BY_INFON = {"novel": "novelty"}
INFONS_BY_QUALIFIER = {name: infon for infon, name in QUALIFIERS_BY_INFON.items()}
YES = "yes"
LARGEST_NUMBER = 2**31 - 1
KINDS_BY_VALUE = {kind.value: kind for kind in Kind}


def find_declared_kind(infons: Infons) -> Kind | None:
    """The kind that an export says an annotation has; None in other files."""
    return KINDS_BY_VALUE.get(infons.get(KIND_INFON, "")) if PRODUCER_INFON in infons else None


def find_declared_role(infons: Infons) -> str:
    """ARGUMENT_KIND or EVIDENCE_KIND for an annotation that only relations refer to, otherwise an empty text."""
    kind = infons.get(KIND_INFON, "") if PRODUCER_INFON in infons else ""
    return kind if kind in (ARGUMENT_KIND, EVIDENCE_KIND) else ""


def parse_confidence_or_none(text: str) -> float | None:
    """A confidence in (0, 1]; None for anything else."""
    if not text:
        return None
    try:
        confidence = float(text)
    except ValueError:
        return None
    return confidence if 0 < confidence <= 1 else None


def parse_positive_number_or_none(text: str) -> int | None:
    """A whole number that the database can store, from 1: a rank, or the identifier of a taxon; None for others."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_NUMBER))
    return int(text) if is_number and 0 < int(text) <= LARGEST_NUMBER else None


def format_identifier_infons(key: str, identifiers: Sequence[EntityId], entity_type: str = "") -> dict[str, str]:
    """Infons with identifiers: their CURIEs, separated by semicolons.

    Identifiers that are not read back from these, because they contain a separator for example, are listed one by one.
    """
    if not identifiers:
        return {}
    joined = ";".join(map(format_curie, identifiers))
    if parse_identifier_field(joined, entity_type) == tuple(identifiers):
        return {key: joined}
    return {f"{key} exact {number}": entity.curie for number, entity in enumerate(identifiers, 1)}


def parse_exact_identifiers(key: str, infons: Infons) -> tuple[EntityId, ...]:
    """The identifiers that are listed one by one; mostly none."""
    identifiers = []
    for number in count(1):
        curie = infons.get(f"{key}exact{number}")
        if curie is None:
            break
        database, _, identifier = curie.partition(":")
        identifiers.append(EntityId(database, identifier))
    return tuple(identifiers)

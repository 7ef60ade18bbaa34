"""Annotations as rows of the table of annotations, and back without loss.

Most fields of AnnotationData are columns of the same name. Three columns are for what only open annotations have, and
NULL elsewhere, where they take no space:

spans: the parts of a discontinuous mention as start, end, start, end, ...
curies: the stored CURIEs of a mention with two or more links, in order; of all arguments of a relation, each once.
detail: a relation as JSON without empty values: a: arguments, each with r: role, i: CURIEs, s: spans, t: type, x: text;
d: directed; q: qualifiers by name; e: the spans of the evidence.

A mention with one link has it in database and identifier, like an entity.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotations.schema import (
    FLAT_ANNOTATION_FIELDS,
    MENTION,
    AnnotationData,
    EntityId,
    Kind,
    Qualifier,
    RelationArgument,
    RelationParts,
    Span,
)

# The columns in the order of build_annotation_row and read_annotation_row.
ANNOTATION_ROW_FIELDS = (*FLAT_ANNOTATION_FIELDS, "spans", "curies", "detail")
FLAT_FIELDS = len(FLAT_ANNOTATION_FIELDS)
IDENTIFIER_INDEX = ANNOTATION_ROW_FIELDS.index("identifier")
# The last columns of what is not open, without and with `detail`.
NOTHING_OPEN = ((None, None), (None, None, None))
AnnotationRow = tuple[
    *tuple[float | None, int | None, int | None, int | None],
    *tuple[str, str, str, str, str, int | None, bool | None],
    *tuple[list[int] | None, list[str] | None, dict[str, Any] | None],
]


def build_annotation_row(annotation: AnnotationData) -> AnnotationRow:
    """The values of the columns in ANNOTATION_ROW_FIELDS."""
    database, identifier, spans, curies, detail = annotation.database, annotation.identifier, None, None, None
    if annotation.identifiers:
        if len(annotation.identifiers) == 1:
            database, identifier = annotation.identifiers[0]
        else:
            curies = [each.curie for each in annotation.identifiers]
    if annotation.spans:
        spans = _flatten_spans(annotation.spans)
    if annotation.relation is not None:
        curies = list(dict.fromkeys(each.curie for each in annotation.iter_entity_ids())) or None
        detail = build_relation_detail(annotation.relation)
    return (
        annotation.confidence,
        annotation.rank,
        annotation.start,
        annotation.end,
        annotation.text,
        annotation.type,
        database,
        identifier,
        annotation.partner,
        annotation.taxon,
        annotation.relevant,
        spans,
        curies,
        detail,
    )


def list_row_fields(kinds: Collection[Kind]) -> Sequence[str]:
    """The columns to read of annotations of these kinds: `detail`, which is slow to convert, for relations only."""
    return ANNOTATION_ROW_FIELDS if Kind.RELATION in kinds else ANNOTATION_ROW_FIELDS[:-1]


def read_annotation_row(kind: Kind, *row: Any) -> AnnotationData:
    """The annotation of this kind in the columns of ANNOTATION_ROW_FIELDS, or of list_row_fields."""
    # Most rows have no link and nothing in the columns of open kinds. Pages and scores read thousands of them.
    if (kind is not MENTION or not row[IDENTIFIER_INDEX]) and row[FLAT_FIELDS:] in NOTHING_OPEN:
        return AnnotationData(kind, *row[:FLAT_FIELDS])
    spans, curies, *details = row[FLAT_FIELDS:]
    annotation = AnnotationData(kind, *row[:FLAT_FIELDS])
    if kind is Kind.RELATION:
        return replace(annotation, relation=read_relation_detail(details[0] or {}))
    identifiers = tuple(map(parse_stored_curie, curies or ()))
    if annotation.identifier:
        identifiers = (EntityId(annotation.database, annotation.identifier),)
    return replace(annotation, database="", identifier="", spans=_pair_spans(spans or ()), identifiers=identifiers)


def parse_stored_curie(curie: str) -> EntityId:
    """The inverse of EntityId.curie; namespaces contain no colon."""
    database, _, identifier = curie.partition(":")
    return EntityId(database, identifier)


def _flatten_spans(spans: Sequence[Span]) -> list[int]:
    return [position for span in spans for position in span]


def _pair_spans(positions: Sequence[int]) -> tuple[Span, ...]:
    return tuple(map(Span, positions[::2], positions[1::2]))


def build_relation_detail(relation: RelationParts) -> dict[str, Any]:
    """The column detail."""
    members = {
        "a": [_build_argument_detail(argument) for argument in relation.arguments],
        "d": relation.directed,
        "q": dict(relation.qualifiers),
        "e": _flatten_spans(relation.evidence),
    }
    return {name: value for name, value in members.items() if value}


def _build_argument_detail(argument: RelationArgument) -> dict[str, Any]:
    members = {
        "r": argument.role,
        "i": [each.curie for each in argument.identifiers],
        "s": _flatten_spans(argument.spans),
        "t": argument.type,
        "x": argument.text,
    }
    return {name: value for name, value in members.items() if value}


def read_relation_detail(detail: Mapping[str, Any]) -> RelationParts:
    """The inverse of build_relation_detail."""
    return RelationParts(
        tuple(_read_argument_detail(argument) for argument in detail.get("a", ())),
        detail.get("d", False),
        tuple(Qualifier(name, value) for name, value in sorted(detail.get("q", {}).items())),
        _pair_spans(detail.get("e", ())),
    )


def _read_argument_detail(argument: Mapping[str, Any]) -> RelationArgument:
    return RelationArgument(
        argument.get("r", ""),
        tuple(map(parse_stored_curie, argument.get("i", ()))),
        _pair_spans(argument.get("s", ())),
        argument.get("t", ""),
        argument.get("x", ""),
    )

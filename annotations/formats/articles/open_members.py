"""What annotations have besides the fields of every kind, as JSON: in REST, NDJSON and the details of TSV.

spans: the parts of a discontinuous mention, [[start, end], ...]. identifiers: the links of a mention. arguments,
directed, qualifiers (value by name) and evidence ([[start, end], ...]): of a relation. An argument has role,
identifiers, and spans, type and text of a mention. An identifier has curie, database and identifier. Members that are
empty or false are left out, so annotations without any of this have none of these members.
"""

from collections.abc import Collection, Iterable

from annotations.identifiers.curies import format_curie
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, Span

JsonMembers = dict[str, object]
OPEN_MEMBERS = ("spans", "identifiers", "arguments", "directed", "qualifiers", "evidence")


def build_nonempty_open_members(annotation: AnnotationData, unchecked: Collection[EntityId] = ()) -> JsonMembers:
    """The members by name, in the order of OPEN_MEMBERS.

    unchecked: entities about whose existence nothing is known; their identifiers have "checked": false, and so has an
    annotation that is such an entity.
    """
    # Nearly all annotations have none, and there are millions of them.
    if annotation.relation is None and not annotation.spans and not annotation.identifiers:
        is_unchecked_entity = (
            unchecked
            and annotation.kind is Kind.ENTITY
            and EntityId(annotation.database, annotation.identifier) in unchecked
        )
        return {"checked": False} if is_unchecked_entity else {}
    members: JsonMembers = {
        "spans": _format_spans(annotation.spans),
        "identifiers": _format_identifiers(annotation.identifiers, unchecked),
    }
    if annotation.relation is not None:
        members |= {
            "arguments": [_format_argument(argument, unchecked) for argument in annotation.relation.arguments],
            "directed": annotation.relation.directed,
            "qualifiers": dict(annotation.relation.qualifiers),
            "evidence": _format_spans(annotation.relation.evidence),
        }
    return _drop_empty_members(members)


def iter_entities_of_open_members(annotation: AnnotationData) -> Iterable[EntityId]:
    """The links of a mention, an entity of any type, or those in the arguments of a relation of any type."""
    if annotation.identifiers or annotation.relation is not None or annotation.kind is Kind.ENTITY:
        return annotation.iter_entity_ids()
    return ()


def _format_spans(spans: Iterable[Span]) -> list[list[int]]:
    return [list(span) for span in spans]


def _format_identifiers(entity_ids: Iterable[EntityId], unchecked: Collection[EntityId]) -> list[JsonMembers]:
    return [
        {"curie": format_curie(each), **each._asdict(), **({"checked": False} if each in unchecked else {})}
        for each in entity_ids
    ]


def _format_argument(argument: RelationArgument, unchecked: Collection[EntityId]) -> JsonMembers:
    return _drop_empty_members(
        {
            "role": argument.role,
            "identifiers": _format_identifiers(argument.identifiers, unchecked),
            "spans": _format_spans(argument.spans),
            "type": argument.type,
            "text": argument.text,
        }
    )


def _drop_empty_members(members: JsonMembers) -> JsonMembers:
    return {name: value for name, value in members.items() if value}

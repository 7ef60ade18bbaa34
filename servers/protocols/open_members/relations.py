"""Relations in answers: {type, directed, arguments, qualifiers, evidence, confidence, rank}.

An argument is {role, mention}, with the local id of a mention; {role, identifier} or {role, identifiers}; or {role,
start, end, text}, optionally with a type and identifiers. An id or an identifier alone is an argument without a role.
"""

from collections.abc import Sequence

from annotations.schema import (
    FALSE_QUALIFIER,
    TRUE_QUALIFIER,
    AnnotationData,
    EntityId,
    RelationArgument,
    Span,
    make_relation,
)
from servers.protocols.answer_fields import (
    AnswerFields,
    MalformedValueError,
    make_wrong_type_error,
    parse_array_or_empty_value,
    parse_struct_or_ordered_array,
)
from servers.protocols.open_members.identifiers import build_identifier, read_identifier_list
from servers.protocols.open_members.local_ids import NESTED_RELATION_RULE, LocalIds, format_local_id
from servers.protocols.open_members.spans import build_spans, normalize_text_of_parts, read_spans

RELATION_FIELDS = ("type", "arguments", "directed", "qualifiers", "evidence", "confidence", "rank")
ARGUMENT_MEMBERS = ("role", "mention", "identifier", "identifiers", "start", "end", "spans", "text", "type", "relation")


def read_relation(fields: AnswerFields, local_ids: LocalIds, article_text: str) -> AnnotationData:
    """The relation in a struct. Raises MalformedValueError."""
    path = fields.get_path("arguments")
    elements, notes = parse_array_or_empty_value(fields.require_value("arguments"), path)
    fields.notes.extend(notes)
    arguments = []
    for index, element in enumerate(elements):
        argument_fields = _parse_argument(element, f"{path}[{index}]", local_ids)
        arguments.append(_read_argument(argument_fields, local_ids, article_text))
        fields.notes.extend(argument_fields.notes)
    return make_relation(
        fields.find_text("type"),
        arguments,
        directed=_read_direction(fields),
        qualifiers=_read_qualifiers(fields),
        evidence=read_spans(fields.values.get("evidence"), fields.get_path("evidence")),
        confidence=fields.find_number("confidence"),
        rank=fields.find_integer("rank"),
    )


def _parse_argument(element: object, where: str, local_ids: LocalIds) -> AnswerFields:
    local_id = format_local_id(element)
    if local_id is not None:
        element = {"mention" if local_ids.has(local_id) else "identifier": element}
    if not isinstance(element, dict):
        raise make_wrong_type_error(where, element, "a struct")
    return parse_struct_or_ordered_array(element, ARGUMENT_MEMBERS, where, "an argument")


def _read_argument(fields: AnswerFields, local_ids: LocalIds, article_text: str) -> RelationArgument:
    if fields.values.get("relation") is not None:
        raise MalformedValueError(NESTED_RELATION_RULE, fields.where, "The argument is a relation.")
    role, mention_type = fields.find_text("role"), fields.find_text("type")
    identifiers = _read_argument_identifiers(fields, mention_type)
    if fields.values.get("mention") is not None:
        local_id = format_local_id(fields.values["mention"])
        if local_id is None:
            raise make_wrong_type_error(fields.get_path("mention"), fields.values["mention"], "a string")
        mention = local_ids.find_mention(local_id, fields.where)
        return RelationArgument(role, identifiers or mention.identifiers, mention.parts, mention.type, mention.text)
    spans = _read_argument_spans(fields)
    if not spans:
        return RelationArgument(role, identifiers)
    text = normalize_text_of_parts(fields.find_text("text"), spans, article_text)
    return RelationArgument(role, identifiers, spans, mention_type, text)


def _read_argument_identifiers(fields: AnswerFields, entity_type: str) -> tuple[EntityId, ...]:
    name = "identifiers" if fields.values.get("identifiers") is not None else "identifier"
    value = fields.values.get(name)
    if name == "identifier" and isinstance(value, str):
        value = [value]
    return read_identifier_list(value, fields.get_path(name), entity_type)


def _read_argument_spans(fields: AnswerFields) -> tuple[Span, ...]:
    if fields.values.get("spans"):
        return read_spans(fields.values["spans"], fields.get_path("spans"))
    if fields.values.get("start") is None:
        return ()
    return (Span(fields.require_integer("start"), fields.require_integer("end")),)


def _read_direction(fields: AnswerFields) -> bool:
    value = fields.values.get("directed")
    if value is not None and not isinstance(value, bool):
        raise make_wrong_type_error(fields.get_path("directed"), value, "a boolean")
    return bool(value)


def _read_qualifiers(fields: AnswerFields) -> dict[str, str]:
    path, value = fields.get_path("qualifiers"), fields.values.get("qualifiers")
    if value in (None, []):
        return {}
    if not isinstance(value, dict):
        raise make_wrong_type_error(path, value, "a struct")
    return {str(name): _read_qualifier(f"{path}.{name}", each) for name, each in value.items() if each is not None}


def _read_qualifier(where: str, value: object) -> str:
    if isinstance(value, bool):
        return TRUE_QUALIFIER if value else FALSE_QUALIFIER
    if not isinstance(value, str | int | float):
        raise make_wrong_type_error(where, value, "a string")
    return str(value)


def build_relation_fields(relation: AnnotationData) -> dict[str, object]:
    """The members of a relation: the inverse of read_relation, with self-contained arguments."""
    parts = relation.relation
    return {
        "type": relation.type,
        "arguments": [_build_argument(argument) for argument in relation.arguments],
        "directed": relation.is_directed or None,
        "qualifiers": dict(parts.qualifiers) if parts else None,
        "evidence": build_spans(relation.evidence),
        "confidence": relation.confidence,
        "rank": relation.rank,
    }


def _build_argument(argument: RelationArgument) -> dict[str, object]:
    members: dict[str, object] = {
        "role": argument.role,
        "identifiers": [build_identifier(entity) for entity in argument.identifiers],
        **_build_position(argument.spans),
        "type": argument.type,
        "text": argument.text,
    }
    return {name: value for name, value in members.items() if value not in (None, "", [])}


def _build_position(spans: Sequence[Span]) -> dict[str, object]:
    if len(spans) == 1:
        return {"start": spans[0].start, "end": spans[0].end}
    return {"spans": build_spans(spans)}

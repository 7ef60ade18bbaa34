"""Our own JSON over HTTP: one POST for each article, answered at once or later, by a task.

The request is {id, pmid, title, abstract, text, passages, kinds, deadline}: passages are [{type, offset, text}] with
offsets in the whole text, kinds are those that the server is registered for, and deadline is the time limit in seconds.
types are added if the server is registered for types of entities. The answer is {"annotations": {kind: [...]}}, with
the fields of REST_FIELDS or OPEN_FIELDS for each kind, and optionally "version", the version of the server's system.
A server that needs longer answers 202 with the URL of a task in Location, which we poll as Retry-After says until it
answers 200. `[]` is accepted for an empty object, and unknown keys are noted.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from annotations.schema import AnnotationData, Kind
from bcms.lib.http.messages import HttpReply
from servers.calls import diagnosis
from servers.protocols import json_messages
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer
from servers.protocols.answer_fields import (
    AnswerFields,
    MalformedValueError,
    make_wrong_type_error,
    parse_array_or_empty_value,
    parse_struct_or_ordered_array,
    read_system_version_or_empty,
)
from servers.protocols.carried_texts import note_carried_text
from servers.protocols.database_names import normalize_known_database_name
from servers.protocols.interface import OutgoingRequest
from servers.protocols.open_members.entities import (
    ENTITY_FIELDS,
    LABEL_FIELD_NAMES,
    LABEL_FIELDS,
    build_entity_fields,
    build_label_fields,
    read_entity,
    read_label,
)
from servers.protocols.open_members.local_ids import LocalIds
from servers.protocols.open_members.mentions import MENTION_MEMBERS, add_parts_and_links, build_links
from servers.protocols.open_members.relations import RELATION_FIELDS, build_relation_fields, read_relation
from servers.protocols.open_members.spans import build_spans, read_spans
from servers.protocols.parsed_answers import ParsedAnswer
from servers.protocols.polling import read_retry_after_or_default_wait, resolve_task_url

FIELD_NAMES: Mapping[tuple[Kind, str], str] = {(Kind.LABEL, field): name for field, name in LABEL_FIELD_NAMES.items()}
REST_HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}
STATUS_ACCEPTED = 202
SHARED_FIELDS = ("confidence", "rank")
REST_FIELDS = {
    Kind.MENTION: ("start", "end", "text", "type", "confidence"),
    Kind.NORMALIZATION: ("database", "identifier", "taxon", *SHARED_FIELDS),
    Kind.TAXON: ("identifier", *SHARED_FIELDS),
    Kind.CLASSIFICATION: ("relevant", "confidence"),
    Kind.PAIR: ("database", "identifier", "partner", *SHARED_FIELDS),
    Kind.METHOD: ("identifier", *SHARED_FIELDS),
    Kind.PASSAGE: ("database", "identifier", "partner", "text", *SHARED_FIELDS),
}
OPEN_FIELDS = {Kind.ENTITY: ENTITY_FIELDS, Kind.RELATION: RELATION_FIELDS, Kind.LABEL: LABEL_FIELDS}
# What structs can have in addition, but arrays cannot.
OPEN_MEMBERS: Mapping[Kind, tuple[str, ...]] = {
    Kind.MENTION: MENTION_MEMBERS,
    Kind.ENTITY: ("curie",),
    Kind.RELATION: ("id",),
}
SAME_NAMES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """What reading an annotation needs besides its fields."""

    article_text: str
    local_ids: LocalIds


KindReader = Callable[[AnswerFields, AnswerContext], AnnotationData]


def build_request(question: AnnotationRequest) -> OutgoingRequest:
    """The HTTP request for one article. Raises CallError when it needs a PMID and there is none to send."""
    return OutgoingRequest(
        "POST",
        question.url,
        json_messages.encode_json_message(build_request_fields_by_send_mode(question)),
        REST_HEADERS,
    )


def build_request_fields_by_send_mode(question: AnnotationRequest) -> dict[str, object]:
    """The JSON object for the article, with the parts that the server is registered to be sent."""
    if question.send == "pmid" and question.pmid is None:
        raise diagnosis.diagnose_missing_pmid()
    fields: dict[str, object] = {
        "id": question.identifier,
        "kinds": list(question.kinds),
        **({"types": list(question.entity_types)} if question.entity_types else {}),
        "deadline": question.time_limit,
    }
    if question.send != "text" and question.pmid is not None:
        fields["pmid"] = question.pmid
    if question.send != "pmid":
        fields["text"] = question.text
    if question.send == "struct":
        fields |= {
            "title": question.title,
            "abstract": question.abstract,
            "passages": _build_article_passages(question),
        }
    return fields


def _build_article_passages(question: AnnotationRequest) -> list[dict[str, object]]:
    """Title and abstract with their offsets in the text."""
    abstract = {"type": "abstract", "offset": len(question.title) + 1, "text": question.abstract}
    return [{"type": "title", "offset": 0, "text": question.title}, *([abstract] if question.abstract else [])]


def read_reply(reply: HttpReply, question: AnnotationRequest) -> ParsedAnswer | DeferredAnswer:
    """The answer in a reply, or the task to poll for it."""
    return find_accepted_task(reply) or parse_rest_answer_noting_faults(reply.body, question)


def find_accepted_task(reply: HttpReply) -> DeferredAnswer | None:
    """The task of a server that answers later, None if this is its answer. Raises CallError when it names no task."""
    if reply.status != STATUS_ACCEPTED:
        return None
    location = reply.headers.get("Location", "")
    if not location:
        raise diagnosis.diagnose_accepted_without_answer_url()
    return DeferredAnswer(resolve_task_url(reply, location), read_retry_after_or_default_wait(reply))


def read_task_reply(reply: HttpReply, question: AnnotationRequest) -> ParsedAnswer | DeferredAnswer:
    """The answer in a task's reply, or what to poll next."""
    return find_unfinished_task(reply) or parse_rest_answer_noting_faults(reply.body, question)


def find_unfinished_task(reply: HttpReply) -> DeferredAnswer | None:
    """What to poll next after a task's reply, with status 202 and no Location the same URL; None if it is an answer."""
    if reply.status == STATUS_ACCEPTED and "Location" not in reply.headers:
        return DeferredAnswer(reply.url, read_retry_after_or_default_wait(reply))
    return find_accepted_task(reply)


def parse_rest_answer_noting_faults(body: bytes, question: AnnotationRequest) -> ParsedAnswer:
    """The annotations in an answer; missing and malformed values are broken rules, and the rest is still read.

    Raises CallError when the body is not JSON or names another article.
    """
    parsed = ParsedAnswer()
    try:
        message = json_messages.parse_bounded_json_message(body)
        if isinstance(message, list) and message:
            raise _make_top_level_array_error(message)
        answer = parse_struct_or_ordered_array(message, ("id", "annotations", "version"), "", "the answer", ("text",))
        parsed.note_fields(answer)
        parsed.stated_version = read_system_version_or_empty(answer.values)
        _check_answer_article(answer.values.get("id"), question)
        question = note_carried_text(parsed, answer.values.get("text"), question)
        value = answer.values.get("annotations")
        annotations = parse_struct_or_ordered_array(
            {} if value is None else value, tuple(REST_FIELDS), "annotations", "annotations", tuple(OPEN_FIELDS)
        )
    except MalformedValueError as error:
        parsed.broken_rules.append(error.broken_rule)
        return parsed
    parsed.note_fields(annotations)
    context = _build_answer_context(annotations.values, question)
    for kind in (*REST_FIELDS, *OPEN_FIELDS):
        _read_annotations_of_kind(parsed, kind, annotations.values.get(kind), question, context)
    return parsed


def _build_answer_context(annotations: Mapping[str, object], question: AnnotationRequest) -> AnswerContext:
    def read_mention(element: dict[str, object]) -> AnnotationData:
        fields = parse_struct_or_ordered_array(element, REST_FIELDS[Kind.MENTION], "", Kind.MENTION)
        return _read_mention(fields, context)

    local_ids = LocalIds(annotations.get(Kind.MENTION), annotations.get(Kind.RELATION), read_mention)
    context = AnswerContext(question.text, local_ids)
    return context


def _make_top_level_array_error(message: list[object]) -> MalformedValueError:
    """The error for a list in place of the answer, whose parts could be of any kind."""
    number = "1 value" if len(message) == 1 else f"{len(message):,} values"
    return MalformedValueError(
        "R202",
        "",
        f"The answer is an array of {number}, but must be an object.",
        'Send one object with the annotations by kind: {"annotations": {"mention": [...], "normalization": [...]}}.',
    )


def _check_answer_article(identifier: object, question: AnnotationRequest) -> None:
    """Raises CallError when the answer names another article than the requested one."""
    if identifier is not None and str(identifier) not in (question.identifier, str(question.pmid)):
        raise diagnosis.diagnose_wrong_article(str(identifier), question.identifier)


def _read_annotations_of_kind(
    parsed: ParsedAnswer, kind: Kind, value: object, question: AnnotationRequest, context: AnswerContext
) -> None:
    if kind not in question.kinds:
        if value not in (None, [], {}):
            parsed.note([f'"{kind}" was ignored: the server is not registered for it.'])
            parsed.omit_kind(f"annotations.{kind}", kind, value)
        return
    where = f"annotations.{kind}"
    if kind == Kind.CLASSIFICATION and isinstance(value, dict) and value:
        value = [value]
    try:
        elements, notes = parse_array_or_empty_value(value, where)
    except MalformedValueError as error:
        parsed.broken_rules.append(error.broken_rule)
        return
    parsed.note(notes)
    for index, element in enumerate(elements):
        add_annotation_or_broken_rule(parsed, kind, element, f"{where}[{index}]", context)


def add_annotation_or_broken_rule(
    parsed: ParsedAnswer, kind: Kind, element: object, answer_path: str, context: AnswerContext
) -> None:
    order = REST_FIELDS.get(kind) or OPEN_FIELDS[kind]
    try:
        fields = parse_struct_or_ordered_array(element, order, answer_path, kind, OPEN_MEMBERS.get(kind, ()))
        annotation = KIND_READERS[kind](fields, context)
    except MalformedValueError as error:
        parsed.broken_rules.append(error.broken_rule)
        return
    parsed.note_fields(fields)
    parsed.annotations.append(annotation)
    parsed.locations.append(answer_path)


def _read_confidence(fields: AnswerFields) -> float | None:
    return fields.find_number("confidence")


def _read_rank(fields: AnswerFields) -> int | None:
    return fields.find_integer("rank")


def _read_mention(fields: AnswerFields, context: AnswerContext) -> AnnotationData:
    spans = read_spans(fields.values.get("spans"), fields.get_path("spans"))
    mention = AnnotationData(
        Kind.MENTION,
        start=None if spans else fields.require_integer("start"),
        end=None if spans else fields.require_integer("end"),
        text=fields.require_text_or_digits("text"),
        type=fields.find_text("type"),
        confidence=_read_confidence(fields),
    )
    return add_parts_and_links(mention, spans, fields, context.article_text)


def _read_normalization(fields: AnswerFields, _: AnswerContext) -> AnnotationData:
    return AnnotationData(
        Kind.NORMALIZATION,
        database=normalize_known_database_name(fields.require_text("database")),
        identifier=fields.require_identifier("identifier"),
        taxon=fields.find_integer("taxon"),
        confidence=_read_confidence(fields),
        rank=_read_rank(fields),
    )


def _make_identifier_reader(kind: Kind, database: str) -> KindReader:
    def reader(fields: AnswerFields, _: AnswerContext) -> AnnotationData:
        return AnnotationData(
            kind,
            database=database,
            identifier=fields.require_identifier("identifier"),
            confidence=_read_confidence(fields),
            rank=_read_rank(fields),
        )

    return reader


def _read_classification(fields: AnswerFields, _: AnswerContext) -> AnnotationData:
    relevant = fields.require_value("relevant")
    if not isinstance(relevant, bool):
        raise make_wrong_type_error(fields.get_path("relevant"), relevant, "a boolean")
    return AnnotationData(Kind.CLASSIFICATION, relevant=relevant, confidence=_read_confidence(fields))


def _make_pair_reader(kind: Kind) -> KindReader:
    def reader(fields: AnswerFields, _: AnswerContext) -> AnnotationData:
        return AnnotationData(
            kind,
            database=normalize_known_database_name(fields.require_text("database")),
            identifier=fields.require_identifier("identifier"),
            partner=fields.require_identifier("partner"),
            text=fields.require_text("text") if kind == Kind.PASSAGE else "",
            confidence=_read_confidence(fields),
            rank=_read_rank(fields),
        )

    return reader


KIND_READERS: Mapping[Kind, KindReader] = {
    Kind.MENTION: _read_mention,
    Kind.NORMALIZATION: _read_normalization,
    Kind.TAXON: _make_identifier_reader(Kind.TAXON, "ncbitaxon"),
    Kind.CLASSIFICATION: _read_classification,
    Kind.PAIR: _make_pair_reader(Kind.PAIR),
    Kind.METHOD: _make_identifier_reader(Kind.METHOD, "psi-mi"),
    Kind.PASSAGE: _make_pair_reader(Kind.PASSAGE),
    Kind.ENTITY: lambda fields, _: read_entity(fields, SAME_NAMES),
    Kind.RELATION: lambda fields, context: read_relation(fields, context.local_ids, context.article_text),
    Kind.LABEL: lambda fields, _: read_label(fields),
}


def build_rest_answer(annotations: list[AnnotationData], article_id: str) -> dict[str, object]:
    """The answer with these annotations: the inverse of parse_rest_answer_noting_faults."""
    fields_by_kind: dict[str, list[dict[str, object]]] = {}
    for annotation in annotations:
        fields_by_kind.setdefault(annotation.kind, []).append(_build_fields(annotation))
    return {"id": article_id, "annotations": fields_by_kind}


def _build_fields(annotation: AnnotationData) -> dict[str, object]:
    match annotation.kind:
        case Kind.ENTITY:
            return build_entity_fields(annotation, SAME_NAMES)
        case Kind.RELATION:
            values = build_relation_fields(annotation)
        case Kind.LABEL:
            values = build_label_fields(annotation)
        case _:
            values = {name: getattr(annotation, name) for name in REST_FIELDS[annotation.kind]}
            values |= {"spans": build_spans(annotation.spans), "identifiers": build_links(annotation)}
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}

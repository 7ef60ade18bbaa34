"""BCMS XML-RPC, the protocol of the original meta-server: one method, one parameter, one struct back.

The answer is a struct with any of mentions, normalizations, taxons, interaction, pairs, methods and passages. Instead
of structs some servers send arrays of the values in the same order; these are accepted. Structs alone can have types,
spans and links of mentions, and the parts entities, relations and labels.
"""

import xmlrpc.client
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from annotations.schema import KIND_LABELS, SEVEN_KINDS, AnnotationData, Kind
from bcms.lib.http.messages import HttpReply
from bcms.lib.text import clip_text_replacing_unprintable
from servers.calls import diagnosis
from servers.protocols import xmlrpc_messages as messages
from servers.protocols.annotation_requests import AnnotationRequest
from servers.protocols.answer_fields import (
    AnswerFields,
    MalformedValueError,
    UnreadableValue,
    make_wrong_type_error,
    parse_array_or_empty_value,
    parse_struct_or_ordered_array,
)
from servers.protocols.database_names import DATABASE_SPELLINGS, normalize_known_database_name
from servers.protocols.interface import OutgoingRequest
from servers.protocols.open_members.entities import LABEL_FIELD_NAMES, read_entity, read_label
from servers.protocols.open_members.local_ids import LocalIds
from servers.protocols.open_members.mentions import add_parts_and_links
from servers.protocols.open_members.relations import read_relation
from servers.protocols.open_members.spans import OFFSET_AND_LENGTH, read_spans
from servers.protocols.open_members.xmlrpc_parts import (
    ENTITY_FIELD_NAMES,
    OPEN_ANSWER_PARTS,
    OPEN_FIELD_ORDERS,
    OPEN_MEMBERS,
    build_open_element,
    build_open_mention_fields,
)
from servers.protocols.parsed_answers import ParsedAnswer

# The values of each part of an answer, in the order in which an array holds them.
FIELD_ORDERS = {
    "mentions": ("offset", "section", "mention", "confidence"),
    "normalizations": ("dbname", "dbid", "taxid", "confidence", "rank"),
    "taxons": ("taxid", "confidence"),
    "interaction": ("relevant", "confidence"),
    "pairs": ("dbname", "a", "b", "rank", "confidence"),
    "methods": ("miid", "rank", "confidence"),
    "passages": ("dbname", "a", "b", "passage", "rank", "confidence"),
}
ANSWER_PARTS = {
    Kind.MENTION: "mentions",
    Kind.NORMALIZATION: "normalizations",
    Kind.TAXON: "taxons",
    Kind.CLASSIFICATION: "interaction",
    Kind.PAIR: "pairs",
    Kind.METHOD: "methods",
    Kind.PASSAGE: "passages",
}
# The protocol's names of the fields of AnnotationData, where they differ.
FIELD_NAMES = {
    (Kind.MENTION, "start"): "offset",
    (Kind.MENTION, "text"): "mention",
    (Kind.NORMALIZATION, "database"): "dbname",
    (Kind.NORMALIZATION, "identifier"): "dbid",
    (Kind.NORMALIZATION, "taxon"): "taxid",
    (Kind.TAXON, "identifier"): "taxid",
    (Kind.PAIR, "database"): "dbname",
    (Kind.PAIR, "identifier"): "a",
    (Kind.PAIR, "partner"): "b",
    (Kind.METHOD, "identifier"): "miid",
    (Kind.PASSAGE, "database"): "dbname",
    (Kind.PASSAGE, "identifier"): "a",
    (Kind.PASSAGE, "partner"): "b",
    (Kind.PASSAGE, "text"): "passage",
    **{(Kind.ENTITY, field): name for field, name in ENTITY_FIELD_NAMES.items()},
    **{(Kind.LABEL, field): name for field, name in LABEL_FIELD_NAMES.items()},
}
NOT_IN_XML = dict.fromkeys(
    (*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}"
)


@dataclass(frozen=True, slots=True)
class ReadingContext:
    """What reading an annotation needs besides its fields; title_length is in code points."""

    title_length: int
    article_text: str
    local_ids: LocalIds


PartReader = Callable[[AnswerFields, ReadingContext], AnnotationData]


def build_request(question: AnnotationRequest) -> OutgoingRequest:
    """The HTTP request for one article. Raises CallError when it needs a PMID and there is none to send."""
    return OutgoingRequest("POST", question.url, build_method_call_xml(question), {"Content-Type": "text/xml"})


def read_reply(reply: HttpReply, question: AnnotationRequest) -> ParsedAnswer:
    """The annotations in a reply. Raises CallError when it holds no XML-RPC answer."""
    return parse_bcms_answer_noting_faults(reply.body, len(question.title), question.kinds, article_text=question.text)


def build_method_call_xml(question: AnnotationRequest) -> bytes:
    """The method call for one article, in UTF-8. Raises CallError when it needs a PMID and there is none to send."""
    return _encode_message((_build_parameter(question),), methodname=question.method)


def _build_parameter(question: AnnotationRequest) -> object:
    match question.send:
        case "pmid":
            if question.pmid is None:
                raise diagnosis.diagnose_missing_pmid()
            return question.pmid
        case "text":
            return _replace_non_xml_characters(question.text)
        case _:
            parts = {"title": question.title, "abstract": question.abstract, "text": question.text}
            return {"id": question.identifier} | {
                name: _replace_non_xml_characters(text) for name, text in parts.items()
            }


def _replace_non_xml_characters(text: str) -> str:
    """The text with each character that XML forbids replaced by one other, so that positions stay the same."""
    return text.translate(NOT_IN_XML)


def _encode_message(params: tuple[object, ...], methodname: str | None = None) -> bytes:
    # "UTF-8" in capitals makes dumps() declare the encoding; some parsers assume Latin-1 without a declaration.
    document = xmlrpc.client.dumps(
        params,  # type: ignore[arg-type]
        methodname=methodname,
        methodresponse=methodname is None,
        encoding="UTF-8",
    )
    # XML parsers turn a bare CR or CR LF into LF, which would shift offsets.
    return document.replace("\r", "&#13;").encode("utf-8")


def parse_bcms_answer_noting_faults(
    body: bytes, title_length: int, registered_kinds: Collection[Kind] = SEVEN_KINDS, *, article_text: str = ""
) -> ParsedAnswer:
    """Read an answer; positions become half-open code point offsets in the canonical text (title, newline, abstract).

    title_length is in code points. article_text is needed for mentions in several parts. Parts of kinds other than
    registered_kinds are skipped with a note. Missing and malformed values are broken rules (R201 to R204), and the rest
    is still read; the annotations are not validated here. Raises CallError when the body holds no XML-RPC answer.
    """
    parsed = ParsedAnswer()
    message = _parse_method_response(body)
    parsed.note(message.notes)
    try:
        fields = parse_struct_or_ordered_array(
            message.params[0], tuple(FIELD_ORDERS), "answer", "the answer", tuple(OPEN_FIELD_ORDERS)
        )
    except MalformedValueError as error:
        parsed.broken_rules.append(error.broken_rule)
        return parsed
    parsed.note_fields(fields)
    context = _build_reading_context(fields.values, title_length, article_text)
    for kind, part in (ANSWER_PARTS | OPEN_ANSWER_PARTS).items():
        value = fields.values.get(part)
        if kind in registered_kinds:
            _read_part(parsed, part, value, context)
        elif value not in (None, [], {}):
            parsed.note(
                [f'The part "{part}" was ignored: the server is not registered for {KIND_LABELS[kind].lower()}.']
            )
            parsed.omit_kind(part, kind, value)
    return parsed


def _build_reading_context(answer_parts: Mapping[str, object], title_length: int, article_text: str) -> ReadingContext:
    def read_mention(element: dict[str, object]) -> AnnotationData:
        return _read_mention(parse_struct_or_ordered_array(element, FIELD_ORDERS["mentions"], "", "mentions"), context)

    local_ids = LocalIds(answer_parts.get("mentions"), answer_parts.get("relations"), read_mention)
    context = ReadingContext(title_length, article_text, local_ids)
    return context


def _parse_method_response(body: bytes) -> messages.XmlRpcMessage:
    try:
        message = messages.parse_bounded_xmlrpc_message(body, keeps_unreadable=True)
    except messages.XmlRpcError as error:
        raise diagnosis.diagnose_invalid_xmlrpc_body(error.kind, error.detail, error.code, body) from error
    detail = "it is not a method response with one value"
    if message.method is not None or len(message.params) != 1:
        raise diagnosis.diagnose_invalid_xmlrpc_body(messages.XmlRpcFault.NOT_XMLRPC, detail, 0, body)
    if isinstance(message.params[0], UnreadableValue):
        detail = f"its value is {message.params[0]}"
        raise diagnosis.diagnose_invalid_xmlrpc_body(messages.XmlRpcFault.NOT_XMLRPC, detail, 0, body)
    return message


def _read_part(parsed: ParsedAnswer, part: str, value: object, context: ReadingContext) -> None:
    try:
        elements, notes = parse_array_or_empty_value(value, part)
    except MalformedValueError as error:
        parsed.broken_rules.append(error.broken_rule)
        return
    parsed.note(notes)
    if part == "interaction":
        if elements:
            _read_element(parsed, elements, part, part, context)
        return
    for index, element in enumerate(elements):
        _read_element(parsed, element, part, f"{part}[{index}]", context)


def _read_element(parsed: ParsedAnswer, element: object, part: str, where: str, context: ReadingContext) -> None:
    order = FIELD_ORDERS.get(part) or OPEN_FIELD_ORDERS[part]
    try:
        fields = parse_struct_or_ordered_array(element, order, where, part, OPEN_MEMBERS.get(part, ()))
        annotation = PART_READERS[part](fields, context)
    except MalformedValueError as error:
        parsed.broken_rules.append(error.broken_rule)
        return
    # An interaction is an array by the protocol.
    if part != "interaction" or isinstance(element, dict):
        parsed.note_fields(fields)
    parsed.annotations.append(annotation)
    parsed.locations.append(where)


def _read_mention(fields: AnswerFields, context: ReadingContext) -> AnnotationData:
    text = fields.require_text_or_digits("mention")
    has_spans = fields.values.get("spans") not in (None, [], {})
    offset = 0 if has_spans else fields.require_integer("offset")
    section_start = _get_section_start(fields, context.title_length)
    start = offset + section_start
    mention = AnnotationData(
        Kind.MENTION,
        start=start,
        end=start + len(text),
        text=text,
        type=fields.find_text("type"),
        confidence=fields.find_number("confidence"),
    )
    spans = read_spans(fields.values.get("spans"), fields.get_path("spans"), OFFSET_AND_LENGTH, section_start)
    return add_parts_and_links(mention, spans, fields, context.article_text)


def _get_section_start(fields: AnswerFields, title_length: int) -> int:
    section = fields.require_text("section") if fields.values.get("section") is not None else ""
    match section.strip().lower():
        case "" | "title":
            return 0
        case "abstract":
            return title_length + 1
        case _:
            message = f'"{clip_text_replacing_unprintable(section, 40)}" is not a section.'
            raise MalformedValueError("R203", fields.get_path("section"), message)


def _read_normalization(fields: AnswerFields, _: ReadingContext) -> AnnotationData:
    return AnnotationData(
        Kind.NORMALIZATION,
        database=normalize_known_database_name(fields.require_text("dbname")),
        identifier=fields.require_identifier("dbid"),
        taxon=fields.find_integer("taxid"),
        confidence=fields.find_number("confidence"),
        rank=fields.find_integer("rank"),
    )


def _read_taxon(fields: AnswerFields, _: ReadingContext) -> AnnotationData:
    confidence = fields.find_number("confidence")
    return AnnotationData(
        Kind.TAXON, database="ncbitaxon", identifier=str(fields.require_integer("taxid")), confidence=confidence
    )


def _read_classification(fields: AnswerFields, _: ReadingContext) -> AnnotationData:
    relevant = fields.require_value("relevant")
    if not isinstance(relevant, bool):
        raise make_wrong_type_error(fields.get_path("relevant"), relevant, "a boolean")
    return AnnotationData(Kind.CLASSIFICATION, relevant=relevant, confidence=fields.find_number("confidence"))


def _read_method(fields: AnswerFields, _: ReadingContext) -> AnnotationData:
    return AnnotationData(
        Kind.METHOD,
        database="psi-mi",
        identifier=fields.require_text("miid"),
        confidence=fields.find_number("confidence"),
        rank=fields.find_integer("rank"),
    )


def _read_pair(fields: AnswerFields, _: ReadingContext) -> AnnotationData:
    return AnnotationData(
        Kind.PAIR,
        database=normalize_known_database_name(fields.require_text("dbname")),
        identifier=fields.require_identifier("a"),
        partner=fields.require_identifier("b"),
        confidence=fields.find_number("confidence"),
        rank=fields.find_integer("rank"),
    )


def _read_passage(fields: AnswerFields, context: ReadingContext) -> AnnotationData:
    return replace(_read_pair(fields, context), kind=Kind.PASSAGE, text=fields.require_text("passage"))


PART_READERS: dict[str, PartReader] = {
    "mentions": _read_mention,
    "normalizations": _read_normalization,
    "taxons": _read_taxon,
    "interaction": _read_classification,
    "pairs": _read_pair,
    "methods": _read_method,
    "passages": _read_passage,
    "entities": lambda fields, _: read_entity(fields, ENTITY_FIELD_NAMES),
    "relations": lambda fields, context: read_relation(fields, context.local_ids, context.article_text),
    "labels": lambda fields, _: read_label(fields),
}


def build_method_response_xml(
    annotations: Iterable[AnnotationData], title_length: int, *, with_open_members: bool = False
) -> bytes:
    """The method response with these annotations, in UTF-8; title_length is in code points."""
    return _encode_message((build_answer_struct(annotations, title_length, with_open_members=with_open_members),))


def build_answer_struct(
    annotations: Iterable[AnnotationData], title_length: int, *, with_open_members: bool = False
) -> dict[str, object]:
    """The struct of an answer, with its non-empty parts only: the inverse of parse_bcms_answer_noting_faults.

    title_length is in code points. A mention inside the title or the abstract gets a section and an offset in it.
    with_open_members: whether mentions have types, parts and links, and entities, relations and labels are parts, too.
    """
    struct: dict[str, object] = {}
    parts = ANSWER_PARTS | OPEN_ANSWER_PARTS if with_open_members else ANSWER_PARTS
    for annotation in annotations:
        part = parts.get(annotation.kind)
        if part is None:
            continue
        if annotation.kind is Kind.CLASSIFICATION:
            struct[part] = [value for value in (annotation.relevant, annotation.confidence) if value is not None]
        else:
            elements = cast(list[object], struct.setdefault(part, []))
            if annotation.kind in OPEN_ANSWER_PARTS:
                elements.append(build_open_element(annotation))
            else:
                members = build_open_mention_fields(annotation, title_length) if with_open_members else {}
                elements.append(_build_element(annotation, title_length) | members)
    return struct


def _build_element(annotation: AnnotationData, title_length: int) -> dict[str, object]:
    values = (
        _build_mention_fields(annotation, title_length)
        if annotation.kind is Kind.MENTION
        else _build_identifier_fields(annotation)
    )
    values |= {"rank": annotation.rank, "confidence": annotation.confidence}
    return {name: values[name] for name in FIELD_ORDERS[ANSWER_PARTS[annotation.kind]] if values.get(name) is not None}


def _build_mention_fields(mention: AnnotationData, title_length: int) -> dict[str, object]:
    start, end = mention.start or 0, mention.end or 0
    if end <= title_length:
        return {"section": "title", "offset": start, "mention": mention.text}
    if start > title_length:
        return {"section": "abstract", "offset": start - title_length - 1, "mention": mention.text}
    return {"offset": start, "mention": mention.text}


def _build_identifier_fields(annotation: AnnotationData) -> dict[str, object]:
    if annotation.kind is Kind.TAXON:
        return {"taxid": int(annotation.identifier)}
    if annotation.kind is Kind.METHOD:
        return {"miid": annotation.identifier}
    return {
        "dbname": DATABASE_SPELLINGS.get(annotation.database, annotation.database),
        "dbid": annotation.identifier,
        "taxid": annotation.taxon,
        "a": annotation.identifier,
        "b": annotation.partner,
        "passage": annotation.text,
    }

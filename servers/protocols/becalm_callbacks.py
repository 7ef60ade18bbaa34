"""Readers of what BeCalm servers send to saveAnnotations, in its three forms, and the protocol's error codes.

JSON: a list of objects; TSV: the same values in columns under a header; BIOC: BioC XML. Each annotation has a document,
a section (T or A), a start and an exclusive end in that section, and a type.
"""

import io
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from annotations.formats.annotated_text.mentions import LeftOut, TextRelation
from annotations.formats.bioc.documents import BiocCollector
from annotations.formats.bioc.xml_reader import read_bioc_xml_into_collector
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.schema import BrokenRule, EntityId, Span
from bcms.lib.text import clip_text_replacing_unprintable
from servers.calls.errors import CallError
from servers.protocols import json_messages
from servers.protocols.answer_fields import (
    ANSWER_RULES,
    AnswerFields,
    MalformedValueError,
    parse_struct_or_ordered_array,
)
from servers.protocols.encoding_errors import describe_first_undecodable_byte
from servers.protocols.parsed_answers import NoteCollector

PREDICTION_COLUMNS = ("document_id", "section", "init", "end", "score", "annotated_text", "type", "database_id")
BECALM_SECTIONS = ("T", "A")
UNKNOWN_BECALM_TYPE = "UNKNOWN"
BECALM_TYPES = frozenset(
    {
        *("CHEMICAL", "PROTEIN", "DISEASE", "ORGANISM", "ANATOMICAL_COMPONENT", "ANATOMIC_COMPONENT", "MUTATION"),
        *("CELL_LINE_AND_CELL_TYPE", "GENE", "SUBCELLULAR_STRUCTURE", "TISSUE_AND_ORGAN", "MIRNA", UNKNOWN_BECALM_TYPE),
    }
)


class BecalmErrorCode(IntEnum):
    """The protocol's error codes; clients react to each in its own way."""

    FORMAT_ERROR = 1
    INCORRECT_TRANSFER_REQUEST_METHOD = 2
    VALIDATIONS_ON_SAVE = 3
    EMPTY_DATA = 4
    PREDICTION_WITHOUT_TYPE = 5
    UNKNOWN_TYPE = 6
    DOCUMENT_NOT_FOUND = 7
    NOT_VALID_BY_SCHEMA = 8
    REQUEST_EXPIRED = 9
    UNKNOWN_COMMUNICATION_ID = 10
    SERVER_VERSION_CHANGED = 11
    NEED_PARAMETERS = 12
    REQUEST_CLOSED = 13
    FIELD_NEEDED = 14
    INCORRECT_FIELD = 15
    REPEATED_PREDICTION = 16
    JSON_ERROR = 17
    INCORRECT_STATE = 18
    DISALLOWED_ENCODING = 19


# What breaks one of these rules of BioC is a mention without a valid position.
MENTION_POSITION_RULES = frozenset({"R654", "R655"})
SEND_ONE_LIST = "Send one JSON list of annotations, and nothing before or after it."
# For each error code, the broken rule and how to fix it.
RULES_AND_ADVICE = {
    BecalmErrorCode.FORMAT_ERROR: ("R202", "Send one BioC XML collection with the requested document."),
    BecalmErrorCode.JSON_ERROR: ("R202", SEND_ONE_LIST),
    BecalmErrorCode.NOT_VALID_BY_SCHEMA: ("R202", SEND_ONE_LIST),
    BecalmErrorCode.DISALLOWED_ENCODING: ("R202", "Send the body in UTF-8."),
    BecalmErrorCode.PREDICTION_WITHOUT_TYPE: ("R201", ANSWER_RULES["R201"].mend),
    BecalmErrorCode.INCORRECT_FIELD: (
        "R203",
        "Send T for the title or A for the abstract, and positions within that section.",
    ),
    BecalmErrorCode.UNKNOWN_TYPE: ("R205", ANSWER_RULES["R205"].mend),
    BecalmErrorCode.DOCUMENT_NOT_FOUND: ("R206", ANSWER_RULES["R206"].mend),
    BecalmErrorCode.REPEATED_PREDICTION: ("R120", "Send each annotation once, with its highest confidence."),
}


@dataclass(frozen=True, slots=True)
class BecalmPrediction:
    """One annotation; init and end count within the section; where is its position in the body.

    Only BioC has parts, links and bioc_score: the spans of a mention in several parts, identifiers and a confidence.
    """

    where: str
    document: str
    section: str
    init: int
    end: int
    type: str
    text: str = ""
    score: float | None = None
    database_ids: tuple[str, ...] = ()
    parts: tuple[Span, ...] = ()
    links: tuple[EntityId, ...] = ()
    bioc_score: float | None = None

    @property
    def key(self) -> tuple[object, ...]:
        return (self.document, self.section, self.init, self.end, self.type.upper(), self.database_ids)


@dataclass(frozen=True, slots=True)
class PredictionFault:
    """Why an annotation, or the whole body, is rejected."""

    code: BecalmErrorCode
    broken_rule: BrokenRule


@dataclass(slots=True)
class ParsedPredictions(NoteCollector):
    """The predictions of a body. Only BioC has relations, what was left out, and texts, {document: text}."""

    predictions: list[BecalmPrediction] = field(default_factory=list)
    faults: list[PredictionFault] = field(default_factory=list)
    relations: Sequence[TextRelation] = ()
    left_out: Sequence[LeftOut] = ()
    texts: Mapping[str, str] = field(default_factory=dict)


def parse_predictions_noting_faults(body_format: str, body: bytes) -> ParsedPredictions:
    """The valid predictions in a body of the format json, tsv or bioc, and the faults of the others."""
    if not body.strip():
        return ParsedPredictions()
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _make_refused_predictions(
            BecalmErrorCode.DISALLOWED_ENCODING, "", f"The body is not UTF-8: {describe_first_undecodable_byte(error)}."
        )
    return PREDICTION_PARSERS[body_format](text.encode())


def format_requested_documents(document_ids: Collection[str]) -> str:
    """The documents of a request as the end of a sentence."""
    if len(document_ids) == 1:
        return f"{next(iter(document_ids))} was"
    return f"{len(document_ids)} others were, such as {min(document_ids)}"


def list_faults_including_other_documents(
    parsed: ParsedPredictions, requested_document_ids: Collection[str]
) -> list[PredictionFault]:
    """The faults in a body about these documents, including annotations of other documents."""
    others = [prediction for prediction in parsed.predictions if prediction.document not in requested_document_ids]
    requested = format_requested_documents(requested_document_ids)
    return [
        *parsed.faults,
        *(
            _make_prediction_fault(
                BecalmErrorCode.DOCUMENT_NOT_FOUND,
                each.where,
                f"Document {clip_text_replacing_unprintable(each.document, 40)} was not requested; {requested}.",
            )
            for each in others
        ),
    ]


def _make_refused_predictions(code: BecalmErrorCode, where: str, message: str) -> ParsedPredictions:
    return ParsedPredictions(faults=[_make_prediction_fault(code, where, message)])


def _make_prediction_fault(code: BecalmErrorCode, where: str, message: str) -> PredictionFault:
    rule, advice = RULES_AND_ADVICE[code]
    return PredictionFault(code, BrokenRule(rule, where, message, advice))


def _parse_json_predictions(body: bytes) -> ParsedPredictions:
    try:
        values = json_messages.parse_bounded_json_message(body)
    except CallError as error:
        return _make_refused_predictions(BecalmErrorCode.JSON_ERROR, "", error.diagnosis.happened)
    if values == {}:
        return ParsedPredictions(["An empty object was sent for the list of annotations and read as an empty list."])
    if not isinstance(values, list):
        return _make_refused_predictions(
            BecalmErrorCode.NOT_VALID_BY_SCHEMA, "", "The body is not a list of annotations."
        )
    return _collect_predictions((f"[{index}]", element) for index, element in enumerate(values))


def _parse_tsv_predictions(body: bytes) -> ParsedPredictions:
    lines = body.decode().replace("\r\n", "\n").removesuffix("\n").split("\n")
    header = tuple(name.strip().lower() for name in lines[0].split("\t"))
    has_header = "document_id" in header
    names: Sequence[str] = header if has_header else PREDICTION_COLUMNS
    rows, first_number = (lines[1:], 2) if has_header else (lines, 1)
    numbered = [(f"line {number}", row) for number, row in enumerate(rows, first_number) if row.strip()]
    parsed = _collect_predictions((where, _parse_tsv_row(row, names)) for where, row in numbered)
    for where, row in numbered:
        if (excess := row.count("\t") + 1 - len(names)) > 0 and row.split("\t", len(names))[-1].strip():
            parsed.omitted.add(where, f"It has {excess} more cells than there are columns.")
    return parsed


def _parse_tsv_row(row: str, names: Sequence[str]) -> dict[str, object]:
    """The values of a line by column name, numbers as numbers, without empty cells."""
    cells = {name: value.strip() for name, value in zip(names, row.split("\t"), strict=False) if value.strip()}
    return {
        name: _parse_number_or_text(value) if name in ("init", "end", "score") else value
        for name, value in cells.items()
    }


def _parse_number_or_text(text: str) -> object:
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


def _collect_predictions(elements: Iterator[tuple[str, object]]) -> ParsedPredictions:
    """Parse (where, value) pairs into predictions; the second of two equal ones is a fault."""
    parsed = ParsedPredictions()
    first_positions: dict[tuple[object, ...], str] = {}
    for where, element in elements:
        prediction = _parse_prediction(parsed, where, element)
        if isinstance(prediction, PredictionFault):
            parsed.faults.append(prediction)
        elif (first := first_positions.setdefault(prediction.key, where)) != where:
            message = f"This annotation repeats the one at {first}."
            parsed.faults.append(_make_prediction_fault(BecalmErrorCode.REPEATED_PREDICTION, where, message))
        else:
            parsed.predictions.append(prediction)
    return parsed


def _parse_prediction(notes: NoteCollector, where: str, element: object) -> BecalmPrediction | PredictionFault:
    try:
        fields = parse_struct_or_ordered_array(element, PREDICTION_COLUMNS, where, "an annotation")
        prediction = _check_prediction_fields(fields)
        notes.note_fields(fields)
        return prediction
    except MalformedValueError as error:
        missing = error.broken_rule.code == "R201"
        return PredictionFault(
            BecalmErrorCode.FIELD_NEEDED if missing else BecalmErrorCode.INCORRECT_FIELD, error.broken_rule
        )


def _check_prediction_fields(fields: AnswerFields) -> BecalmPrediction | PredictionFault:
    """One annotation, or its fault. Raises MalformedValueError for a missing value or one of the wrong type."""
    section = fields.require_text("section").strip().upper()
    if section not in BECALM_SECTIONS:
        return _make_prediction_fault(
            BecalmErrorCode.INCORRECT_FIELD,
            fields.get_path("section"),
            f'"{clip_text_replacing_unprintable(section, 40)}" is neither T nor A.',
        )
    type_name = fields.values.get("type")
    if type_name in (None, ""):
        return _make_prediction_fault(
            BecalmErrorCode.PREDICTION_WITHOUT_TYPE, fields.get_path("type"), 'The value "type" is missing.'
        )
    if str(type_name).upper() not in BECALM_TYPES:
        message = f'"{clip_text_replacing_unprintable(str(type_name), 40)}" is not a type of the protocol.'
        return _make_prediction_fault(BecalmErrorCode.UNKNOWN_TYPE, fields.get_path("type"), message)
    database_ids = fields.values.get("database_id")
    if isinstance(database_ids, list):
        database_ids = ",".join(str(each) for each in database_ids)
    return BecalmPrediction(
        where=fields.where,
        document=fields.require_identifier("document_id"),
        section=section,
        init=fields.require_integer("init"),
        end=fields.require_integer("end"),
        type=str(type_name),
        text=fields.require_text_or_digits("annotated_text") if fields.values.get("annotated_text") is not None else "",
        score=fields.find_number("score"),
        database_ids=tuple(part.strip() for part in str(database_ids).split(",") if part.strip())
        if database_ids
        else (),
    )


def _parse_bioc_predictions(body: bytes) -> ParsedPredictions:
    """BioC counts positions in the whole document, so mentions become part of section T, which begins at 0.

    Mentions without a valid position are left out; any other fault refuses the whole body.
    """
    collector = BiocCollector("saveAnnotations")
    collector.document_texts = {}
    faults: Sequence[FormatError] = ()
    try:
        read_bioc_xml_into_collector(io.BytesIO(body), collector)
    except RefusedFileError as error:
        faults = error.faults
        if first := next((fault for fault in faults if fault.rule not in MENTION_POSITION_RULES), None):
            return _make_refused_predictions(BecalmErrorCode.FORMAT_ERROR, f"line {first.line}", first.message)
    document = collector.build_content()
    parsed = ParsedPredictions(
        faults=[
            _make_prediction_fault(BecalmErrorCode.FORMAT_ERROR, f"line {fault.line}", fault.message)
            for fault in faults
        ],
        relations=document.relations,
        left_out=document.left_out,
        texts=document.texts,
    )
    for mention in document.mentions:
        parsed.predictions.append(
            BecalmPrediction(
                f"line {mention.line}",
                mention.document,
                "T",
                mention.start,
                mention.end,
                mention.type,
                mention.text,
                bioc_score=mention.confidence,
                parts=mention.spans,
                links=mention.list_links(),
            )
        )
    return parsed


PREDICTION_PARSERS: Mapping[str, Callable[[bytes], ParsedPredictions]] = {
    "json": _parse_json_predictions,
    "tsv": _parse_tsv_predictions,
    "bioc": _parse_bioc_predictions,
}

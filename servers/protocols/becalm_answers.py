"""What BeCalm's servers send to saveAnnotations, in its three forms, and the codes of what is wrong with it.

JSON: a list of objects; TSV: the same values in columns under a header; BIOC: BioC XML. All name the document, the
section (T or A), the first and the exclusive last character in it, and the type.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from annotations.formats.bioc_xml import read_bioc_xml
from annotations.formats.errors import RefusedFileError
from annotations.kinds import BrokenRule
from bcms.lib.foreign import bounded
from servers.errors import CallError
from servers.protocols import json_messages
from servers.protocols.encodings import misfit
from servers.protocols.parsed import Noted
from servers.protocols.values import RULES, Fields, MalformedError, as_struct

COLUMNS = ("document_id", "section", "init", "end", "score", "annotated_text", "type", "database_id")
SECTIONS = ("T", "A")
TYPES = frozenset(
    {
        *("CHEMICAL", "PROTEIN", "DISEASE", "ORGANISM", "ANATOMICAL_COMPONENT", "ANATOMIC_COMPONENT", "MUTATION"),
        *("CELL_LINE_AND_CELL_TYPE", "GENE", "SUBCELLULAR_STRUCTURE", "TISSUE_AND_ORGAN", "MIRNA", "UNKNOWN"),
    }
)


class Code(IntEnum):
    """The protocol's error codes, each with its own reaction by the client."""

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


WHOLE_LIST = "Send one JSON list of annotations, and nothing before or after it."
# The rule that each fault breaks, and how to mend it.
MENDS = {
    Code.FORMAT_ERROR: ("R202", "Send one collection of BioC in XML, with the document that was asked for."),
    Code.JSON_ERROR: ("R202", WHOLE_LIST),
    Code.NOT_VALID_BY_SCHEMA: ("R202", WHOLE_LIST),
    Code.DISALLOWED_ENCODING: ("R202", "Write what you send in UTF-8."),
    Code.PREDICTION_WITHOUT_TYPE: ("R201", RULES["R201"].mend),
    Code.INCORRECT_FIELD: ("R203", "Send T for the title or A for the abstract, and count within it."),
    Code.UNKNOWN_TYPE: ("R205", RULES["R205"].mend),
    Code.DOCUMENT_NOT_FOUND: ("R206", RULES["R206"].mend),
    Code.REPEATED_PREDICTION: ("R120", "Send each annotation once, with its highest confidence."),
}


@dataclass(frozen=True, slots=True)
class Prediction:
    """One annotation; init and end count within the section; where is its place in what was sent."""

    where: str
    document: str
    section: str
    init: int
    end: int
    type: str
    text: str = ""
    score: float | None = None
    database_ids: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        return (self.document, self.section, self.init, self.end, self.type.upper(), self.database_ids)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one part, or all of it, is not taken."""

    code: Code
    broken: BrokenRule


@dataclass(slots=True)
class Found(Noted):
    predictions: list[Prediction] = field(default_factory=list)
    faults: list[Refusal] = field(default_factory=list)


def read_predictions(form: str, body: bytes) -> Found:
    """All predictions of a body in one of the forms json, tsv and bioc, and what is wrong with the others."""
    if not body.strip():
        return Found()
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return refused(Code.DISALLOWED_ENCODING, "", f"It is not UTF-8: {misfit(error)}.")
    return READERS[form](text.encode())


def faults_for(found: Found, document: str) -> list[Refusal]:
    """What is wrong with an answer about this document: its faults of form, and annotations of other documents."""
    others = [prediction for prediction in found.predictions if prediction.document != document]
    return [
        *found.faults,
        *(
            refusal(
                Code.DOCUMENT_NOT_FOUND,
                each.where,
                f"Document {bounded(each.document, 40)} was not asked for, but {document}.",
            )
            for each in others
        ),
    ]


def refused(code: Code, where: str, message: str) -> Found:
    return Found(faults=[refusal(code, where, message)])


def refusal(code: Code, where: str, message: str) -> Refusal:
    rule, mend = MENDS[code]
    return Refusal(code, BrokenRule(rule, where, message, mend))


def of_json(body: bytes) -> Found:
    try:
        said = json_messages.load(body)
    except CallError as error:
        return refused(Code.JSON_ERROR, "", error.diagnosis.happened)
    if said == {}:
        return Found(["An empty struct stands for the list of annotations; it was read as an empty list."])
    if not isinstance(said, list):
        return refused(Code.NOT_VALID_BY_SCHEMA, "", "A list of annotations belongs here.")
    return gathered((f"[{index}]", element) for index, element in enumerate(said))


def of_tsv(body: bytes) -> Found:
    lines = body.decode().replace("\r\n", "\n").removesuffix("\n").split("\n")
    header = tuple(name.strip().lower() for name in lines[0].split("\t"))
    has_header = "document_id" in header
    names: Sequence[str] = header if has_header else COLUMNS
    rows, first = (lines[1:], 2) if has_header else (lines, 1)
    return gathered((f"line {number}", row_of(row, names)) for number, row in enumerate(rows, first) if row.strip())


def row_of(row: str, names: Sequence[str]) -> dict[str, object]:
    """The values of a line; numbers as numbers, empty cells left out."""
    cells = {name: value.strip() for name, value in zip(names, row.split("\t"), strict=False) if value.strip()}
    return {name: number_of(value) if name in ("init", "end", "score") else value for name, value in cells.items()}


def number_of(text: str) -> object:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def gathered(elements: Iterator[tuple[str, object]]) -> Found:
    found = Found()
    seen: dict[tuple[object, ...], str] = {}
    for where, element in elements:
        made = prediction_of(found, where, element)
        if isinstance(made, Refusal):
            found.faults.append(made)
        elif (first := seen.setdefault(made.key, where)) != where:
            message = f"This annotation stands at {first} already."
            found.faults.append(refusal(Code.REPEATED_PREDICTION, where, message))
        else:
            found.predictions.append(made)
    return found


def prediction_of(found: Found, where: str, element: object) -> Prediction | Refusal:
    try:
        fields, notes = as_struct(element, COLUMNS, where, "an annotation")
        found.note(notes)
        return checked(fields)
    except MalformedError as error:
        missing = error.broken.code == "R201"
        return Refusal(Code.FIELD_NEEDED if missing else Code.INCORRECT_FIELD, error.broken)


def checked(fields: Fields) -> Prediction | Refusal:
    """One annotation with all that it needs; MalformedError for a value of the wrong type."""
    section = fields.text("section").strip().upper()
    if section not in SECTIONS:
        return refusal(Code.INCORRECT_FIELD, fields.place("section"), f'"{bounded(section, 40)}" is neither T nor A.')
    kind = fields.values.get("type")
    if kind in (None, ""):
        return refusal(Code.PREDICTION_WITHOUT_TYPE, fields.place("type"), 'The value "type" is missing.')
    if str(kind).upper() not in TYPES:
        message = f'"{bounded(str(kind), 40)}" is no type of the protocol.'
        return refusal(Code.UNKNOWN_TYPE, fields.place("type"), message)
    said = fields.values.get("database_id")
    return Prediction(
        where=fields.where,
        document=fields.name("document_id"),
        section=section,
        init=fields.integer("init"),
        end=fields.integer("end"),
        type=str(kind),
        text=fields.text("annotated_text") if fields.values.get("annotated_text") is not None else "",
        score=fields.number_if_given("score"),
        database_ids=tuple(part.strip() for part in str(said).split(",") if part.strip()) if said else (),
    )


def of_bioc(body: bytes) -> Found:
    """Mentions of BioC count in the whole document; they are taken as of the title's section, which begins there."""
    try:
        read = read_bioc_xml(io.BytesIO(body), "saveAnnotations")
    except RefusedFileError as error:
        first = error.faults[0]
        return refused(Code.FORMAT_ERROR, f"line {first.line}", first.message)
    found = Found()
    for mention in read.mentions:
        where = f"line {mention.line}"
        found.predictions.append(
            Prediction(where, mention.document, "T", mention.start, mention.end, mention.type, mention.text)
        )
    return found


READERS: Mapping[str, Callable[[bytes], Found]] = {"json": of_json, "tsv": of_tsv, "bioc": of_bioc}

"""The protocols in the manual: the fields of an answer, and example messages that the code of the protocols makes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from annotations.schema import SEVEN_KINDS, AnnotationData, Kind
from servers.protocols import becalm, pubannotation, rest
from servers.protocols.annotation_requests import AnnotationRequest
from servers.protocols.batches.array_batches import REST_BATCHES
from servers.protocols.bcms_xmlrpc import build_method_call_xml, build_method_response_xml
from servers.protocols.becalm_callbacks import BecalmErrorCode

# The longest line that the page shows without scrolling, in characters.
LONGEST_LINE = 76
TITLE, ABSTRACT = "p53 in cancer", "Mouse p53 binds Mdm2."
BCMS_EXAMPLE = AnnotationRequest(
    url="https://example.org/annotate",
    protocol="bcms",
    method="Annotator.getAnnotation",
    send="struct",
    kinds=SEVEN_KINDS,
    time_limit=600.0,
    networks=(),
    identifier="16054130",
    pmid=16054130,
    title=TITLE,
    abstract=ABSTRACT,
    text=f"{TITLE}\n{ABSTRACT}",
)
REST_EXAMPLE = replace(BCMS_EXAMPLE, protocol="rest", kinds=(Kind.MENTION, Kind.TAXON, Kind.CLASSIFICATION))
OPEN_ANSWER = {
    "annotations": {
        "mention": [
            {"id": "T1", "start": 0, "end": 3, "text": "p53", "type": "Gene", "identifiers": ["NCBIGene:7157"]},
            {"id": "T2", "start": 7, "end": 13, "text": "cancer", "type": "Disease", "identifiers": ["MESH:D009369"]},
        ],
        "entity": [{"curie": "MESH:D009369", "type": "Disease"}],
        "relation": [
            {
                "type": "associated",
                "arguments": [{"role": "gene", "mention": "T1"}, {"role": "disease", "mention": "T2"}],
                "qualifiers": {"novelty": "No"},
            }
        ],
        "label": [{"name": "topic", "value": "oncology", "confidence": 0.9}],
    }
}
BATCH_EXAMPLE = (
    replace(REST_EXAMPLE, send="text", kinds=(Kind.MENTION,), text=TITLE, identifier="16054130", pmid=16054130),
    replace(REST_EXAMPLE, send="text", kinds=(Kind.MENTION,), text="No gene", identifier="16054131", pmid=16054131),
)
BATCH_ANSWER = [
    {"id": "16054131", "annotations": {}},
    {"id": "16054130", "annotations": {"mention": [{"start": 0, "end": 3, "text": "p53"}]}},
]
PUBANNOTATION_EXAMPLE = replace(BCMS_EXAMPLE, protocol="pubannotation", method="POST")
BECALM_EXAMPLE = replace(
    BCMS_EXAMPLE,
    protocol="becalm",
    kinds=(Kind.MENTION, Kind.NORMALIZATION),
    reference=1581,
    key="our key",
    expires=datetime(2026, 3, 6, 12, 10, tzinfo=UTC),
)
EXAMPLE_ANNOTATIONS = (
    AnnotationData(Kind.MENTION, start=20, end=23, text="p53", confidence=0.9),
    AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="10090", confidence=0.8),
    AnnotationData(Kind.CLASSIFICATION, relevant=True, confidence=0.75),
)
# P02340 is the p53 of the mouse.
PUBANNOTATION_DOCUMENT = {
    "denotations": [{"id": "T1", "span": {"begin": 20, "end": 23}, "obj": "Gene"}],
    "attributes": [{"id": "A1", "subj": "T1", "pred": "entry", "obj": "uniprot:P02340"}],
}
PUBANNOTATION_OPEN_DOCUMENT = {
    "denotations": [
        {"id": "T1", "span": {"begin": 0, "end": 3}, "obj": "Gene"},
        {"id": "T2", "span": {"begin": 7, "end": 13}, "obj": "Disease"},
    ],
    "attributes": [
        {"id": "A1", "subj": "T1", "pred": "identifier", "obj": "NCBIGene:7157"},
        {"id": "A2", "subj": "T2", "pred": "identifier", "obj": "MESH:D009369"},
        {"id": "A3", "subj": "R1", "pred": "novelty", "obj": "No"},
    ],
    "relations": [{"id": "R1", "subj": "T1", "pred": "associated", "obj": "T2"}],
}
ACKNOWLEDGEMENT = {"status": 200, "success": True, "key": "your key"}
PREDICTIONS = [
    {
        "document_id": "16054130",
        "section": "A",
        "init": 6,
        "end": 9,
        "score": 0.9,
        "annotated_text": "p53",
        "type": "GENE",
        "database_id": "uniprot:P02340",
    }
]
# Why a call-back is rejected with each code of the protocol; the other codes are never sent.
CALLBACK_REFUSALS = {
    BecalmErrorCode.FORMAT_ERROR: (
        "The BioC cannot be parsed, a mention has no valid position, or the body is too large."
    ),
    BecalmErrorCode.INCORRECT_TRANSFER_REQUEST_METHOD: "The method is not POST.",
    BecalmErrorCode.PREDICTION_WITHOUT_TYPE: "An annotation has no type.",
    BecalmErrorCode.UNKNOWN_TYPE: "A type is not one of the protocol's types.",
    BecalmErrorCode.DOCUMENT_NOT_FOUND: "An annotation is about a document that was not requested.",
    BecalmErrorCode.NOT_VALID_BY_SCHEMA: "The body is not a list.",
    BecalmErrorCode.REQUEST_EXPIRED: "The call-back is too late. Do not send it again.",
    BecalmErrorCode.UNKNOWN_COMMUNICATION_ID: "The id and the key do not match.",
    BecalmErrorCode.NEED_PARAMETERS: "apikey or communicationId is missing.",
    BecalmErrorCode.REQUEST_CLOSED: "The request has already been answered. Do not send it again.",
    BecalmErrorCode.FIELD_NEEDED: "A field is missing.",
    BecalmErrorCode.INCORRECT_FIELD: "A field has the wrong type, or the section is neither T nor A.",
    BecalmErrorCode.REPEATED_PREDICTION: "An annotation occurs twice.",
    BecalmErrorCode.JSON_ERROR: "The body is not JSON.",
    BecalmErrorCode.DISALLOWED_ENCODING: "The body is not UTF-8.",
}


@dataclass(frozen=True, slots=True)
class ProtocolField:
    """A field of one part of an answer, as the manual's table shows it."""

    name: str
    type: str
    meaning: str
    needed: bool = True


CONFIDENCE = ProtocolField("confidence", "double", "greater than 0 and at most 1", needed=False)
RANK = ProtocolField("rank", "int", "from 1, unique in the part (for passages: in each pair)", needed=False)
DBNAME = ProtocolField("dbname", "string", "UniProt or EntrezGene (NCBI Gene)")
PARTNERS = (
    DBNAME,
    ProtocolField("a", "string", "one interactor, as dbid"),
    ProtocolField("b", "string", "the other interactor; the order does not matter"),
)
BCMS_PART_FIELDS = {
    "mentions": (
        ProtocolField("offset", "int", "start of the mention in characters (code points), from 0"),
        ProtocolField(
            "section",
            "string",
            "title or abstract, where offset counts; without it, offset counts in title, newline, abstract",
            needed=False,
        ),
        ProtocolField("mention", "string", "the exact text of the mention"),
        CONFIDENCE,
    ),
    "normalizations": (
        DBNAME,
        ProtocolField("dbid", "string", "UniProt accession or NCBI Gene ID"),
        ProtocolField("taxid", "int", "NCBI Taxonomy ID of the organism", needed=False),
        CONFIDENCE,
        RANK,
    ),
    "taxons": (ProtocolField("taxid", "int", "NCBI Taxonomy ID of the organism"), CONFIDENCE),
    "interaction": (
        ProtocolField("relevant", "boolean", "whether the article is about protein interactions"),
        CONFIDENCE,
    ),
    "pairs": (*PARTNERS, RANK, CONFIDENCE),
    "methods": (ProtocolField("miid", "string", "PSI-MI identifier, such as MI:0006"), RANK, CONFIDENCE),
    "passages": (
        *PARTNERS,
        ProtocolField("passage", "string", "the sentences that describe the interaction"),
        RANK,
        CONFIDENCE,
    ),
}
NUMBER = replace(CONFIDENCE, type="number")
IN_ORDER = (NUMBER, replace(RANK, type="whole number"))
DATABASE = ProtocolField("database", "string", "UniProt or EntrezGene (NCBI Gene)")
TAXON = "NCBI Taxonomy ID of the organism"
SIDES = (
    DATABASE,
    ProtocolField("identifier", "string", "one interactor"),
    ProtocolField("partner", "string", "the other interactor; the order does not matter"),
)
REST_PART_FIELDS: Mapping[Kind, tuple[ProtocolField, ...]] = {
    Kind.MENTION: (
        ProtocolField("start", "whole number", "position of its first character (code point) in the text, from 0"),
        ProtocolField("end", "whole number", "position after its last character"),
        ProtocolField("text", "string", "the exact text of the mention"),
        ProtocolField("type", "string", "type of the entity, such as Gene", needed=False),
        NUMBER,
    ),
    Kind.NORMALIZATION: (
        DATABASE,
        ProtocolField("identifier", "string", "UniProt accession or NCBI Gene ID"),
        ProtocolField("taxon", "whole number", TAXON, needed=False),
        *IN_ORDER,
    ),
    Kind.TAXON: (ProtocolField("identifier", "string", TAXON), *IN_ORDER),
    Kind.CLASSIFICATION: (
        ProtocolField("relevant", "true or false", "whether the article is about protein interactions"),
        NUMBER,
    ),
    Kind.PAIR: (*SIDES, *IN_ORDER),
    Kind.METHOD: (ProtocolField("identifier", "string", "PSI-MI identifier, such as MI:0006"), *IN_ORDER),
    Kind.PASSAGE: (*SIDES, ProtocolField("text", "string", "the sentences that describe the interaction"), *IN_ORDER),
}


def build_protocol_example_messages() -> dict[str, str]:
    """Example messages of each protocol, by their names in the template."""
    return {
        "request_example": _format_xmlrpc_message(build_method_call_xml(BCMS_EXAMPLE)),
        "answer_example": _format_xmlrpc_message(build_method_response_xml(EXAMPLE_ANNOTATIONS, len(TITLE))),
        "rest_request": format_json_example(rest.build_request_fields_by_send_mode(REST_EXAMPLE)),
        "rest_answer": format_json_example(rest.build_rest_answer(list(EXAMPLE_ANNOTATIONS), BCMS_EXAMPLE.identifier)),
        "open_answer": format_json_example(OPEN_ANSWER),
        "batch_request": format_json_example(json.loads(REST_BATCHES.build_batch_request(BATCH_EXAMPLE).body)),
        "batch_answer": format_json_example(BATCH_ANSWER),
        "pubannotation_request": format_json_example(
            json.loads(pubannotation.build_request(PUBANNOTATION_EXAMPLE).body)
        ),
        "pubannotation_answer": format_json_example(PUBANNOTATION_DOCUMENT),
        "pubannotation_open_answer": format_json_example(PUBANNOTATION_OPEN_DOCUMENT),
        "becalm_request": format_json_example(becalm.build_annotation_call_fields(BECALM_EXAMPLE, "getAnnotations")),
        "becalm_acknowledgement": format_json_example(ACKNOWLEDGEMENT),
        "becalm_answer": format_json_example(PREDICTIONS),
    }


def _format_xmlrpc_message(message: bytes) -> str:
    """An XML-RPC message with each member on one line."""
    text = message.decode("utf-8").strip()
    for one, other in (("<member>", "<name>"), ("</name>", "<value>"), ("</value>", "</member>")):
        text = text.replace(f"{one}\n{other}", f"{one}{other}")
    return text


def format_json_example(value: object, depth: int = 0, label: str = "") -> str:
    """Indented JSON in which each value that fits is on one line."""
    line = f"{label}{json.dumps(value, ensure_ascii=False)}"
    if len(line) + 2 * depth <= LONGEST_LINE or not isinstance(value, dict | list):
        return line
    inside = "  " * (depth + 1)
    if isinstance(value, dict):
        lines = [format_json_example(part, depth + 1, f"{json.dumps(name)}: ") for name, part in value.items()]
    else:
        lines = [format_json_example(part, depth + 1) for part in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{label}{opening}\n{inside}" + f",\n{inside}".join(lines) + f"\n{'  ' * depth}{closing}"

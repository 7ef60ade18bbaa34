"""What the manual says of each protocol: the parts of an answer, and messages that the protocols' own code makes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from annotations.kinds import Finding, Kind
from servers.protocols import becalm, pubannotation, rest
from servers.protocols.bcms import answer_body, request_body
from servers.protocols.becalm_answers import Code
from servers.protocols.questions import Question

# What the page shows without scrolling.
LONGEST_LINE = 76
TITLE, ABSTRACT = "p53 in cancer", "Mouse p53 binds Mdm2."
EXAMPLE = Question(
    url="https://example.org/annotate",
    protocol="bcms",
    method="Annotator.getAnnotation",
    send="struct",
    kinds=tuple(Kind),
    time_limit=600.0,
    networks=(),
    identifier="16054130",
    pmid=16054130,
    title=TITLE,
    abstract=ABSTRACT,
    text=f"{TITLE}\n{ABSTRACT}",
)
OF_REST = replace(EXAMPLE, protocol="rest", kinds=(Kind.MENTION, Kind.TAXON, Kind.CLASSIFICATION))
OF_PUBANNOTATION = replace(EXAMPLE, protocol="pubannotation", method="POST")
OF_BECALM = replace(
    EXAMPLE,
    protocol="becalm",
    kinds=(Kind.MENTION, Kind.NORMALIZATION),
    reference=1581,
    key="our key",
    expires=datetime(2026, 3, 6, 12, 10, tzinfo=UTC),
)
SAID = (
    Finding(Kind.MENTION, start=20, end=23, text="p53", confidence=0.9),
    Finding(Kind.TAXON, database="ncbitaxon", identifier="10090", confidence=0.8),
    Finding(Kind.CLASSIFICATION, relevant=True, confidence=0.75),
)
# P02340 is the p53 of the mouse.
DOCUMENT = {
    "denotations": [{"id": "T1", "span": {"begin": 20, "end": 23}, "obj": "Gene"}],
    "attributes": [{"id": "A1", "subj": "T1", "pred": "entry", "obj": "uniprot:P02340"}],
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
# When a call-back is refused with each of the protocol's codes; the others are never sent.
REFUSALS = {
    Code.FORMAT_ERROR: "the BioC cannot be read, or the body is too large",
    Code.INCORRECT_TRANSFER_REQUEST_METHOD: "it is no POST",
    Code.PREDICTION_WITHOUT_TYPE: "an annotation has no type",
    Code.UNKNOWN_TYPE: "a type is none of the protocol's",
    Code.DOCUMENT_NOT_FOUND: "an annotation is of a document that was not asked for",
    Code.NOT_VALID_BY_SCHEMA: "it is no list",
    Code.REQUEST_EXPIRED: "it comes too late; nothing is to be done",
    Code.UNKNOWN_COMMUNICATION_ID: "the id and the key do not belong together",
    Code.NEED_PARAMETERS: "apikey or communicationId is missing",
    Code.REQUEST_CLOSED: "the question was answered before; nothing is to be done",
    Code.FIELD_NEEDED: "a value is missing",
    Code.INCORRECT_FIELD: "a value is of the wrong type, or the section neither T nor A",
    Code.REPEATED_PREDICTION: "an annotation is there twice",
    Code.JSON_ERROR: "it is not JSON",
    Code.DISALLOWED_ENCODING: "it is not UTF-8",
}


@dataclass(frozen=True, slots=True)
class Field:
    """A value of one part of an answer, as the protocol's table shows it."""

    name: str
    type: str
    meaning: str
    needed: bool = True


CONFIDENCE = Field("confidence", "double", "more than 0 and at most 1", needed=False)
RANK = Field("rank", "int", "from 1, each once in the part (of passages: once in each pair)", needed=False)
DBNAME = Field("dbname", "string", "UniProt or EntrezGene (NCBI Gene)")
PARTNERS = (
    DBNAME,
    Field("a", "string", "one partner, as dbid"),
    Field("b", "string", "the other; the order is all one"),
)
PARTS = {
    "mentions": (
        Field("offset", "int", "where the mention begins, counted in characters (code points) from 0"),
        Field(
            "section",
            "string",
            "title or abstract, in which offset counts; without section it counts in title, newline, abstract",
            needed=False,
        ),
        Field("mention", "string", "the very characters that stand there"),
        CONFIDENCE,
    ),
    "normalizations": (
        DBNAME,
        Field("dbid", "string", "UniProt accession or NCBI Gene number"),
        Field("taxid", "int", "the organism's number in the NCBI Taxonomy", needed=False),
        CONFIDENCE,
        RANK,
    ),
    "taxons": (Field("taxid", "int", "the organism's number in the NCBI Taxonomy"), CONFIDENCE),
    "interaction": (Field("relevant", "boolean", "whether the article is about protein interactions"), CONFIDENCE),
    "pairs": (*PARTNERS, RANK, CONFIDENCE),
    "methods": (Field("miid", "string", "the PSI-MI identifier, such as MI:0006"), RANK, CONFIDENCE),
    "passages": (*PARTNERS, Field("passage", "string", "the sentences that say so"), RANK, CONFIDENCE),
}
NUMBER = replace(CONFIDENCE, type="number")
IN_ORDER = (NUMBER, replace(RANK, type="whole number"))
DATABASE = Field("database", "string", "UniProt or EntrezGene (NCBI Gene)")
TAXON = "number in the NCBI Taxonomy"
SIDES = (
    DATABASE,
    Field("identifier", "string", "one partner"),
    Field("partner", "string", "the other; the order is all one"),
)
REST_PARTS: Mapping[Kind, tuple[Field, ...]] = {
    Kind.MENTION: (
        Field("start", "whole number", "its first character (code point) in the text, counted from 0"),
        Field("end", "whole number", "the character after its last"),
        Field("text", "string", "the very characters that stand there"),
        Field("type", "string", "what it is, such as Gene", needed=False),
        NUMBER,
    ),
    Kind.NORMALIZATION: (
        DATABASE,
        Field("identifier", "string", "UniProt accession or NCBI Gene number"),
        Field("taxon", "whole number", f"the organism's {TAXON}", needed=False),
        *IN_ORDER,
    ),
    Kind.TAXON: (Field("identifier", "string", f"the {TAXON}"), *IN_ORDER),
    Kind.CLASSIFICATION: (Field("relevant", "true or false", "whether it is about protein interactions"), NUMBER),
    Kind.PAIR: (*SIDES, *IN_ORDER),
    Kind.METHOD: (Field("identifier", "string", "the PSI-MI identifier, such as MI:0006"), *IN_ORDER),
    Kind.PASSAGE: (*SIDES, Field("text", "string", "the sentences that say so"), *IN_ORDER),
}


def examples() -> dict[str, str]:
    """Messages of each protocol, by their names in the manual's template."""
    return {
        "request_example": lines_of(request_body(EXAMPLE)),
        "answer_example": lines_of(answer_body(SAID, len(TITLE))),
        "rest_request": in_lines(rest.asked(OF_REST)),
        "rest_answer": in_lines(rest.to_answer(list(SAID), EXAMPLE.identifier)),
        "pubannotation_request": in_lines(json.loads(pubannotation.request(OF_PUBANNOTATION).body)),
        "pubannotation_answer": in_lines(DOCUMENT),
        "becalm_request": in_lines(becalm.call_of(OF_BECALM, "getAnnotations")),
        "becalm_acknowledgement": in_lines(ACKNOWLEDGEMENT),
        "becalm_answer": in_lines(PREDICTIONS),
    }


def lines_of(message: bytes) -> str:
    """An XML-RPC message with each member in one line, as one would write it by hand."""
    text = message.decode("utf-8").strip()
    for one, other in (("<member>", "<name>"), ("</name>", "<value>"), ("</value>", "</member>")):
        text = text.replace(f"{one}\n{other}", f"{one}{other}")
    return text


def in_lines(value: object, depth: int = 0, label: str = "") -> str:
    """JSON as one would write it by hand: what fits stays in one line."""
    whole = f"{label}{json.dumps(value, ensure_ascii=False)}"
    if len(whole) + 2 * depth <= LONGEST_LINE or not isinstance(value, dict | list):
        return whole
    inside = "  " * (depth + 1)
    if isinstance(value, dict):
        lines = [in_lines(part, depth + 1, f"{json.dumps(name)}: ") for name, part in value.items()]
    else:
        lines = [in_lines(part, depth + 1) for part in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{label}{opening}\n{inside}" + f",\n{inside}".join(lines) + f"\n{'  ' * depth}{closing}"

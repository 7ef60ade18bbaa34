"""BCMS XML-RPC, the protocol of the original meta-server: one method, one parameter, one struct back.

The answer is a struct with any of mentions, normalizations, taxons, interaction, pairs, methods and passages. Arrays in
the same order instead of structs were used in practice and are read too.
"""

import xmlrpc.client
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import cast

from annotations.kinds import LABELS, Finding, Kind
from bcms.lib.foreign import bounded
from bcms.lib.http import Reply
from servers import diagnosis
from servers.protocols import xmlrpc as messages
from servers.protocols.parsed import Parsed
from servers.protocols.questions import Question
from servers.protocols.speaking import Request
from servers.protocols.spellings import SPELLED, database_of
from servers.protocols.values import Fields, MalformedError, as_array, as_struct, wrong_type

# The values of each part of an answer, in the order in which an array holds them.
ORDERS = {
    "mentions": ("offset", "section", "mention", "confidence"),
    "normalizations": ("dbname", "dbid", "taxid", "confidence", "rank"),
    "taxons": ("taxid", "confidence"),
    "interaction": ("relevant", "confidence"),
    "pairs": ("dbname", "a", "b", "rank", "confidence"),
    "methods": ("miid", "rank", "confidence"),
    "passages": ("dbname", "a", "b", "passage", "rank", "confidence"),
}
PARTS = {
    Kind.MENTION: "mentions",
    Kind.NORMALIZATION: "normalizations",
    Kind.TAXON: "taxons",
    Kind.CLASSIFICATION: "interaction",
    Kind.PAIR: "pairs",
    Kind.METHOD: "methods",
    Kind.PASSAGE: "passages",
}
# What the protocol calls the fields of a Finding, where it differs.
NAMES = {
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
}
NOT_IN_XML = dict.fromkeys(
    (*range(9), 11, 12, *range(14, 32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}"
)


def request(question: Question) -> Request:
    """The method call for one article. Raises CallError when a PMID is wanted that may not be told."""
    return Request("POST", question.url, request_body(question), {"Content-Type": "text/xml"})


def read(reply: Reply, question: Question) -> Parsed:
    """The answer in a reply. Raises CallError when it is none."""
    return parse(reply.body, len(question.title), question.kinds)


def request_body(question: Question) -> bytes:
    """The method call for one article, in UTF-8. Raises CallError when a PMID is wanted that may not be told."""
    return _dump((_parameter(question),), methodname=question.method)


def _parameter(question: Question) -> object:
    match question.send:
        case "pmid":
            if question.pmid is None:
                raise diagnosis.no_pmid()
            return question.pmid
        case "text":
            return _sendable(question.text)
        case _:
            parts = {"title": question.title, "abstract": question.abstract, "text": question.text}
            return {"id": question.identifier} | {name: _sendable(text) for name, text in parts.items()}


def _sendable(text: str) -> str:
    """The text with what XML cannot carry replaced, one character for one, so that positions stay."""
    return text.translate(NOT_IN_XML)


def _dump(params: tuple[object, ...], methodname: str | None = None) -> bytes:
    # In capitals the encoding is named in the first line; some parsers take what names none for Latin-1.
    dumped = xmlrpc.client.dumps(
        params,  # type: ignore[arg-type]
        methodname=methodname,
        methodresponse=methodname is None,
        encoding="UTF-8",
    )
    # A parser turns CR and CR LF into LF unless they are written so; offsets would shift.
    return dumped.replace("\r", "&#13;").encode("utf-8")


def parse(body: bytes, title_length: int, kinds: Collection[Kind] = tuple(Kind)) -> Parsed:
    """Read an answer; positions become half-open code points of the canonical text (title, newline, abstract).

    title_length is in code points. Parts of other kinds than these are left unread, with a note. Whatever is missing or
    malformed is a broken rule (R201 to R204), and the rest is read all the same; the findings are not judged here.
    Raises CallError when the body holds no XML-RPC answer.
    """
    parsed = Parsed()
    message = _answer(body)
    parsed.note(message.notes)
    try:
        fields, notes = as_struct(message.params[0], tuple(ORDERS), "answer", "the answer")
    except MalformedError as error:
        parsed.broken.append(error.broken)
        return parsed
    parsed.note(notes)
    for kind, part in PARTS.items():
        value = fields.values.get(part)
        if kind in kinds:
            _read_part(parsed, part, value, title_length)
        elif value not in (None, [], {}):
            parsed.note([f'The part "{part}" is not kept, as the server is not registered for {LABELS[kind].lower()}.'])
    return parsed


def _answer(body: bytes) -> messages.Message:
    try:
        message = messages.load(body)
    except messages.XmlRpcError as error:
        raise diagnosis.of_xmlrpc(error.kind, error.detail, error.code, body) from error
    if message.method is not None or len(message.params) != 1:
        raise diagnosis.of_xmlrpc(messages.XmlRpcFault.NOT_XMLRPC, "it is no method response with one value", 0, body)
    return message


def _read_part(parsed: Parsed, part: str, value: object, title_length: int) -> None:
    try:
        elements, notes = as_array(value, part)
    except MalformedError as error:
        parsed.broken.append(error.broken)
        return
    parsed.note(notes)
    if part == "interaction":
        if elements:
            _read_element(parsed, elements, part, part, title_length)
        return
    for index, element in enumerate(elements):
        _read_element(parsed, element, part, f"{part}[{index}]", title_length)


def _read_element(parsed: Parsed, element: object, part: str, where: str, title_length: int) -> None:
    try:
        fields, notes = as_struct(element, ORDERS[part], where, part)
        finding = READERS[part](fields, title_length)
    except MalformedError as error:
        parsed.broken.append(error.broken)
        return
    if part != "interaction":
        parsed.note(notes)
    parsed.findings.append(finding)
    parsed.places.append(where)


def _mention(fields: Fields, title_length: int) -> Finding:
    text = fields.text("mention")
    start = fields.integer("offset") + _section_start(fields, title_length)
    return Finding(
        Kind.MENTION, start=start, end=start + len(text), text=text, confidence=fields.number_if_given("confidence")
    )


def _section_start(fields: Fields, title_length: int) -> int:
    section = fields.text("section") if fields.values.get("section") is not None else ""
    match section.strip().lower():
        case "" | "title":
            return 0
        case "abstract":
            return title_length + 1
        case _:
            message = f'There is no section "{bounded(section, 40)}".'
            raise MalformedError("R203", fields.place("section"), message)


def _normalization(fields: Fields, _: int) -> Finding:
    return Finding(
        Kind.NORMALIZATION,
        database=database_of(fields.text("dbname")),
        identifier=fields.name("dbid"),
        taxon=fields.integer_if_given("taxid"),
        confidence=fields.number_if_given("confidence"),
        rank=fields.integer_if_given("rank"),
    )


def _taxon(fields: Fields, _: int) -> Finding:
    confidence = fields.number_if_given("confidence")
    return Finding(Kind.TAXON, database="ncbitaxon", identifier=str(fields.integer("taxid")), confidence=confidence)


def _classification(fields: Fields, _: int) -> Finding:
    relevant = fields.needed("relevant")
    if not isinstance(relevant, bool):
        raise wrong_type(fields.place("relevant"), relevant, "a boolean")
    return Finding(Kind.CLASSIFICATION, relevant=relevant, confidence=fields.number_if_given("confidence"))


def _method(fields: Fields, _: int) -> Finding:
    return Finding(
        Kind.METHOD,
        database="psi-mi",
        identifier=fields.text("miid"),
        confidence=fields.number_if_given("confidence"),
        rank=fields.integer_if_given("rank"),
    )


def _pair(fields: Fields, _: int) -> Finding:
    return Finding(
        Kind.PAIR,
        database=database_of(fields.text("dbname")),
        identifier=fields.name("a"),
        partner=fields.name("b"),
        confidence=fields.number_if_given("confidence"),
        rank=fields.integer_if_given("rank"),
    )


def _passage(fields: Fields, title_length: int) -> Finding:
    return replace(_pair(fields, title_length), kind=Kind.PASSAGE, text=fields.text("passage"))


READERS: dict[str, Callable[[Fields, int], Finding]] = {
    "mentions": _mention,
    "normalizations": _normalization,
    "taxons": _taxon,
    "interaction": _classification,
    "pairs": _pair,
    "methods": _method,
    "passages": _passage,
}


def answer_body(findings: Iterable[Finding], title_length: int) -> bytes:
    """The method response that says these findings, in UTF-8."""
    return _dump((to_struct(findings, title_length),))


def to_struct(findings: Iterable[Finding], title_length: int) -> dict[str, object]:
    """The struct of an answer: only the parts that hold something. title_length is in code points.

    The other direction of parse: a mention that lies in the title or after it is given with its section.
    """
    struct: dict[str, object] = {}
    for finding in findings:
        part = PARTS[finding.kind]
        if finding.kind is Kind.CLASSIFICATION:
            struct[part] = [value for value in (finding.relevant, finding.confidence) if value is not None]
        else:
            elements = cast(list[object], struct.setdefault(part, []))
            elements.append(_element(finding, title_length))
    return struct


def _element(finding: Finding, title_length: int) -> dict[str, object]:
    values = _position(finding, title_length) if finding.kind is Kind.MENTION else _identity(finding)
    values |= {"rank": finding.rank, "confidence": finding.confidence}
    return {name: values[name] for name in ORDERS[PARTS[finding.kind]] if values.get(name) is not None}


def _position(mention: Finding, title_length: int) -> dict[str, object]:
    start, end = mention.start or 0, mention.end or 0
    if end <= title_length:
        return {"section": "title", "offset": start, "mention": mention.text}
    if start > title_length:
        return {"section": "abstract", "offset": start - title_length - 1, "mention": mention.text}
    return {"offset": start, "mention": mention.text}


def _identity(finding: Finding) -> dict[str, object]:
    if finding.kind is Kind.TAXON:
        return {"taxid": int(finding.identifier)}
    if finding.kind is Kind.METHOD:
        return {"miid": finding.identifier}
    return {
        "dbname": SPELLED.get(finding.database, finding.database),
        "dbid": finding.identifier,
        "taxid": finding.taxon,
        "a": finding.identifier,
        "b": finding.partner,
        "passage": finding.text,
    }

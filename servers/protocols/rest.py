"""Our own JSON over HTTP: one POST for each article, answered at once or, by a task, later.

The question is {id, pmid, title, abstract, text, passages, kinds, deadline}: passages are [{type, offset, text}], with
offsets in the whole text, kinds those that are kept, deadline the seconds until nobody waits any more. The answer is
{"annotations": {kind: [...]}}; every annotation has the fields that its kind has here. Beside it may stand "version",
which version of the server's system it is that answers. A server that needs longer answers 202 with the place of its
task in Location, which is asked until it answers 200 with the same; Retry-After says when to ask. `[]` stands for an
empty object, and keys that nobody knows are noted.
"""

from collections.abc import Callable, Mapping

from annotations.kinds import Finding, Kind
from bcms.lib.http import Reply
from servers import diagnosis
from servers.protocols import json_messages
from servers.protocols.accepted import place_of, wait_of
from servers.protocols.parsed import Parsed
from servers.protocols.questions import Accepted, Question
from servers.protocols.speaking import Request
from servers.protocols.spellings import database_of
from servers.protocols.values import Fields, MalformedError, as_array, as_struct, version_in, wrong_type

NAMES: Mapping[tuple[Kind, str], str] = {}
JSON = {"Content-Type": "application/json", "Accept": "application/json"}
ACCEPTED = 202
SHARED = ("confidence", "rank")
FIELDS = {
    Kind.MENTION: ("start", "end", "text", "type", "confidence"),
    Kind.NORMALIZATION: ("database", "identifier", "taxon", *SHARED),
    Kind.TAXON: ("identifier", *SHARED),
    Kind.CLASSIFICATION: ("relevant", "confidence"),
    Kind.PAIR: ("database", "identifier", "partner", *SHARED),
    Kind.METHOD: ("identifier", *SHARED),
    Kind.PASSAGE: ("database", "identifier", "partner", "text", *SHARED),
}


def request(question: Question) -> Request:
    """The question for one article. CallError when a PMID is wanted that may not be told."""
    return Request("POST", question.url, json_messages.dump(asked(question)), JSON)


def asked(question: Question) -> dict[str, object]:
    """What is sent of the article, as the server wants it."""
    if question.send == "pmid" and question.pmid is None:
        raise diagnosis.no_pmid()
    sent: dict[str, object] = {
        "id": question.identifier,
        "kinds": list(question.kinds),
        "deadline": question.time_limit,
    }
    if question.send != "text" and question.pmid is not None:
        sent["pmid"] = question.pmid
    if question.send != "pmid":
        sent["text"] = question.text
    if question.send == "struct":
        sent |= {"title": question.title, "abstract": question.abstract, "passages": passages(question)}
    return sent


def passages(question: Question) -> list[dict[str, object]]:
    """Title and abstract with their places in the text."""
    abstract = {"type": "abstract", "offset": len(question.title) + 1, "text": question.abstract}
    return [{"type": "title", "offset": 0, "text": question.title}, *([abstract] if question.abstract else [])]


def read(reply: Reply, question: Question) -> Parsed | Accepted:
    """The answer in a reply, or where it will be."""
    if reply.status != ACCEPTED:
        return parse(reply.body, question)
    location = reply.headers.get("Location", "")
    if not location:
        raise diagnosis.no_task()
    return Accepted(place_of(reply, location), wait_of(reply))


def follow(reply: Reply, question: Question) -> Parsed | Accepted:
    """As read; a task that still runs may say so with 202 and no new place."""
    if reply.status == ACCEPTED and "Location" not in reply.headers:
        return Accepted(reply.url, wait_of(reply))
    return read(reply, question)


def parse(body: bytes, question: Question) -> Parsed:
    """The findings of an answer; what is missing or malformed is a broken rule, and the rest is read all the same.

    CallError when it is no JSON, or says that it is of another article.
    """
    parsed = Parsed()
    try:
        answer, notes = as_struct(json_messages.load(body), ("id", "annotations", "version"), "", "the answer")
        parsed.note(notes)
        parsed.stated_version = version_in(answer.values)
        check_article(answer.values.get("id"), question)
        said = answer.values.get("annotations")
        annotations, notes = as_struct({} if said is None else said, tuple(FIELDS), "annotations", "annotations")
    except MalformedError as error:
        parsed.broken.append(error.broken)
        return parsed
    parsed.note(notes)
    for kind in FIELDS:
        read_kind(parsed, kind, annotations.values.get(kind), question)
    return parsed


def check_article(said: object, question: Question) -> None:
    """CallError when the answer names another article than the one that was asked for."""
    if said is not None and str(said) not in (question.identifier, str(question.pmid)):
        raise diagnosis.wrong_article(str(said), question.identifier)


def read_kind(parsed: Parsed, kind: Kind, value: object, question: Question) -> None:
    if kind not in question.kinds:
        if value not in (None, [], {}):
            parsed.note([f'"{kind}" is not kept, as the server is not registered for it.'])
        return
    where = f"annotations.{kind}"
    if kind == Kind.CLASSIFICATION and isinstance(value, dict) and value:
        value = [value]
    try:
        elements, notes = as_array(value, where)
    except MalformedError as error:
        parsed.broken.append(error.broken)
        return
    parsed.note(notes)
    for index, element in enumerate(elements):
        read_element(parsed, kind, element, f"{where}[{index}]")


def read_element(parsed: Parsed, kind: Kind, element: object, where: str) -> None:
    try:
        fields, notes = as_struct(element, FIELDS[kind], where, kind)
        finding = READERS[kind](fields)
    except MalformedError as error:
        parsed.broken.append(error.broken)
        return
    parsed.note(notes)
    parsed.findings.append(finding)
    parsed.places.append(where)


def confidence(fields: Fields) -> float | None:
    return fields.number_if_given("confidence")


def rank(fields: Fields) -> int | None:
    return fields.integer_if_given("rank")


def mention(fields: Fields) -> Finding:
    said = fields.values.get("type")
    return Finding(
        Kind.MENTION,
        start=fields.integer("start"),
        end=fields.integer("end"),
        text=fields.text("text"),
        type="" if said is None else fields.text("type"),
        confidence=confidence(fields),
    )


def normalization(fields: Fields) -> Finding:
    return Finding(
        Kind.NORMALIZATION,
        database=database_of(fields.text("database")),
        identifier=fields.name("identifier"),
        taxon=fields.integer_if_given("taxon"),
        confidence=confidence(fields),
        rank=rank(fields),
    )


def identified(kind: Kind, database: str) -> Callable[[Fields], Finding]:
    def reader(fields: Fields) -> Finding:
        return Finding(
            kind,
            database=database,
            identifier=fields.name("identifier"),
            confidence=confidence(fields),
            rank=rank(fields),
        )

    return reader


def classification(fields: Fields) -> Finding:
    relevant = fields.needed("relevant")
    if not isinstance(relevant, bool):
        raise wrong_type(fields.place("relevant"), relevant, "a boolean")
    return Finding(Kind.CLASSIFICATION, relevant=relevant, confidence=confidence(fields))


def paired(kind: Kind) -> Callable[[Fields], Finding]:
    def reader(fields: Fields) -> Finding:
        return Finding(
            kind,
            database=database_of(fields.text("database")),
            identifier=fields.name("identifier"),
            partner=fields.name("partner"),
            text=fields.text("text") if kind == Kind.PASSAGE else "",
            confidence=confidence(fields),
            rank=rank(fields),
        )

    return reader


READERS: Mapping[Kind, Callable[[Fields], Finding]] = {
    Kind.MENTION: mention,
    Kind.NORMALIZATION: normalization,
    Kind.TAXON: identified(Kind.TAXON, "ncbitaxon"),
    Kind.CLASSIFICATION: classification,
    Kind.PAIR: paired(Kind.PAIR),
    Kind.METHOD: identified(Kind.METHOD, "psi-mi"),
    Kind.PASSAGE: paired(Kind.PASSAGE),
}


def to_answer(findings: "list[Finding]", identifier: str) -> dict[str, object]:
    """The answer that says these findings: the other direction of parse."""
    annotations: dict[str, list[dict[str, object]]] = {}
    for finding in findings:
        values = {name: getattr(finding, name) for name in FIELDS[finding.kind]}
        said = {name: value for name, value in values.items() if value not in (None, "")}
        annotations.setdefault(finding.kind, []).append(said)
    return {"id": identifier, "annotations": annotations}

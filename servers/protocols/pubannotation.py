"""PubAnnotation's protocol for annotators: text or a document out, PubAnnotation JSON back, at once or by a task.

The URL may hold `_text_`, `_sourcedb_` and `_sourceid_`, which are replaced; the method is GET or POST. POSTed are the
plain text, or a document {text, sourcedb, sourceid}. 200 brings the annotations; 201 (or 202) with Location names a
task, whose status is IN_QUEUE, IN_PROGRESS, DONE or ERROR, with ETR, the seconds it still needs, and result_location.

Every denotation is a mention of the type that its `obj` says. An `obj`, or an attribute of a denotation, that names an
entry of a database we know (`uniprot:P04637`, an address at identifiers.org, ...) is a normalization, taxon or method
of the article besides, and a relation between two denotations with such entries is a pair.

Source: the documentation of PubAnnotation's annotation API and the dictionary annotator that its authors run.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from annotations.kinds import Finding, Kind
from bcms.lib.http import Reply
from servers import diagnosis
from servers.protocols import json_messages
from servers.protocols.accepted import FIRST_WAIT, LONGEST_WAIT, place_of, wait_of, within_bounds
from servers.protocols.entries import KINDS, entry_of
from servers.protocols.parsed import Parsed
from servers.protocols.questions import Accepted, Question
from servers.protocols.speaking import Request
from servers.protocols.values import Fields, MalformedError, as_array, as_struct

NAMES = {(Kind.MENTION, "start"): "span.begin", (Kind.MENTION, "end"): "span.end", (Kind.MENTION, "type"): "obj"}
ACCEPTED = frozenset({201, 202})
DENOTATION = ("id", "span", "obj", "confidence")
LINK = ("id", "subj", "pred", "obj")
DOCUMENT = (
    *("text", "sourcedb", "sourceid", "denotations", "relations", "attributes", "modifications", "blocks"),
    *("target", "divid", "project", "namespaces", "tracks", "typesettings", "config"),
)


def request(question: Question) -> Request:
    """The question for one article. CallError when a PMID is wanted that may not be told."""
    if question.send == "pmid" and question.pmid is None:
        raise diagnosis.no_pmid()
    source = ("PubMed", str(question.pmid)) if question.pmid is not None else ("BCMS", question.identifier)
    url = question.url
    for name, value in (("_text_", question.text), ("_sourcedb_", source[0]), ("_sourceid_", source[1])):
        url = url.replace(name, quote(value, safe=""))
    if question.method.upper() == "GET":
        return Request("GET", url, headers={"Accept": "application/json"})
    if question.send == "text":
        return Request(
            "POST", url, question.text.encode("utf-8", "replace"), {"Content-Type": "text/plain; charset=UTF-8"}
        )
    document: dict[str, object] = {"sourcedb": source[0], "sourceid": source[1]}
    if question.send == "struct":
        document["text"] = question.text
    return Request("POST", url, json_messages.dump(document), {"Content-Type": "application/json"})


def read(reply: Reply, question: Question) -> Parsed | Accepted:
    """The annotations in a reply, or where the task is."""
    if reply.status not in ACCEPTED:
        return parse(reply.body, question)
    location = reply.headers.get("Location", "")
    if not location:
        raise diagnosis.no_task()
    return Accepted(place_of(reply, location), wait_of(reply))


def follow(reply: Reply, question: Question) -> Parsed | Accepted:
    """The annotations, when the reply holds them, or where to ask next for the task. CallError when the task failed."""
    body = json_messages.load(reply.body)
    if not isinstance(body, dict) or "status" not in body:
        return parsed_document(body, question)
    fields = Fields("", body)
    try:
        match fields.text("status").upper():
            case "DONE":
                return Accepted(place_of(reply, fields.text("result_location")), 0.0)
            case "ERROR":
                raise diagnosis.task_failed(str(body.get("error_message") or "it does not say why"))
            case _:
                return Accepted(reply.url, time_to_go(body))
    except MalformedError as error:
        raise diagnosis.bad_task(str(error)) from error


def time_to_go(task: Mapping[str, object]) -> float:
    said = task.get("ETR", task.get("etr"))
    if isinstance(said, bool) or not isinstance(said, int | float) or said != said:
        return FIRST_WAIT
    # Whole numbers may be too large for a float.
    return within_bounds(float(min(said, LONGEST_WAIT)))


def parse(body: bytes, question: Question) -> Parsed:
    """The findings of an answer. CallError when it is no JSON, or of another article."""
    return parsed_document(json_messages.load(body), question)


@dataclass(slots=True)
class Named:
    """The denotations of a document that name entries: {denotation id: (database, identifier)}."""

    entries: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def add(self, identifier: object, entry: tuple[str, str] | None) -> None:
        known = self.entries.setdefault(str(identifier), [])
        if entry is not None and entry not in known:
            known.append(entry)


def parsed_document(body: object, question: Question) -> Parsed:
    parsed = Parsed()
    if isinstance(body, list) and body:
        if len(body) != 1:
            raise diagnosis.wrong_article(f"{len(body)} documents", question.identifier)
        body = body[0]
        parsed.note(["An array of one document was read as the document."])
    try:
        document, notes = as_struct(body, DOCUMENT, "", "the document")
        parsed.note(notes)
        check_article(document, question)
        named = read_denotations(parsed, document, question)
        read_relations(parsed, document, named, question)
    except MalformedError as error:
        parsed.broken.append(error.broken)
    return parsed


def check_article(document: Fields, question: Question) -> None:
    said = document.values.get("sourceid")
    if said is not None and str(said) not in ("", question.identifier, str(question.pmid)):
        raise diagnosis.wrong_article(str(said), question.identifier)
    text = document.values.get("text")
    if isinstance(text, str) and text.rstrip() != question.text.rstrip():
        raise diagnosis.wrong_article("another text", "the text that we sent")


def elements(parsed: Parsed, document: Fields, name: str, order: Sequence[str], what: str) -> Iterator[Fields]:
    """The structs of an array of the document; what is none is a broken rule. MalformedError when it is no array."""
    values, notes = as_array(document.values.get(name), name)
    parsed.note(notes)
    for index, value in enumerate(values):
        try:
            fields, notes = as_struct(value, order, f"{name}[{index}]", what)
        except MalformedError as error:
            parsed.broken.append(error.broken)
            continue
        parsed.note(notes)
        yield fields


def read_denotations(parsed: Parsed, document: Fields, question: Question) -> Named:
    """Mentions, and the entries that they and their attributes name."""
    named = Named()
    for fields in elements(parsed, document, "denotations", DENOTATION, "a denotation"):
        try:
            found, label = mention(parsed, fields, question.text), fields.name("obj")
        except MalformedError as error:
            parsed.broken.append(error.broken)
            continue
        keep(parsed, found, fields.where, question)
        named.add(fields.values.get("id", fields.where), entry_of(label))
    for link in elements(parsed, document, "attributes", LINK, "an attribute"):
        named.add(link.values.get("subj"), entry_of(str(link.values.get("obj", ""))))
    read_entries(parsed, named, question)
    return named


def mention(parsed: Parsed, fields: Fields, text: str) -> Finding:
    span, notes = as_struct(fields.needed("span"), ("begin", "end"), fields.place("span"), "a span")
    parsed.note(notes)
    start, end = span.integer("begin"), span.integer("end")
    return Finding(
        Kind.MENTION,
        start=start,
        end=end,
        text=text[start:end] if 0 <= start < end <= len(text) else "",
        type=fields.name("obj"),
        confidence=fields.number_if_given("confidence"),
    )


def keep(parsed: Parsed, finding: Finding, where: str, question: Question) -> None:
    if finding.kind in question.kinds:
        parsed.findings.append(finding)
        parsed.places.append(where)


def read_entries(parsed: Parsed, named: Named, question: Question) -> None:
    """Each entry that the document names, once."""
    for database, identifier in unique(entry for entries in named.entries.values() for entry in entries):
        finding = Finding(KINDS[database], database=database, identifier=identifier)
        keep(parsed, finding, f"{database}:{identifier}", question)


def read_relations(parsed: Parsed, document: Fields, named: Named, question: Question) -> None:
    """Pairs of proteins or genes that a relation connects, each once."""
    said = []
    for link in elements(parsed, document, "relations", LINK, "a relation"):
        said += pairs(named, str(link.values.get("subj")), str(link.values.get("obj")))
    for database, a, b in unique((database, *sorted((a, b))) for database, a, b in said):
        keep(parsed, Finding(Kind.PAIR, database=database, identifier=a, partner=b), f"{a}-{b}", question)


def pairs(named: Named, subject: str, object_: str) -> list[tuple[str, str, str]]:
    first, second = named.entries.get(subject, []), named.entries.get(object_, [])
    return [
        (database, a, b)
        for database, a in first
        for other, b in second
        if database == other and KINDS[database] == Kind.NORMALIZATION
    ]


def unique(values: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(values))

"""PubAnnotation's protocol for annotators: we send text or a document and get PubAnnotation JSON, at once or by a task.

`_text_`, `_sourcedb_` and `_sourceid_` in the URL are replaced; the method is GET or POST. A POST sends the plain text
or a document {text, sourcedb, sourceid}. Status 200 returns the annotations; 201 (or 202) with Location names a task,
whose status is IN_QUEUE, IN_PROGRESS, DONE or ERROR, with ETR, the remaining seconds, and result_location.

Every denotation is a mention, with a span, a list of spans or a chain of fragments. For servers that are registered for
the seven kinds only, its `obj` is the type. If its `obj` or an attribute names an entry of a known database
(`uniprot:P04637`, a URL at identifiers.org, ...), the entry is also a normalization, taxon or method of the article; a
relation between two denotations with entries is also a pair. What servers say that are registered for types of entities
or open kinds is in servers/protocols/open_members/denotations.py.

Source: the documentation of PubAnnotation's annotation API and the dictionary annotator that its authors run.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote

from annotations.schema import AnnotationData, BrokenRule, Kind
from bcms.lib.http.messages import HttpReply
from servers.calls import diagnosis
from servers.protocols import json_messages
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer
from servers.protocols.answer_fields import (
    AnswerFields,
    MalformedValueError,
    parse_array_or_empty_value,
    parse_struct_or_ordered_array,
)
from servers.protocols.carried_texts import note_carried_text
from servers.protocols.entry_labels import KINDS_BY_DATABASE, find_curie_or_url_entry_id
from servers.protocols.interface import OutgoingRequest
from servers.protocols.open_members.denotation_links import LinkReader, read_namespaces
from servers.protocols.open_members.denotation_spans import ChainedDenotations, extract_text_of_spans, is_chain
from servers.protocols.open_members.denotations import OpenDocumentReader
from servers.protocols.parsed_answers import ParsedAnswer, format_unregistered_kind, format_unstored_links
from servers.protocols.polling import (
    FIRST_POLL_WAIT,
    LONGEST_POLL_WAIT,
    clamp_poll_wait,
    read_retry_after_or_default_wait,
    resolve_task_url,
)

FIELD_NAMES = {
    (Kind.MENTION, "start"): "span.begin",
    (Kind.MENTION, "end"): "span.end",
    (Kind.MENTION, "type"): "obj",
    (Kind.MENTION, "spans"): "span",
    (Kind.RELATION, "type"): "pred",
    (Kind.RELATION, "arguments[0]"): "subj",
    (Kind.RELATION, "arguments[1]"): "obj",
}
URL_PLACEHOLDERS = ("_text_", "_sourcedb_", "_sourceid_")
ACCEPTED_STATUSES = frozenset({201, 202})
DENOTATION_FIELDS = ("id", "span", "obj", "confidence")
# Parts of a document that nothing reads.
UNREAD_PARTS = ("modifications", "blocks", "tracks")
LINK_FIELDS = ("id", "subj", "pred", "obj")
MODIFICATION_FIELDS = ("id", "pred", "obj")
# What relations can have in addition, if the server is registered for open annotations.
OPEN_RELATION_MEMBERS = ("confidence", "directed")
NO_TRACKS = "The meta-server does not store tracks."
DOCUMENT_FIELDS = (
    *("text", "sourcedb", "sourceid", "denotations", "relations", "attributes", "modifications", "blocks"),
    *("target", "divid", "project", "namespaces", "tracks", "typesettings", "config"),
)


def takes_documents(url: str, method: str, send: str) -> bool:
    """Whether a server is sent documents in the body of its requests, so that it can be sent several."""
    return method.upper() != "GET" and send != "text" and not any(name in url for name in URL_PLACEHOLDERS)


def build_request(question: AnnotationRequest) -> OutgoingRequest:
    """The HTTP request for one article. Raises CallError when it needs a PMID and there is none to send."""
    if question.send == "pmid" and question.pmid is None:
        raise diagnosis.diagnose_missing_pmid()
    source = ("PubMed", str(question.pmid)) if question.pmid is not None else ("BCMS", question.identifier)
    url = question.url
    for name, value in zip(URL_PLACEHOLDERS, (question.text, *source), strict=True):
        url = url.replace(name, quote(value, safe=""))
    if question.method.upper() == "GET":
        return OutgoingRequest("GET", url, headers={"Accept": "application/json"})
    if question.send == "text":
        return OutgoingRequest(
            "POST", url, question.text.encode("utf-8", "replace"), {"Content-Type": "text/plain; charset=UTF-8"}
        )
    document: dict[str, object] = {"sourcedb": source[0], "sourceid": source[1]}
    if question.send == "struct":
        document["text"] = question.text
    return OutgoingRequest(
        "POST", url, json_messages.encode_json_message(document), {"Content-Type": "application/json"}
    )


def read_reply(reply: HttpReply, question: AnnotationRequest) -> ParsedAnswer | DeferredAnswer:
    """The annotations in a reply, or the task to poll."""
    return find_accepted_task(reply) or parse_pubannotation_answer_noting_faults(reply.body, question)


def find_accepted_task(reply: HttpReply) -> DeferredAnswer | None:
    """The task of a server that answers later, None if this is its answer. Raises CallError when it names no task."""
    if reply.status not in ACCEPTED_STATUSES:
        return None
    location = reply.headers.get("Location", "")
    if not location:
        raise diagnosis.diagnose_accepted_without_answer_url()
    return DeferredAnswer(resolve_task_url(reply, location), read_retry_after_or_default_wait(reply))


def read_task_reply(reply: HttpReply, question: AnnotationRequest) -> ParsedAnswer | DeferredAnswer:
    """The annotations in a task's reply, or what to poll next. Raises CallError when the task failed."""
    return find_unfinished_task(reply) or parse_pubannotation_answer_noting_faults(reply.body, question)


def find_unfinished_task(reply: HttpReply) -> DeferredAnswer | None:
    """What to poll next after a task's reply, None if this is the answer. Raises CallError when the task failed."""
    body = json_messages.parse_bounded_json_message(reply.body)
    if not isinstance(body, dict) or "status" not in body:
        return None
    fields = AnswerFields("", body)
    try:
        match fields.require_text("status").upper():
            case "DONE":
                return DeferredAnswer(resolve_task_url(reply, fields.require_text("result_location")), 0.0)
            case "ERROR":
                raise diagnosis.diagnose_failed_task(str(body.get("error_message") or "it gives no reason"))
            case _:
                return DeferredAnswer(reply.url, _read_next_poll_wait(body))
    except MalformedValueError as error:
        raise diagnosis.diagnose_unreadable_task(str(error)) from error


def _read_next_poll_wait(task: Mapping[str, object]) -> float:
    """Seconds until the next poll, from the task's ETR; the default when it has none."""
    seconds = task.get("ETR", task.get("etr"))
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds != seconds:
        return FIRST_POLL_WAIT
    # Limit first, since an int may be too large for a float.
    return clamp_poll_wait(float(min(seconds, LONGEST_POLL_WAIT)))


def parse_pubannotation_answer_noting_faults(body: bytes, question: AnnotationRequest) -> ParsedAnswer:
    """The annotations in an answer. Raises CallError when it is not JSON or is about another article."""
    return _parse_answer_document(json_messages.parse_bounded_json_message(body), question)


@dataclass(slots=True)
class DenotationEntries:
    """The database entries that denotations name: {denotation id: [(database, identifier), ...]}."""

    entries: dict[str, list[tuple[str, str]]] = field(default_factory=dict)

    def add(self, identifier: object, entry: tuple[str, str] | None) -> None:
        entries = self.entries.setdefault(str(identifier), [])
        if entry is not None and entry not in entries:
            entries.append(entry)


def _parse_answer_document(body: object, question: AnnotationRequest) -> ParsedAnswer:
    parsed = ParsedAnswer()
    if isinstance(body, list) and body:
        if all(isinstance(element, dict) and "span" in element for element in body):
            parsed.broken_rules.append(_make_denotation_list_rule(len(body)))
            return parsed
        if len(body) != 1:
            raise diagnosis.diagnose_wrong_article(f"{len(body)} documents", question.identifier)
        body = body[0]
        parsed.note(["An array of one document was read as the document."])
    try:
        document = parse_struct_or_ordered_array(body, DOCUMENT_FIELDS, "", "the document")
        parsed.note_fields(document)
        _check_document_article(document, question)
        question = note_carried_text(parsed, document.values.get("text"), question)
        if question.is_open:
            parsed.omit_elements("tracks", document.values.get("tracks"), NO_TRACKS)
            _read_open_document(parsed, document, question)
            return parsed
        _omit_unread_parts(parsed, document)
        denoted = _read_denotations(parsed, document, question)
        _add_relation_pairs(parsed, document, denoted, question)
    except MalformedValueError as error:
        parsed.broken_rules.append(error.broken_rule)
    return parsed


def _make_denotation_list_rule(number: int) -> BrokenRule:
    message = f"The answer is an array of {number:,} denotations, but must be a document."
    return BrokenRule("R202", "", message, 'Send one object with the array in it: {"denotations": [...]}.')


def _read_open_document(parsed: ParsedAnswer, document: AnswerFields, question: AnnotationRequest) -> None:
    """Add all that a server says which is registered for types of entities or open kinds."""

    def list_structs(
        name: str, order: Sequence[str], what: str, open_members: Sequence[str] = ()
    ) -> list[AnswerFields]:
        return _list_valid_structs(parsed, document, name, order, what, open_members)

    denotations = list_structs("denotations", DENOTATION_FIELDS, "a denotation")
    denotations += list_structs("blocks", DENOTATION_FIELDS, "a block")
    relations = list_structs("relations", LINK_FIELDS, "a relation", OPEN_RELATION_MEMBERS)
    attributes = list_structs("attributes", LINK_FIELDS, "an attribute")
    modifications = list_structs("modifications", MODIFICATION_FIELDS, "a modification")
    links = LinkReader(read_namespaces(document.values.get("namespaces")), question.entity_types)
    OpenDocumentReader(parsed, question, denotations, relations, links).read(attributes, modifications)
    for fields in (*denotations, *relations, *attributes, *modifications):
        parsed.note_fields(fields)


def _list_valid_structs(
    parsed: ParsedAnswer,
    document: AnswerFields,
    name: str,
    order: Sequence[str],
    what: str,
    open_members: Sequence[str],
) -> list[AnswerFields]:
    """The structs in an array of the document; other elements, and another value, are broken rules."""
    structs = []
    try:
        values, notes = parse_array_or_empty_value(document.values.get(name), name)
    except MalformedValueError as error:
        parsed.broken_rules.append(error.broken_rule)
        return []
    parsed.note(notes)
    for index, value in enumerate(values):
        try:
            structs.append(parse_struct_or_ordered_array(value, order, f"{name}[{index}]", what, open_members))
        except MalformedValueError as error:
            parsed.broken_rules.append(error.broken_rule)
    return structs


def _list_raw_structs(document: AnswerFields, name: str) -> list[AnswerFields]:
    """The elements of an array that are structs already."""
    values = document.values.get(name)
    elements = enumerate(values if isinstance(values, list) else [])
    return [AnswerFields(f"{name}[{index}]", value) for index, value in elements if isinstance(value, dict)]


def _omit_unread_parts(parsed: ParsedAnswer, document: AnswerFields) -> None:
    """Add the parts of the format that have no place among our annotations."""
    for name in UNREAD_PARTS:
        parsed.omit_elements(name, document.values.get(name), f"The meta-server does not store {name}.")


def _check_document_article(document: AnswerFields, question: AnnotationRequest) -> None:
    """Raises CallError when the document has another sourceid than the article."""
    source_id = document.values.get("sourceid")
    if source_id is not None and str(source_id) not in ("", question.identifier, str(question.pmid)):
        raise diagnosis.diagnose_wrong_article(str(source_id), question.identifier)


def _iter_valid_structs(
    parsed: ParsedAnswer, document: AnswerFields, name: str, order: Sequence[str], what: str
) -> Iterator[AnswerFields]:
    """The structs in an array of the document; other elements are broken rules. Each is noted once it was read.

    Raises MalformedValueError when the value is not an array.
    """
    values, notes = parse_array_or_empty_value(document.values.get(name), name)
    parsed.note(notes)
    for index, value in enumerate(values):
        try:
            fields = parse_struct_or_ordered_array(value, order, f"{name}[{index}]", what)
        except MalformedValueError as error:
            parsed.broken_rules.append(error.broken_rule)
            continue
        yield fields
        parsed.note_fields(fields)


def _read_denotations(parsed: ParsedAnswer, document: AnswerFields, question: AnnotationRequest) -> DenotationEntries:
    """Add the mentions to parsed; returns the entries that denotations and their attributes name."""
    denoted = DenotationEntries()
    chained = ChainedDenotations(
        parsed, _list_raw_structs(document, "denotations"), _list_raw_structs(document, "relations")
    )
    for fields in _iter_valid_structs(parsed, document, "denotations", DENOTATION_FIELDS, "a denotation"):
        if not chained.is_mention_unless_fragment(fields):
            continue
        try:
            mention, label = _read_denotation_mention(chained, fields, question.text), fields.require_identifier("obj")
        except MalformedValueError as error:
            parsed.broken_rules.append(error.broken_rule)
            continue
        _add_if_requested(parsed, mention, fields.where, question)
        denoted.add(fields.values.get("id", fields.where), find_curie_or_url_entry_id(label))
    for link in _iter_valid_structs(parsed, document, "attributes", LINK_FIELDS, "an attribute"):
        entry = find_curie_or_url_entry_id(str(link.values.get("obj", "")))
        if entry is None:
            parsed.omitted.add(link.where, "Its obj is not an entry of a known database.")
        denoted.add(link.values.get("subj"), entry)
    _add_denotation_entries(parsed, denoted, question)
    if links := sum(map(len, denoted.entries.values())):
        parsed.omitted.add("denotations", format_unstored_links(links), links)
    return denoted


def _read_denotation_mention(chained: ChainedDenotations, fields: AnswerFields, text: str) -> AnnotationData:
    spans = chained.read_spans(fields)
    return AnnotationData(
        Kind.MENTION,
        start=min(start for start, _ in spans),
        end=max(end for _, end in spans),
        text=extract_text_of_spans(spans, text),
        type=fields.require_identifier("obj"),
        confidence=fields.find_number("confidence"),
        spans=spans if len(spans) > 1 else (),
    )


def _add_if_requested(
    parsed: ParsedAnswer, annotation: AnnotationData, where: str, question: AnnotationRequest
) -> None:
    if annotation.kind in question.kinds:
        parsed.annotations.append(annotation)
        parsed.locations.append(where)
    else:
        parsed.omitted.add(where, format_unregistered_kind(annotation.kind))


def _add_denotation_entries(parsed: ParsedAnswer, denoted: DenotationEntries, question: AnnotationRequest) -> None:
    """Add each entry that the document names, once."""
    entries = (entry for entries in denoted.entries.values() for entry in entries)
    for database, identifier in _drop_duplicate_tuples(entries):
        annotation = AnnotationData(KINDS_BY_DATABASE[database], database=database, identifier=identifier)
        _add_if_requested(parsed, annotation, f"{database}:{identifier}", question)


def _add_relation_pairs(
    parsed: ParsedAnswer, document: AnswerFields, denoted: DenotationEntries, question: AnnotationRequest
) -> None:
    """Add the pairs of proteins or genes that a relation connects, each once."""
    pairs = []
    for link in _iter_valid_structs(parsed, document, "relations", LINK_FIELDS, "a relation"):
        if is_chain(link):
            continue
        related = _list_related_pairs(denoted, str(link.values.get("subj")), str(link.values.get("obj")))
        if not related:
            parsed.omitted.add(
                link.where, "It does not connect two denotations with entries of one protein or gene database."
            )
        pairs += related
    for database, a, b in _drop_duplicate_tuples((database, *sorted((a, b))) for database, a, b in pairs):
        _add_if_requested(
            parsed, AnnotationData(Kind.PAIR, database=database, identifier=a, partner=b), f"{a}-{b}", question
        )


def _list_related_pairs(denoted: DenotationEntries, subject: str, object_: str) -> list[tuple[str, str, str]]:
    """(database, identifier, partner) for all entries of two denotations in the same protein or gene database."""
    first, second = denoted.entries.get(subject, []), denoted.entries.get(object_, [])
    return [
        (database, a, b)
        for database, a in first
        for other, b in second
        if database == other and KINDS_BY_DATABASE[database] == Kind.NORMALIZATION
    ]


def _drop_duplicate_tuples(values: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(values))

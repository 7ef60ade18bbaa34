"""BeCalm (TIPS): the question is acknowledged at once, and the server calls us with its annotations later.

We POST getAnnotations with the documents, the types wanted, when the question expires and a communication id. The
server POSTs to saveAnnotations/{JSON|TSV|BIOC} with that id and its key. Positions count within a section, T for the
title and A for the abstract, ends are exclusive. What was loose in practice is taken: `[]` for `{}`, counts as strings,
`key` or `becalm_key`, refusals inside HTTP 200.

Source: Perez-Perez et al. 2019, J Cheminform 11:42, and the service's interface of April 2017.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotations.kinds import Finding, Kind
from bcms.lib.http import Reply
from servers import diagnosis
from servers.protocols import json_messages
from servers.protocols.becalm_answers import Prediction, faults_for, read_predictions
from servers.protocols.entries import KINDS, entry_of
from servers.protocols.parsed import Parsed
from servers.protocols.questions import Accepted, Question
from servers.protocols.speaking import Request
from servers.protocols.values import Fields, version_in

NAMES = {(Kind.MENTION, "start"): "init", (Kind.MENTION, "end"): "end", (Kind.MENTION, "text"): "annotated_text"}
NAMES |= {(Kind.MENTION, "confidence"): "score"}
JSON = {"Content-Type": "application/json", "Accept": "application/json"}
TYPES = {
    Kind.MENTION: ("GENE", "PROTEIN"),
    Kind.NORMALIZATION: ("GENE", "PROTEIN"),
    Kind.TAXON: ("ORGANISM",),
}
OK = 200


class State(StrEnum):
    """How a server says it is."""

    RUNNING = "Running"
    WORKING = "Working"
    PENDING = "Pending"
    SUSPENDED = "Suspended"
    OVERLOADED = "Overloaded"
    SHUTDOWN = "Shutdown"
    UNKNOWN = "Unknown"


def request(question: Question) -> Request:
    """getAnnotations for one article. CallError when a PMID is wanted that may not be told."""
    return Request("POST", question.url, json_messages.dump(call_of(question, "getAnnotations")), JSON)


def state_request(url: str, key: str, custom: Mapping[str, object]) -> Request:
    """getState, which asks how the server is; key and custom are as in a question."""
    return Request("POST", url, json_messages.dump(envelope("getState", key, custom, {})), JSON)


@dataclass(frozen=True, slots=True)
class Condition:
    """How a server says that it is, and which version of its system; "" when it does not say that."""

    state: State
    stated_version: str


def condition_of(body: bytes) -> Condition:
    """What a server says to getState; UNKNOWN for a word that the protocol has not. CallError when it says none."""
    said = json_messages.load(body)
    data = said.get("data") if isinstance(said, dict) else None
    if not isinstance(data, dict) or not isinstance(data.get("state"), str):
        raise diagnosis.not_acknowledged("it names no state")
    word = data["state"].strip().capitalize()
    return Condition(State(word) if word in set(State) else State.UNKNOWN, version_in(data))


def call_of(question: Question, method: str) -> dict[str, object]:
    parameters = {
        "documents": [document(question)],
        "types": types_of(question.kinds),
        "expired": question.expires.isoformat(timespec="seconds") if question.expires else "",
        "communication_id": question.reference,
    }
    return envelope(method, question.key, question.parameters, parameters)


def envelope(
    method: str, key: str, custom: Mapping[str, object], parameters: Mapping[str, object]
) -> dict[str, object]:
    return {
        "name": "BCMS",
        "method": method,
        "becalm_key": key,
        "custom_parameters": dict(custom),
        "parameters": dict(parameters),
    }


def document(question: Question) -> dict[str, object]:
    """The article by its id, and with its text for a server that wants it."""
    if question.send == "pmid" and question.pmid is None:
        raise diagnosis.no_pmid()
    named: dict[str, object] = {"document_id": question.identifier, "source": "PUBMED" if question.pmid else "BCMS"}
    if question.send == "pmid":
        return named
    return named | {"title": question.title, "abstractText": question.abstract, "text": question.text}


def types_of(kinds: Sequence[Kind]) -> list[str]:
    return list(dict.fromkeys(name for kind in kinds for name in TYPES.get(kind, ())))


def read(reply: Reply, question: Question) -> Accepted:
    """The acknowledgement: the server will call back. CallError when it refuses."""
    said = json_messages.load(reply.body)
    if not isinstance(said, dict):
        raise diagnosis.not_acknowledged("it is no object")
    fields = Fields("", said)
    status, success = str(said.get("status", "")), said.get("success")
    if status != str(OK) or success is not True:
        words = said.get("message") or fields.values.get("errorName") or f"status {status or 'missing'}"
        raise diagnosis.not_acknowledged(f"{words}")
    return Accepted("", question.time_limit)


def read_callback(form: str, body: bytes, question: Question) -> Parsed:
    """The findings of what was sent to saveAnnotations; annotations of another article break a rule."""
    parsed = Parsed()
    found = read_predictions(form, body)
    parsed.note(found.notes)
    parsed.broken += [fault.broken for fault in faults_for(found, question.identifier)]
    own = [prediction for prediction in found.predictions if prediction.document == question.identifier]
    for prediction in own:
        mention = mention_of(prediction, question)
        if Kind.MENTION in question.kinds:
            parsed.findings.append(mention)
            parsed.places.append(prediction.where)
    add_entries(parsed, own, question)
    return parsed


def mention_of(prediction: Prediction, question: Question) -> Finding:
    begins = len(question.title) + 1 if prediction.section == "A" else 0
    start, end = prediction.init + begins, prediction.end + begins
    text = prediction.text or question.text[max(start, 0) : max(end, 0)]
    return Finding(Kind.MENTION, start=start, end=end, text=text, type=prediction.type, confidence=prediction.score)


def add_entries(parsed: Parsed, predictions: Sequence[Prediction], question: Question) -> None:
    """Each entry that the predictions name, once, with the highest score that names it."""
    best: dict[tuple[str, str], tuple[float | None, str]] = {}
    for prediction in predictions:
        for label in prediction.database_ids:
            entry = entry_of(label)
            if entry is None:
                parsed.note([f'"{label[:60]}" is no entry of a database that is known here.'])
                continue
            known, _ = best.setdefault(entry, (None, prediction.where))
            # What is not a number is no less than any, so that the rules see it.
            if prediction.score is not None and (known is None or not prediction.score <= known):
                best[entry] = (prediction.score, prediction.where)
    for (database, identifier), (score, where) in best.items():
        kind = KINDS[database]
        if kind in question.kinds:
            parsed.findings.append(Finding(kind, database=database, identifier=identifier, confidence=score))
            parsed.places.append(f"{where}.database_id")

"""BeCalm (TIPS): the server acknowledges the request at once, and calls us back with its annotations.

We POST getAnnotations with the documents, the requested types, when the request expires and a communication id. The
server POSTs to saveAnnotations/{JSON|TSV|BIOC} with that id and its key. Positions count within a section, T for the
title and A for the abstract; ends are exclusive. Deviations that are common in practice are accepted: `[]` for `{}`,
numbers as strings, `key` or `becalm_key`, errors with HTTP status 200.

Source: Perez-Perez et al. 2019, J Cheminform 11:42, and the service's interface of April 2017.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from annotations.formats.annotated_text.mentions import LeftOut
from annotations.rule_registry import ANNOTATION_RULES
from annotations.schema import AnnotationData, BrokenRule, Kind
from bcms.lib.http.messages import HttpReply
from bcms.lib.text import clip_text_replacing_unprintable
from servers.calls import diagnosis
from servers.protocols import json_messages
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer
from servers.protocols.answer_fields import ANSWER_RULES, read_system_version_or_empty
from servers.protocols.becalm_callbacks import (
    BecalmPrediction,
    ParsedPredictions,
    list_faults_including_other_documents,
    parse_predictions_noting_faults,
)
from servers.protocols.carried_texts import align_with_sent_text
from servers.protocols.entry_labels import KINDS_BY_DATABASE, find_curie_or_url_entry_id
from servers.protocols.interface import OutgoingRequest
from servers.protocols.open_members.denotation_spans import extract_text_of_spans
from servers.protocols.open_members.predictions import (
    add_open_predictions,
    list_prediction_identifiers,
    list_types_to_request,
)
from servers.protocols.parsed_answers import ParsedAnswer, format_unregistered_kind, format_unstored_links

FIELD_NAMES = {(Kind.MENTION, "start"): "init", (Kind.MENTION, "end"): "end", (Kind.MENTION, "text"): "annotated_text"}
FIELD_NAMES |= {(Kind.MENTION, "confidence"): "score", (Kind.MENTION, "identifiers"): "database_id"}
BECALM_HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}
REQUESTED_TYPES = {
    Kind.MENTION: ("GENE", "PROTEIN"),
    Kind.NORMALIZATION: ("GENE", "PROTEIN"),
    Kind.TAXON: ("ORGANISM",),
}
STATUS_OK = 200
OPEN_ONLY = "Register the server for types of entities to have them stored."
BIOC_IDENTIFIERS = f"Identifiers in BioC are not read. Send them as database_id in JSON or TSV. {OPEN_ONLY}"
BIOC_RELATIONS = f"Relations in BioC are not read. {OPEN_ONLY}"


class BecalmServerState(StrEnum):
    """The states that a server can report."""

    RUNNING = "Running"
    WORKING = "Working"
    PENDING = "Pending"
    SUSPENDED = "Suspended"
    OVERLOADED = "Overloaded"
    SHUTDOWN = "Shutdown"
    UNKNOWN = "Unknown"


def build_request(question: AnnotationRequest) -> OutgoingRequest:
    """The getAnnotations call for one article. Raises CallError when it needs a PMID and there is none to send."""
    return OutgoingRequest(
        "POST",
        question.url,
        json_messages.encode_json_message(build_annotation_call_fields(question, "getAnnotations")),
        BECALM_HEADERS,
    )


def build_state_request(url: str, server_key: str, custom_parameters: Mapping[str, object]) -> OutgoingRequest:
    """The getState call, with the server's key and its custom parameters."""
    return OutgoingRequest(
        "POST",
        url,
        json_messages.encode_json_message(_wrap_method_call("getState", server_key, custom_parameters, {})),
        BECALM_HEADERS,
    )


@dataclass(frozen=True, slots=True)
class BecalmCondition:
    """The state that a server reports, and the version of its system, "" when it does not state one."""

    state: BecalmServerState
    stated_version: str


def parse_get_state_answer(body: bytes) -> BecalmCondition:
    """The answer to getState, UNKNOWN for a state outside the protocol. Raises CallError when it names no state."""
    answer = json_messages.parse_bounded_json_message(body)
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, dict) or not isinstance(data.get("state"), str):
        raise diagnosis.diagnose_missing_acknowledgement("it names no state")
    state = data["state"].strip().capitalize()
    return BecalmCondition(
        BecalmServerState(state) if state in set(BecalmServerState) else BecalmServerState.UNKNOWN,
        read_system_version_or_empty(data),
    )


def build_annotation_call_fields(
    question: AnnotationRequest, method_name: str, others: Sequence[AnnotationRequest] = ()
) -> dict[str, object]:
    """The fields of a call for one article, and others that are sent with it."""
    parameters = {
        "documents": [_build_becalm_document(each) for each in (question, *others)],
        "types": _list_requested_types(question),
        "expired": question.expires.isoformat(timespec="seconds") if question.expires else "",
        "communication_id": question.reference,
    }
    return _wrap_method_call(method_name, question.key, question.parameters, parameters)


def _wrap_method_call(
    method: str, key: str, custom: Mapping[str, object], parameters: Mapping[str, object]
) -> dict[str, object]:
    return {
        "name": "BCMS",
        "method": method,
        "becalm_key": key,
        "custom_parameters": dict(custom),
        "parameters": dict(parameters),
    }


def _build_becalm_document(question: AnnotationRequest) -> dict[str, object]:
    """The article by its id, with its text unless the server takes PMIDs only."""
    if question.send == "pmid" and question.pmid is None:
        raise diagnosis.diagnose_missing_pmid()
    document: dict[str, object] = {"document_id": question.identifier, "source": "PUBMED" if question.pmid else "BCMS"}
    if question.send == "pmid":
        return document
    return document | {"title": question.title, "abstractText": question.abstract, "text": question.text}


def _list_requested_types(question: AnnotationRequest) -> list[str]:
    if question.is_open:
        return list_types_to_request(question.entity_types)
    return list(dict.fromkeys(name for kind in question.kinds for name in REQUESTED_TYPES.get(kind, ())))


def read_reply(reply: HttpReply, question: AnnotationRequest) -> DeferredAnswer:
    """Read the acknowledgement: the server will call back. Raises CallError when it is not one."""
    answer = json_messages.parse_bounded_json_message(reply.body)
    if not isinstance(answer, dict):
        raise diagnosis.diagnose_missing_acknowledgement("it is not an object")
    status, success = str(answer.get("status", "")), answer.get("success")
    if status != str(STATUS_OK) or success is not True:
        reason = answer.get("message") or answer.get("errorName") or f"status {status or 'missing'}"
        raise diagnosis.diagnose_missing_acknowledgement(str(reason))
    return DeferredAnswer("", question.time_limit)


def read_callback(form: str, body: bytes, question: AnnotationRequest) -> ParsedAnswer:
    """The annotations in a body sent to saveAnnotations; form is json, tsv or bioc. Other articles' break R206."""
    received = parse_predictions_noting_faults(form, body)
    parsed = ParsedAnswer()
    parsed.note(received.notes)
    parsed.omitted.extend(received.omitted)
    parsed.broken_rules += [
        fault.broken_rule for fault in list_faults_including_other_documents(received, [question.identifier])
    ]
    add_predictions(parsed, received, question)
    return parsed


def add_predictions(parsed: ParsedAnswer, received: ParsedPredictions, question: AnnotationRequest) -> None:
    """Add the annotations that the predictions for the article of the question state."""
    # The text in BioC may also be a placeholder, so one that differs too much does not count.
    question = align_with_sent_text(parsed, received.texts.get(question.identifier), question) or question
    predictions = [prediction for prediction in received.predictions if prediction.document == question.identifier]
    if question.is_open:
        mentions = [(each, _make_open_mention(each, question)) for each in predictions]
        relations = [each for each in received.relations if each.document == question.identifier]
        for item in received.left_out:
            _add_left_out(parsed, item)
        add_open_predictions(parsed, mentions, relations, question)
        return
    _omit_open_parts_of_bioc(parsed, received)
    for prediction in predictions:
        mention = _make_prediction_mention(prediction, question)
        if Kind.MENTION in question.kinds:
            parsed.annotations.append(mention)
            parsed.locations.append(prediction.where)
        else:
            parsed.omitted.add(prediction.where, format_unregistered_kind(Kind.MENTION))
    _add_predicted_entries(parsed, predictions, question)


def _add_left_out(parsed: ParsedAnswer, item: LeftOut) -> None:
    """Add what the reader of BioC did not keep: a broken rule, if one says so in every protocol, or an omitted part."""
    where, message = f"line {item.line}", f"It is left out: {item.reason}."
    if item.rule:
        hint = ANSWER_RULES[item.rule].mend if item.rule in ANSWER_RULES else ANNOTATION_RULES[item.rule].hint
        parsed.broken_rules.append(BrokenRule(item.rule, where, message, hint))
    else:
        parsed.omitted.add(where, message)


def _omit_open_parts_of_bioc(parsed: ParsedAnswer, received: ParsedPredictions) -> None:
    for prediction in received.predictions:
        if prediction.links:
            parsed.omitted.add(prediction.where, BIOC_IDENTIFIERS)
    lines = [
        *(each.line for each in received.relations),
        *(each.line for each in received.left_out if each.part == "relations"),
    ]
    for line in lines:
        parsed.omitted.add(f"line {line}", BIOC_RELATIONS)


def _make_open_mention(prediction: BecalmPrediction, question: AnnotationRequest) -> AnnotationData:
    mention = _make_prediction_mention(prediction, question)
    text = extract_text_of_spans(prediction.parts, question.text) if prediction.parts else mention.text
    return replace(
        mention,
        text=text,
        confidence=prediction.score if prediction.bioc_score is None else prediction.bioc_score,
        spans=prediction.parts,
        identifiers=list_prediction_identifiers(prediction),
    )


def _make_prediction_mention(prediction: BecalmPrediction, question: AnnotationRequest) -> AnnotationData:
    section_start = len(question.title) + 1 if prediction.section == "A" else 0
    start, end = prediction.init + section_start, prediction.end + section_start
    text = prediction.text or question.text[max(start, 0) : max(end, 0)]
    return AnnotationData(
        Kind.MENTION, start=start, end=end, text=text, type=prediction.type, confidence=prediction.score
    )


def _add_predicted_entries(
    parsed: ParsedAnswer, predictions: Sequence[BecalmPrediction], question: AnnotationRequest
) -> None:
    """Add each entry that the predictions name, once, with its highest score."""
    best: dict[tuple[str, str], tuple[float | None, str]] = {}
    links = 0
    for prediction in predictions:
        for label in prediction.database_ids:
            entry = find_curie_or_url_entry_id(label)
            if entry is None:
                unknown = f'"{clip_text_replacing_unprintable(label, 60)}" is not an entry of a known database.'
                parsed.note([unknown])
                parsed.omitted.add(f"{prediction.where}.database_id", unknown)
                continue
            links += 1
            highest, _ = best.setdefault(entry, (None, prediction.where))
            # NaN replaces any number, so that the rules reject it.
            if prediction.score is not None and (highest is None or not prediction.score <= highest):
                best[entry] = (prediction.score, prediction.where)
    for (database, identifier), (score, where) in best.items():
        kind = KINDS_BY_DATABASE[database]
        if kind in question.kinds:
            parsed.annotations.append(AnnotationData(kind, database=database, identifier=identifier, confidence=score))
            parsed.locations.append(f"{where}.database_id")
        else:
            parsed.omitted.add(f"{where}.database_id", format_unregistered_kind(kind))
    if links:
        parsed.omitted.add("database_id", format_unstored_links(links), links)

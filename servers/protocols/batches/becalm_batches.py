"""Several articles in one request of the BeCalm protocol: documents is a list, and the call-back is about all of them.

A document without annotations in the call-back has none, as the protocol has no other way to say so.
"""

from collections.abc import Sequence
from dataclasses import asdict

from bcms.lib.http.messages import HttpReply
from servers.protocols import becalm
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer
from servers.protocols.batches.interface import AnswerPart, BatchAnswer
from servers.protocols.becalm_callbacks import (
    ParsedPredictions,
    list_faults_including_other_documents,
    parse_predictions_noting_faults,
)
from servers.protocols.interface import OutgoingRequest
from servers.protocols.json_messages import encode_json_message
from servers.protocols.parsed_answers import ParsedAnswer


def build_batch_request(questions: Sequence[AnnotationRequest]) -> OutgoingRequest:
    """The getAnnotations call for these articles, with the communication id of the first of them.

    Raises CallError when one of them needs a PMID and there is none to send.
    """
    fields = becalm.build_annotation_call_fields(questions[0], "getAnnotations", questions[1:])
    return OutgoingRequest("POST", questions[0].url, encode_json_message(fields), becalm.BECALM_HEADERS)


def read_batch_reply(reply: HttpReply, questions: Sequence[AnnotationRequest]) -> DeferredAnswer:
    """Read the acknowledgement: the server will call back. Raises CallError when it is not one."""
    return becalm.read_reply(reply, questions[0])


def read_batch_callback(form: str, body: bytes, questions: Sequence[AnnotationRequest]) -> BatchAnswer:
    """The annotations of each article in a body sent to saveAnnotations; form is json, tsv or bioc."""
    received = parse_predictions_noting_faults(form, body)
    faults = list_faults_including_other_documents(received, [question.identifier for question in questions])
    parts = [_read_part(_select_document(received, question.identifier), question) for question in questions]
    # A call-back with faults is refused before it is stored; what is left out belongs to no article in particular.
    parts[0].parsed.broken_rules += [fault.broken_rule for fault in faults]
    parts[0].parsed.omitted.extend(received.omitted)
    return parts


def _select_document(received: ParsedPredictions, document: str) -> ParsedPredictions:
    """What a body has about one document."""
    return ParsedPredictions(
        notes=received.notes,
        predictions=[each for each in received.predictions if each.document == document],
        relations=[each for each in received.relations if each.document == document],
        left_out=[each for each in received.left_out if each.document == document],
        texts=received.texts,
    )


def _read_part(received: ParsedPredictions, question: AnnotationRequest) -> AnswerPart:
    """One article's part: its predictions as they were read, in JSON, in whichever form they came."""
    parsed = ParsedAnswer()
    parsed.note(received.notes)
    becalm.add_predictions(parsed, received, question)
    read = [*map(asdict, received.predictions), *map(asdict, received.relations)]
    return AnswerPart(parsed, encode_json_message(read))

"""Several articles in one request of PubAnnotation's protocol: an array of documents, answered by one of documents.

Each document of the answer needs the sourceid of its article. A server that needs longer answers with a task, as for
one article. Source: PubAnnotation's own form of several documents.
"""

from collections.abc import Sequence

from bcms.lib.http.messages import HttpReply
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer
from servers.protocols.batches.interface import BatchAnswer
from servers.protocols.batches.json_arrays import encode_json_array, read_array_answers
from servers.protocols.interface import OutgoingRequest
from servers.protocols.pubannotation import (
    build_request,
    find_accepted_task,
    find_unfinished_task,
    parse_pubannotation_answer_noting_faults,
)


def build_batch_request(questions: Sequence[AnnotationRequest]) -> OutgoingRequest:
    """The HTTP request for these articles. Raises CallError when one of them needs a PMID and there is none to send."""
    alone = [build_request(question) for question in questions]
    return OutgoingRequest("POST", alone[0].url, encode_json_array([each.body for each in alone]), alone[0].headers)


def read_batch_reply(reply: HttpReply, questions: Sequence[AnnotationRequest]) -> BatchAnswer | DeferredAnswer:
    """The annotations in a reply, or the task to poll."""
    return find_accepted_task(reply) or _read_documents(reply.body, questions)


def read_batch_task_reply(reply: HttpReply, questions: Sequence[AnnotationRequest]) -> BatchAnswer | DeferredAnswer:
    """The annotations in a task's reply, or what to poll next. Raises CallError when the task failed."""
    return find_unfinished_task(reply) or _read_documents(reply.body, questions)


def _read_documents(body: bytes, questions: Sequence[AnnotationRequest]) -> BatchAnswer:
    return read_array_answers(body, questions, _get_article_name, parse_pubannotation_answer_noting_faults)


def _get_article_name(document: object) -> str | None:
    name = document.get("sourceid") if isinstance(document, dict) else None
    return None if name is None else str(name)

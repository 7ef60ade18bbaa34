"""Several articles in one request of the REST protocol: an array of requests, answered by an array of answers.

Each element of the request is what is POSTed for the article alone; its deadline is that of the whole request. Each
element of the answer needs the article's id. A server that needs longer answers 202, as for one article.
"""

from collections.abc import Sequence

from bcms.lib.http.messages import HttpReply
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer
from servers.protocols.batches.interface import BatchAnswer
from servers.protocols.batches.json_arrays import encode_json_array, read_array_answers
from servers.protocols.interface import OutgoingRequest
from servers.protocols.rest import (
    build_request,
    find_accepted_task,
    find_unfinished_task,
    parse_rest_answer_noting_faults,
)


def build_batch_request(questions: Sequence[AnnotationRequest]) -> OutgoingRequest:
    """The HTTP request for these articles. Raises CallError when one of them needs a PMID and there is none to send."""
    alone = [build_request(question) for question in questions]
    return OutgoingRequest("POST", alone[0].url, encode_json_array([each.body for each in alone]), alone[0].headers)


def read_batch_reply(reply: HttpReply, questions: Sequence[AnnotationRequest]) -> BatchAnswer | DeferredAnswer:
    """The answers in a reply, or the task to poll for them."""
    return find_accepted_task(reply) or _read_answers(reply.body, questions)


def read_batch_task_reply(reply: HttpReply, questions: Sequence[AnnotationRequest]) -> BatchAnswer | DeferredAnswer:
    """The answers in a task's reply, or what to poll next."""
    return find_unfinished_task(reply) or _read_answers(reply.body, questions)


def _read_answers(body: bytes, questions: Sequence[AnnotationRequest]) -> BatchAnswer:
    return read_array_answers(body, questions, _get_article_name, parse_rest_answer_noting_faults)


def _get_article_name(answer: object) -> str | None:
    name = answer.get("id") if isinstance(answer, dict) else None
    return None if name is None else str(name)

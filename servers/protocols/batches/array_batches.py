"""Several articles in one request of REST or PubAnnotation: an array of what is sent for each, answered by an array.

Each element of the request is what is POSTed for the article alone; a deadline in it is that of the whole request. Each
element of the answer names its article: by `id` in REST, by `sourceid` in PubAnnotation. A server that needs longer
answers with a task, as for one article. Source for PubAnnotation: its own form of several documents.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from bcms.lib.http.messages import HttpReply
from servers.protocols import pubannotation, rest
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer
from servers.protocols.batches.interface import BatchAnswer
from servers.protocols.batches.json_arrays import encode_json_array, read_array_answers
from servers.protocols.interface import OutgoingRequest
from servers.protocols.parsed_answers import ParsedAnswer


class TaskProtocol(Protocol):
    """The functions of a protocol's module for single articles that requests with several use, too."""

    def build_request(self, question: AnnotationRequest) -> OutgoingRequest: ...

    def find_accepted_task(self, reply: HttpReply) -> DeferredAnswer | None: ...

    def find_unfinished_task(self, reply: HttpReply) -> DeferredAnswer | None: ...


@dataclass(frozen=True, slots=True)
class ArrayBatches:
    """A BatchProtocol; article_field names the article in an element, parse_answer reads an element as if alone."""

    protocol: TaskProtocol
    article_field: str
    parse_answer: Callable[[bytes, AnnotationRequest], ParsedAnswer]

    def build_batch_request(self, questions: Sequence[AnnotationRequest]) -> OutgoingRequest:
        """The HTTP request for these articles. Raises CallError when one of them needs a PMID and has none to send."""
        alone = [self.protocol.build_request(question) for question in questions]
        return OutgoingRequest("POST", alone[0].url, encode_json_array([each.body for each in alone]), alone[0].headers)

    def read_batch_reply(
        self, reply: HttpReply, questions: Sequence[AnnotationRequest]
    ) -> BatchAnswer | DeferredAnswer:
        """The answers in a reply, or the task to poll for them."""
        return self.protocol.find_accepted_task(reply) or self._read_answers(reply.body, questions)

    def read_batch_task_reply(
        self, reply: HttpReply, questions: Sequence[AnnotationRequest]
    ) -> BatchAnswer | DeferredAnswer:
        """The answers in a task's reply, or what to poll next. Raises CallError when the task failed."""
        return self.protocol.find_unfinished_task(reply) or self._read_answers(reply.body, questions)

    def _read_answers(self, body: bytes, questions: Sequence[AnnotationRequest]) -> BatchAnswer:
        return read_array_answers(body, questions, self._get_article_name, self.parse_answer)

    def _get_article_name(self, element: object) -> str | None:
        name = element.get(self.article_field) if isinstance(element, dict) else None
        return None if name is None else str(name)


REST_BATCHES = ArrayBatches(rest, "id", rest.parse_rest_answer_noting_faults)
PUBANNOTATION_BATCHES = ArrayBatches(pubannotation, "sourceid", pubannotation.parse_pubannotation_answer_noting_faults)

"""The interface of a protocol that sends several articles in one request and gets their answers in one reply."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bcms.lib.http.messages import HttpReply
from servers.calls.errors import CallError
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer
from servers.protocols.interface import OutgoingRequest
from servers.protocols.parsed_answers import ParsedAnswer


@dataclass(slots=True)
class AnswerPart:
    """The part of an answer that is about one article; raw is this part as received."""

    parsed: ParsedAnswer
    raw: bytes = field(repr=False)


# For each article of a request, in its order: its part of the answer, or why there is none.
BatchAnswer = Sequence[AnswerPart | CallError]


class BatchProtocol(Protocol):
    """The functions for requests with several articles; questions are their requests if they were sent alone.

    All questions are for the same server, with the same time limit. The functions raise CallError if the answer cannot
    be read as a whole.
    """

    def build_batch_request(self, questions: Sequence[AnnotationRequest]) -> OutgoingRequest:
        """The HTTP request for these articles."""
        ...

    def read_batch_reply(
        self, reply: HttpReply, questions: Sequence[AnnotationRequest]
    ) -> BatchAnswer | DeferredAnswer:
        """The answers in a successful reply, or how to get them later."""
        ...


class PollingBatchProtocol(BatchProtocol, Protocol):
    """A protocol in which a server may answer later."""

    def read_batch_task_reply(
        self, reply: HttpReply, questions: Sequence[AnnotationRequest]
    ) -> BatchAnswer | DeferredAnswer:
        """The answers in a successful reply of the server's task, or what to poll next (wait 0: at once)."""
        ...


class CallbackBatchProtocol(BatchProtocol, Protocol):
    """A protocol in which the server calls us back with its answers."""

    def read_batch_callback(self, form: str, body: bytes, questions: Sequence[AnnotationRequest]) -> BatchAnswer:
        """The answers in a call-back; form is the format of the body."""
        ...

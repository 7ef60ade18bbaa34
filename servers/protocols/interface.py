"""The interface of a protocol module: how to build a request and how to read a reply."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from annotations.schema import Kind
from bcms.lib.http.messages import HttpReply
from servers.protocols.annotation_requests import AnnotationRequest, DeferredAnswer
from servers.protocols.parsed_answers import ParsedAnswer


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """One HTTP request to an annotation server."""

    method: str
    url: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class ServerProtocol(Protocol):
    """The functions of a protocol module; all raise CallError when they cannot read the server's answer."""

    @property
    def FIELD_NAMES(self) -> Mapping[tuple[Kind, str], str]:  # noqa: N802
        """The protocol's names of the fields of AnnotationData, where they differ."""
        ...

    def build_request(self, question: AnnotationRequest) -> OutgoingRequest:
        """The HTTP request for this article."""
        ...

    def read_reply(self, reply: HttpReply, question: AnnotationRequest) -> ParsedAnswer | DeferredAnswer:
        """The answer in a successful reply, or how to get it later."""
        ...


class PollingProtocol(ServerProtocol, Protocol):
    """A protocol in which a server may answer later."""

    def read_task_reply(self, reply: HttpReply, question: AnnotationRequest) -> ParsedAnswer | DeferredAnswer:
        """The answer in a successful reply of the server's task, or what to poll next (wait 0: at once)."""
        ...


class CallbackProtocol(ServerProtocol, Protocol):
    """A protocol in which the server calls us back with its answer."""

    def read_callback(self, form: str, body: bytes, question: AnnotationRequest) -> ParsedAnswer:
        """The answer in a call-back; form is the format of the body."""
        ...

"""What a protocol module offers to the client: how a question is sent and what a reply means."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from annotations.kinds import Kind
from bcms.lib.http import Reply
from servers.protocols.parsed import Parsed
from servers.protocols.questions import Accepted, Question


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request that asks a question."""

    method: str
    url: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class Speaking(Protocol):
    """All raise CallError when the server is not understood."""

    @property
    def NAMES(self) -> Mapping[tuple[Kind, str], str]:  # noqa: N802
        """What the protocol calls the fields of a Finding."""
        ...

    def request(self, question: Question) -> Request:
        """What is sent for this article."""
        ...

    def read(self, reply: Reply, question: Question) -> Parsed | Accepted:
        """The answer in a reply of success, or where and when to ask for it."""
        ...


class Following(Speaking, Protocol):
    """A protocol in which a server may answer later."""

    def follow(self, reply: Reply, question: Question) -> Parsed | Accepted:
        """As read, of a reply from the place that the server named; wait 0 asks there at once."""
        ...


class CalledBack(Speaking, Protocol):
    """A protocol in which the server calls us with its answer."""

    def read_callback(self, form: str, body: bytes, question: Question) -> Parsed:
        """The answer in what was sent to us."""
        ...

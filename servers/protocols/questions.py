"""What is asked of an annotation server and what came of it, whichever protocol it speaks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from annotations.kinds import BrokenRule, Finding, Kind


@dataclass(frozen=True, slots=True)
class Question:
    """One article for one server.

    url, protocol, method, send ("pmid", "text" or "struct"), kinds and time_limit (seconds for the whole call) are as
    the server is registered; networks are the private ones where it may be (CIDR). identifier is what the article is
    called towards the server, pmid None when it must not be told. text is the canonical text: title, newline, abstract,
    and further passages if there are any. Of servers that call back: reference is the number they name, key proves to
    them who asks, parameters are the server's own, and expires says until when we wait.
    """

    url: str
    protocol: str
    method: str
    send: str
    kinds: tuple[Kind, ...]
    time_limit: float
    networks: Sequence[str]
    identifier: str
    pmid: int | None
    title: str
    abstract: str
    text: str
    reference: int = 0
    key: str = ""
    parameters: Mapping[str, object] = field(default_factory=dict)
    expires: datetime | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """The server answers later: task_url is where to ask for its answer, empty when it will call back.

    wait is in seconds from now: when to ask, or, of a server that calls back, how long to wait at all.
    """

    task_url: str
    wait: float


@dataclass(slots=True)
class Answer:
    """What the server says: findings in its own order, with the broken ones still among them.

    broken names the finding of each broken rule by its index, None where no finding could be read. notes are sentences
    for the team about what was accepted all the same. raw is the body as it came. stated_version is which version of
    its system answered, "" when the server does not say.
    """

    findings: list[Finding]
    broken: list[BrokenRule]
    notes: list[str]
    raw: bytes = field(repr=False, default=b"")
    stated_version: str = ""

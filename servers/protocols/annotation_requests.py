"""Requests to annotation servers and their answers, independent of the protocol."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from annotations.schema import SEVEN_KINDS, AnnotationData, BrokenRule, Kind
from servers.protocols.parsed_answers import OmittedParts


@dataclass(frozen=True, slots=True)
class AnnotationRequest:
    """One article for one server.

    url, protocol, method, send ("pmid", "text" or "struct"), kinds, entity_types, time_limit (seconds for the whole
    call) and connect_limit (seconds for each connection; None: no limit but time_limit) are as registered; networks are
    the private networks where the server may be (CIDR). identifier is the name of the article for this server; pmid is
    None when it has none or the server must not know it. text is the canonical text: title, newline, abstract, and
    further passages if there are any. For servers that call back: reference is the number they send back, key is their
    password for us, parameters are their own settings, and expires is the time limit's end. secret_headers authenticate
    the call, signing_secret signs it unless "": both for the origin of url only.
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
    secret_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    signing_secret: str = field(default="", repr=False)
    connect_limit: float | None = None
    entity_types: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the server is registered for types of entities, or for more than the seven kinds."""
        return bool(self.entity_types) or any(kind not in SEVEN_KINDS for kind in self.kinds)


@dataclass(frozen=True, slots=True)
class DeferredAnswer:
    """The server answers later: task_url is where to poll for its answer, empty when the server will call back.

    wait is in seconds: the time until the next poll, or the longest wait for the call-back.
    """

    task_url: str
    wait: float


@dataclass(slots=True)
class ServerAnswer:
    """The answer of a server: its annotations in its own order, including those that break rules.

    Each of broken_rules names its annotation by index, or None where no annotation could be read. notes are sentences
    for the team about deviations that were accepted. raw is the body as received. stated_version is the version of the
    system that answered, "" when the server does not state one. omitted are the parts that are not stored although they
    break no rule. moved: {kind: number of annotations that could not be moved}, for the kinds whose annotations were
    moved from a text that the answer has to the text that was sent.
    """

    annotations: list[AnnotationData]
    broken_rules: list[BrokenRule]
    notes: list[str]
    raw: bytes = field(repr=False, default=b"")
    stated_version: str = ""
    omitted: OmittedParts = field(default_factory=OmittedParts)
    moved: Mapping[Kind, int] = field(default_factory=dict)

"""Annotation servers, their queues, calls and availability, and teams. Times are aware; durations are in seconds."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    slug: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamMember:
    user: str
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamServer:
    slug: str
    name: str
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTeam:
    """A team of the account, for which it may register servers."""

    slug: str
    name: str
    members: tuple[TeamMember, ...]
    servers: tuple[TeamServer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortWindow:
    """Figures of a window such as 24h: shares from 0 to 1, percentiles of response times; None without data."""

    window: str
    availability: float | None
    strict_availability: float | None
    success_rate: float | None
    p50: float | None
    p95: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCounts:
    """How many articles of a queue are in which state."""

    waiting: int
    asking: int
    answered: int
    empty: int
    failed: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue(CallCounts):
    """held: by a challenge; missed: answers that came too late; given_up: articles that failed for good."""

    id: int
    mode: str
    name: str
    state: str
    held: bool
    missed: int
    given_up: int
    seconds_per_article: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """What only members of the team see."""

    url: str
    method: str
    send: str
    time_limit: int
    seconds_per_1000_characters: float | None
    connect_limit: int | None
    calls_per_minute: int | None
    largest_text: int | None
    articles_per_request: int
    custom_parameters: Mapping[str, Any]
    confidential: bool
    accepts_pasted_texts: bool
    state_reason: str
    queues: tuple[Queue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """live: the calls of its live queue, None if it has none."""

    slug: str
    name: str
    team: Team
    description: str
    stated_version: str
    protocol: str
    kinds: tuple[str, ...]
    entity_types: tuple[str, ...]
    state: str
    state_since: datetime
    review: str
    windows: tuple[ShortWindow, ...]
    live: CallCounts | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerDetail(Server):
    """inside is None for those who are not on its team."""

    inside: ServerSettings | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Window(ShortWindow):
    """More figures of a window: seconds observed and down, counts of attempts, response times, shares of failures."""

    until: datetime | None
    observed: float
    down: float
    down_now: bool
    failures: int
    mtbf: float | None
    mttr: float | None
    attempts: int
    responses: int
    annotations: int
    p90: float | None
    p99: float | None
    slowest: float | None
    timeout_rate: float | None
    refusal_rate: float | None
    broken_rate: float | None
    invalid_rate: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """day as YYYY-MM-DD (UTC); seconds observed, down, and down or paused."""

    day: str
    observed: float
    down: float
    down_or_paused: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Downtime:
    sort: str
    started: datetime
    ended: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Maintenance:
    starts: datetime
    ends: datetime
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Availability:
    windows: tuple[Window, ...]
    days: tuple[Day, ...]
    downtimes: tuple[Downtime, ...]
    maintenance: tuple[Maintenance, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCall:
    """One article that is sent to a server; reason says why it failed."""

    id: int
    article: str
    mode: str
    queue: str
    due: datetime
    reason: str
    created: datetime
    state: str = ""
    tries: int = 0
    finished: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """How many articles were added to a queue, and how many of them were already waiting there."""

    added: int
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionDone:
    """done: a sentence that says what happened."""

    done: str

"""Which servers say something of an article, and which are still awaited."""

import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery

from annotations.models import Article, Producer
from annotations.querysets import StoredResult
from bcms.lib.durations import in_words
from servers.models import Attempt, Call, Queue
from servers.states import OPEN_CALLS, CallState, QueueMode, ServerState

# A queue, the state of its server, how often its producer was renewed, and of its last call for an article, if there is
# one, the id, state, tries, and when it is due if it waits.
QueueStands = tuple[int, str, int, int | None, str | None, int | None, datetime | None]


@dataclass(frozen=True, slots=True)
class Source:
    """One queue of a server, the producer that it fills, and its last call for the article if there is one."""

    queue: int
    mode: QueueMode
    producer: int
    renewed: int
    server: int
    name: str
    slug: str
    server_state: ServerState
    call: "LastCall | None"

    @property
    def live(self) -> bool:
        return self.mode == QueueMode.LIVE

    @property
    def label(self) -> str:
        return self.name if self.live else f"{self.name} ({self.mode})"

    @property
    def awaited(self) -> bool:
        online = self.server_state in (ServerState.ONLINE, ServerState.HALTING)
        return self.call is not None and self.call.state in OPEN_CALLS and online


@dataclass(frozen=True, slots=True)
class LastCall:
    id: int
    state: CallState
    created: datetime
    due: datetime
    tries: int
    asked: datetime | None
    diagnosis: str

    @property
    def stands(self) -> tuple[int, str, int, datetime | None]:
        return self.id, self.state.value, self.tries, self.due if self.state == CallState.WAITING else None


@dataclass(frozen=True, slots=True)
class ServerLine:
    """How it stands with one server, in words: "asked" 38 s "ago"; tone is "good", "warn", "bad" or nothing."""

    source: Source
    tone: str
    words: str
    age: float | None = None
    after: str = ""
    due: datetime | None = None


def sources_of(article: Article, producers: QuerySet[Producer]) -> list[Source]:
    """Every queue whose producer may be seen, LIVE ones first, then by name."""
    of_server = ("server_id", "server__name", "server__slug", "server__state")
    fields = ("id", "mode", "producer_id", "producer__renewed", *of_server)
    queues = list(Queue.objects.filter(producer__in=producers).order_by("server__name", "pk").values_list(*fields))
    calls = last_calls(article, [queue[0] for queue in queues])
    sources = [
        Source(pk, QueueMode(mode), producer, renewed, server, name, slug, ServerState(state), calls.get(pk))
        for pk, mode, producer, renewed, server, name, slug, state in queues
    ]
    return sorted(sources, key=lambda source: not source.live)


def last_calls(article: Article, queues: Collection[int]) -> dict[int, LastCall]:
    last_attempt = Attempt.objects.filter(call=OuterRef("pk")).order_by("-number")
    rows = (
        Call.objects.filter(article=article, queue__in=queues)
        .order_by("queue_id", "-pk")
        .distinct("queue_id")
        .annotate(
            asked=Subquery(last_attempt.values("started")[:1]), diagnosis=Subquery(last_attempt.values("diagnosis")[:1])
        )
    )
    fields = ("queue_id", "id", "state", "created", "due", "tries", "asked", "diagnosis")
    return {
        queue: LastCall(pk, CallState(state), created, due, tries, asked, diagnosis or "")
        for queue, pk, state, created, due, tries, asked, diagnosis in rows.values_list(*fields)
    }


def states_of(sources: Iterable[Source]) -> Iterator[QueueStands]:
    for s in sources:
        yield s.queue, s.server_state.value, s.renewed, *(s.call.stands if s.call else (None, None, None, None))


def waiting_signature(states: Iterable[QueueStands]) -> str:
    """Changes whenever it stands differently with one of the servers; in whatever order they come."""
    return f"{zlib.crc32(repr(sorted(states)).encode()):08x}"


def server_lines(
    sources: Iterable[Source], results: Iterable[StoredResult], found: Collection[int], now: datetime
) -> list[ServerLine]:
    """One line for each LIVE queue, and for the others that were asked; found: the producers that found something."""
    by_producer = {result.producer: result for result in results}
    return [
        answered(source, result, source.producer in found)
        if (result := by_producer.get(source.producer)) and not source.awaited
        else unanswered(source, now)
        for source in sources
        if source.live or source.call or source.producer in by_producer
    ]


def answered(source: Source, result: StoredResult, found: bool) -> ServerLine:
    seconds = "" if result.duration is None else f", {in_words(result.duration)}"
    if found:
        return ServerLine(source, "good", f"answered{seconds}")
    if result.empty_reason:
        return ServerLine(source, "warn", f"counted as empty: {result.empty_reason}")
    return ServerLine(source, "", f"found nothing{seconds}")


def unanswered(source: Source, now: datetime) -> ServerLine:
    call = source.call
    if call is None:
        return ServerLine(source, "", "not asked yet" if source.server_state == ServerState.ONLINE else offline(source))
    match call.state:
        case CallState.ASKING | CallState.PENDING:
            return ServerLine(source, "warn", "asked", (now - (call.asked or call.created)).total_seconds(), "ago")
        case CallState.WAITING if not source.awaited:
            return ServerLine(source, "", f"waits, server is {source.server_state}")
        case CallState.WAITING if call.tries:
            times = {1: "once", 2: "twice"}.get(call.tries, f"{call.tries} times")
            return ServerLine(
                source, "warn", f"failed {times}: {call.diagnosis or 'no answer'}, next try", due=call.due
            )
        case CallState.WAITING:
            return ServerLine(source, "warn", "waiting", (now - call.created).total_seconds())
        case CallState.FAILED:
            return ServerLine(source, "bad", f"failed: {call.diagnosis or 'no answer'}")
        case _:
            return ServerLine(source, "", "answered for an earlier text")


def offline(source: Source) -> str:
    return "not asked, out of order" if source.server_state == ServerState.FAIL else "not asked, offline"


def unasked(sources: Iterable[Source], results: Iterable[StoredResult]) -> bool:
    """Whether an online LIVE server has neither answered nor been asked in vain."""
    done = {result.producer for result in results}
    return any(
        source.live
        and source.server_state == ServerState.ONLINE
        and source.producer not in done
        and (source.call is None or source.call.state in (CallState.ANSWERED, CallState.EMPTY))
        for source in sources
    )

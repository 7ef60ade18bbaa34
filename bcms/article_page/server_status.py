"""The state of each server with regard to an article: annotated, awaited, failed or not asked."""

import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import BooleanField, ExpressionWrapper, OuterRef, Q, QuerySet, Subquery

from annotations.articles.models import Article
from annotations.results.models import Producer
from annotations.results.queries import StoredResult
from bcms.lib.durations import format_duration
from servers.calls.models import Attempt, Call, Queue
from servers.calls.queues.missed_articles import make_recently_stopped_filter
from servers.calls.states import OPEN_CALLS, CallState, QueueMode, QueueState
from servers.registry.states import ServerState
from servers.review.states import REVIEW_LABELS, ReviewState
from servers.review.visible_servers import make_askable_queue_filter
from servers.teams.permissions import User

# Queue id, state of its server, whether the queue rests, how often its producer was renewed; then the id, state, number
# of tries and, while it waits, due time of its last call for an article, or None four times if there was no call.
QueueCallState = tuple[int, str, bool, int, int | None, str | None, int | None, datetime | None]


@dataclass(frozen=True, slots=True)
class AnnotationSource:
    """One queue of a server, its producer, and its last call for the article, if any.

    askable: whether the server is called if the reader opens the article, now or once it runs again. resting: the queue
    rests because the server could not be reached.
    """

    queue: int
    mode: QueueMode
    producer: int
    renewed: int
    server: int
    name: str
    slug: str
    server_state: ServerState
    resting: bool
    review: ReviewState
    askable: bool
    call: "LastCall | None"

    @property
    def live(self) -> bool:
        return self.mode == QueueMode.LIVE

    @property
    def label(self) -> str:
        if not self.live:
            return f"{self.name} ({self.mode})"
        accepted = self.review == ReviewState.ACCEPTED
        return self.name if accepted else f"{self.name} ({REVIEW_LABELS[self.review]})"

    @property
    def awaited(self) -> bool:
        online = self.server_state in (ServerState.ONLINE, ServerState.HALTING)
        return self.call is not None and self.call.state in OPEN_CALLS and online

    @property
    def can_move_up(self) -> bool:
        """Whether the article waits for a server that runs, and moves to the head if the reader asks for it."""
        reachable = self.askable and self.server_state == ServerState.ONLINE and not self.resting
        return reachable and self.live and self.call is not None and self.call.is_behind_others


@dataclass(frozen=True, slots=True)
class LastCall:
    id: int
    state: CallState
    created: datetime
    due: datetime
    tries: int
    priority: int
    asked: datetime | None
    diagnosis: str

    @property
    def is_behind_others(self) -> bool:
        """Whether it waits, but not among the articles that readers have opened."""
        return self.state == CallState.WAITING and self.priority > Call.Priority.FRONT_PAGE

    @property
    def signature(self) -> tuple[int, str, int, datetime | None]:
        return self.id, self.state.value, self.tries, self.due if self.state == CallState.WAITING else None


@dataclass(frozen=True, slots=True)
class ServerLine:
    """The state of one server as text: status, age in seconds and after, such as "asked" 38 s "ago".

    tone is "good", "warn", "bad" or "". due is the time of the next try.
    """

    source: AnnotationSource
    tone: str
    status: str
    age: float | None = None
    after: str = ""
    due: datetime | None = None


def list_queues_with_last_calls(
    article: Article, producers: QuerySet[Producer], reader: User
) -> list[AnnotationSource]:
    """The queues of these producers with their last calls for the article, LIVE ones first, then by name: 2 queries."""
    server_fields = ("server_id", "server__name", "server__slug", "server__state", "server__review", "askable")
    fields = ("id", "state", "mode", "producer_id", "producer__renewed", *server_fields)
    rows = Queue.objects.filter(producer__in=producers).annotate(
        askable=ExpressionWrapper(
            make_askable_queue_filter(reader)
            & Q(held=False)
            & (Q(server__state=ServerState.ONLINE) | make_recently_stopped_filter()),
            BooleanField(),
        )
    )
    queues = list(rows.order_by("server__name", "pk").values_list(*fields))
    calls = _load_last_calls(article, [queue[0] for queue in queues])
    sources = [
        AnnotationSource(
            *(pk, QueueMode(mode), producer, renewed, server, name, slug),
            *(ServerState(state), queue_state == QueueState.RESTING, ReviewState(review), askable, calls.get(pk)),
        )
        for pk, queue_state, mode, producer, renewed, server, name, slug, state, review, askable in queues
    ]
    return sorted(sources, key=lambda source: not source.live)


def _load_last_calls(article: Article, queues: Collection[int]) -> dict[int, LastCall]:
    """The last call of each queue for the article, by queue id: 1 query."""
    last_attempt = Attempt.objects.filter(call=OuterRef("pk")).order_by("-number")
    rows = (
        Call.objects.filter(article=article, queue__in=queues)
        .order_by("queue_id", "-pk")
        .distinct("queue_id")
        .annotate(
            asked=Subquery(last_attempt.values("started")[:1]), diagnosis=Subquery(last_attempt.values("diagnosis")[:1])
        )
    )
    fields = ("queue_id", "id", "state", "created", "due", "tries", "priority", "asked", "diagnosis")
    return {
        queue: LastCall(pk, CallState(state), created, due, tries, priority, asked, diagnosis or "")
        for queue, pk, state, created, due, tries, priority, asked, diagnosis in rows.values_list(*fields)
    }


def iter_queue_call_states(sources: Iterable[AnnotationSource]) -> Iterator[QueueCallState]:
    for source in sources:
        call = source.call.signature if source.call else (None, None, None, None)
        yield source.queue, source.server_state.value, source.resting, source.renewed, *call


def compute_queue_states_checksum(states: Iterable[QueueCallState]) -> str:
    """A checksum that changes with the state of any server; it does not depend on their order."""
    return f"{zlib.crc32(repr(sorted(states)).encode()):08x}"


def build_live_and_asked_server_lines(
    sources: Iterable[AnnotationSource],
    results: Iterable[StoredResult],
    annotating_producer_ids: Collection[int],
    now: datetime,
) -> list[ServerLine]:
    """One line for each LIVE queue, and for each other queue that was asked.

    annotating_producer_ids: the producers of at least one annotation.
    """
    by_producer = {result.producer: result for result in results}
    return [
        _make_answered_line(source, result, has_annotations=source.producer in annotating_producer_ids)
        if (result := by_producer.get(source.producer)) and not source.awaited
        else _make_unanswered_line(source, now)
        for source in sources
        if source.live or source.call or source.producer in by_producer
    ]


def _make_answered_line(source: AnnotationSource, result: StoredResult, *, has_annotations: bool) -> ServerLine:
    seconds = "" if result.duration is None else f", {format_duration(result.duration)}"
    if has_annotations:
        return ServerLine(source, "good", f"answered{seconds}")
    if result.empty_reason:
        return ServerLine(source, "warn", f"counted as empty: {result.empty_reason}")
    return ServerLine(source, "", f"no annotations{seconds}")


def _make_unanswered_line(source: AnnotationSource, now: datetime) -> ServerLine:
    call = source.call
    if call is None:
        return ServerLine(
            source, "", "not asked yet" if source.server_state == ServerState.ONLINE else _format_offline_reason(source)
        )
    match call.state:
        case CallState.ASKING | CallState.PENDING:
            return ServerLine(source, "warn", "asked", (now - (call.asked or call.created)).total_seconds(), "ago")
        case CallState.WAITING if not source.awaited:
            return ServerLine(source, "", f"waiting, server is {source.server_state}")
        case CallState.WAITING if call.tries:
            times = {1: "once", 2: "twice"}.get(call.tries, f"{call.tries} times")
            return ServerLine(
                source, "warn", f"failed {times}: {call.diagnosis or 'no answer'}, next try", due=call.due
            )
        case CallState.WAITING if source.resting:
            return ServerLine(source, "warn", "waiting, server is unreachable")
        case CallState.WAITING:
            return ServerLine(source, "warn", "waiting", (now - call.created).total_seconds())
        case CallState.FAILED:
            return ServerLine(source, "bad", f"failed: {call.diagnosis or 'no answer'}")
        case _:
            return ServerLine(source, "", "answered on an older text")


def _format_offline_reason(source: AnnotationSource) -> str:
    return "not asked, server failed" if source.server_state == ServerState.FAIL else "not asked, offline"


def has_untried_askable_server_for_current_text(
    sources: Iterable[AnnotationSource], results_on_current_text: Iterable[StoredResult]
) -> bool:
    """Whether a server that is online, or was recently, is without both an answer on the current text and a LIVE call
    that is open or failed."""
    answered = {result.producer for result in results_on_current_text if not result.moved_from}
    return any(
        source.live
        and source.askable
        and source.producer not in answered
        and (source.call is None or source.call.state in (CallState.ANSWERED, CallState.EMPTY))
        for source in sources
    )

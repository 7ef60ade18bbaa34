"""What the pages read of servers, each under its name and with a fixed number of queries.

Counts by state read the index calls_of_queue_by_state alone, so that 100,000 calls in a queue cost some 20 ms.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Count, Prefetch, QuerySet
from django.db.models.expressions import RawSQL

from servers.availability.querysets import Measured, published_of
from servers.masking import masked
from servers.models import Attempt, Call, Membership, Queue, Server, ServerEvent, Team
from servers.states import CallState, Outcome, QueueMode, QueueState

# The pace of a queue is that of its latest Results, and broken rules are looked for in the latest attempts.
RECENT_RESULTS = 100
RECENT_ATTEMPTS = 200
# An answer that came this many seconds later than its call takes followed a pause, not another answer.
LONGEST_BETWEEN = 1.0
MINUTE = timedelta(minutes=1)
PAGE = 25

PACE = """
SELECT queue.id, pace.seconds, pace.latest, pace.every, later.last_due,
    extract(epoch FROM later.last_due - now())::float
FROM servers_queue queue CROSS JOIN LATERAL (
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY spaced.duration) AS seconds, max(spaced.received) AS latest,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY spaced.gap) FILTER (WHERE spaced.gap < duration + %s) AS every
    FROM (
        SELECT duration, received, extract(epoch FROM received - lag(received) OVER (ORDER BY received))::float AS gap
        FROM (
            SELECT DISTINCT duration, received FROM (
                SELECT duration, received FROM annotations_result
                WHERE producer_id = queue.producer_id ORDER BY received DESC LIMIT %s
            ) recent
        ) answers
    ) spaced
) pace
CROSS JOIN LATERAL (
    SELECT max(call.due) AS last_due
    FROM unnest(%s) AS priority CROSS JOIN LATERAL (
        SELECT due FROM servers_call
        WHERE server_id = queue.server_id AND queue_id = queue.id AND servers_call.priority = priority.priority
            AND state = 'waiting' AND due > now()
    ) call
) later
WHERE queue.id = ANY(%s)
"""
HEADS = """
SELECT head.id FROM servers_queue queue CROSS JOIN unnest(%s) AS priority CROSS JOIN LATERAL (
    SELECT id FROM servers_call
    WHERE queue_id = queue.id AND servers_call.priority = priority.priority AND state = 'waiting'
    ORDER BY due, id LIMIT 1
) head
WHERE queue.server_id = %s AND queue.state <> 'stopped' AND NOT queue.held
"""
BROKEN_RULES = """
WITH latest AS (
    SELECT attempt.id, attempt.broken_rules
    FROM servers_attempt attempt JOIN servers_call call ON call.id = attempt.call_id
    WHERE call.server_id = %s ORDER BY attempt.id DESC LIMIT %s
)
SELECT DISTINCT ON (rule ->> 'code')
    rule ->> 'code', rule ->> 'where', rule ->> 'message', rule ->> 'mend', latest.id,
    count(*) OVER (PARTITION BY rule ->> 'code')
FROM latest CROSS JOIN LATERAL jsonb_array_elements(latest.broken_rules) rule
ORDER BY rule ->> 'code', latest.id DESC
"""


@dataclass(frozen=True, slots=True)
class Pace:
    """seconds: the median of a call, None when nothing was answered yet; latest: when the last answer came.

    every: the median of seconds from one answer to the next while articles wait: a call, and our own work between two.
    last_due: when the last call that waits for another try is due, in wait seconds from now; None and 0 without any.
    """

    seconds: float | None = None
    latest: datetime | None = None
    every: float | None = None
    last_due: datetime | None = None
    wait: float = 0.0


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """How far a queue is: the number of its calls by state, and its pace.

    ahead is the seconds that the server's other queues keep it busy before this one's turn comes.
    """

    queue: Queue
    counts: Counter[str]
    pace: Pace
    ahead: float = 0.0

    @property
    def waiting(self) -> int:
        return self.counts[CallState.WAITING]

    @property
    def asking(self) -> int:
        return self.counts[CallState.ASKING] + self.counts[CallState.PENDING]

    @property
    def answered(self) -> int:
        return self.counts[CallState.ANSWERED]

    @property
    def empty(self) -> int:
        return self.counts[CallState.EMPTY]

    @property
    def failed(self) -> int:
        return self.counts[CallState.FAILED]

    @property
    def total(self) -> int:
        return self.counts.total()

    @property
    def done(self) -> int:
        return self.answered + self.empty + self.failed

    @property
    def stopped_why(self) -> str:
        """What the last try said of the article that the queue stands on."""
        return masked(self.queue.stopped_on.reason) if self.queue.stopped_on else ""

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0

    @property
    def every(self) -> float | None:
        """Seconds from one answer to the next: the recent pace, as far as the server's calls a minute allow it."""
        if self.pace.every is None or self.queue.server.calls_per_minute is None:
            return self.pace.every
        return max(self.pace.every, MINUTE.total_seconds() / self.queue.server.calls_per_minute)

    @property
    def seconds_left(self) -> float | None:
        """What the open calls take at this pace, but no less than until the last of them is due and asked."""
        if self.every is None:
            return None
        return max(self.ahead + self.work, self.pace.wait + self.every)

    @property
    def work(self) -> float:
        """The seconds that the open calls keep the server busy."""
        return (self.waiting + self.asking) * (self.every or 0.0)

    @property
    def retry_at(self) -> datetime | None:
        """When the last call is due, if it is that for which the queue is not done earlier."""
        return self.pace.last_due if self.pace.wait > self.ahead + self.work else None

    @property
    def stands(self) -> bool:
        """Whether nothing is asked out of it until somebody says so."""
        return self.queue.held or self.queue.state == QueueState.STOPPED


@dataclass(frozen=True, slots=True)
class ListedServer:
    """A server as everybody sees it; live is the progress of its LIVE queue, None while it has none."""

    server: Server
    live: QueueProgress | None
    windows: Sequence[Measured]


@dataclass(frozen=True, slots=True)
class NextCall:
    """The call that is asked next; at is None when it is due now.

    paced: it could be asked earlier, were it not for the server's calls a minute.
    """

    call: Call
    at: datetime | None
    paced: bool = False


@dataclass(frozen=True, slots=True)
class BrokenKind:
    """A rule that recent answers broke, how often, and the latest example."""

    code: str
    where: str
    message: str
    mend: str
    attempt_id: int
    times: int


@dataclass(frozen=True, slots=True)
class AttemptPage:
    """Attempts, the newest first; older is the id to go on before, None at the end."""

    attempts: list[Attempt] = field(default_factory=list)
    older: int | None = None


def queue_counts(queues: Iterable[Queue]) -> dict[int, Counter[str]]:
    """The number of calls by state of each queue: 1 query."""
    counts: dict[int, Counter[str]] = {queue.pk: Counter() for queue in queues}
    rows = Call.objects.filter(queue__in=list(counts)).values_list("queue_id", "state").annotate(number=Count("*"))
    for queue_id, state, number in rows.order_by():
        counts[queue_id][state] = number
    return counts


def paces(queues: Iterable[Queue]) -> dict[int, Pace]:
    """The pace of each queue: 1 query that reads the latest Results of each producer by index."""
    with connection.cursor() as cursor:
        cursor.execute(PACE, [LONGEST_BETWEEN, RECENT_RESULTS, Call.Priority.values, [queue.pk for queue in queues]])
        return {
            queue_id: Pace(seconds, latest, seconds if every is None else every, last_due, wait or 0.0)
            for queue_id, seconds, latest, every, last_due, wait in cursor.fetchall()
        }


def progress_of(queues: list[Queue]) -> list[QueueProgress]:
    """2 queries, whatever the number of queues."""
    counts, pace = queue_counts(queues), paces(queues)
    return [QueueProgress(queue, counts[queue.pk], pace.get(queue.pk, Pace())) for queue in queues]


def queues_of(server: Server) -> list[QueueProgress]:
    """The progress of all queues of a server, TEST before TRAINING before LIVE as they are asked: 3 queries."""
    order = [QueueMode.TEST, QueueMode.TRAINING, QueueMode.LIVE]
    large = [f"stopped_on__article__{name}" for name in ("text", "passages", "metadata")]
    own = server.queues.select_related("stopped_on__article").defer(*large)
    queues = sorted(own, key=lambda queue: (order.index(QueueMode(queue.mode)), queue.name))
    return in_turn(progress_of(queues))


def in_turn(queues: Iterable[QueueProgress]) -> list[QueueProgress]:
    """Queues in the order in which they are asked, each with what lies ahead of it."""
    ahead, told = 0.0, []
    for progress in queues:
        told.append(replace(progress, ahead=ahead))
        ahead += 0.0 if progress.stands else progress.work
    return told


def listed_servers(servers: QuerySet[Server]) -> list[ListedServer]:
    """Servers with the progress of their LIVE queues, by name: 5 queries, whatever the number of servers."""
    live = Prefetch("queues", Queue.objects.filter(mode=QueueMode.LIVE, name=""), to_attr="live_queues")
    listed = list(servers.select_related("team").prefetch_related(live, "figures").order_by("name", "pk"))
    queues = [queue for server in listed for queue in getattr(server, "live_queues")]  # noqa: B009
    progress = {each.queue.server_id: each for each in progress_of(queues)}
    return [ListedServer(server, progress.get(server.pk), published_of(server).windows) for server in listed]


def awaiting_word(team: Team) -> set[int]:
    """The servers of a team with a test that stopped, so that the team must decide: 1 query."""
    stopped = Queue.objects.filter(server__team=team, state=QueueState.STOPPED, held=False)
    return set(stopped.values_list("server_id", flat=True))


def call_under_way(server: Server) -> Attempt | None:
    """The attempt that is under way, with its call and article: 1 query."""
    under_way = Attempt.objects.filter(server=server, outcome=Outcome.UNDER_WAY, finished__isnull=True)
    in_flight = under_way.filter(call__state__in=[CallState.ASKING, CallState.PENDING])
    return in_flight.select_related("call__article", "call__queue").order_by("-pk").first()


def next_call(server: Server, now: datetime) -> NextCall | None:
    """The call that is asked next, if the queues stay as they are: 1 query, by the index of each queue.

    Resting queues are asked no earlier than their rest is over, stopped ones not at all. A server with a number of
    calls a minute costs 1 query more.
    """
    heads = RawSQL(HEADS, [Call.Priority.values, server.pk])
    calls = Call.objects.filter(pk__in=heads).select_related("article", "queue").order_by("priority", "due", "pk")
    free = max(free_at(server) or now, now)
    nexts = [next_of(call, free, now) for call in calls]
    return min(nexts, key=lambda n: n.at or now, default=None)


def next_of(call: Call, free: datetime, now: datetime) -> NextCall:
    """When a waiting call may be asked; free is when the server may be called again, not before now."""
    due = max(call.due, call.queue.rest_until or now) if call.queue.state == QueueState.RESTING else call.due
    at = max(due, free)
    return NextCall(call, at if at > now else None, paced=free > max(due, now))


def free_at(server: Server) -> datetime | None:
    """When the oldest call of those that it takes in a minute is a minute old; None while it took fewer."""
    if server.calls_per_minute is None:
        return None
    last = server.calls_per_minute - 1
    started = list(server.attempts.order_by("-pk").values_list("started", flat=True)[last : last + 1])
    return started[0] + MINUTE if started else None


def attempts_of(server: Server, before: int | None = None) -> AttemptPage:
    """The latest attempts, or those before one: 1 query, without their requests and answers."""
    attempts = Attempt.objects.filter(server=server).select_related("call__article", "call__queue")
    if before is not None:
        attempts = attempts.filter(pk__lt=before)
    rows = list(attempts.defer("request", "answer", "broken_rules").order_by("-pk")[: PAGE + 1])
    page = rows[:PAGE]
    return AttemptPage(page, page[-1].pk if len(rows) > PAGE else None)


def broken_kinds(server: Server) -> list[BrokenKind]:
    """The rules that the latest attempts broke, the most frequent first: 1 query."""
    with connection.cursor() as cursor:
        cursor.execute(BROKEN_RULES, [server.pk, RECENT_ATTEMPTS])
        return sorted((BrokenKind(*row) for row in cursor.fetchall()), key=lambda kind: (-kind.times, kind.code))


def latest_events(server: Server) -> list[ServerEvent]:
    return list(server.events.select_related("by").order_by("-pk")[:5])


def members_of(team: Team) -> list[Membership]:
    """Managers first, then by name: 1 query."""
    return list(Membership.objects.filter(team=team).select_related("user").order_by("role", "user__username"))

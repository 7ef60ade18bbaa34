"""Database queries about queues, calls and attempts, each with a fixed number of SQL queries.

Counts by state read the index calls_of_queue_by_state only: about 20 ms for a queue of 100,000 calls.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Count
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now

from servers.calls.models import Attempt, Call, Queue
from servers.calls.secret_masking import mask_secrets
from servers.calls.states import CallState, Outcome, QueueMode, QueueState
from servers.registry.models import Server
from servers.teams.models import Team

# The pace of a queue is computed from its latest Results, and broken rules are counted in the latest attempts.
RECENT_RESULTS = 100
RECENT_ATTEMPTS = 200
# An answer whose gap to the previous answer exceeds its duration by this many seconds followed a pause.
LONGEST_BETWEEN = 1.0
# If several articles are sent in one request, answers come together, with gaps of up to so many seconds between them.
LONGEST_BETWEEN_BATCHES = 600.0
MINUTE = timedelta(minutes=1)
PAGE, LATEST = 25, 10

SELECT_QUEUE_PACES = """
SELECT queue.id, pace.seconds, pace.latest, pace.every, later.last_due,
    extract(epoch FROM later.last_due - now())::float, missed.number
FROM servers_queue queue JOIN servers_server server ON server.id = queue.server_id CROSS JOIN LATERAL (
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY spaced.duration) AS seconds, max(spaced.received) AS latest,
        CASE WHEN server.articles_per_request = 1
            THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY spaced.gap) FILTER (WHERE spaced.gap < duration + %s)
            ELSE avg(spaced.gap) FILTER (WHERE spaced.gap < %s) END AS every
    FROM (
        SELECT duration, received, extract(epoch FROM received - lag(received) OVER (ORDER BY received))::float AS gap
        FROM (
            SELECT DISTINCT duration, received, article_id FROM (
                SELECT duration, received, article_id FROM annotations_result
                WHERE producer_id = queue.producer_id ORDER BY received DESC LIMIT %s * server.articles_per_request
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
CROSS JOIN LATERAL (
    SELECT count(*) AS number FROM servers_call
    WHERE queue_id = queue.id AND servers_call.priority = %s AND state = 'waiting'
) missed
WHERE queue.id = ANY(%s)
"""
SELECT_QUEUE_HEADS = """
SELECT head.id FROM servers_queue queue CROSS JOIN unnest(%s) AS priority CROSS JOIN LATERAL (
    (
        SELECT id FROM servers_call
        WHERE queue_id = queue.id AND servers_call.priority = priority.priority AND state = 'waiting'
            AND (due > now() OR servers_call.priority <> %s)
        ORDER BY due, id LIMIT 1
    ) UNION ALL (
        SELECT id FROM servers_call
        WHERE queue_id = queue.id AND servers_call.priority = priority.priority AND state = 'waiting'
            AND due <= now() AND servers_call.priority = %s
        ORDER BY due DESC, id DESC LIMIT 1
    )
) head
WHERE queue.server_id = %s AND queue.state <> 'stopped' AND NOT queue.held
"""
SELECT_BROKEN_RULES = """
WITH latest AS (
    SELECT id, broken_rules FROM servers_attempt WHERE server_id = %s ORDER BY id DESC LIMIT %s
)
SELECT DISTINCT ON (rule ->> 'code')
    rule ->> 'code', rule ->> 'where', rule ->> 'message', rule ->> 'mend', latest.id,
    count(*) OVER (PARTITION BY rule ->> 'code')
FROM latest CROSS JOIN LATERAL jsonb_array_elements(latest.broken_rules) rule
ORDER BY rule ->> 'code', latest.id DESC
"""


@dataclass(frozen=True, slots=True)
class QueuePace:
    """How fast a queue is answered.

    seconds: median duration of a call that was sent alone, None before the first answer to one; latest: time of the
    last answer; every: median seconds from one answer to the next while calls wait, which includes our own work (the
    mean if the server takes several articles in one request); last_due: when the last call that waits for another try
    is due, which is in wait seconds (None and 0 if there is none). missed: waiting articles that readers opened while
    the server was stopped or unreachable.
    """

    seconds: float | None = None
    latest: datetime | None = None
    every: float | None = None
    last_due: datetime | None = None
    wait: float = 0.0
    missed: int = 0


@dataclass(frozen=True, slots=True)
class QueueProgress:
    """The number of a queue's calls by state, and its pace.

    ahead: seconds that the server needs for the queues that come before this one.
    """

    queue: Queue
    counts: Counter[str]
    pace: QueuePace
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
        """The message of the last try of the article on which the queue stopped."""
        return mask_secrets(self.queue.stopped_on.reason) if self.queue.stopped_on else ""

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0

    @property
    def every(self) -> float | None:
        """Seconds from one answer to the next: the recent pace, but no faster than the server's rate limit allows."""
        if self.pace.every is None or self.queue.server.calls_per_minute is None:
            return self.pace.every
        return max(self.pace.every, MINUTE.total_seconds() / self.queue.server.calls_per_minute)

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds until all open calls have ended, at least until the last one is due and answered."""
        if self.every is None:
            return None
        return max(self.ahead + self.work, self.pace.wait + self.every)

    @property
    def work(self) -> float:
        """Estimated seconds that the server needs for the open calls."""
        return (self.waiting + self.asking) * (self.every or 0.0)

    @property
    def next_retry(self) -> datetime | None:
        """When the last call is due for another try, if that determines when the queue is done."""
        return self.pace.last_due if self.pace.wait > self.ahead + self.work else None

    @property
    def is_stopped_or_held(self) -> bool:
        """Whether no calls are made until the team or the challenge lets the queue continue."""
        return self.queue.held or self.queue.state == QueueState.STOPPED


@dataclass(frozen=True, slots=True)
class NextCall:
    """The next call; at is when it will be made, None for now.

    paced: the server's rate limit delays it.
    """

    call: Call
    at: datetime | None
    paced: bool = False


@dataclass(frozen=True, slots=True)
class BrokenRuleCount:
    """A rule that recent answers broke, the number of times, and the latest example."""

    code: str
    where: str
    message: str
    mend: str
    attempt_id: int
    times: int


@dataclass(frozen=True, slots=True)
class AttemptPage:
    """Attempts, newest first; older is the value of `before` for the next page, None on the last page."""

    attempts: list[Attempt] = field(default_factory=list)
    older: int | None = None


def count_calls_by_queue_and_state(queues: Iterable[Queue]) -> dict[int, Counter[str]]:
    """The number of calls by state of each queue: 1 query."""
    counts: dict[int, Counter[str]] = {queue.pk: Counter() for queue in queues}
    rows = Call.objects.filter(queue__in=list(counts)).values_list("queue_id", "state").annotate(number=Count("*"))
    for queue_id, state, number in rows.order_by():
        counts[queue_id][state] = number
    return counts


def _compute_queue_paces(queues: Iterable[Queue]) -> dict[int, QueuePace]:
    """The pace of each queue: 1 query that reads the latest Results of each producer by index."""
    with connection.cursor() as cursor:
        queue_ids = [queue.pk for queue in queues]
        cursor.execute(
            SELECT_QUEUE_PACES,
            [
                LONGEST_BETWEEN,
                LONGEST_BETWEEN_BATCHES,
                RECENT_RESULTS,
                Call.Priority.values,
                Call.Priority.MISSED,
                queue_ids,
            ],
        )
        return {
            queue_id: QueuePace(seconds, latest, seconds if every is None else every, last_due, wait or 0.0, missed)
            for queue_id, seconds, latest, every, last_due, wait, missed in cursor.fetchall()
        }


def compute_counts_and_pace_of_queues(queues: list[Queue]) -> list[QueueProgress]:
    """The progress of each queue, without the time ahead of it: 2 queries for any number of queues."""
    counts, paces = count_calls_by_queue_and_state(queues), _compute_queue_paces(queues)
    return [QueueProgress(queue, counts[queue.pk], paces.get(queue.pk, QueuePace())) for queue in queues]


def list_queue_progress_in_call_order(server: Server) -> list[QueueProgress]:
    """The progress of all queues of a server in the order of their calls (TEST, TRAINING, LIVE): 3 queries."""
    order = [QueueMode.TEST, QueueMode.TRAINING, QueueMode.LIVE]
    large_fields = [f"stopped_on__article__{name}" for name in ("text", "passages", "metadata")]
    unordered = server.queues.select_related("stopped_on__article").defer(*large_fields)
    queues = sorted(unordered, key=lambda queue: (order.index(QueueMode(queue.mode)), queue.name))
    return _add_seconds_ahead(compute_counts_and_pace_of_queues(queues))


def _add_seconds_ahead(queues: Iterable[QueueProgress]) -> list[QueueProgress]:
    """The queues, given in the order of their calls, each with the seconds that those before it need."""
    ahead, queues_with_ahead = 0.0, []
    for progress in queues:
        queues_with_ahead.append(replace(progress, ahead=ahead))
        ahead += 0.0 if progress.is_stopped_or_held else progress.work
    return queues_with_ahead


def list_server_ids_with_unheld_stopped_queue(team: Team) -> set[int]:
    """The team's servers with a stopped test about which the team must decide: 1 query."""
    stopped = Queue.objects.filter(server__team=team, state=QueueState.STOPPED, held=False)
    return set(stopped.values_list("server_id", flat=True))


def find_running_attempt(server: Server) -> Attempt | None:
    """The attempt in progress, with its call and article: 1 query."""
    under_way = Attempt.objects.filter(server=server, outcome=Outcome.UNDER_WAY, finished__isnull=True)
    in_flight = under_way.filter(call__state__in=[CallState.ASKING, CallState.PENDING])
    return in_flight.select_related("call__article", "call__queue").order_by("-pk").first()


def find_next_call_and_its_time(server: Server, now: datetime) -> NextCall | None:
    """The next call as the queues are now; None if no call waits. 1 query, 2 if the server has a rate limit.

    Calls of resting queues are due when the rest is over; stopped and held queues are skipped.
    """
    missed = Call.Priority.MISSED
    heads = RawSQL(SELECT_QUEUE_HEADS, [Call.Priority.values, missed, missed, server.pk])
    calls = Call.objects.filter(pk__in=heads).select_related("article", "queue").order_by("priority", "due", "pk")
    earliest = max(_find_rate_limit_reset(server) or now, now)
    candidates = [_schedule_waiting_call(call, earliest, now) for call in calls]
    return min(candidates, key=lambda candidate: candidate.at or now, default=None)


def _schedule_waiting_call(call: Call, earliest: datetime, now: datetime) -> NextCall:
    """When a waiting call will be made; earliest is when the rate limit allows the next call, not before now."""
    due = max(call.due, call.queue.rest_until or now) if call.queue.state == QueueState.RESTING else call.due
    at = max(due, earliest)
    return NextCall(call, at if at > now else None, paced=earliest > max(due, now))


def _find_rate_limit_reset(server: Server) -> datetime | None:
    """When the rate limit allows another call, which may be in the past; None without a limit or enough calls."""
    if server.calls_per_minute is None:
        return None
    last = server.calls_per_minute - 1
    requests = server.attempts.order_by("-pk").values_list("started", flat=True)
    if server.articles_per_request > 1:
        requests = requests.filter(started__gt=Now() - MINUTE).order_by("-started").distinct()
    started = list(requests[last : last + 1])
    return started[0] + MINUTE if started else None


def list_attempt_page(server: Server, before_attempt_id: int | None = None, size: int = PAGE) -> AttemptPage:
    """At most `size` of the latest attempts, or of those with an id below `before_attempt_id`: 1 query."""
    attempts = Attempt.objects.filter(server=server).select_related("call__article", "call__queue")
    if before_attempt_id is not None:
        attempts = attempts.filter(pk__lt=before_attempt_id)
    rows = list(attempts.defer("broken_rules", "omitted").order_by("-pk")[: size + 1])
    page = rows[:size]
    return AttemptPage(page, page[-1].pk if len(rows) > size else None)


def list_recent_broken_rule_counts(server: Server) -> list[BrokenRuleCount]:
    """The rules that the answers of the latest attempts broke, most frequent first: 1 query."""
    with connection.cursor() as cursor:
        cursor.execute(SELECT_BROKEN_RULES, [server.pk, RECENT_ATTEMPTS])
        return sorted((BrokenRuleCount(*row) for row in cursor.fetchall()), key=lambda rule: (-rule.times, rule.code))

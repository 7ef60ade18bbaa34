"""The matrix of a phase: all its servers by all its articles, and what to do about the servers that do not get on."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import OuterRef, Subquery, Sum

from evaluation.articles import named
from evaluation.models import Phase
from evaluation.plotting.call_strips import FORMS, Drawn, Form, strip
from servers.masking import masked
from servers.models import Attempt, Queue, Server
from servers.states import Outcome, QueueState, ServerState

# The state of the newest call of each article of the corpus in each queue, one letter for each, in the corpus' order.
STATES = """
WITH latest AS (
    SELECT DISTINCT ON (queue_id, article_id) queue_id, article_id, state
    FROM servers_call WHERE queue_id = ANY(%s::bigint[])
    ORDER BY queue_id, article_id, id DESC
)
SELECT queue.id, string_agg(
    CASE latest.state WHEN 'answered' THEN 'a' WHEN 'empty' THEN 'e' WHEN 'failed' THEN 'f' WHEN 'waiting' THEN 'w'
        WHEN 'asking' THEN 'n' WHEN 'pending' THEN 'n' ELSE '-' END, '' ORDER BY member.position
)
FROM unnest(%s::bigint[]) queue(id)
JOIN annotations_corpusarticle member ON member.corpus_id = %s
LEFT JOIN latest ON latest.queue_id = queue.id AND latest.article_id = member.article_id
GROUP BY queue.id
"""
# So many articles that are hard for several servers are named.
MOST_HARD = 10
FAILED = [
    outcome.value
    for outcome in (Outcome.INVALID, Outcome.CONNECTION, Outcome.COMMUNICATION, Outcome.NO_ANSWER, Outcome.OUR_FAULT)
]


@dataclass(frozen=True, slots=True)
class Row:
    """A server in the phase. trouble is what keeps it from getting on, empty when nothing does; last what its last
    failed try said, with the step that mends it."""

    server: Server
    queue: Queue
    states: str
    counts: Mapping[str, int]
    strip: Sequence[Drawn]
    trouble: str
    last: str

    @property
    def done(self) -> int:
        return self.counts["a"] + self.counts["e"] + self.counts["f"]

    @property
    def answered(self) -> int:
        return self.counts["a"]

    @property
    def empty(self) -> int:
        return self.counts["e"]

    @property
    def failed(self) -> int:
        return self.counts["f"]

    @property
    def waiting(self) -> int:
        return self.counts["w"] + self.counts["n"]


@dataclass(frozen=True, slots=True)
class Hard:
    """An article that ended without an answer at several servers."""

    name: str
    failed: int
    empty: int


@dataclass(frozen=True, slots=True)
class Matrix:
    phase: Phase
    articles: int
    rows: Sequence[Row]
    hard: Sequence[Hard]
    version: str
    forms: Sequence[Form] = tuple(FORMS.values())

    @property
    def troubled(self) -> Sequence[Row]:
        return [row for row in self.rows if row.trouble]

    @property
    def summary(self) -> str:
        done = sum(row.done for row in self.rows)
        return f"{done} of {self.articles * len(self.rows)} articles done, {len(self.troubled)} servers need help"


def queues_in(phase: Phase) -> Any:
    return Queue.objects.filter(pk__in=Queue.objects.filter(producer__runs__phase=phase).values("pk"))


def version_of(phase: Phase) -> str:
    """Changes with every call of every server in the phase: 1 query."""
    told = Server.objects.filter(pk__in=queues_in(phase).values("server")).aggregate(total=Sum("version"))
    return f"{told['total'] or 0}-{phase.revision}"


def matrix(phase: Phase) -> Matrix:
    """In five queries, however many servers and articles there are."""
    version = version_of(phase)
    queues = list(troubles_of(queues_in(phase).select_related("server__team", "stopped_on")))
    articles = phase.corpus.articles.order_by("corpusarticle__position")
    names = list(named(phase, articles).values())
    states = states_of([queue.pk for queue in queues], phase.corpus_id)
    rows = [row_of(queue, states.get(queue.pk, "")) for queue in queues]
    return Matrix(phase, len(names), rows, hard_of(rows, names), version)


def troubles_of(queues: Any) -> Any:
    """With the text of each server's newest try that failed."""
    failed = Attempt.objects.filter(call__queue=OuterRef("pk"), server=OuterRef("server"), outcome__in=FAILED)
    return queues.annotate(last=Subquery(failed.order_by("-pk").values("message")[:1])).order_by(
        "server__team__name", "server__name", "pk"
    )


def states_of(queues: Sequence[int], corpus: int) -> dict[int, str]:
    with connection.cursor() as cursor:
        cursor.execute(STATES, [list(queues), list(queues), corpus])
        return dict(cursor.fetchall())


def row_of(queue: Any, states: str) -> Row:
    counts = Counter(states)
    trouble = trouble_of(queue, counts)
    last = masked(queue.last or "") if counts["f"] or trouble else ""
    return Row(queue.server, queue, states, counts, strip(states), trouble, last)


def trouble_of(queue: Queue, counts: Mapping[str, int]) -> str:
    """Why the server does not get on with what waits, and what its team does next."""
    if not counts["w"] and not counts["n"]:
        return ""
    match queue.server.state, queue.state:
        case _ if queue.held:
            return "Held by the phase: nothing is asked."
        case ServerState.FAIL, _:
            reason = masked(queue.server.state_reason) or "too many failures"
            return f"Stopped by the site: {reason}. Its team mends the server and starts it again on its page."
        case ((ServerState.OFFLINE | ServerState.HALTING), _):
            return "Not started: its team starts it on its page."
        case _, QueueState.STOPPED:
            return "The test stands at an article that did not come through: its team chooses retry or next article."
        case _, QueueState.RESTING:
            return "Not reached: it is tried again every minute. Its team checks that the server runs."
    return ""


def hard_of(rows: Sequence[Row], names: Sequence[str]) -> list[Hard]:
    """The articles that most servers failed at or said nothing of, the worst first."""
    numbers = [(sum(own == "f" for own in column), sum(own == "e" for own in column)) for column in columns(rows)]
    found = [Hard(name, failed, empty) for name, (failed, empty) in zip(names, numbers, strict=False) if failed]
    return sorted(found, key=lambda hard: (-hard.failed, -hard.empty, hard.name))[:MOST_HARD]


def columns(rows: Sequence[Row]) -> Any:
    return zip(*(row.states for row in rows), strict=False) if rows else ()

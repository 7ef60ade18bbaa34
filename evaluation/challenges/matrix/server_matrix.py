"""The matrix of a phase: the state of every article at every server, and what servers without progress need."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from evaluation.challenges.articles import list_opaque_or_public_article_names
from evaluation.challenges.matrix.unanswered_articles import list_phase_calls_failed_by_meta_server
from evaluation.challenges.models import Phase
from evaluation.plotting.call_strips import STRIP_FORMS, StripForm, StripPath, build_strip_path_per_state
from servers.calls.models import Attempt, Queue
from servers.calls.secret_masking import mask_secrets
from servers.calls.states import META_SERVER_FAULTS, Outcome, QueueState
from servers.registry.models import Server
from servers.registry.states import ServerState

# For each queue one letter for each article of the corpus, in order: the state of its newest call.
LATEST_CALL_STATES_SQL = """
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
# The largest number of articles listed as hard.
MAX_HARD_ARTICLES = 10
FAILED_OUTCOMES = [
    outcome.value
    for outcome in (Outcome.INVALID, Outcome.CONNECTION, Outcome.COMMUNICATION, Outcome.NO_ANSWER, Outcome.OUR_FAULT)
]


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A server in the phase.

    states: one letter for each article, a key of STRIP_FORMS or "-"; trouble: why it makes no progress and what its
    team can do, empty if it does; last_failure: message of its last failed attempt; site_errors: number of attempts
    that failed because of an error of the meta-server; unanswered: number of articles that have no answer for this
    reason.
    """

    server: Server
    queue: Queue
    states: str
    counts: Mapping[str, int]
    strip: Sequence[StripPath]
    trouble: str
    last_failure: str
    site_errors: int
    unanswered: int

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
class HardArticle:
    """An article at which servers failed. failed, empty: numbers of servers."""

    name: str
    failed: int
    empty: int


@dataclass(frozen=True, slots=True)
class ServerMatrix:
    """All servers of a phase; hard: the articles at which most servers failed, worst first."""

    phase: Phase
    articles: int
    rows: Sequence[MatrixRow]
    hard: Sequence[HardArticle]
    version: str
    forms: Sequence[StripForm] = tuple(STRIP_FORMS.values())

    @property
    def troubled(self) -> Sequence[MatrixRow]:
        return [row for row in self.rows if row.trouble]

    @property
    def unanswered(self) -> int:
        """The number of calls without an answer because of an error of the meta-server."""
        return sum(row.unanswered for row in self.rows)

    @property
    def summary(self) -> str:
        done = sum(row.done for row in self.rows)
        return f"{done} of {self.articles * len(self.rows)} articles done, {len(self.troubled)} servers need help"


def _list_phase_queues(phase: Phase) -> QuerySet[Queue]:
    """The queues of the servers in the phase."""
    return Queue.objects.filter(pk__in=Queue.objects.filter(producer__runs__phase=phase).values("pk"))


def format_matrix_version(phase: Phase) -> str:
    """A text that changes with every call of every server in the phase, in 1 query."""
    versions = Server.objects.filter(pk__in=_list_phase_queues(phase).values("server")).aggregate(total=Sum("version"))
    return f"{versions['total'] or 0}-{phase.revision}"


def build_server_matrix(phase: Phase) -> ServerMatrix:
    """The matrix of a phase, in 5 queries."""
    version = format_matrix_version(phase)
    queues = list(_annotate_failures(_list_phase_queues(phase).select_related("server__team", "stopped_on"), phase))
    articles = phase.corpus.articles.order_by("corpusarticle__position")
    names = list(list_opaque_or_public_article_names(phase, articles).values())
    states = _load_call_states([queue.pk for queue in queues], phase.corpus_id)
    rows = [_build_matrix_row(queue, states.get(queue.pk, "")) for queue in queues]
    return ServerMatrix(phase, len(names), rows, _list_hard_articles(rows, names), version)


def _annotate_failures(queues: QuerySet[Queue], phase: Phase) -> QuerySet[Any]:
    """The queues of a phase in the order of their teams and servers.

    Each has the message of its last failed attempt as last, the number of errors of the meta-server as site_errors, and
    that of articles without an answer because of them as unanswered.
    """
    errors = Attempt.objects.filter(call__queue=OuterRef("pk"), outcome__in=META_SERVER_FAULTS).order_by()
    unanswered = list_phase_calls_failed_by_meta_server(phase).filter(queue=OuterRef("pk")).order_by()
    failed = Attempt.objects.filter(call__queue=OuterRef("pk"), server=OuterRef("server"), outcome__in=FAILED_OUTCOMES)
    return queues.annotate(
        last=Subquery(failed.order_by("-pk").values("message")[:1]),
        site_errors=Coalesce(Subquery(errors.values("call__queue").annotate(number=Count("pk")).values("number")), 0),
        unanswered=Coalesce(Subquery(unanswered.values("queue").annotate(number=Count("pk")).values("number")), 0),
    ).order_by("server__team__name", "server__name", "pk")


def _load_call_states(queues: Sequence[int], corpus: int) -> dict[int, str]:
    """{queue id: one letter for each article of the corpus, in order}."""
    with connection.cursor() as cursor:
        cursor.execute(LATEST_CALL_STATES_SQL, [list(queues), list(queues), corpus])
        return dict(cursor.fetchall())


def _build_matrix_row(queue: Any, states: str) -> MatrixRow:
    counts = Counter(states)
    trouble = _explain_server_trouble(queue, counts)
    last_failure = mask_secrets(queue.last or "") if counts["f"] or trouble else ""
    strip = build_strip_path_per_state(states)
    return MatrixRow(
        queue.server, queue, states, counts, strip, trouble, last_failure, queue.site_errors, queue.unanswered
    )


def _explain_server_trouble(queue: Queue, counts: Mapping[str, int]) -> str:
    """Why a server with open calls makes no progress and what its team can do; empty if it does."""
    if not counts["w"] and not counts["n"]:
        return ""
    match queue.server.state, queue.state:
        case _ if queue.held:
            return "Held by the phase: the server is not called."
        case ServerState.FAIL, _:
            reason = mask_secrets(queue.server.state_reason) or "too many failures"
            return f"Stopped by the site: {reason}. Its team has to fix the server and start it again on its page."
        case ((ServerState.OFFLINE | ServerState.HALTING), _):
            return "Not started: its team can start it on the page of the server."
        case _, QueueState.STOPPED:
            return "Waiting at an article that failed: its team has to choose “retry” or “next article”."
        case _, QueueState.RESTING:
            return "Not reachable: the site tries again every minute. Its team should check that the server is running."
    return ""


def _list_hard_articles(rows: Sequence[MatrixRow], names: Sequence[str]) -> list[HardArticle]:
    """The articles at which most servers failed, and of these the ones with most empty answers, worst first."""
    numbers = [
        (sum(state == "f" for state in column), sum(state == "e" for state in column))
        for column in _iter_article_columns(rows)
    ]
    hard = [HardArticle(name, failed, empty) for name, (failed, empty) in zip(names, numbers, strict=False) if failed]
    return sorted(hard, key=lambda article: (-article.failed, -article.empty, article.name))[:MAX_HARD_ARTICLES]


def _iter_article_columns(rows: Sequence[MatrixRow]) -> Iterable[tuple[str, ...]]:
    """For each article its states at all servers."""
    return zip(*(row.states for row in rows), strict=False) if rows else ()

"""The data that a team's page about its own server shows."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import QuerySet

from annotations.articles.models import Article
from annotations.articles.queries import format_pmid_or_opaque
from servers.calls import queries as calls_queries
from servers.calls.models import Attempt, Call
from servers.calls.queries import BrokenRuleCount, NextCall, QueueProgress
from servers.calls.secret_masking import decode_printable_and_mask_secrets, mask_secrets
from servers.calls.states import QueueMode
from servers.registry.models import Server, ServerEvent
from servers.registry.queries import list_latest_server_events
from servers.registry.states import ServerState

# While a server runs, durations on its page are refreshed at this interval even if nothing else changed.
TICK_SECONDS = 10
# In chronological order.
PHASES = {
    "resolve": "resolve the host name",
    "connect": "connect",
    "tls": "TLS handshake",
    "send": "send the request",
    "wait": "wait for the answer",
    "transfer": "receive the answer",
    "work": "wait for the deferred answer",
}


@dataclass(frozen=True, slots=True)
class ArticleLabel:
    """How a reader sees an article; identifier is for the link to its page, empty if the article must stay unknown."""

    label: str
    identifier: str


@dataclass(frozen=True, slots=True)
class PhaseBar:
    """One phase of an attempt; left and width are its part of the bar in percent."""

    key: str
    name: str
    seconds: float
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class AttemptRow:
    attempt: Attempt
    article: ArticleLabel
    message: str
    phases: list[PhaseBar]


@dataclass(frozen=True, slots=True)
class RunningAttempt:
    attempt: AttemptRow
    age: float


@dataclass(frozen=True, slots=True)
class UpcomingCall:
    """The next call. seconds: until it is made, 0 for now; why: the message of its last try.

    paced: only the server's rate limit delays it.
    """

    article: ArticleLabel
    call: Call
    at: datetime | None
    seconds: float
    why: str
    paced: bool


@dataclass(frozen=True, slots=True)
class ServerDashboard:
    version: str
    url: str
    queues: list[QueueProgress]
    under_way: RunningAttempt | None
    upcoming: UpcomingCall | None
    attempts: list[AttemptRow]
    older: int | None
    broken: list[BrokenRuleCount]
    events: list[ServerEvent]

    @property
    def waiting(self) -> int:
        return sum(queue.waiting for queue in self.queues)

    @property
    def summary(self) -> str:
        """The text that screen readers announce when it changes."""
        done, total = sum(queue.done for queue in self.queues), sum(queue.total for queue in self.queues)
        return f"{done} of {total} articles done" if total else ""


@dataclass(frozen=True, slots=True)
class DashboardReader:
    """What a reader may see: articles, and, if they are staff, the PMIDs of test sets."""

    articles: QuerySet[Article]
    staff: bool


def build_dashboard_version_ticking_while_running(server: Server, now: datetime) -> str:
    """A version that changes with everything that the page shows and, while the server runs, with time."""
    running = server.state in (ServerState.ONLINE, ServerState.HALTING)
    return f"{server.version}.{int(now.timestamp()) // TICK_SECONDS}" if running else str(server.version)


def build_server_dashboard(server: Server, viewer: DashboardReader, now: datetime) -> ServerDashboard:
    page = calls_queries.list_attempt_page(server, size=calls_queries.LATEST)
    running = calls_queries.find_running_attempt(server)
    following = calls_queries.find_next_call_and_its_time(server, now)
    calls = [attempt.call for attempt in page.attempts]
    calls += [running.call] if running else []
    calls += [following.call] if following else []
    articles = label_articles_by_call_opaque_if_hidden(calls, viewer)
    return ServerDashboard(
        version=build_dashboard_version_ticking_while_running(server, now),
        url=mask_secrets(server.url),
        queues=calls_queries.list_queue_progress_in_call_order(server),
        under_way=_build_running_attempt(running, articles, now) if running else None,
        upcoming=_build_upcoming_call(following, articles, now) if following else None,
        attempts=[_build_attempt_row(attempt, articles) for attempt in page.attempts],
        older=page.older,
        broken=calls_queries.list_recent_broken_rule_counts(server),
        events=list_latest_server_events(server),
    )


def _build_running_attempt(attempt: Attempt, articles: dict[int, ArticleLabel], now: datetime) -> RunningAttempt:
    return RunningAttempt(_build_attempt_row(attempt, articles), (now - attempt.started).total_seconds())


def _build_upcoming_call(following: NextCall, articles: dict[int, ArticleLabel], now: datetime) -> UpcomingCall:
    seconds = (following.at - now).total_seconds() if following.at else 0.0
    call = following.call
    return UpcomingCall(articles[call.pk], call, following.at, seconds, mask_secrets(call.reason), following.paced)


def build_attempt_rows(attempts: list[Attempt], viewer: DashboardReader) -> list[AttemptRow]:
    articles = label_articles_by_call_opaque_if_hidden([attempt.call for attempt in attempts], viewer)
    return [_build_attempt_row(attempt, articles) for attempt in attempts]


def _build_attempt_row(attempt: Attempt, articles: dict[int, ArticleLabel]) -> AttemptRow:
    return AttemptRow(
        attempt, articles[attempt.call_id], mask_secrets(attempt.message), build_phase_bars(attempt.phases)
    )


def label_articles_by_call_opaque_if_hidden(calls: list[Call], viewer: DashboardReader) -> dict[int, ArticleLabel]:
    """The label of each call's article for this viewer, by the id of the call: 1 query.

    Only staff see more than the opaque ids of articles in TEST queues, as the server got no more than that either.
    """
    visible = set(viewer.articles.filter(pk__in={call.article_id for call in calls}).values_list("pk", flat=True))
    identified = {
        call.pk for call in calls if call.article_id in visible and (viewer.staff or call.queue.mode != QueueMode.TEST)
    }
    return {call.pk: _build_article_label(call.article, call.pk in identified) for call in calls}


def _build_article_label(article: Article, identified: bool) -> ArticleLabel:
    if not identified:
        return ArticleLabel(article.opaque, "")
    return ArticleLabel(str(article), format_pmid_or_opaque(article))


def build_phase_bars(seconds_by_phase: dict[str, float]) -> list[PhaseBar]:
    """The phases of an attempt, by their seconds, as adjacent parts of one bar in chronological order."""
    ordered = [key for key in PHASES if key in seconds_by_phase]
    total = sum(seconds_by_phase[key] for key in ordered) or 1.0
    bars, left = [], 0.0
    for key in ordered:
        width = 100 * seconds_by_phase[key] / total
        bars.append(PhaseBar(key, PHASES[key], seconds_by_phase[key], round(left, 2), round(width, 2)))
        left += width
    return bars


def format_masked_request_and_answer(attempt: Attempt) -> tuple[str, str]:
    """The stored beginnings of the request and the answer as text, with secrets masked; empty without a body."""
    body = getattr(attempt, "body", None)
    if body is None:
        return "", ""
    return decode_printable_and_mask_secrets(bytes(body.request)), decode_printable_and_mask_secrets(bytes(body.answer))


def has_deleted_body(attempt: Attempt, now: datetime) -> bool:
    """Whether the attempt has no body any more because it is too old."""
    days = settings.BODY_DAYS
    return bool(days) and not hasattr(attempt, "body") and attempt.started < now - timedelta(days=days)

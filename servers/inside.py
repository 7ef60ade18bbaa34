"""What a team sees of its own server, put together for the pages."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from annotations.models import Article
from servers import querysets
from servers.masking import masked, shown
from servers.models import Attempt, Call, Server, ServerEvent
from servers.querysets import BrokenKind, NextCall, QueueProgress
from servers.states import QueueMode, ServerState

# While a server works, ages and waits on its page are brought up to date this often even if nothing else changed.
TICK_SECONDS = 10
# In the order in which they pass.
PHASES = {
    "resolve": "find the address",
    "connect": "connect",
    "tls": "TLS",
    "send": "send the request",
    "wait": "wait for the answer",
    "transfer": "receive the answer",
    "work": "the server works, and answers later",
}


@dataclass(frozen=True, slots=True)
class ShownArticle:
    """An article as this reader may know it: by its PMID with a link, or by its opaque id alone."""

    label: str
    identifier: str


@dataclass(frozen=True, slots=True)
class ShownPhase:
    """One phase of time of an attempt; left and width are percent of the whole, for its bar."""

    key: str
    name: str
    seconds: float
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class ShownAttempt:
    attempt: Attempt
    article: ShownArticle
    message: str
    phases: list[ShownPhase]


@dataclass(frozen=True, slots=True)
class UnderWay:
    attempt: ShownAttempt
    age: float


@dataclass(frozen=True, slots=True)
class Upcoming:
    """The next call: why holds what its last try said, seconds how long it still waits (0: now).

    paced: it waits for the server's calls a minute alone.
    """

    article: ShownArticle
    call: Call
    at: datetime | None
    seconds: float
    why: str
    paced: bool


@dataclass(frozen=True, slots=True)
class Inside:
    version: str
    url: str
    queues: list[QueueProgress]
    under_way: UnderWay | None
    upcoming: Upcoming | None
    attempts: list[ShownAttempt]
    older: int | None
    broken: list[BrokenKind]
    events: list[ServerEvent]

    @property
    def waiting(self) -> int:
        return sum(queue.waiting for queue in self.queues)

    @property
    def summary(self) -> str:
        """What is read out when it changes."""
        done, total = sum(queue.done for queue in self.queues), sum(queue.total for queue in self.queues)
        return f"{done} of {total} articles done" if total else ""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who looks: the articles that this person may see, and whether a test set's PMIDs are among it."""

    articles: QuerySet[Article]
    staff: bool


def version_of(server: Server, now: datetime) -> str:
    """Changes with everything that the page shows; while the server works also with time."""
    works = server.state in (ServerState.ONLINE, ServerState.HALTING)
    return f"{server.version}.{int(now.timestamp()) // TICK_SECONDS}" if works else str(server.version)


def inside_of(server: Server, reader: Reader, now: datetime) -> Inside:
    page = querysets.attempts_of(server)
    running = querysets.call_under_way(server)
    following = querysets.next_call(server, now)
    calls = [attempt.call for attempt in page.attempts]
    calls += [running.call] if running else []
    calls += [following.call] if following else []
    articles = shown_articles(calls, reader)
    return Inside(
        version=version_of(server, now),
        url=masked(server.url),
        queues=querysets.queues_of(server),
        under_way=under_way(running, articles, now) if running else None,
        upcoming=upcoming(following, articles, now) if following else None,
        attempts=[shown_attempt(attempt, articles) for attempt in page.attempts],
        older=page.older,
        broken=querysets.broken_kinds(server),
        events=querysets.latest_events(server),
    )


def under_way(attempt: Attempt, articles: dict[int, ShownArticle], now: datetime) -> UnderWay:
    return UnderWay(shown_attempt(attempt, articles), (now - attempt.started).total_seconds())


def upcoming(following: NextCall, articles: dict[int, ShownArticle], now: datetime) -> Upcoming:
    seconds = (following.at - now).total_seconds() if following.at else 0.0
    call = following.call
    return Upcoming(articles[call.pk], call, following.at, seconds, masked(call.reason), following.paced)


def shown_attempts(attempts: list[Attempt], reader: Reader) -> list[ShownAttempt]:
    articles = shown_articles([attempt.call for attempt in attempts], reader)
    return [shown_attempt(attempt, articles) for attempt in attempts]


def shown_attempt(attempt: Attempt, articles: dict[int, ShownArticle]) -> ShownAttempt:
    return ShownAttempt(attempt, articles[attempt.call_id], masked(attempt.message), phases_of(attempt.phases))


def shown_articles(calls: list[Call], reader: Reader) -> dict[int, ShownArticle]:
    """How each call's article is named to this reader, by the id of the call: 1 query.

    The articles of a TEST queue went to the server under their opaque ids, and its team is told no more than that.
    """
    seen = set(reader.articles.filter(pk__in={call.article_id for call in calls}).values_list("pk", flat=True))
    named = {
        call.pk for call in calls if call.article_id in seen and (reader.staff or call.queue.mode != QueueMode.TEST)
    }
    return {call.pk: shown_article(call.article, call.pk in named) for call in calls}


def shown_article(article: Article, named: bool) -> ShownArticle:
    if not named:
        return ShownArticle(article.opaque, "")
    return ShownArticle(str(article), str(article.pmid or article.opaque))


def phases_of(phases: dict[str, float]) -> list[ShownPhase]:
    """The phases of time in their order, as parts of one bar."""
    ordered = [key for key in PHASES if key in phases]
    total = sum(phases[key] for key in ordered) or 1.0
    parts, passed = [], 0.0
    for key in ordered:
        share = 100 * phases[key] / total
        parts.append(ShownPhase(key, PHASES[key], phases[key], round(passed, 2), round(share, 2)))
        passed += share
    return parts


def texts_of(attempt: Attempt) -> tuple[str, str]:
    """The first bytes of the request and of the answer, fit to be shown."""
    return shown(bytes(attempt.request)), shown(bytes(attempt.answer))

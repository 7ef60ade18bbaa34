"""Database queries for the availability that pages and API show, which a task has computed before."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import F, QuerySet

from servers.availability.measures.answer_rates_and_times import AnswerTotals
from servers.availability.measures.dependability import Dependability
from servers.availability.measures.percentiles import (
    PERCENTS,
    nearest_rank_percentile_seconds,
    sum_counts_by_bucket_number,
)
from servers.availability.measures.windows import WINDOW_LENGTHS, Window
from servers.availability.models import DayUptime, Downtime, Figures, HourTally, Maintenance
from servers.registry.models import Server
from servers.review.states import ReviewState

LATEST_ROWS = 10
HISTORY_DAYS = 90
PLOTTED_TIME = timedelta(hours=48)
COUNT_FIELDS = (
    *("answered", "empty", "invalid", "connection", "communication", "no_answer"),
    *("documents", "annotations", "document_bytes", "seconds", "slowest"),
    *("round_trips", "acknowledged", "acknowledgement_seconds"),
)


@dataclass(frozen=True, slots=True)
class WindowFigures:
    """The figures of a server over one window. Before they are first computed, until is None and they are empty."""

    window: Window
    until: datetime | None
    uptime: Dependability
    answers: AnswerTotals


@dataclass(frozen=True, slots=True)
class PublishedServer:
    """A server with its figures over each window, shortest window first."""

    server: Server
    windows: Sequence[WindowFigures]

    @property
    def down_now(self) -> bool:
        return self.windows[0].uptime.down_now

    def get_window_figures(self, window: Window) -> WindowFigures:
        return next(figures for figures in self.windows if figures.window == window)


@dataclass(frozen=True, slots=True)
class PublishedAvailability:
    """All public data about the availability of a server; days are in chronological order, other lists latest first."""

    figures: PublishedServer
    days: Sequence[DayUptime]
    downtimes: Sequence[Downtime]
    maintenance: Sequence[Maintenance]


@dataclass(frozen=True, slots=True)
class HourlyTimes:
    """The response times of the attempts that began in one hour; p50, p95 and slowest in seconds."""

    begins: datetime
    responses: int
    p50: float
    p95: float
    slowest: float


def build_window_figures(row: Figures) -> WindowFigures:
    uptime = Dependability(row.observed, row.down, row.down_or_paused, row.failures, row.down_now)
    percentiles = {percent: getattr(row, f"p{percent}") for percent in PERCENTS}
    answers = AnswerTotals(**{name: getattr(row, name) for name in COUNT_FIELDS}, percentiles=percentiles)
    return WindowFigures(Window(row.window), row.until, uptime, answers)


def build_published_server(server: Server) -> PublishedServer:
    """A server with its figures: 1 query, none if they are prefetched."""
    computed = {row.window: build_window_figures(row) for row in server.figures.all()}
    empty = {window: WindowFigures(window, None, Dependability(), AnswerTotals()) for window in Window}
    return PublishedServer(server, [computed.get(window, empty[window]) for window in Window])


def list_servers_with_figures_by_name(servers: QuerySet[Server]) -> list[PublishedServer]:
    """The servers sorted by name with all their figures: 2 queries for any number of servers."""
    listed = servers.select_related("team").prefetch_related("figures").order_by("name", "pk")
    return [build_published_server(server) for server in listed]


def get_public_figures_and_recent_history(server: Server, now: datetime) -> PublishedAvailability:
    """The public availability data of a server: 4 queries."""
    since = (now - timedelta(days=HISTORY_DAYS)).date()
    planned = server.maintenance.filter(ends__gt=now - timedelta(days=HISTORY_DAYS)).select_related("by")
    return PublishedAvailability(
        figures=build_published_server(server),
        days=list(server.days.filter(day__gt=since).order_by("day")),
        downtimes=list(server.downtimes.order_by(F("ended").desc(nulls_first=True), "-started", "-pk")[:LATEST_ROWS]),
        maintenance=list(planned.order_by("-starts", "-pk")[:LATEST_ROWS]),
    )


def find_30_day_figures(server_slug: str) -> Figures | None:
    """The figures over 30 days of the accepted server with this slug; None if there are none yet: 1 query."""
    accepted = Figures.objects.filter(server__review=ReviewState.ACCEPTED).select_related("server")
    return accepted.filter(server__slug=server_slug, window=Window.MONTH).first()


def list_recent_hours_with_answers(server: Server, now: datetime) -> list[HourlyTimes]:
    """Response times for each recent hour with answers, oldest first: 1 query."""
    rows = HourTally.objects.filter(server=server, begins__gt=now - PLOTTED_TIME, slowest__isnull=False)
    return [_build_hourly_times(row) for row in rows.order_by("begins")]


def _build_hourly_times(row: HourTally) -> HourlyTimes:
    buckets, slowest = sum_counts_by_bucket_number([row.buckets]), row.slowest or 0.0
    p50, p95 = (min(nearest_rank_percentile_seconds(buckets, percent) or 0.0, slowest) for percent in (50, 95))
    return HourlyTimes(row.begins, row.answered + row.empty, p50, p95, slowest)


def list_history_days_with_optional_uptime(
    stored_days: Sequence[DayUptime], today: date
) -> list[tuple[date, DayUptime | None]]:
    """Every day of the history up to today, with None for days without data."""
    uptimes = {row.day: row for row in stored_days}
    dates = [today - timedelta(days=ago) for ago in reversed(range(HISTORY_DAYS))]
    return [(day, uptimes.get(day)) for day in dates]


def list_windows_that_differ(published: PublishedAvailability, today: date) -> list[tuple[WindowFigures, date | None]]:
    """The figures over each window that began after the first observation, and over all time since.

    The latter have the day of the first observation; it is None for the others, and unknown without observed days.
    """
    first = next((row.day for row in published.days if row.observed), None)
    if first is None:
        return [(each, None) for each in published.figures.windows]
    age = today - first
    windows = published.figures.windows
    number = sum(WINDOW_LENGTHS[each.window] <= age for each in windows)
    return [*((each, None) for each in windows[:number]), *((each, first) for each in windows[number : number + 1])]

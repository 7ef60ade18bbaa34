"""What pages and the API read of availability: only what a task computed before, so that it costs always the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import F, Q, QuerySet

from servers.availability.measures import Answers, Dependability
from servers.availability.models import DayUptime, Downtime, Figures, HourTally, Maintenance
from servers.availability.percentiles import PERCENTS, added, percentile
from servers.availability.windows import Window
from servers.models import Server

LATEST = 10
HISTORY_DAYS = 90
PLOTTED = timedelta(hours=48)
COUNTS = (
    *("answered", "empty", "invalid", "connection", "communication", "no_answer"),
    *("documents", "annotations", "document_bytes", "seconds", "slowest"),
    *("round_trips", "acknowledged", "acknowledgement_seconds"),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """A server over one window: nothing observed and nothing answered as long as nothing was computed."""

    window: Window
    until: datetime | None
    uptime: Dependability
    answers: Answers


@dataclass(frozen=True, slots=True)
class PublishedServer:
    """A server with its figures over each window, the shortest first."""

    server: Server
    windows: Sequence[Measured]

    @property
    def down_now(self) -> bool:
        return self.windows[0].uptime.down_now

    def over(self, window: Window) -> Measured:
        return next(measured for measured in self.windows if measured.window == window)


@dataclass(frozen=True, slots=True)
class Published:
    """All that everybody may know of how dependable a server is; days are the latest, the oldest first."""

    figures: PublishedServer
    days: Sequence[DayUptime]
    downtimes: Sequence[Downtime]
    maintenance: Sequence[Maintenance]


@dataclass(frozen=True, slots=True)
class HourOfTimes:
    """The response times of the attempts that began in one hour; p50, p95 and slowest in seconds."""

    begins: datetime
    responses: int
    p50: float
    p95: float
    slowest: float


def measured(row: Figures) -> Measured:
    uptime = Dependability(row.observed, row.down, row.down_or_paused, row.failures, row.down_now)
    percentiles = {percent: getattr(row, f"p{percent}") for percent in PERCENTS}
    answers = Answers(**{name: getattr(row, name) for name in COUNTS}, percentiles=percentiles)
    return Measured(Window(row.window), row.until, uptime, answers)


def published_of(server: Server) -> PublishedServer:
    """From the figures of a server, which may have been prefetched."""
    known = {row.window: measured(row) for row in server.figures.all()}
    nothing = {window: Measured(window, None, Dependability(), Answers()) for window in Window}
    return PublishedServer(server, [known.get(window, nothing[window]) for window in Window])


def published_servers(servers: QuerySet[Server]) -> list[PublishedServer]:
    """Servers by name with all their figures: 2 queries, whatever there is."""
    listed = servers.select_related("team").prefetch_related("figures").order_by("name", "pk")
    return [published_of(server) for server in listed]


def published(server: Server, now: datetime) -> Published:
    """4 queries, whatever there is."""
    since = (now - timedelta(days=HISTORY_DAYS)).date()
    planned = server.maintenance.filter(ends__gt=now - timedelta(days=HISTORY_DAYS)).select_related("by")
    return Published(
        figures=published_of(server),
        days=list(server.days.filter(day__gt=since).order_by("day")),
        downtimes=list(server.downtimes.order_by(F("ended").desc(nulls_first=True), "-started", "-pk")[:LATEST]),
        maintenance=list(planned.order_by("-starts", "-pk")[:LATEST]),
    )


def badge_figures(slug: str) -> Figures | None:
    """The figures of 30 days, with their server: 1 query. None of a server that has none yet."""
    return Figures.objects.select_related("server").filter(Q(server__slug=slug, window=Window.MONTH)).first()


def hours_of_times(server: Server, now: datetime) -> list[HourOfTimes]:
    """Response times by hour, of the hours in which something was answered, the oldest first: 1 query."""
    rows = HourTally.objects.filter(server=server, begins__gt=now - PLOTTED, slowest__isnull=False)
    return [hour_of(row) for row in rows.order_by("begins")]


def hour_of(row: HourTally) -> HourOfTimes:
    buckets, slowest = added([row.buckets]), row.slowest or 0.0
    p50, p95 = (min(percentile(buckets, percent) or 0.0, slowest) for percent in (50, 95))
    return HourOfTimes(row.begins, row.answered + row.empty, p50, p95, slowest)


def days_without_gaps(days: Sequence[DayUptime], today: date) -> list[tuple[date, DayUptime | None]]:
    """Every day of the history up to today, None where nothing is known."""
    known = {row.day: row for row in days}
    dates = [today - timedelta(days=ago) for ago in reversed(range(HISTORY_DAYS))]
    return [(day, known.get(day)) for day in dates]

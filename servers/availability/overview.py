"""The list of servers as pictures: availability and response times by day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.utils.safestring import SafeString, mark_safe

from bcms.lib.svg.day_bars import render_day_strip
from bcms.lib.svg.sparklines import render_sparkline
from servers.availability.measures.windows import Window
from servers.availability.models import DayTally, DayUptime
from servers.availability.queries import PublishedServer
from servers.availability.wording import format_response_time, format_share_as_percent_rounded_down

DAYS = 30
Figure = Mapping[tuple[int, date], float]


@dataclass(frozen=True, slots=True)
class ServerOverview:
    """A server in the list: its availability over 30 days in words, and both pictures.

    times is "" without two days with answers.
    """

    listed: PublishedServer
    words: str
    days: SafeString
    times: SafeString


def load_server_overviews(servers: Sequence[PublishedServer], today: date) -> list[ServerOverview]:
    """2 queries for any number of servers."""
    keys = [each.server.pk for each in servers]
    dates = [today - timedelta(days=days_ago) for days_ago in reversed(range(DAYS))]
    shares, times = _load_availability(keys, dates[0]), _load_mean_response_times(keys, dates[0])
    return [_build_overview(each, dates, shares, times) for each in servers]


def _load_availability(servers: Sequence[int], since: date) -> Figure:
    """From 0 to 1, by server and day; without the days on which it was not observed."""
    rows = DayUptime.objects.filter(server__in=servers, day__gte=since, observed__gt=0)
    values = rows.values_list("server", "day", "observed", "down")
    return {(server, day): (observed - down) / observed for server, day, observed, down in values}


def _load_mean_response_times(servers: Sequence[int], since: date) -> Figure:
    """In seconds, by server and day; without the days without answers."""
    rows = DayTally.objects.filter(server__in=servers, begins__gte=datetime.combine(since, time.min, UTC))
    values = rows.values_list("server", "begins", "answered", "empty", "seconds")
    return {
        (server, begins.date()): seconds / (answered + empty)
        for server, begins, answered, empty, seconds in values
        if answered + empty
    }


def _build_overview(listed: PublishedServer, dates: Sequence[date], shares: Figure, times: Figure) -> ServerOverview:
    key = listed.server.pk
    up, means = [shares.get((key, day)) for day in dates], [times.get((key, day)) for day in dates]
    labels = [f"{day:%-d %B}" for day in dates]
    observed = [label for label, share in zip(labels, up, strict=True) if share is not None]
    words = _describe_month(listed, observed[0] if observed and up[0] is None else "")
    days = render_day_strip(
        up,
        id_prefix=f"days-{key}",
        title=f"Availability of {listed.server.name} on each of the last {DAYS} days: {words}",
        figure="Availability",
        labels=labels,
    )
    line = render_sparkline(
        means,
        id_prefix=f"times-{key}",
        title=_describe_times(listed, means),
        figure="Mean response time in seconds",
        labels=labels,
    )
    return ServerOverview(listed, words, mark_safe(days), mark_safe(line))


def _describe_month(listed: PublishedServer, observed_since: str) -> str:
    """observed_since: the first day on which the server was observed, "" if it was on the first of the 30 days."""
    uptime = listed.get_window_figures(Window.MONTH).uptime
    if uptime.availability is None:
        return "not observed yet"
    since = f" since {observed_since}" if observed_since else ""
    if not uptime.failures and not uptime.down:
        return f"never down{since}"
    share = format_share_as_percent_rounded_down(uptime.availability)
    return f"{share} up, {uptime.failures:,} downtime{'' if uptime.failures == 1 else 's'}{since}"


def _describe_times(listed: PublishedServer, means: Sequence[float | None]) -> str:
    known = [mean for mean in means if mean is not None]
    if not known:
        return ""
    lowest, highest, last = map(format_response_time, (min(known), max(known), known[-1]))
    name = listed.server.name
    return f"Mean response time of {name} by day over the last {DAYS} days: {lowest} to {highest}, last {last}"

"""Charts of a server's availability and response times. Pages show the same figures in tables beside them."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from math import ceil, floor, log10

from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe

from bcms.lib.durations import format_duration
from bcms.lib.svg import badges
from bcms.lib.svg.axes import Axis
from bcms.lib.svg.day_bars import DayShare, render_day_bars
from bcms.lib.svg.line_charts import render_line_chart
from bcms.lib.svg.series_lines import LineSeries
from servers.availability import queries as availability_queries
from servers.availability.models import DayUptime, Figures
from servers.availability.queries import (
    HISTORY_DAYS,
    HourlyTimes,
    build_window_figures,
    list_history_days_with_optional_uptime,
    list_windows_that_differ,
)
from servers.availability.recent_answers import load_recent_answers
from servers.availability.wording import format_response_time, format_share_as_percent_rounded_down
from servers.registry.models import Server

HOUR, DAY = 3600, 86400
# In seconds.
TEN_MINUTES = 600.0


def render_hourly_p50_and_p95_chart(at_least_one_hour: Sequence[HourlyTimes], now: datetime) -> SafeString:
    """A line chart of p50 and p95 by hour since the first one, on a logarithmic axis; ValueError for no hour."""
    begins = (at_least_one_hour[0].begins - now).total_seconds() / HOUR
    middles = [(hour.begins - now).total_seconds() / HOUR + 0.5 for hour in at_least_one_hour]
    labels = [_format_hour(hour.begins) for hour in at_least_one_hour]
    fastest = min(hour.p50 for hour in at_least_one_hour)
    axis_start = 10.0 ** min(floor(log10(max(fastest, 0.001))), 1)
    slowest = max(hour.p95 for hour in at_least_one_hour)
    # Ten minutes are the maximum duration of a call.
    axis_end = min(10.0 ** ceil(log10(max(slowest, 10 * axis_start))), TEN_MINUTES)
    series = [
        LineSeries(
            "p50: half of the answers took no longer",
            [(x, hour.p50) for x, hour in zip(middles, at_least_one_hour, strict=True)],
            labels=labels,
        ),
        LineSeries(
            "p95: 95 % of the answers took no longer",
            [(x, hour.p95) for x, hour in zip(middles, at_least_one_hour, strict=True)],
            labels=labels,
        ),
    ]
    svg = render_line_chart(
        series,
        id_prefix="times",
        title="Response times by hour",
        description="The axis of the times is logarithmic. The table shows the figures.",
        x_axis=Axis("hours before now", float(floor(begins)), 0.0),
        y_axis=Axis("seconds", axis_start, axis_end, logarithmic=True),
    )
    return mark_safe(svg)


def _format_hour(begins: datetime) -> str:
    return f"{begins:%-d %B, %H:%M} to {begins + timedelta(hours=1):%H:%M} UTC"


def _render_history_bar(days: Sequence[DayUptime], today: date) -> SafeString:
    """A bar chart of the availability on each day of the history."""
    columns = [
        DayShare(_compute_day_availability(row), _format_day_availability(day, row))
        for day, row in list_history_days_with_optional_uptime(days, today)
    ]
    title = f"Availability on each of the last {len(columns)} days"
    return mark_safe(render_day_bars(columns, id_prefix="history", title=title))


def _compute_day_availability(row: DayUptime | None) -> float | None:
    """The availability on one day, from 0 to 1; None if the server was not observed."""
    return (row.observed - row.down) / row.observed if row is not None and row.observed else None


def _format_day_availability(day: date, row: DayUptime | None) -> str:
    share = _compute_day_availability(row)
    if row is None or share is None:
        return f"{day:%-d %B %Y}: not observed"
    return f"{day:%-d %B %Y}: {format_share_as_percent_rounded_down(share)}" + (
        f", down for {format_duration(row.down)}" if row.down else ""
    )


def render_30_day_availability_badge(month_figures: Figures | None) -> str:
    """The SVG badge with availability and median response time over the observed part of 30 days.

    month_figures is None if there are no figures yet.
    """
    figures = build_window_figures(month_figures) if month_figures else None
    share = figures.uptime.availability if figures else None
    if month_figures is None or share is None:
        return badges.render_badge("BCMS", "not observed yet", badges.UNKNOWN)
    colour = badges.GOOD if share >= 0.99 else badges.FAIR if share >= 0.9 else badges.BAD
    times = "" if month_figures.p50 is None else f", p50 {format_response_time(month_figures.p50)}"
    # A server that is planned to rest for some hours is still observed for a month.
    length = "30 d" if month_figures.observed > 29 * DAY else format_duration(month_figures.observed)
    uptime = f"{format_share_as_percent_rounded_down(share)} up in {length}"
    return badges.render_badge("BCMS", f"{uptime}{times}", colour)


def build_response_times_context(server: Server, now: datetime) -> dict[str, object]:
    """The template context of a server's response times by hour, with a chart of two hours or more: 1 query."""
    hours = availability_queries.list_recent_hours_with_answers(server, now)
    return {"hours": hours, "times_chart": render_hourly_p50_and_p95_chart(hours, now) if len(hours) > 1 else ""}


def build_availability_context(server: Server) -> dict[str, object]:
    """The template context of a server's availability."""
    now = timezone.now()
    published = availability_queries.get_public_figures_and_recent_history(server, now)
    return {
        **build_response_times_context(server, now),
        "published": published,
        "now": now,
        "recent": load_recent_answers(server, now.date()),
        "windows": list_windows_that_differ(published, now.date()),
        "history": _render_history_bar(published.days, now.date()),
        "history_begins": now - timedelta(days=HISTORY_DAYS - 1),
        "down_days": [day for day in reversed(published.days) if day.down_or_paused],
    }

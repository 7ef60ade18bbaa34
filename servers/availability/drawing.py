"""What is drawn of a server's availability and times; the same figures stand in tables beside each drawing."""

from collections.abc import Sequence
from datetime import date, datetime
from math import floor, log10

from django.utils.safestring import SafeString, mark_safe

from bcms.lib.durations import in_words
from bcms.lib.svg import badges
from bcms.lib.svg.axes import Axis
from bcms.lib.svg.history import Day, day_bar
from bcms.lib.svg.line_charts import line_chart
from bcms.lib.svg.lines import Series
from servers.availability.models import DayUptime, Figures
from servers.availability.querysets import PLOTTED, HourOfTimes, days_without_gaps, measured
from servers.availability.wording import percent_of, response_time

HOUR = 3600
# The most a call may take, which is the top of the plot of times.
TEN_MINUTES = 600.0


def times_chart(hours: Sequence[HourOfTimes], now: datetime) -> SafeString:
    """p50 and p95 by hour, up to the ten minutes that a call may take. hours must not be empty."""
    ago = [(hour.begins - now).total_seconds() / HOUR + 0.5 for hour in hours]
    lowest = min(hour.p50 for hour in hours)
    low = 10.0 ** min(floor(log10(max(lowest, 0.001))), 1)
    series = [
        Series("p50: half of the answers took no longer", [(x, hour.p50) for x, hour in zip(ago, hours, strict=True)]),
        Series("p95: 95 % of the answers took no longer", [(x, hour.p95) for x, hour in zip(ago, hours, strict=True)]),
    ]
    drawing = line_chart(
        series,
        name="times",
        title="Response times by hour",
        description="The top of the plot is the ten minutes that a call may take. The figures are in the table.",
        x=Axis("hours before now", -PLOTTED.total_seconds() / HOUR, 0.0),
        y=Axis("seconds", low, TEN_MINUTES, logarithmic=True),
    )
    return mark_safe(drawing)


def history_bar(days: Sequence[DayUptime], today: date) -> SafeString:
    """Availability day by day."""
    columns = [Day(share_of(row), words_of(day, row)) for day, row in days_without_gaps(days, today)]
    title = f"Availability on each of the last {len(columns)} days"
    return mark_safe(day_bar(columns, name="history", title=title))


def share_of(row: DayUptime | None) -> float | None:
    return (row.observed - row.down) / row.observed if row is not None and row.observed else None


def words_of(day: date, row: DayUptime | None) -> str:
    share = share_of(row)
    if row is None or share is None:
        return f"{day:%-d %B %Y}: not observed"
    return f"{day:%-d %B %Y}: {percent_of(share)}" + (f", down for {in_words(row.down)}" if row.down else "")


def badge(row: Figures | None) -> str:
    """Availability and median time over 30 days."""
    known = measured(row) if row else None
    share = known.uptime.availability if known else None
    if row is None or share is None:
        return badges.badge("BCMS", "not observed yet", badges.UNKNOWN)
    colour = badges.GOOD if share >= 0.99 else badges.FAIR if share >= 0.9 else badges.BAD
    times = "" if row.p50 is None else f", p50 {response_time(row.p50)}"
    return badges.badge("BCMS", f"{percent_of(share)} up in 30 d{times}", colour)

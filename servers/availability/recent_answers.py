"""The answers of a server over the last 30 days as pictures: times, outcomes, and articles by day."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.utils.safestring import SafeString, mark_safe

from bcms.lib.svg.axes import Axis
from bcms.lib.svg.line_charts import render_line_chart
from bcms.lib.svg.series_lines import LineSeries
from servers.availability.measures.percentiles import compute_geometric_middle_seconds, sum_counts_by_bucket_number
from servers.availability.models import DayTally
from servers.registry.models import Server

RECENT_DAYS = 30
# The upper ends of the bars of the histogram, in seconds; the last bar has no end.
TIME_ENDS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
TIME_LABELS = (
    *("under 30 ms", "30 to 100 ms", "100 to 300 ms", "300 ms to 1 s", "1 to 3 s", "3 to 10 s", "10 to 30 s"),
    *("30 to 100 s", "100 to 300 s", "over 300 s"),
)
# What became of the attempts, by the fields of the tallies.
OUTCOME_LABELS = {
    "answered": "answered",
    "empty": "empty answer",
    "invalid": "answer breaks a rule",
    "communication": "unreadable answer",
    "no_answer": "no answer in time",
    "connection": "no connection",
}


@dataclass(frozen=True, slots=True)
class CountBar:
    """A number with its label; length: of its bar, in whole percent of the longest one; share: of all, in percent."""

    label: str
    number: int
    length: int
    share: float


@dataclass(frozen=True, slots=True)
class RecentAnswers:
    """times: the histogram without empty bars at its ends; outcomes: those that occurred.

    by_day: a chart of the days since the first attempt, "" if that was today.
    """

    attempts: int
    times: Sequence[CountBar]
    outcomes: Sequence[CountBar]
    by_day: SafeString


def load_recent_answers(server: Server, today: date) -> RecentAnswers | None:
    """None without any attempt in this time: 1 query."""
    first = today - timedelta(days=RECENT_DAYS - 1)
    tallies = list(DayTally.objects.filter(server=server, begins__gte=datetime.combine(first, time.min, UTC)))
    outcomes = Counter({name: sum(getattr(tally, name) for tally in tallies) for name in OUTCOME_LABELS})
    if not outcomes.total():
        return None
    by_day = {(tally.begins.date() - today).days: tally.answered + tally.empty for tally in tallies}
    return RecentAnswers(
        outcomes.total(),
        build_time_histogram(sum_counts_by_bucket_number([tally.buckets for tally in tallies])),
        _build_bars({label: outcomes[name] for name, label in OUTCOME_LABELS.items() if outcomes[name]}),
        _render_answers_by_day(by_day, today),
    )


def build_time_histogram(count_by_bucket: Mapping[int, int]) -> list[CountBar]:
    """Bars three times as wide as the one before, of counts in the buckets of measures/percentiles.py."""
    counts = [0] * len(TIME_LABELS)
    for bucket, number in count_by_bucket.items():
        middle = compute_geometric_middle_seconds(bucket)
        counts[sum(middle >= end for end in TIME_ENDS)] += number
    filled = [place for place, number in enumerate(counts) if number]
    if not filled:
        return []
    return _build_bars({TIME_LABELS[place]: counts[place] for place in range(filled[0], filled[-1] + 1)})


def _build_bars(counts: Mapping[str, int]) -> list[CountBar]:
    total, longest = sum(counts.values()), max(counts.values())
    return [
        CountBar(label, number, round(100 * number / longest), 100 * number / total) for label, number in counts.items()
    ]


def _render_answers_by_day(number_by_day: Mapping[int, int], today: date) -> SafeString:
    """number_by_day: by the day, as a number of days after today; later days without any are 0."""
    days = range(min(number_by_day), 1)
    if len(days) < 2:
        return SafeString()
    numbers = [number_by_day.get(day, 0) for day in days]
    drawing = render_line_chart(
        [
            LineSeries(
                "articles answered in a day",
                [(float(day), float(n)) for day, n in zip(days, numbers, strict=True)],
                labels=[f"{today + timedelta(days=day):%-d %B}" for day in days],
            )
        ],
        id_prefix="answers-by-day",
        title=f"Articles answered by day: {sum(numbers):,} in {len(days)} days, at most {max(numbers):,} in one",
        description="Today, on the right, is not over.",
        x_axis=Axis("days before today", float(days[0]), 0.0),
        y_axis=Axis("articles", 0.0, float(max(*numbers, 1))),
    )
    # The chart escapes every text.
    return mark_safe(drawing)

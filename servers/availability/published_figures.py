"""Compute the published figures of every server from roll-ups, downtimes, changes of state and maintenance."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Max, Q

from servers.availability.measures.dependability import AvailabilityHistory, Dependability, compute_dependability
from servers.availability.measures.percentiles import (
    PERCENTS,
    nearest_rank_percentile_seconds,
    sum_counts_by_bucket_number,
)
from servers.availability.measures.time_spans import TimeSpan
from servers.availability.measures.windows import LONGEST_WINDOW, WINDOW_LENGTHS, Window
from servers.availability.models import DayTally, DayUptime, Downtime, Figures, HourTally, Tally
from servers.availability.rollups import roll_up_attempts_and_delete_old_hours
from servers.registry.models import Server, ServerEvent
from servers.registry.states import ServerState

DAY = timedelta(days=1)
SUMMED_FIELDS = (
    *("answered", "empty", "invalid", "connection", "communication", "no_answer"),
    *("documents", "annotations", "document_bytes", "seconds"),
    *("round_trips", "acknowledged", "acknowledgement_seconds"),
)
# Servers that their team stopped are not observed; servers in state FAIL are observed as down.
OBSERVED_STATES = frozenset({ServerState.ONLINE, ServerState.FAIL})


def update_rollups_and_figures_of_servers(now: datetime) -> int:
    """Compute the figures of every server up to now; returns how many servers. A few queries for each server."""
    roll_up_attempts_and_delete_old_hours(now)
    servers = list(Server.objects.order_by("pk"))
    for server in servers:
        history = _read_availability_history(server, now)
        tallies = list(_iter_tallies(server, now))
        _store_figures([_build_figures(server, window, now, history, tallies) for window in WINDOW_LENGTHS])
        _store_day_uptimes(server, history, now)
    return len(servers)


def _read_availability_history(server: Server, now: datetime) -> AvailabilityHistory:
    """The history of a server over the longest window and two more days: 3 queries."""
    since = now - LONGEST_WINDOW - 2 * DAY
    period = TimeSpan(max(since, server.created), now)
    events = server.events.filter(at__gt=since, at__lte=now).order_by("at", "pk")
    states = list(_iter_state_spans(server.state, events, period))
    downtimes = list(server.downtimes.filter(Q(ended__isnull=True) | Q(ended__gt=since)))
    planned = server.maintenance.filter(ends__gt=since, starts__lt=now)
    failed = [span for state, span in states if state == ServerState.FAIL]
    return AvailabilityHistory(
        at_work=[span for state, span in states if state in OBSERVED_STATES],
        down=[*failed, *(_get_downtime_span(each, now) for each in downtimes if each.sort == Downtime.Type.DOWN)],
        paused=[_get_downtime_span(each, now) for each in downtimes if each.sort == Downtime.Type.PAUSED],
        maintenance=[TimeSpan(each.starts, each.ends) for each in planned],
    )


def _iter_state_spans(state: str, events: Iterable[ServerEvent], period: TimeSpan) -> Iterator[tuple[str, TimeSpan]]:
    """The states of a server in a period with their time spans.

    events are its changes of state in the period in chronological order; state is the current one, for the case that
    there are no events.
    """
    since = period.start
    for event in events:
        yield event.before, TimeSpan(since, event.at)
        since, state = event.at, event.after
    yield state, TimeSpan(since, period.end)


def _get_downtime_span(downtime: Downtime, now: datetime) -> TimeSpan:
    return TimeSpan(downtime.started, downtime.ended or now)


def _iter_tallies(server: Server, now: datetime) -> Iterator[Tally]:
    """The days of the longest window, and the hours of the days on which a window starts or ends: 2 queries."""
    boundaries = {_compute_utc_midnight(now - length) for length in WINDOW_LENGTHS.values()}
    boundaries.add(_compute_utc_midnight(now))
    in_boundary_days = Q()
    for midnight in boundaries:
        in_boundary_days |= Q(begins__gte=midnight, begins__lt=midnight + DAY)
    yield from HourTally.objects.filter(in_boundary_days, server=server)
    yield from DayTally.objects.filter(
        server=server, begins__gt=now - LONGEST_WINDOW, begins__lt=_compute_utc_midnight(now)
    )


def _compute_utc_midnight(moment: datetime) -> datetime:
    return datetime.combine(moment.astimezone(UTC).date(), time(), UTC)


def _select_tallies_since(tallies: Sequence[Tally], start: datetime, now: datetime) -> list[Tally]:
    """The tallies from start, which is a full hour, to now: whole days, and hours for the partial days at both ends."""
    first_day, today = _compute_utc_midnight(start + DAY - timedelta(microseconds=1)), _compute_utc_midnight(now)
    return [
        tally
        for tally in tallies
        if (first_day <= tally.begins < today) == isinstance(tally, DayTally) and tally.begins >= start
    ]


def _build_figures(
    server: Server, window: Window, now: datetime, history: AvailabilityHistory, tallies: Sequence[Tally]
) -> Figures:
    """The figures over one window up to now, not saved."""
    start = now - WINDOW_LENGTHS[window]
    uptime = compute_dependability(TimeSpan(start, now), history)
    in_window = _select_tallies_since(tallies, start.replace(minute=0, second=0, microsecond=0), now)
    row = Figures(server=server, window=window, until=now, **_build_uptime_seconds(uptime))
    row.failures, row.down_now = uptime.failures, uptime.down_now
    return _fill_figure_counts(row, in_window)


def _build_uptime_seconds(uptime: Dependability) -> dict[str, float]:
    """The fields that Figures and DayUptime have in common."""
    return {"observed": uptime.observed, "down": uptime.down, "down_or_paused": uptime.down_or_paused}


def _fill_figure_counts(row: Figures, tallies: Sequence[Tally]) -> Figures:
    """Set the counts, sums and percentiles of a row from the tallies in its window."""
    for name in SUMMED_FIELDS:
        setattr(row, name, sum(getattr(tally, name) for tally in tallies))
    row.slowest = max((tally.slowest for tally in tallies if tally.slowest is not None), default=None)
    buckets = sum_counts_by_bucket_number([tally.buckets for tally in tallies])
    for percent in PERCENTS:
        middle = nearest_rank_percentile_seconds(buckets, percent)
        # The middle of the last bucket may exceed all values in it.
        setattr(row, f"p{percent}", middle if middle is None or row.slowest is None else min(middle, row.slowest))
    return row


def _store_figures(rows: Sequence[Figures]) -> None:
    kept = {"id", "server", "window"}
    changed = [field.name for field in Figures._meta.concrete_fields if field.name not in kept]
    Figures.objects.bulk_create(rows, update_conflicts=True, unique_fields=["server", "window"], update_fields=changed)


def _store_day_uptimes(server: Server, history: AvailabilityHistory, now: datetime) -> None:
    """Store the uptime of each day since the day before the last stored one, as a downtime may span midnight."""
    last = DayUptime.objects.filter(server=server).aggregate(last=Max("day"))["last"]
    first = max(last - DAY if last else server.created.date(), (now - LONGEST_WINDOW).date())
    rows = [_build_day_uptime(server, history, day, now) for day in _iter_dates(first, now.astimezone(UTC).date())]
    DayUptime.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["server", "day"],
        update_fields=["observed", "down", "down_or_paused"],
    )


def _iter_dates(first: date, last: date) -> Iterator[date]:
    """The dates from first to last, both included."""
    return (first + timedelta(days=number) for number in range((last - first).days + 1))


def _build_day_uptime(server: Server, history: AvailabilityHistory, day: date, now: datetime) -> DayUptime:
    begins = datetime.combine(day, time(), UTC)
    uptime = compute_dependability(TimeSpan(begins, min(begins + DAY, now)), history)
    return DayUptime(server=server, day=day, **_build_uptime_seconds(uptime))

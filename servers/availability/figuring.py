"""Compute the published figures of every server: from roll-ups, downtimes, changes of state and maintenance."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Max, Q

from servers.availability.measures import Dependability, History, dependability
from servers.availability.models import DayTally, DayUptime, Downtime, Figures, HourTally, Tally
from servers.availability.percentiles import PERCENTS, added, percentile
from servers.availability.spans import Span
from servers.availability.tallying import count_attempts
from servers.availability.windows import LENGTHS, LONGEST, Window
from servers.models import Server, ServerEvent
from servers.states import ServerState

DAY = timedelta(days=1)
SUMS = (
    *("answered", "empty", "invalid", "connection", "communication", "no_answer"),
    *("documents", "annotations", "document_bytes", "seconds"),
    *("round_trips", "acknowledged", "acknowledgement_seconds"),
)
# What its team took off is not observed; what failed is, and it is down.
OBSERVED = frozenset({ServerState.ONLINE, ServerState.FAIL})


def bring_up_to_date(now: datetime) -> int:
    """Figures of every server up to now; how many servers. Each costs the same few queries, however long its past."""
    count_attempts(now)
    servers = list(Server.objects.order_by("pk"))
    for server in servers:
        history = history_of(server, now)
        tallies = list(tallies_of(server, now))
        store_figures([figures(server, window, now, history, tallies) for window in LENGTHS])
        store_days(server, history, now)
    return len(servers)


def history_of(server: Server, now: datetime) -> History:
    """What is known of the longest window: 3 queries."""
    since = now - LONGEST - 2 * DAY
    whole = Span(max(since, server.created), now)
    spent = list(states(server.state, server.events.filter(at__gt=since, at__lte=now).order_by("at", "pk"), whole))
    known = list(server.downtimes.filter(Q(ended__isnull=True) | Q(ended__gt=since)))
    planned = server.maintenance.filter(ends__gt=since, starts__lt=now)
    failed = [span for state, span in spent if state == ServerState.FAIL]
    return History(
        at_work=[span for state, span in spent if state in OBSERVED],
        down=[*failed, *(length_of(each, now) for each in known if each.sort == Downtime.Sort.DOWN)],
        paused=[length_of(each, now) for each in known if each.sort == Downtime.Sort.PAUSED],
        maintenance=[Span(each.starts, each.ends) for each in planned],
    )


def states(state: str, events: Iterable[ServerEvent], whole: Span) -> Iterator[tuple[str, Span]]:
    """How long a server was in which state; state is the one that it is in now if nothing changed."""
    since = whole.start
    for event in events:
        yield event.before, Span(since, event.at)
        since, state = event.at, event.after
    yield state, Span(since, whole.end)


def length_of(downtime: Downtime, now: datetime) -> Span:
    return Span(downtime.started, downtime.ended or now)


def tallies_of(server: Server, now: datetime) -> Iterator[Tally]:
    """The days of the longest window, and the hours of those days with which a window begins or ends: 2 queries."""
    firsts = {midnight(now - length) for length in LENGTHS.values()} | {midnight(now)}
    in_part = Q()
    for first in firsts:
        in_part |= Q(begins__gte=first, begins__lt=first + DAY)
    yield from HourTally.objects.filter(in_part, server=server)
    yield from DayTally.objects.filter(server=server, begins__gt=now - LONGEST, begins__lt=midnight(now))


def midnight(moment: datetime) -> datetime:
    return datetime.combine(moment.astimezone(UTC).date(), time(), UTC)


def within(tallies: Sequence[Tally], start: datetime, now: datetime) -> list[Tally]:
    """The tallies that make up the time from start, a full hour, to now: whole days, and hours at both ends."""
    first, today = midnight(start + DAY - timedelta(microseconds=1)), midnight(now)
    return [
        tally
        for tally in tallies
        if (first <= tally.begins < today) == isinstance(tally, DayTally) and tally.begins >= start
    ]


def figures(server: Server, window: Window, now: datetime, history: History, tallies: Sequence[Tally]) -> Figures:
    start = now - LENGTHS[window]
    found = dependability(Span(start, now), history)
    parts = within(tallies, start.replace(minute=0, second=0, microsecond=0), now)
    return counted(Figures(server=server, window=window, until=now, **uptime(found)), parts, found)


def uptime(found: Dependability) -> dict[str, float]:
    return {"observed": found.observed, "down": found.down, "down_or_paused": found.down_or_paused}


def counted(row: Figures, parts: Sequence[Tally], found: Dependability) -> Figures:
    row.failures, row.down_now = found.failures, found.down_now
    for name in SUMS:
        setattr(row, name, sum(getattr(part, name) for part in parts))
    row.slowest = max((part.slowest for part in parts if part.slowest is not None), default=None)
    buckets = added([part.buckets for part in parts])
    for percent in PERCENTS:
        middle = percentile(buckets, percent)
        # The middle of the last bucket may be later than all that is in it.
        setattr(row, f"p{percent}", middle if middle is None or row.slowest is None else min(middle, row.slowest))
    return row


def store_figures(rows: Sequence[Figures]) -> None:
    kept = {"id", "server", "window"}
    changed = [field.name for field in Figures._meta.concrete_fields if field.name not in kept]
    Figures.objects.bulk_create(rows, update_conflicts=True, unique_fields=["server", "window"], update_fields=changed)


def store_days(server: Server, history: History, now: datetime) -> None:
    """Uptime by day, from the day before the last one that is known on: a downtime may have begun before midnight."""
    last = DayUptime.objects.filter(server=server).aggregate(last=Max("day"))["last"]
    first = max(last - DAY if last else server.created.date(), (now - LONGEST).date())
    rows = [day_of(server, history, day, now) for day in days(first, now.astimezone(UTC).date())]
    DayUptime.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["server", "day"],
        update_fields=["observed", "down", "down_or_paused"],
    )


def days(first: date, last: date) -> Iterator[date]:
    return (first + timedelta(days=number) for number in range((last - first).days + 1))


def day_of(server: Server, history: History, day: date, now: datetime) -> DayUptime:
    begins = datetime.combine(day, time(), UTC)
    found = dependability(Span(begins, min(begins + DAY, now)), history)
    return DayUptime(server=server, day=day, **uptime(found))

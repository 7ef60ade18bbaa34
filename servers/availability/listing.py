"""How the public list of servers is chosen and ordered by plain links."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from annotations.kinds import LABELS, Kind
from servers.availability.querysets import Measured, PublishedServer
from servers.availability.windows import Window

Value = Callable[[Measured], float | None]


@dataclass(frozen=True, slots=True)
class Column:
    """A figure by which the list can be ordered; the best come first, which are the lowest where low is good."""

    value: Value
    low_is_good: bool = False


COLUMNS: Mapping[str, Column] = {
    "availability": Column(lambda m: m.uptime.availability),
    "strict": Column(lambda m: m.uptime.strict_availability),
    "mtbf": Column(lambda m: m.uptime.mtbf if m.uptime.failures else m.uptime.up or None),
    "mttr": Column(lambda m: m.uptime.mttr, low_is_good=True),
    "p50": Column(lambda m: m.answers.percentiles.get(50), low_is_good=True),
    "p90": Column(lambda m: m.answers.percentiles.get(90), low_is_good=True),
    "p95": Column(lambda m: m.answers.percentiles.get(95), low_is_good=True),
    "p99": Column(lambda m: m.answers.percentiles.get(99), low_is_good=True),
    "slowest": Column(lambda m: m.answers.slowest, low_is_good=True),
    "art": Column(lambda m: m.answers.art, low_is_good=True),
    "art-less": Column(lambda m: m.answers.art_less_round_trip, low_is_good=True),
    "mtsa": Column(lambda m: m.answers.mtsa, low_is_good=True),
    "mad": Column(lambda m: m.answers.mad),
    "seconds-per-byte": Column(lambda m: m.answers.seconds_per_byte, low_is_good=True),
    "bytes-per-second": Column(lambda m: m.answers.bytes_per_second),
    "success": Column(lambda m: m.answers.success_rate),
    "timeouts": Column(lambda m: m.answers.timeout_rate, low_is_good=True),
    "refusals": Column(lambda m: m.answers.refusal_rate, low_is_good=True),
    "broken": Column(lambda m: m.answers.broken_rate, low_is_good=True),
    "invalid": Column(lambda m: m.answers.invalid_rate, low_is_good=True),
    "answers": Column(lambda m: m.answers.responses),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What a reader chose to see: of one kind or all, over a window, ordered by name ("") or a figure."""

    kind: str = ""
    window: Window = Window.MONTH
    sort: str = ""

    def link(self, **changed: str) -> str:
        """The query of the same list with something changed."""
        other = replace(self, **changed)  # type: ignore[arg-type]
        return "?" + urlencode({"kind": other.kind, "window": str(other.window), "sort": other.sort})

    @property
    def kinds(self) -> list[tuple[str, str]]:
        return [("", "All kinds"), *((kind.value, LABELS[kind]) for kind in Kind)]

    @property
    def windows(self) -> list[tuple[str, str]]:
        """The windows, each with the link to the list over it."""
        return [(window.value, self.link(window=window)) for window in Window]

    @property
    def uptimes(self) -> list[tuple[str, str]]:
        """The windows, each with the link that orders by the availability over it."""
        return [(window.value, self.link(window=window, sort="availability")) for window in Window]

    @property
    def by_name(self) -> str:
        return self.link(sort="")


def chosen(query: Mapping[str, str]) -> Choice:
    """The choice of an address; words that mean nothing choose nothing."""
    kind, window, sort = (query.get(name, "") for name in ("kind", "window", "sort"))
    return Choice(
        kind=kind if kind in set(Kind) else "",
        window=Window(window) if window in set(Window) else Window.MONTH,
        sort=sort if sort in COLUMNS else "",
    )


def ordered(servers: Sequence[PublishedServer], choice: Choice) -> list[PublishedServer]:
    """The best first; servers of which the figure is not known last. Equal ones stay in the order of their names."""
    if not choice.sort:
        return list(servers)
    column = COLUMNS[choice.sort]
    sign = 1 if column.low_is_good else -1

    def place(server: PublishedServer) -> tuple[bool, float]:
        value = column.value(server.over(choice.window))
        return value is None, sign * (value or 0.0)

    return sorted(servers, key=place)

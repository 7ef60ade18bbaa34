"""The filter and order of the public list of servers, as URL parameters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from annotations.schema import KIND_LABELS, Kind
from servers.availability.measures.dependability import Dependability
from servers.availability.measures.windows import Window
from servers.availability.queries import PublishedServer, WindowFigures

FigureGetter = Callable[[WindowFigures], float | None]


def _estimate_mtbf(uptime: Dependability) -> float | None:
    """Mean time between failures in seconds; its lower bound, the time up, without failures; None if not observed."""
    return uptime.mtbf if uptime.failures else uptime.up or None


@dataclass(frozen=True, slots=True)
class ServerListColumn:
    """A figure by which the list can be sorted, best first; low_is_good: lower values are better."""

    value: FigureGetter
    low_is_good: bool = False


SERVER_LIST_COLUMNS: Mapping[str, ServerListColumn] = {
    "availability": ServerListColumn(lambda figures: figures.uptime.availability),
    "strict": ServerListColumn(lambda figures: figures.uptime.strict_availability),
    "mtbf": ServerListColumn(lambda figures: _estimate_mtbf(figures.uptime)),
    "mttr": ServerListColumn(lambda figures: figures.uptime.mttr, low_is_good=True),
    "p50": ServerListColumn(lambda figures: figures.answers.percentiles.get(50), low_is_good=True),
    "p90": ServerListColumn(lambda figures: figures.answers.percentiles.get(90), low_is_good=True),
    "p95": ServerListColumn(lambda figures: figures.answers.percentiles.get(95), low_is_good=True),
    "p99": ServerListColumn(lambda figures: figures.answers.percentiles.get(99), low_is_good=True),
    "slowest": ServerListColumn(lambda figures: figures.answers.slowest, low_is_good=True),
    "art": ServerListColumn(lambda figures: figures.answers.art, low_is_good=True),
    "art-less": ServerListColumn(lambda figures: figures.answers.art_less_round_trip, low_is_good=True),
    "mtsa": ServerListColumn(lambda figures: figures.answers.mtsa, low_is_good=True),
    "mad": ServerListColumn(lambda figures: figures.answers.mad),
    "seconds-per-byte": ServerListColumn(lambda figures: figures.answers.seconds_per_byte, low_is_good=True),
    "bytes-per-second": ServerListColumn(lambda figures: figures.answers.bytes_per_second),
    "success": ServerListColumn(lambda figures: figures.answers.success_rate),
    "timeouts": ServerListColumn(lambda figures: figures.answers.timeout_rate, low_is_good=True),
    "refusals": ServerListColumn(lambda figures: figures.answers.refusal_rate, low_is_good=True),
    "broken": ServerListColumn(lambda figures: figures.answers.broken_rate, low_is_good=True),
    "invalid": ServerListColumn(lambda figures: figures.answers.invalid_rate, low_is_good=True),
    "answers": ServerListColumn(lambda figures: figures.answers.responses),
}


@dataclass(frozen=True, slots=True)
class ServerListChoice:
    """What the list shows: one kind or all (""), over which window, sorted by name ("") or a figure.

    unreviewed: whether servers that nobody has reviewed are included. detailed: whether the tables of all measures are
    open.
    """

    kind: str = ""
    window: Window = Window.MONTH
    sort: str = ""
    unreviewed: bool = False
    detailed: bool = False

    def link(self, **changed: str) -> str:
        """The query string of this list with some parameters changed."""
        other = replace(self, **changed)  # type: ignore[arg-type]
        parameters = {"kind": other.kind, "window": str(other.window), "sort": other.sort}
        return "?" + urlencode(parameters | ({"unreviewed": "1"} if other.unreviewed else {}))

    @property
    def kinds(self) -> list[tuple[str, str]]:
        """The options of the filter by kind: value and label."""
        return [("", "All kinds"), *((kind.value, KIND_LABELS[kind]) for kind in Kind)]

    @property
    def windows(self) -> list[tuple[str, str]]:
        """The windows, each with the link to the list over that window."""
        return [(window.value, self.link(window=window)) for window in Window]

    @property
    def uptimes(self) -> list[tuple[str, str]]:
        """The windows, each with the link that sorts by the availability over that window."""
        return [(window.value, self.link(window=window, sort="availability")) for window in Window]

    @property
    def by_name(self) -> str:
        return self.link(sort="")


def parse_server_list_choice_with_defaults(query_parameters: Mapping[str, str]) -> ServerListChoice:
    """The choice in the query parameters of a URL; unknown values are replaced by defaults."""
    kind, window, sort = (query_parameters.get(name, "") for name in ("kind", "window", "sort"))
    return ServerListChoice(
        kind=kind if kind in set(Kind) else "",
        window=Window(window) if window in set(Window) else Window.MONTH,
        sort=sort if sort in SERVER_LIST_COLUMNS else "",
        unreviewed=query_parameters.get("unreviewed") == "1",
        # Every link in the tables has both.
        detailed=not {"window", "sort"}.isdisjoint(query_parameters),
    )


def sort_servers_best_chosen_figure_first(
    servers_by_name: Sequence[PublishedServer], choice: ServerListChoice
) -> list[PublishedServer]:
    """The servers, given by name, sorted by the chosen figure: best first, unknown last, ties by name."""
    if not choice.sort:
        return list(servers_by_name)
    column = SERVER_LIST_COLUMNS[choice.sort]
    sign = 1 if column.low_is_good else -1

    def sort_key(server: PublishedServer) -> tuple[bool, float]:
        value = column.value(server.get_window_figures(choice.window))
        return value is None, sign * (value or 0.0)

    return sorted(servers_by_name, key=sort_key)

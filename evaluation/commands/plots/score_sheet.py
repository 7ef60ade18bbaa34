"""The plots of `score`: those that fit the task, of all runs together, best first."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence

from bcms.lib.svg.sheet import Panel, Sheet
from evaluation.analyses.timing import time_against_score
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import Report
from evaluation.commands.figures.text import listed
from evaluation.commands.files.inputs import tell
from evaluation.commands.files.maps import Maps
from evaluation.commands.files.runs import Files
from evaluation.commands.options.arguments import MENTIONS
from evaluation.commands.plots.calls import call_plots
from evaluation.commands.plots.lists import list_plots, mention_plots
from evaluation.commands.plots.plot_file import save_plots
from evaluation.commands.plots.plotted import LABELS, Plotted, best_first, leading_figure
from evaluation.plotting.drawn import MOST_DRAWN
from evaluation.plotting.time_plane import time_panel

Times = Mapping[str, Sequence[float]]


def draw(options: Namespace, files: Files, maps: Maps, reports: Sequence[Report], times: Times | None) -> None:
    """Write the file that --plot names. UsageError when there is nothing to draw or it cannot be written."""
    save_plots(options.plot, score_sheet(options, files, maps, reports, times))


def score_sheet(options: Namespace, files: Files, maps: Maps, reports: Sequence[Report], times: Times | None) -> Sheet:
    """The plots of all runs. UsageError when there is nothing to draw."""
    runs = best_first(options, files, reports)
    if not any(own.report.scored.answered and own.report.scored.results for own in runs):
        raise UsageError("There is nothing to draw, because no run has a result that counts; leave out --plot.")
    rows = [*panels(options, runs, maps), *time_row(options, runs, times)]
    number = f"{len(runs)} runs" if len(runs) > 1 else "one run"
    return Sheet(f"{options.task.upper()}, {number}", rows, notes(runs), about(runs, LABELS[leading_figure(options)]))


def panels(options: Namespace, runs: Sequence[Plotted], maps: Maps) -> Iterator[Sequence[Panel]]:
    if options.task == "act":
        return call_plots(options, runs)
    return mention_plots(options, runs) if options.task in MENTIONS else list_plots(options, runs, maps)


def time_row(options: Namespace, runs: Sequence[Plotted], times: Times | None) -> Iterator[Sequence[Panel]]:
    """The leading figure against the time of those runs that have one. UsageError when none has."""
    if times is None:
        return
    name = leading_figure(options)
    rows = time_against_score(times, {own.name: own.figure(name) for own in runs})
    if not rows:
        raise UsageError(
            f"No run has a time in {options.times}; it names {listed(list(times))}, "
            f"but the runs are {listed([own.name for own in runs])}."
        )
    lacking = [own.name for own in runs if own.name not in times]
    if lacking:
        tell([f"{options.times}: no time of {listed(lacking)}"])
    yield [time_panel(LABELS[name], rows)]


def about(runs: Sequence[Plotted], label: str) -> str:
    """What holds for all plots."""
    documents = max(own.report.scored.documents for own in runs)
    drawn = f" The {MOST_DRAWN} best are drawn, the tables have all." if len(runs) > MOST_DRAWN else ""
    order = f" Runs are in the order of {label}, best first." if len(runs) > 1 else ""
    return f"Documents: {documents:,}.{order}{drawn}"


def notes(runs: Sequence[Plotted]) -> list[str]:
    """What the figures mean: each signature, and whose it is."""
    named: dict[str, list[str]] = {}
    for own in runs:
        named.setdefault(own.report.signature, []).append(own.name)
    whose = {sign: "all runs" if len(names) == len(runs) else ", ".join(names) for sign, names in named.items()}
    return [f"{sign} ({names})" for sign, names in whose.items()]

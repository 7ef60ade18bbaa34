"""The sheet of plots of `score`: those of the task, with all runs, best first."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence

from bcms.lib.svg.plot_sheets import PlotPanel, PlotSheet
from evaluation.analyses.time_and_score import compare_times_and_scores_fastest_first
from evaluation.commands.errors import UsageError
from evaluation.commands.figures.report import ScoreReport
from evaluation.commands.figures.text_tables import format_name_list_with_rest_count
from evaluation.commands.files.inputs import print_to_stderr
from evaluation.commands.files.scoring_maps import ScoringMaps
from evaluation.commands.files.task_files import TaskFiles
from evaluation.commands.options.task import MENTION_TASKS
from evaluation.commands.plots.classification_plots import iter_pr_roc_and_reliability_rows
from evaluation.commands.plots.list_plots import (
    iter_fap_pr_and_reliability_rows,
    iter_mention_precision_recall_plot_row,
)
from evaluation.commands.plots.plot_file import write_svg_and_print_plot_count
from evaluation.commands.plots.plotted_runs import (
    MEASURE_LABELS,
    PlottedRun,
    build_plotted_runs_best_first,
    get_leading_figure_column_name,
)
from evaluation.plotting.plot_parts import MAX_DRAWN_RUNS
from evaluation.plotting.time_plane import build_time_and_score_panel

SecondsByRun = Mapping[str, Sequence[float]]


def write_score_plots(
    options: Namespace,
    files: TaskFiles,
    maps: ScoringMaps,
    reports: Sequence[ScoreReport],
    seconds_by_run: SecondsByRun | None,
) -> None:
    """Write the file that --plot names. UsageError when there is nothing to draw or it cannot be written."""
    write_svg_and_print_plot_count(options.plot, _build_score_sheet(options, files, maps, reports, seconds_by_run))


def _build_score_sheet(
    options: Namespace, files: TaskFiles, maps: ScoringMaps, reports: Sequence[ScoreReport], times: SecondsByRun | None
) -> PlotSheet:
    """The plots of all runs. UsageError when there is nothing to draw."""
    runs = build_plotted_runs_best_first(options, files, reports)
    if not any(run.report.score.answered and run.report.score.results for run in runs):
        raise UsageError("There is nothing to draw because no run has a counted result; leave out --plot.")
    rows = [*_iter_task_plot_rows(options, runs, maps), *_iter_time_plot_rows(options, runs, times)]
    number = f"{len(runs)} runs" if len(runs) > 1 else "one run"
    return PlotSheet(
        f"{options.task.upper()}, {number}",
        rows,
        _list_signature_notes(runs),
        _describe_plotted_runs(runs, MEASURE_LABELS[get_leading_figure_column_name(options)]),
    )


def _iter_task_plot_rows(
    options: Namespace, runs: Sequence[PlottedRun], maps: ScoringMaps
) -> Iterator[Sequence[PlotPanel]]:
    if options.task == "act":
        return iter_pr_roc_and_reliability_rows(options, runs)
    return (
        iter_mention_precision_recall_plot_row(options, runs)
        if options.task in MENTION_TASKS
        else iter_fap_pr_and_reliability_rows(options, runs, maps)
    )


def _iter_time_plot_rows(
    options: Namespace, runs: Sequence[PlottedRun], times: SecondsByRun | None
) -> Iterator[Sequence[PlotPanel]]:
    """The row with the leading figure against time, of the runs with times. UsageError when no run has one."""
    if times is None:
        return
    name = get_leading_figure_column_name(options)
    rows = compare_times_and_scores_fastest_first(times, {run.name: run.get_figure_or_zero(name) for run in runs})
    if not rows:
        raise UsageError(
            f"No run has a time in {options.times}: it has times of {format_name_list_with_rest_count(list(times))}, "
            f"but the runs are {format_name_list_with_rest_count([run.name for run in runs])}."
        )
    runs_without_time = [run.name for run in runs if run.name not in times]
    if runs_without_time:
        print_to_stderr([f"{options.times}: no time for {format_name_list_with_rest_count(runs_without_time)}"])
    yield [build_time_and_score_panel(MEASURE_LABELS[name], rows)]


def _describe_plotted_runs(runs: Sequence[PlottedRun], label: str) -> str:
    """A note that applies to all plots."""
    documents = max(run.report.score.documents for run in runs)
    drawn_note = (
        f" The best {MAX_DRAWN_RUNS} are drawn; the tables have all runs." if len(runs) > MAX_DRAWN_RUNS else ""
    )
    order_note = f" Runs are sorted by {label}, best first." if len(runs) > 1 else ""
    return f"Documents: {documents:,}.{order_note}{drawn_note}"


def _list_signature_notes(runs: Sequence[PlottedRun]) -> list[str]:
    """Each signature with the names of its runs."""
    runs_by_signature: dict[str, list[str]] = {}
    for run in runs:
        runs_by_signature.setdefault(run.report.signature, []).append(run.name)
    owners = {
        signature: "all runs" if len(names) == len(runs) else ", ".join(names)
        for signature, names in runs_by_signature.items()
    }
    return [f"{signature} ({names})" for signature, names in owners.items()]

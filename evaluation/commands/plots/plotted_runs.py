"""The runs that `score` draws, sorted by their leading figure."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotations.formats.tsv.result_table import ResultTable
from bcms.lib.svg.plot_sheets import PlotPanel
from evaluation.commands.figures.report import ScoreReport, flatten_figures
from evaluation.commands.figures.run_scores import FigureValue, choose_leading_figure
from evaluation.commands.files.task_files import TaskFiles
from evaluation.measures.registry import MEASURES
from evaluation.plotting.reliability import Reliability, build_reliability_panel_of_first_runs

MEASURE_LABELS = {measure.name: measure.label for measure in MEASURES}


@dataclass(frozen=True, slots=True)
class PlottedRun:
    """A run to draw, with its gold standard and its report."""

    table: ResultTable
    gold: ResultTable
    report: ScoreReport

    @property
    def name(self) -> str:
        return self.report.run

    @property
    def figures(self) -> Mapping[str, FigureValue]:
        return flatten_figures(self.report.score.figures)

    def get_figure_or_zero(self, name: str) -> float:
        """The figure with this name, 0 if it is undefined."""
        return float(self.figures[name] or 0.0)


def get_leading_figure_column_name(options: Namespace) -> str:
    """The name in tables of the figure that sorts the runs."""
    return choose_leading_figure(options.task).replace(".", "_")


def build_plotted_runs_best_first(
    options: Namespace, files: TaskFiles, reports: Sequence[ScoreReport]
) -> list[PlottedRun]:
    """The runs to draw, best leading figure first, equal ones by name."""
    pairs = zip(files.runs, reports, strict=True)
    runs = [PlottedRun(file.table, files.get_gold_for_runs([file]), report) for file, report in pairs]
    return sorted(runs, key=lambda run: (-run.get_figure_or_zero(get_leading_figure_column_name(options)), run.name))


def iter_reliability_row_if_any_results(reliabilities: Sequence[Reliability]) -> Iterator[Sequence[PlotPanel]]:
    """The row with the reliability plot of the runs that have counted results, if there are any."""
    runs_with_results = [run for run in reliabilities if run.result_counts.any()]
    if runs_with_results:
        yield [build_reliability_panel_of_first_runs(runs_with_results)]

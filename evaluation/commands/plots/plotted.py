"""The runs that `score` draws, and which of their figures puts them in order."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotations.formats.runs_tsv import Table
from bcms.lib.svg.sheet import Panel
from evaluation.commands.figures.report import Report, flat
from evaluation.commands.figures.scored import Figure, leading
from evaluation.commands.files.runs import Files
from evaluation.measures.registry import MEASURES
from evaluation.plotting.reliability import Reliability, reliability_panel

LABELS = {measure.name: measure.label for measure in MEASURES}


@dataclass(frozen=True, slots=True)
class Plotted:
    """A run that is drawn: what was read, what it is held against, and its report."""

    table: Table
    gold: Table
    report: Report

    @property
    def name(self) -> str:
        return self.report.run

    @property
    def figures(self) -> Mapping[str, Figure]:
        return flat(self.report.scored.figures)

    def figure(self, name: str) -> float:
        """The figure of that name; one that there is not counts as 0."""
        return float(self.figures[name] or 0.0)


def leading_figure(options: Namespace) -> str:
    """The figure that runs are put in order by, named as in a table."""
    return leading(options.task).replace(".", "_")


def best_first(options: Namespace, files: Files, reports: Sequence[Report]) -> list[Plotted]:
    """The runs with what is drawn of them, equal ones by name."""
    pairs = zip(files.runs, reports, strict=True)
    runs = [Plotted(own.table, files.gold_for([own]), report) for own, report in pairs]
    return sorted(runs, key=lambda own: (-own.figure(leading_figure(options)), own.name))


def reliability_row(runs: Sequence[Reliability]) -> Iterator[Sequence[Panel]]:
    """The plot of the runs that have confidences and results that count, if there is one."""
    told = [own for own in runs if own.number.any()]
    if told:
        yield [reliability_panel(told)]

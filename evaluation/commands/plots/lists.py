"""The plots of ranked lists, macro beside micro, and those of mentions, which have no order."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence

from bcms.lib.svg.sheet import Panel
from evaluation.commands.figures.report import flat
from evaluation.commands.figures.scored import scenario_of, sides
from evaluation.commands.files.maps import Maps
from evaluation.commands.plots.plotted import LABELS, Plotted, leading_figure, reliability_row
from evaluation.measures.ranking import RankedHits, macro_curve, micro_curve, with_right_items
from evaluation.measures.scenarios import Evaluated, evaluated
from evaluation.plotting.harmonic_planes import Placed, f_panel, fap_panel
from evaluation.plotting.organism_bars import OfOrganism, organism_panel
from evaluation.plotting.pr_curves import (
    Interpolated,
    Measured,
    Steps,
    interpolated_panel,
    mean_steps,
    measured_panel,
    steps_of,
)
from evaluation.plotting.reliability import reliability_of

AVERAGES = ("macro", "micro")
RANKS = (1, 5)
MEASURED = "P and R of the lists up to this rank, and of whole lists. AP is the area under steps through the points."
INTERPOLATED = {
    "macro": "The mean over articles of the highest precision at this recall or more; 0 where a list ends before.",
    "micro": "The highest precision at this recall or more.",
}


def mention_plots(options: Namespace, runs: Sequence[Plotted]) -> Iterator[Sequence[Panel]]:
    """Precision against recall: mentions are in no order that could be drawn."""
    yield [f_panel(own, placed(runs, own, ("recall", "precision", "f1")), beta_of(options)) for own in AVERAGES]


def list_plots(options: Namespace, runs: Sequence[Plotted], maps: Maps) -> Iterator[Sequence[Panel]]:
    """The plots in rows; organisms where they are asked for, reliability of runs that have confidences."""
    scenario = scenario_of(options, maps)
    tables = [evaluated(*sides(options, own.table, own.gold), scenario) for own in runs]
    pairs = list(zip(runs, tables, strict=True))
    yield [fap_panel(own, placed(runs, own, ("ap", "f1", "fap")), beta_of(options)) for own in AVERAGES]
    yield [measured(average, pairs) for average in AVERAGES]
    yield [interpolated(average, pairs) for average in AVERAGES]
    if options.per_organism:
        yield [by_organism(options, runs)]
    yield from reliability_row(
        [
            reliability_of(own.name, table.lists.confidence, table.ranked.hits)
            for own, table in pairs
            if table.lists.confidence is not None
        ]
    )


def beta_of(options: Namespace) -> float:
    return options.beta or 1.0


def placed(runs: Sequence[Plotted], average: str, names: tuple[str, str, str]) -> list[Placed]:
    """names: of the figures across, up, and of their mean."""
    return [Placed(own.name, *(own.figure(f"{average}_{name}") for name in names)) for own in runs]


def measured(average: str, pairs: Sequence[tuple[Plotted, Evaluated]]) -> Panel:
    """The curves whose steps have the area AP."""
    runs = []
    for own, table in pairs:
        ranked = table.ranked
        curve = micro_curve(ranked) if average == "micro" else macro_curve(with_right_items(ranked))
        runs.append(Measured(own.name, curve, own.figure(f"{average}_ap")))
    return measured_panel(f"Precision and recall by rank, {average}", MEASURED, "AP", runs, RANKS)


def interpolated(average: str, pairs: Sequence[tuple[Plotted, Evaluated]]) -> Panel:
    """The steps that have the area AUC iP/R."""
    runs = [
        Interpolated(own.name, steps(average, table.ranked), own.figure(f"{average}_auc_ipr")) for own, table in pairs
    ]
    return interpolated_panel(f"Precision and recall, interpolated, {average}", INTERPOLATED[average], runs)


def steps(average: str, ranked: RankedHits) -> Steps:
    return steps_of(micro_curve(ranked)) if average == "micro" else mean_steps(with_right_items(ranked))


def by_organism(options: Namespace, runs: Sequence[Plotted]) -> Panel:
    """The leading figure of each organism, most items first; all runs have the same organisms, those of the gold."""
    name = leading_figure(options)
    values = [{organism: flat(own) for organism, own in run.report.scored.organisms.items()} for run in runs]
    found = [
        OfOrganism(organism, items(values[0][organism]), [float(own[organism][name] or 0.0) for own in values])
        for organism in values[0]
    ]
    return organism_panel(LABELS[name], [own.name for own in runs], found)


def items(figures: Mapping[str, float | int | None]) -> int:
    """How many right items there are."""
    return int(figures["micro_tp"] or 0) + int(figures["micro_fn"] or 0)

"""The plots of ranked lists, macro next to micro, and those of mentions, which have no order."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence

from bcms.lib.svg.plot_sheets import PlotPanel
from evaluation.commands.figures.report import flatten_figures
from evaluation.commands.figures.run_scores import build_scoring_scenario, convert_gold_and_run
from evaluation.commands.files.scoring_maps import ScoringMaps
from evaluation.commands.plots.plotted_runs import (
    MEASURE_LABELS,
    PlottedRun,
    iter_reliability_rows,
    leading_figure_column,
)
from evaluation.measures.lists.ranking import (
    RankedHits,
    compute_macro_curve,
    compute_micro_curve,
    select_articles_with_gold_items,
)
from evaluation.measures.lists.scenarios import EvaluatedRun, evaluate_run
from evaluation.plotting.harmonic_planes import HarmonicPoint, build_f_panel, build_fap_panel
from evaluation.plotting.organism_bars import OrganismBars, build_organism_panel
from evaluation.plotting.precision_recall_curves import (
    InterpolatedCurve,
    MeasuredCurve,
    PrecisionSteps,
    build_interpolated_panel,
    build_measured_panel,
    compute_interpolated_steps,
    compute_mean_steps,
)
from evaluation.plotting.reliability import compute_reliability

PLOT_AVERAGES = ("macro", "micro")
RANK_POSITIONS = (1, 5)
MEASURED_NOTE = (
    "P and R of the lists up to each rank, and of whole lists. AP is the area under the steps through the points."
)
INTERPOLATED_NOTES = {
    "macro": "The mean over articles of the highest precision at or beyond each recall; 0 where a list ends earlier.",
    "micro": "The highest precision at or beyond each recall.",
}


def iter_mention_plot_rows(options: Namespace, runs: Sequence[PlottedRun]) -> Iterator[Sequence[PlotPanel]]:
    """The row of plots of mentions: precision against recall, because mentions have no order."""
    yield [
        build_f_panel(average, build_harmonic_points(runs, average, ("recall", "precision", "f1")), get_beta(options))
        for average in PLOT_AVERAGES
    ]


def iter_list_plot_rows(
    options: Namespace, runs: Sequence[PlottedRun], maps: ScoringMaps
) -> Iterator[Sequence[PlotPanel]]:
    """The rows of plots; organisms with --per-organism, reliability for runs with confidences."""
    scenario = build_scoring_scenario(options, maps)
    evaluations = [evaluate_run(*convert_gold_and_run(options, run.table, run.gold), scenario) for run in runs]
    pairs = list(zip(runs, evaluations, strict=True))
    yield [
        build_fap_panel(average, build_harmonic_points(runs, average, ("ap", "f1", "fap")), get_beta(options))
        for average in PLOT_AVERAGES
    ]
    yield [build_measured_list_panel(average, pairs) for average in PLOT_AVERAGES]
    yield [build_interpolated_list_panel(average, pairs) for average in PLOT_AVERAGES]
    if options.per_organism:
        yield [build_organism_figure_panel(options, runs)]
    yield from iter_reliability_rows(
        [
            compute_reliability(run.name, evaluated.lists.confidence, evaluated.ranked.hits)
            for run, evaluated in pairs
            if evaluated.lists.confidence is not None
        ]
    )


def get_beta(options: Namespace) -> float:
    return options.beta or 1.0


def build_harmonic_points(runs: Sequence[PlottedRun], average: str, names: tuple[str, str, str]) -> list[HarmonicPoint]:
    """The points of the runs; names: those of the figures across and up, and of their mean."""
    return [HarmonicPoint(run.name, *(run.get_figure_or_zero(f"{average}_{name}") for name in names)) for run in runs]


def build_measured_list_panel(average: str, pairs: Sequence[tuple[PlottedRun, EvaluatedRun]]) -> PlotPanel:
    """The measured curves, with AP as the area under their steps."""
    curves = []
    for run, evaluated in pairs:
        ranked = evaluated.ranked
        curve = (
            compute_micro_curve(ranked)
            if average == "micro"
            else compute_macro_curve(select_articles_with_gold_items(ranked))
        )
        curves.append(MeasuredCurve(run.name, curve, run.get_figure_or_zero(f"{average}_ap")))
    return build_measured_panel(f"Precision and recall by rank, {average}", MEASURED_NOTE, "AP", curves, RANK_POSITIONS)


def build_interpolated_list_panel(average: str, pairs: Sequence[tuple[PlottedRun, EvaluatedRun]]) -> PlotPanel:
    """The interpolated steps, with AUC iP/R as the area under them."""
    curves = [
        InterpolatedCurve(
            run.name,
            average_interpolated_steps(average, evaluated.ranked),
            run.get_figure_or_zero(f"{average}_auc_ipr"),
        )
        for run, evaluated in pairs
    ]
    return build_interpolated_panel(
        f"Precision and recall, interpolated, {average}", INTERPOLATED_NOTES[average], curves
    )


def average_interpolated_steps(average: str, ranked: RankedHits) -> PrecisionSteps:
    return (
        compute_interpolated_steps(compute_micro_curve(ranked))
        if average == "micro"
        else compute_mean_steps(select_articles_with_gold_items(ranked))
    )


def build_organism_figure_panel(options: Namespace, runs: Sequence[PlottedRun]) -> PlotPanel:
    """The leading figure for each organism, most items first; all runs have the organisms of the gold standard."""
    name = leading_figure_column(options)
    values = [
        {organism: flatten_figures(figures) for organism, figures in run.report.score.organisms.items()} for run in runs
    ]
    bars = [
        OrganismBars(
            organism,
            count_gold_items(values[0][organism]),
            [float(figures[organism][name] or 0.0) for figures in values],
        )
        for organism in values[0]
    ]
    return build_organism_panel(MEASURE_LABELS[name], [run.name for run in runs], bars)


def count_gold_items(figures: Mapping[str, float | int | None]) -> int:
    """The number of gold items."""
    return int(figures["micro_tp"] or 0) + int(figures["micro_fn"] or 0)

"""The plots of ranked lists, macro next to micro, and those of mentions, which have no order."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence

from bcms.lib.svg.plot_sheets import PlotPanel
from evaluation.commands.figures.report import flatten_figures
from evaluation.commands.figures.run_scores import build_scoring_scenario, convert_tables_applying_interactors_option
from evaluation.commands.files.scoring_maps import ScoringMaps
from evaluation.commands.plots.plotted_runs import (
    MEASURE_LABELS,
    PlottedRun,
    get_leading_figure_column_name,
    iter_reliability_row_if_any_results,
)
from evaluation.measures.lists.ranking import (
    RankedHits,
    compute_macro_curve_holding_ended_lists,
    compute_micro_curve,
    select_articles_with_gold_items,
)
from evaluation.measures.lists.scenarios import EvaluatedRun, match_run_and_mark_hits
from evaluation.plotting.harmonic_planes import (
    HarmonicPoint,
    build_f_against_ap_panel,
    build_precision_against_recall_panel,
)
from evaluation.plotting.organism_bars import OrganismBars, build_panel_of_first_organisms_and_runs
from evaluation.plotting.precision_recall_curves import (
    InterpolatedCurve,
    MeasuredCurve,
    PrecisionSteps,
    build_interpolated_curve_panel_of_first_runs,
    build_measured_curve_panel_of_first_runs,
    compute_interpolated_steps,
    compute_macro_interpolated_steps,
)
from evaluation.plotting.reliability import compute_reliability_in_ten_bins

PLOT_AVERAGES = ("macro", "micro")
RANK_POSITIONS = (1, 5)
MEASURED_NOTE = (
    "P and R of the lists up to each rank, and of whole lists. AP is the area under the steps through the points."
)
INTERPOLATED_NOTES = {
    "macro": "The mean over articles of the highest precision at or beyond each recall; 0 where a list ends earlier.",
    "micro": "The highest precision at or beyond each recall.",
}


def iter_mention_precision_recall_plot_row(
    options: Namespace, runs: Sequence[PlottedRun]
) -> Iterator[Sequence[PlotPanel]]:
    """The row of plots of mentions: precision against recall, because mentions have no order."""
    yield [
        build_precision_against_recall_panel(
            average, _build_harmonic_points(runs, average, ("recall", "precision", "f1")), _get_beta(options)
        )
        for average in PLOT_AVERAGES
    ]


def iter_fap_pr_and_reliability_rows(
    options: Namespace, runs_best_first: Sequence[PlottedRun], maps: ScoringMaps
) -> Iterator[Sequence[PlotPanel]]:
    """The rows of plots; organisms with --per-organism, reliability for runs with confidences."""
    scenario = build_scoring_scenario(options, maps)
    evaluations = [
        match_run_and_mark_hits(*convert_tables_applying_interactors_option(options, run.table, run.gold), scenario)
        for run in runs_best_first
    ]
    pairs = list(zip(runs_best_first, evaluations, strict=True))
    yield [
        build_f_against_ap_panel(
            average, _build_harmonic_points(runs_best_first, average, ("ap", "f1", "fap")), _get_beta(options)
        )
        for average in PLOT_AVERAGES
    ]
    yield [_build_measured_list_panel(average, pairs) for average in PLOT_AVERAGES]
    yield [_build_interpolated_list_panel(average, pairs) for average in PLOT_AVERAGES]
    if options.per_organism:
        yield [_build_organism_figure_panel(options, runs_best_first)]
    yield from iter_reliability_row_if_any_results(
        [
            compute_reliability_in_ten_bins(run.name, evaluated.lists.confidence, evaluated.ranked.hits)
            for run, evaluated in pairs
            if evaluated.lists.confidence is not None
        ]
    )


def _get_beta(options: Namespace) -> float:
    return options.beta or 1.0


def _build_harmonic_points(
    runs: Sequence[PlottedRun], average: str, names: tuple[str, str, str]
) -> list[HarmonicPoint]:
    """The points of the runs; names: those of the figures across and up, and of their mean."""
    return [HarmonicPoint(run.name, *(run.get_figure_or_zero(f"{average}_{name}") for name in names)) for run in runs]


def _build_measured_list_panel(average: str, pairs: Sequence[tuple[PlottedRun, EvaluatedRun]]) -> PlotPanel:
    """The measured curves, with AP as the area under their steps."""
    curves = []
    for run, evaluated in pairs:
        ranked = evaluated.ranked
        curve = (
            compute_micro_curve(ranked)
            if average == "micro"
            else compute_macro_curve_holding_ended_lists(select_articles_with_gold_items(ranked))
        )
        curves.append(MeasuredCurve(run.name, curve, run.get_figure_or_zero(f"{average}_ap")))
    return build_measured_curve_panel_of_first_runs(
        f"Precision and recall by rank, {average}", MEASURED_NOTE, "AP", curves, RANK_POSITIONS
    )


def _build_interpolated_list_panel(average: str, pairs: Sequence[tuple[PlottedRun, EvaluatedRun]]) -> PlotPanel:
    """The interpolated steps, with AUC iP/R as the area under them."""
    curves = [
        InterpolatedCurve(
            run.name,
            _average_interpolated_steps(average, evaluated.ranked),
            run.get_figure_or_zero(f"{average}_auc_ipr"),
        )
        for run, evaluated in pairs
    ]
    return build_interpolated_curve_panel_of_first_runs(
        f"Precision and recall, interpolated, {average}", INTERPOLATED_NOTES[average], curves
    )


def _average_interpolated_steps(average: str, ranked: RankedHits) -> PrecisionSteps:
    return (
        compute_interpolated_steps(compute_micro_curve(ranked))
        if average == "micro"
        else compute_macro_interpolated_steps(select_articles_with_gold_items(ranked))
    )


def _build_organism_figure_panel(options: Namespace, runs: Sequence[PlottedRun]) -> PlotPanel:
    """The leading figure for each organism, most items first; all runs have the organisms of the gold standard."""
    name = get_leading_figure_column_name(options)
    values = [
        {organism: flatten_figures(figures) for organism, figures in run.report.score.organisms.items()} for run in runs
    ]
    bars = [
        OrganismBars(
            organism,
            _count_gold_items(values[0][organism]),
            [float(figures[organism][name] or 0.0) for figures in values],
        )
        for organism in values[0]
    ]
    return build_panel_of_first_organisms_and_runs(MEASURE_LABELS[name], [run.name for run in runs], bars)


def _count_gold_items(figures: Mapping[str, float | int | None]) -> int:
    """The number of gold items."""
    return int(figures["micro_tp"] or 0) + int(figures["micro_fn"] or 0)

"""The plots of classifications (act): curves of the list of articles, and figures of the calls."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence

from bcms.lib.svg.plot_sheets import PlotPanel
from evaluation.commands.files.table_columns import convert_gold_labels, convert_run_calls
from evaluation.commands.plots.plotted_runs import PlottedRun, iter_reliability_row_if_any_results
from evaluation.measures.classification.article_calls import (
    encode_gold_labels_unknown_minus_one,
    mark_gold_relevance_of_sorted_known_calls,
)
from evaluation.measures.columns import CallColumns
from evaluation.measures.curves.precision_recall import PrecisionRecallCurve, compute_precision_recall_curve
from evaluation.plotting.precision_recall_curves import (
    InterpolatedCurve,
    MeasuredCurve,
    build_interpolated_curve_panel_of_first_runs,
    build_measured_curve_panel_of_first_runs,
    compute_interpolated_steps,
)
from evaluation.plotting.reliability import Reliability, compute_reliability_in_ten_bins
from evaluation.plotting.roc_curves import build_roc_panel_of_first_runs, compute_run_roc
from evaluation.plotting.sensitivity_specificity import ClassificationPoint, build_sensitivity_against_specificity_panel

# The curve starts at this point, as the area under it does.
CURVE_START = (0.0, 1.0)
ARTICLE_POSITIONS = (10, 100)


def iter_pr_roc_and_reliability_rows(
    options: Namespace, runs_best_first: Sequence[PlottedRun]
) -> Iterator[Sequence[PlotPanel]]:
    """The rows of plots; reliability only for runs with confidences."""
    gold_labels = [convert_gold_labels(run.gold) for run in runs_best_first]
    calls = [convert_run_calls(run.table) for run in runs_best_first]
    labelled_runs = list(zip(runs_best_first, gold_labels, calls, strict=True))
    yield _build_curve_row(options, labelled_runs)
    yield [
        build_roc_panel_of_first_runs(
            [compute_run_roc(run.name, gold, run_calls, options.order) for run, gold, run_calls in labelled_runs]
        ),
        build_sensitivity_against_specificity_panel([_build_classification_point(run) for run in runs_best_first]),
    ]
    yield from iter_reliability_row_if_any_results(
        [
            _compute_call_reliability(run.name, gold, run_calls)
            for run, gold, run_calls in labelled_runs
            if run_calls.confidence is not None
        ]
    )


def _build_curve_row(
    options: Namespace, labelled_runs: Sequence[tuple[PlottedRun, Mapping[str, bool], CallColumns]]
) -> tuple[PlotPanel, PlotPanel]:
    """Plots of precision and recall, measured and interpolated."""
    curves: list[tuple[PlottedRun, PrecisionRecallCurve]] = [
        (
            run,
            compute_precision_recall_curve(
                mark_gold_relevance_of_sorted_known_calls(gold, calls, options.order), sum(gold.values())
            ),
        )
        for run, gold, calls in labelled_runs
    ]
    return (
        build_measured_curve_panel_of_first_runs(
            "Precision and recall down the list of articles",
            "P and R after the first articles of the list, and after all of them.",
            "AUC PR",
            [MeasuredCurve(run.name, curve, run.get_figure_or_zero("auc_pr"), CURVE_START) for run, curve in curves],
            ARTICLE_POSITIONS,
        ),
        build_interpolated_curve_panel_of_first_runs(
            "Precision and recall, interpolated",
            "The highest precision at or beyond each recall.",
            [
                InterpolatedCurve(run.name, compute_interpolated_steps(curve), run.get_figure_or_zero("auc_ipr"))
                for run, curve in curves
            ],
        ),
    )


def _build_classification_point(run: PlottedRun) -> ClassificationPoint:
    return ClassificationPoint(
        run.name, *(run.get_figure_or_zero(name) for name in ("sensitivity", "specificity", "accuracy", "mcc"))
    )


def _compute_call_reliability(name: str, gold: Mapping[str, bool], calls: CallColumns) -> Reliability:
    """Reliability of the calls on articles in the gold standard. ValueError for calls without confidences."""
    gold_labels = encode_gold_labels_unknown_minus_one(gold, calls)
    is_known = gold_labels >= 0
    if calls.confidence is None:
        raise ValueError("Only calls with confidences have a reliability.")
    return compute_reliability_in_ten_bins(
        name, calls.confidence[is_known], calls.relevant[is_known] == (gold_labels[is_known] == 1)
    )

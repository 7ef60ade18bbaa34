"""The plots of classifications (act): curves down the list of articles, and the calls themselves."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence

from bcms.lib.svg.sheet import Panel
from evaluation.commands.files.columns import gold_classes, run_calls
from evaluation.commands.plots.plotted import Plotted, reliability_row
from evaluation.measures.classification import known_truth, list_hits
from evaluation.measures.columns import CallColumns
from evaluation.measures.curves import Curve, pr_curve
from evaluation.plotting.pr_curves import Interpolated, Measured, interpolated_panel, measured_panel, steps_of
from evaluation.plotting.reliability import Reliability, reliability_of
from evaluation.plotting.roc_curves import roc_of, roc_panel
from evaluation.plotting.sens_spec import CalledRun, sens_spec_panel

# The curve begins here, as the area under it does.
START = (0.0, 1.0)
ARTICLES = (10, 100)


def call_plots(options: Namespace, runs: Sequence[Plotted]) -> Iterator[Sequence[Panel]]:
    """The plots in rows; reliability only of runs that have confidences."""
    classes = [gold_classes(own.gold) for own in runs]
    calls = [run_calls(own.table) for own in runs]
    said = list(zip(runs, classes, calls, strict=True))
    yield curve_row(options, said)
    yield [
        roc_panel([roc_of(own.name, gold, rows, options.order) for own, gold, rows in said]),
        sens_spec_panel([called(own) for own in runs]),
    ]
    yield from reliability_row(
        [calibrated(own.name, gold, rows) for own, gold, rows in said if rows.confidence is not None]
    )


def curve_row(
    options: Namespace, said: Sequence[tuple[Plotted, Mapping[str, bool], CallColumns]]
) -> tuple[Panel, Panel]:
    """Precision and recall as measured and interpolated."""
    curves: list[tuple[Plotted, Curve]] = [
        (own, pr_curve(list_hits(gold, rows, options.order), sum(gold.values()))) for own, gold, rows in said
    ]
    return (
        measured_panel(
            "Precision and recall down the list of articles",
            "P and R after so many articles of the list, and after all that it has.",
            "AUC PR",
            [Measured(own.name, curve, own.figure("auc_pr"), START) for own, curve in curves],
            ARTICLES,
        ),
        interpolated_panel(
            "Precision and recall, interpolated",
            "The highest precision at this recall or more.",
            [Interpolated(own.name, steps_of(curve), own.figure("auc_ipr")) for own, curve in curves],
        ),
    )


def called(own: Plotted) -> CalledRun:
    return CalledRun(own.name, *(own.figure(name) for name in ("sensitivity", "specificity", "accuracy", "mcc")))


def calibrated(name: str, gold: Mapping[str, bool], calls: CallColumns) -> Reliability:
    """A call is right when its class is, and its confidence is that of its class."""
    truth = known_truth(gold, calls)
    known = truth >= 0
    if calls.confidence is None:
        raise ValueError("Only calls that have confidences can be held against how often they are right.")
    return reliability_of(name, calls.confidence[known], calls.relevant[known] == (truth[known] == 1))

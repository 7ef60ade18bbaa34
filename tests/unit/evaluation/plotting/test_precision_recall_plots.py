"""Precision-recall plots: lines lie where the measures say, areas under steps are the measures, tables hold them."""

import numpy as np
import pytest

from evaluation.measures.curves.precision_recall import compute_precision_recall_curve, interpolated_area
from evaluation.measures.lists.ranking import (
    build_checked_ranked_hits,
    compute_f_ap_and_auc_ipr_per_article,
    compute_macro_averages_with_mean_curve_ap,
    compute_macro_curve_holding_ended_lists,
    compute_micro_averages,
    compute_micro_curve,
    select_articles_with_gold_items,
)
from evaluation.plotting.precision_recall_curves import (
    PRECISION_RECALL_FRAME,
    InterpolatedCurve,
    MeasuredCurve,
    build_interpolated_curve_panel_of_first_runs,
    build_measured_curve_panel_of_first_runs,
    compute_interpolated_steps,
    compute_macro_interpolated_steps,
)
from tests.reference.drawings import figures, lines, render_sheet_root, tables

# Three articles, one of them unanswered, and one with nothing to find.
LISTS = [[True, False, True, False], [False, True], [], [False]]
RANKED = build_checked_ranked_hits(LISTS, [3, 1, 2, 0])
# A tenth of a unit of the drawing.
CLOSE = 0.1 / 300


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_it_draws_the_points_of_the_curve_and_writes_its_area(average):
    curve = (
        compute_micro_curve(RANKED)
        if average == "micro"
        else compute_macro_curve_holding_ended_lists(select_articles_with_gold_items(RANKED))
    )
    ap = (
        compute_micro_averages(RANKED)
        if average == "micro"
        else compute_macro_averages_with_mean_curve_ap(select_articles_with_gold_items(RANKED))
    ).ap
    root = render_sheet_root(
        build_measured_curve_panel_of_first_runs("PR", "", "AP", [MeasuredCurve("mine", curve, ap)], (1, 3))
    )
    [drawn] = lines(root, PRECISION_RECALL_FRAME)
    points = zip(curve.recall, curve.precision, strict=True)
    assert {(round(r, 2), round(p, 2)) for r, p in drawn} <= {(round(r, 2), round(p, 2)) for r, p in points}
    assert drawn[-1] == pytest.approx((curve.recall[-1], curve.precision[-1]), abs=CLOSE)
    steps = np.sum(curve.precision * np.diff(curve.recall, prepend=0))
    written = [ap, *(v for k in (0, 2, -1) for v in (curve.precision[k], curve.recall[k]))]
    assert figures(root)["mine"] == pytest.approx(written, abs=0.0005)
    assert ap == pytest.approx(steps)


def test_it_leaves_out_positions_past_the_end():
    curve = compute_precision_recall_curve([True, False], 2)
    root = render_sheet_root(
        build_measured_curve_panel_of_first_runs(
            "PR", "", "AUC PR", [MeasuredCurve("mine", curve, 0.5, (0.0, 1.0))], (1, 10)
        )
    )
    assert tables(root)[0][1] == ["mine", "0.500", "1.000", "0.500", "-", "-", "0.500", "0.500"]
    assert lines(root, PRECISION_RECALL_FRAME)[0][0] == (0, 1)


def test_its_interpolated_steps_have_the_area_of_the_measure():
    assert compute_interpolated_steps(compute_micro_curve(RANKED)).area == pytest.approx(
        compute_micro_averages(RANKED).auc_ipr
    )
    asked = select_articles_with_gold_items(RANKED)
    assert compute_macro_interpolated_steps(asked).area == pytest.approx(
        compute_macro_averages_with_mean_curve_ap(asked).auc_ipr
    )


def test_it_takes_the_mean_over_articles_at_every_recall():
    asked = select_articles_with_gold_items(RANKED)
    own = [
        compute_interpolated_steps(compute_precision_recall_curve(hits, gold))
        for hits, gold in zip(LISTS, [3, 1, 2], strict=False)
    ]
    for recall in (0.0, 0.2, 1 / 3, 0.5, 0.66, 0.9, 1.0):
        expected = sum(steps.find_precision(recall) or 0.0 for steps in own) / 3
        assert compute_macro_interpolated_steps(asked).find_precision(recall) == pytest.approx(expected)
    assert compute_f_ap_and_auc_ipr_per_article(asked).auc_ipr.mean() == pytest.approx(
        compute_macro_interpolated_steps(asked).area
    )


def test_it_draws_the_steps_down_to_the_axis():
    curve = compute_precision_recall_curve([False, True, True, False], 4)
    steps = compute_interpolated_steps(curve)
    root = render_sheet_root(
        build_interpolated_curve_panel_of_first_runs(
            "iP/R", "", [InterpolatedCurve("mine", steps, interpolated_area(curve))]
        )
    )
    [drawn] = lines(root, PRECISION_RECALL_FRAME)
    assert drawn[0] == pytest.approx((0, 2 / 3), abs=CLOSE)
    assert drawn[-2:] == [pytest.approx((0.5, 2 / 3), abs=CLOSE), pytest.approx((0.5, 0), abs=CLOSE)]
    assert tables(root)[0][1] == ["mine", "0.333", "0.667", "0.667", "0.667", "-", "-", "-"]


def test_it_draws_no_line_of_a_run_without_results():
    nothing = build_checked_ranked_hits([[]], [1])
    runs = [InterpolatedCurve("silent", compute_interpolated_steps(compute_micro_curve(nothing)), 0.0)]
    assert (
        lines(render_sheet_root(build_interpolated_curve_panel_of_first_runs("iP/R", "", runs)), PRECISION_RECALL_FRAME)
        == []
    )
    assert compute_macro_interpolated_steps(nothing).area == 0
    assert compute_macro_interpolated_steps(nothing).corner_points() == []


def test_it_draws_the_ten_best_and_writes_all():
    runs = [MeasuredCurve(f"run {n}", compute_precision_recall_curve([True, False], 2), 0.5) for n in range(50)]
    root = render_sheet_root(build_measured_curve_panel_of_first_runs("PR", "", "AP", runs, ()))
    assert len(lines(root, PRECISION_RECALL_FRAME)) == 10
    assert len(figures(root)) == 50

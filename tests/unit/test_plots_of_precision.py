"""Precision-recall plots: lines lie where the measures say, areas under steps are the measures, tables hold them."""

import numpy as np
import pytest

from evaluation.measures.curves import pr_curve, step_area
from evaluation.measures.ranking import (
    macro,
    macro_curve,
    micro,
    micro_curve,
    per_article,
    ranked_hits,
    with_right_items,
)
from evaluation.plotting.pr_curves import (
    FRAME,
    Interpolated,
    Measured,
    interpolated_panel,
    mean_steps,
    measured_panel,
    steps_of,
)
from tests.reference.drawings import figures, lines, sheet_of, tables

# Three articles, one of them unanswered, and one with nothing to find.
LISTS = [[True, False, True, False], [False, True], [], [False]]
RANKED = ranked_hits(LISTS, [3, 1, 2, 0])
# A tenth of a unit of the drawing.
CLOSE = 0.1 / 300


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_it_draws_the_points_of_the_curve_and_writes_its_area(average):
    curve = micro_curve(RANKED) if average == "micro" else macro_curve(with_right_items(RANKED))
    ap = (micro(RANKED) if average == "micro" else macro(with_right_items(RANKED))).ap
    root = sheet_of(measured_panel("PR", "", "AP", [Measured("mine", curve, ap)], (1, 3)))
    [drawn] = lines(root, FRAME)
    points = zip(curve.recall, curve.precision, strict=True)
    assert {(round(r, 2), round(p, 2)) for r, p in drawn} <= {(round(r, 2), round(p, 2)) for r, p in points}
    assert drawn[-1] == pytest.approx((curve.recall[-1], curve.precision[-1]), abs=CLOSE)
    steps = np.sum(curve.precision * np.diff(curve.recall, prepend=0))
    written = [ap, *(v for k in (0, 2, -1) for v in (curve.precision[k], curve.recall[k]))]
    assert figures(root)["mine"] == pytest.approx(written, abs=0.0005)
    assert ap == pytest.approx(steps)


def test_it_leaves_out_positions_past_the_end():
    curve = pr_curve([True, False], 2)
    root = sheet_of(measured_panel("PR", "", "AUC PR", [Measured("mine", curve, 0.5, (0.0, 1.0))], (1, 10)))
    assert tables(root)[0][1] == ["mine", "0.500", "1.000", "0.500", "-", "-", "0.500", "0.500"]
    assert lines(root, FRAME)[0][0] == (0, 1)


def test_its_interpolated_steps_have_the_area_of_the_measure():
    assert steps_of(micro_curve(RANKED)).area == pytest.approx(micro(RANKED).auc_ipr)
    asked = with_right_items(RANKED)
    assert mean_steps(asked).area == pytest.approx(macro(asked).auc_ipr)


def test_it_takes_the_mean_over_articles_at_every_recall():
    asked = with_right_items(RANKED)
    own = [steps_of(pr_curve(hits, gold)) for hits, gold in zip(LISTS, [3, 1, 2], strict=False)]
    for recall in (0.0, 0.2, 1 / 3, 0.5, 0.66, 0.9, 1.0):
        expected = sum(steps.at(recall) or 0.0 for steps in own) / 3
        assert mean_steps(asked).at(recall) == pytest.approx(expected)
    assert per_article(asked).auc_ipr.mean() == pytest.approx(mean_steps(asked).area)


def test_it_draws_the_steps_down_to_the_axis():
    curve = pr_curve([False, True, True, False], 4)
    steps = steps_of(curve)
    root = sheet_of(interpolated_panel("iP/R", "", [Interpolated("mine", steps, step_area(curve))]))
    [drawn] = lines(root, FRAME)
    assert drawn[0] == pytest.approx((0, 2 / 3), abs=CLOSE)
    assert drawn[-2:] == [pytest.approx((0.5, 2 / 3), abs=CLOSE), pytest.approx((0.5, 0), abs=CLOSE)]
    assert tables(root)[0][1] == ["mine", "0.333", "0.667", "0.667", "0.667", "-", "-", "-"]


def test_it_draws_no_line_of_a_run_without_results():
    nothing = ranked_hits([[]], [1])
    runs = [Interpolated("silent", steps_of(micro_curve(nothing)), 0.0)]
    assert lines(sheet_of(interpolated_panel("iP/R", "", runs)), FRAME) == []
    assert mean_steps(nothing).area == 0
    assert mean_steps(nothing).points() == []


def test_it_draws_the_ten_best_and_writes_all():
    runs = [Measured(f"run {n}", pr_curve([True, False], 2), 0.5) for n in range(50)]
    root = sheet_of(measured_panel("PR", "", "AP", runs, ()))
    assert len(lines(root, FRAME)) == 10
    assert len(figures(root)) == 50

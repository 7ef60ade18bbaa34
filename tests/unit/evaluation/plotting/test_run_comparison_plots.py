"""Plots that set runs against each other: points lie where the figures are, and tables hold the figures."""

import numpy as np
import pytest

from bcms.lib.svg.axes import Axis, PlotFrame, build_tight_axis_for_shares
from evaluation.analyses.cutoff_search import CutoffSearch, TriedCutoff
from evaluation.analyses.significance.shared_ranks import SharedRank
from evaluation.analyses.time_and_score import compare_times_and_scores_fastest_first
from evaluation.measures.lists.ranking import fap_score
from evaluation.plotting.cutoff_curves import build_f_ap_fap_by_cutoff_panel
from evaluation.plotting.harmonic_planes import (
    HarmonicPoint,
    build_f_against_ap_panel,
    build_precision_against_recall_panel,
    compute_equal_harmonic_mean_points,
)
from evaluation.plotting.organism_bars import OrganismBars, build_panel_of_first_organisms_and_runs
from evaluation.plotting.rank_intervals import RankedRun, build_rank_panel
from evaluation.plotting.reliability import build_reliability_panel_of_first_runs, compute_reliability_in_ten_bins
from evaluation.plotting.roc_curves import (
    build_roc_panel_of_first_runs,
    compute_run_roc,
    interpolated_recall_at_fall_out,
)
from evaluation.plotting.sensitivity_specificity import ClassificationPoint, build_sensitivity_against_specificity_panel
from evaluation.plotting.time_plane import build_time_and_score_panel, pareto_front_steps
from tests.reference.columns import encode_calls
from tests.reference.drawings import SVG, figures, lines, marks, render_sheet_root, tables

CLOSE = 0.001


@pytest.mark.parametrize("beta", [1.0, 0.5, 2.0])
def test_every_point_of_a_line_has_its_fap(beta):
    frame = PlotFrame(Axis("AP"), Axis("F"))
    for value in (0.1, 0.5, 0.9):
        points = compute_equal_harmonic_mean_points(value, frame, beta)
        assert len(points) > 10
        assert [fap_score(f, ap, beta) for ap, f in points] == pytest.approx([value] * len(points))


def test_it_places_runs_by_f_and_ap():
    runs = [
        HarmonicPoint("mine", 0.41, 0.62, fap_score(0.62, 0.41)),
        HarmonicPoint("yours", 0.2, 0.35, fap_score(0.35, 0.2)),
    ]
    root = render_sheet_root(build_f_against_ap_panel("macro", runs))
    frame = PlotFrame(build_tight_axis_for_shares("AP", [0.41, 0.2]), build_tight_axis_for_shares("F1", [0.62, 0.35]))
    assert marks(root, frame) == {
        "mine": pytest.approx((0.41, 0.62), abs=CLOSE),
        "yours": pytest.approx((0.2, 0.35), abs=CLOSE),
    }
    assert tables(root)[0][0] == ["run", "F1", "AP", "FAP"]
    assert figures(root)["mine"] == pytest.approx([0.62, 0.41, fap_score(0.62, 0.41)], abs=0.00005)
    assert any("FAP 0.4" in (found.text or "") for found in root.iter(f"{SVG}text"))


def test_it_names_figures_by_their_beta():
    runs = [HarmonicPoint("mine", 0.4, 0.6, 0.5)]
    assert tables(render_sheet_root(build_f_against_ap_panel("macro", runs, 0.5)))[0][0] == [
        "run",
        "F0.5",
        "AP",
        "FAP0.5",
    ]
    assert tables(render_sheet_root(build_precision_against_recall_panel("micro", runs, 2)))[0][0] == [
        "run",
        "Precision",
        "Recall",
        "F2",
    ]


def test_it_names_the_best_and_shows_the_others_as_dots():
    runs = [HarmonicPoint(f"run {n}", n / 60, n / 60, n / 60) for n in range(50)]
    root = render_sheet_root(build_f_against_ap_panel("macro", runs))
    others = [circle for circle in root.iter(f"{SVG}circle") if circle.get("class") == "other"]
    assert len(others) == 40
    assert others[0].find(f"{SVG}title").text == "run 10\nAP: 0.1667\nF1: 0.1667"
    assert len(figures(root)) == 50


def test_its_names_do_not_meet():
    runs = [HarmonicPoint(f"a run with a long name {n}", 0.5 + n / 1000, 0.5, 0.5) for n in range(10)]
    shown = [
        found
        for found in render_sheet_root(build_f_against_ap_panel("macro", runs)).iter(f"{SVG}text")
        if "label ink" in found.get("class", "")
    ]
    places = {(found.get("x"), found.get("y")) for found in shown}
    assert 2 <= len(shown) == len(places) <= 10


def test_it_places_calls_by_sensitivity_and_specificity():
    root = render_sheet_root(
        build_sensitivity_against_specificity_panel(
            [ClassificationPoint("mine", 0.8, 0.95, 0.9, 0.76), ClassificationPoint("yours", 0.6, 0.7, 0.66, 0.3)]
        )
    )
    frame = PlotFrame(
        build_tight_axis_for_shares("Specificity", [0.95, 0.7]), build_tight_axis_for_shares("Sensitivity", [0.8, 0.6])
    )
    assert marks(root, frame)["mine"] == pytest.approx((0.95, 0.8), abs=CLOSE)
    assert figures(root)["mine"] == [0.8, 0.95, 0.9, 0.76]


CALLS = encode_calls([("a", True, None, 0.9), ("b", True, None, 0.9), ("c", True, None, 0.6), ("d", False, None, 0.7)])
TRUTH = {"a": True, "b": False, "c": True, "d": False, "e": True, "f": False}


def test_its_roc_takes_equally_sure_calls_as_one_step():
    own = compute_run_roc("mine", TRUTH, CALLS)
    points = list(zip(own.roc.fall_out.tolist(), own.roc.recall.tolist(), strict=True))
    assert points == [pytest.approx(p) for p in [(0, 0), (1 / 3, 1 / 3), (1 / 3, 2 / 3), (2 / 3, 2 / 3), (1, 1)]]
    assert own.area == pytest.approx(np.trapezoid(own.roc.recall, own.roc.fall_out))
    assert [interpolated_recall_at_fall_out(own.roc, at) for at in (0, 1 / 6, 1 / 3, 0.5, 1)] == pytest.approx(
        [0, 1 / 6, 2 / 3, 2 / 3, 1]
    )


def test_it_draws_the_roc():
    own = compute_run_roc("mine", TRUTH, CALLS)
    root = render_sheet_root(build_roc_panel_of_first_runs([own]))
    [drawn] = lines(root, PlotFrame(Axis(""), Axis("")))
    assert drawn == [pytest.approx(p, abs=CLOSE) for p in zip(own.roc.fall_out, own.roc.recall, strict=True)]
    assert figures(root)["mine"][0] == pytest.approx(own.area, abs=0.0005)


def test_it_counts_confidences_in_tenths():
    confidence = np.array([0.05, 0.1, 0.7, 0.65, 0.71, 1.0])
    own = compute_reliability_in_ten_bins("mine", confidence, np.array([False, True, True, False, True, True]))
    assert own.result_counts.tolist() == [2, 0, 0, 0, 0, 0, 2, 1, 0, 1]
    assert own.mean_confidences[[0, 6, 7, 9]].tolist() == pytest.approx([0.075, 0.675, 0.71, 1.0])
    assert own.correct_shares[[0, 6, 7, 9]].tolist() == [0.5, 0.5, 1.0, 1.0]
    assert own.expected_calibration_error == pytest.approx((2 * 0.425 + 2 * 0.175 + 0.29) / 6)


def test_it_draws_shares_over_mean_confidences():
    own = compute_reliability_in_ten_bins("mine", np.array([0.2, 0.4, 0.4, 0.9]), np.array([False, True, False, True]))
    root = render_sheet_root(build_reliability_panel_of_first_runs([own]))
    drawn, _spread = lines(root, PlotFrame(Axis(""), Axis("")))
    assert drawn == [pytest.approx(p, abs=CLOSE) for p in [(0.2, 0), (0.4, 0.5), (0.9, 1)]]
    _, means, right, results = tables(root)[0]
    assert means[:5] == ["mine", f"{own.expected_calibration_error:.4f}", "confidence", "-", "0.200"]
    assert right[6] == "0.500"
    assert results[3:] == ["0", "1", "0", "2", "0", "0", "0", "0", "1", "0"]


def test_it_draws_a_bar_for_each_run_and_organism():
    found = [OrganismBars("9606", 30, [0.5, 0.25]), OrganismBars("9606+10090", 10, [0.8, 0.0])]
    root = render_sheet_root(build_panel_of_first_organisms_and_runs("Macro F1", ["mine", "yours"], found))
    heights = [float(bar.get("height")) / 260 for bar in root.iter(f"{SVG}rect") if "column" in bar.get("class")]
    assert heights == pytest.approx([0.5, 0.25, 0.8, 0.0], abs=CLOSE)
    assert tables(root)[0] == [["run", "9606", "9606+10090"], ["mine", "0.500", "0.800"], ["yours", "0.250", "0.000"]]


def test_it_tells_how_many_organisms_it_leaves_out():
    found = [OrganismBars(f"{559292 + n}+9606", 1, [0.5]) for n in range(13)]
    panel = build_panel_of_first_organisms_and_runs("Macro F1", ["mine"], found)
    assert len(figures(render_sheet_root(panel))["mine"]) == 10
    assert "3 more" in panel.note
    assert len(panel.table.head) == 11


def test_it_draws_time_on_a_logarithmic_axis():
    rows = compare_times_and_scores_fastest_first(
        {"slow": [100.0], "quick": [0.5, 1.5], "bad": [10.0]}, {"slow": 0.9, "quick": 0.6, "bad": 0.2}
    )
    root = render_sheet_root(build_time_and_score_panel("Macro F1", rows))
    places = {name: across for name, (across, _) in marks(root, PlotFrame(Axis("", 0, 400), Axis(""))).items()}
    assert places["bad"] - places["quick"] == pytest.approx(places["slow"] - places["bad"], abs=0.2)
    assert tables(root)[0][1] == ["slow", "0.9000", "100", "100", "100", "*"]
    assert tables(root)[0][3] == ["bad", "0.2000", "10", "10", "10", ""]
    assert pareto_front_steps(rows, 200.0) == [(1.0, 0.6), (100.0, 0.6), (100.0, 0.9), (200.0, 0.9)]


def test_it_draws_f_ap_and_fap_over_the_cut():
    tried = [TriedCutoff(1.0, 0.4, 0.3, 0.34), TriedCutoff(2.0, 0.6, 0.5, 0.55), TriedCutoff(3.0, 0.5, 0.55, 0.52)]
    root = render_sheet_root(build_f_ap_fap_by_cutoff_panel("macro", CutoffSearch("rank", 2.0, 0.55, tried)))
    frame = PlotFrame(Axis("", 1, 3), build_tight_axis_for_shares("", [0.3, 0.6]))
    drawn = lines(root, frame)
    assert drawn[0] == [pytest.approx(p, abs=CLOSE * 2) for p in [(1, 0.34), (2, 0.55), (3, 0.52)]]
    assert drawn[2] == [pytest.approx(p, abs=CLOSE * 2) for p in [(1, 0.3), (2, 0.5), (3, 0.55)]]
    assert tables(root)[0][0] == ["rank", "FAP", "F1", "AP", ""]
    assert tables(root)[0][5] == ["2", "0.5500", "0.6000", "0.5000", "*"]


def test_it_draws_a_single_cut():
    root = render_sheet_root(
        build_f_ap_fap_by_cutoff_panel("macro", CutoffSearch("rank", 1.0, 0.34, [TriedCutoff(1.0, 0.4, 0.3, 0.34)]))
    )
    assert tables(root)[0][4] == ["1", "0.3400", "0.4000", "0.3000", "*"]


def test_it_draws_the_ranks_that_runs_share():
    runs = [
        RankedRun("best", 0.9, SharedRank(1, 2)),
        RankedRun("next", 0.8, SharedRank(1, 3)),
        RankedRun("last", 0.1, SharedRank(2, 3)),
    ]
    root = render_sheet_root(build_rank_panel("macro.f1", 0.05, runs))
    spans = [path.get("d") for path in root.iter(f"{SVG}path") if path.get("class", "").startswith("line")]
    assert spans == ["M164.0 23.5H325.0", "M164.0 42.5H486.0", "M325.0 61.5H486.0"]
    assert figures(root)["best"][1] == 0.9
    assert tables(root)[0][2] == ["next", "1-3", "0.80000"]

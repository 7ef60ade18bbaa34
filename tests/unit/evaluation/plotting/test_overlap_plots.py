"""Venn and UpSet: numbers in every part, bars as long as the numbers say."""

import pytest

from evaluation.analyses.overlap import Overlap, OverlapRegion, count_items_by_producer_combination
from evaluation.plotting.overlap_sets import build_venn_or_upset_panel
from tests.reference.columns import encode_gold, encode_run
from tests.reference.drawings import SVG, render_sheet_root, tables


def producers(*words):
    """One document; each letter an item."""
    return [encode_run([("d1", letter, None, None) for letter in word]) for word in words]


def list_svg_texts(root):
    return [found.text for found in root.iter(f"{SVG}text") if found.text]


def test_it_puts_a_number_into_each_part_of_two_circles():
    found = count_items_by_producer_combination(producers("abcd", "cde"), encode_gold({"d1": "cez"}))
    root = render_sheet_root(build_venn_or_upset_panel(["mine", "yours"], found))
    assert len([circle for circle in root.iter(f"{SVG}circle") if "set" in circle.get("class")]) == 2
    shown = list_svg_texts(root)
    assert shown[shown.index("mine (4)") :][:8] == [
        "mine (4)",
        "yours (3)",
        "2",
        "0 correct",
        "1",
        "1 correct",
        "2",
        "1 correct",
    ]
    assert tables(root)[0] == [
        ["reported by", "results", "right", "precision"],
        ["all of mine", "4", "1", "0.250"],
        ["all of yours", "3", "2", "0.667"],
        ["only mine", "2", "0", "0.000"],
        ["only mine & yours", "2", "1", "0.500"],
        ["only yours", "1", "1", "1.000"],
        ["nobody", "-", "1", "-"],
    ]


def test_it_shows_empty_parts_of_three_circles_as_zero():
    root = render_sheet_root(
        build_venn_or_upset_panel(["a", "b", "c"], count_items_by_producer_combination(producers("x", "x", "yz")))
    )
    strong = [found.text for found in root.iter(f"{SVG}text") if "strong" in found.get("class")]
    assert sorted(strong) == ["0", "0", "0", "0", "0", "1", "2"]


def test_it_draws_bars_and_dots_for_four_producers():
    found = count_items_by_producer_combination(producers("abcdefgh", "ab", "b", "x"), encode_gold({"d1": "abcx"}))
    root = render_sheet_root(build_venn_or_upset_panel(["p", "q", "r", "s"], found))
    heights = [
        (bar.get("class"), float(bar.get("height")))
        for bar in root.iter(f"{SVG}rect")
        if bar.get("class") in ("solid", "open") and float(bar.get("height")) != 12
    ]
    parts = [(region.right, region.items - region.right) for region in found.regions]
    assert parts[0] == (1, 5)
    assert heights[0] == ("solid", pytest.approx(190 / 6, abs=0.1))
    assert heights[1] == ("open", pytest.approx(190 * 5 / 6, abs=0.1))
    assert len(heights) == 2 + 3
    large = [dot for dot in root.iter(f"{SVG}circle") if dot.get("class") == "solid"]
    assert len(large) == sum(len(region.producers) for region in found.regions)
    assert tables(root)[0][-1] == ["nobody", "-", "0", "-"]


def test_it_tells_how_many_parts_it_leaves_out():
    regions = [OverlapRegion((n % 9, 9 + n // 9), 1000 - n) for n in range(300)]
    panel = build_venn_or_upset_panel([f"producer {n}" for n in range(50)], Overlap(regions))
    assert "270 smaller parts are not drawn" in panel.note
    rest = sum(1000 - n for n in range(200, 300))
    assert list(panel.table.rows[-1].cells) == ["100 smaller parts", f"{rest:,}"]
    assert len(panel.table.rows) == 50 + 200 + 1


def test_it_has_nothing_to_draw_where_nobody_reports_anything():
    with pytest.raises(ValueError, match="nothing to draw"):
        build_venn_or_upset_panel(["a", "b"], count_items_by_producer_combination(producers("", "")))

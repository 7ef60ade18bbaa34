"""Charts: well-formed, escaped, told apart without colour, readable without eyes."""

import re
from itertools import product

import pytest
from lxml import etree

from bcms.lib.svg.axes import Axis, PlotFrame, build_tight_axis_for_shares, format_value
from bcms.lib.svg.line_charts import LEGEND_WIDTH, render_line_chart
from bcms.lib.svg.series_lines import MOST_DRAWN, LineSeries, iter_distant_points_keeping_ends, render_point_values
from bcms.lib.svg.series_styles import DARK, LIGHT, get_series_colour_and_dash_classes, render_series_mark
from bcms.lib.svg.text_layout import estimate_text_width, truncate_text_to_width, wrap_text_to_width
from tests.contrast import compute_contrast

SVG = "{http://www.w3.org/2000/svg}"
RECALL, PRECISION = Axis("Recall"), Axis("Precision")


def draw_line_chart(*series):
    chart = render_line_chart(
        series,
        id_prefix="pr",
        title="Precision at each recall",
        description="Two lines.",
        x_axis=RECALL,
        y_axis=PRECISION,
    )
    return etree.fromstring(chart.encode(), etree.XMLParser(resolve_entities=False))


def lines(chart):
    return [path for path in chart.iter(f"{SVG}path") if path.get("d", "").startswith("M") and "L" in path.get("d")]


def test_it_draws_each_series_between_the_axes():
    chart = draw_line_chart(LineSeries("GeneDict", [(0, 1), (0.5, 0.5), (1, 0)]))
    assert [path.get("d") for path in lines(chart)] == ["M46.0 26.0L246.0 176.0L446.0 326.0"]


def test_it_tells_what_is_seen_to_those_who_cannot_see_it():
    chart = draw_line_chart(LineSeries("GeneDict", [(0, 1)]))
    assert chart.get("role") == "img"
    named = {element.get("id"): element.text for element in chart if element.get("id")}
    assert [named[name] for name in chart.get("aria-labelledby").split()] == ["Precision at each recall", "Two lines."]
    assert "Recall" in "".join(chart.itertext())
    assert "Precision" in "".join(chart.itertext())


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "a & b", '"><x y="', "NUL \x00 and \ud800 bad", "α-catenin"]
)
def test_it_escapes_foreign_names(name):
    chart = draw_line_chart(LineSeries(name, [(0, 1), (1, 0.5)], note="AUC PR 0.75"))
    assert not list(chart.iter("script", f"{SVG}script", f"{SVG}x"))
    shown = [element.text for element in chart.iter(f"{SVG}text")][-1]
    assert shown == re.sub("[\x00\ud800]", "�", name)


def test_it_shows_the_name_and_the_note_on_hover():
    chart = draw_line_chart(LineSeries("GeneDict", [(0, 1), (1, 0.5)], note="AUC PR 0.75"))
    assert "GeneDict\nAUC PR 0.75" in [title.text for title in chart.iter(f"{SVG}title")]


def read_values(chart):
    """The attributes with values of the only line."""
    (line,) = (group for group in chart.iter(f"{SVG}g") if group.get("data-points"))
    return {name.removeprefix("data-"): value for name, value in line.attrib.items() if name.startswith("data-")}


def test_a_line_has_the_values_of_its_points_and_what_places_them():
    assert read_values(draw_line_chart(LineSeries("GeneDict", [(0, 1), (0.123456, 2 / 3), (1, 0.05)]))) == {
        "points": "0,1 0.1235,0.6667 1,0.05",
        "x": "46 446 0 1",
        "x-label": "Recall",
        "y": "326 26 0 1",
        "y-label": "Precision",
    }


def test_a_logarithmic_axis_is_declared():
    series = LineSeries("p50", [(0, 1), (1, 60)])
    values = render_point_values(series, [(0, 0), (9, 9)], PlotFrame(RECALL, Axis("seconds", 0.1, 600, True)))
    assert 'data-y="326 26 0.1 600 log"' in values


def test_points_that_are_too_close_to_point_at_have_no_values_but_the_ends_do():
    chart = draw_line_chart(LineSeries("GeneDict", [(step / 4000, 0.5) for step in range(4001)], note="x"))
    points = read_values(chart)["points"].split()
    assert (points[0], points[-1]) == ("0,0.5", "1,0.5")
    assert 120 < len(points) <= 135


def test_labels_are_those_of_the_points_with_values():
    points = [(0.0, 0.1), (0.0001, 0.1), (0.5, 0.2), (1.0, 0.3)]
    values = read_values(
        draw_line_chart(LineSeries("Runs", points, labels=["Monday", "Monday 2", "<Tuesday>", "Friday"]))
    )
    assert (values["points"], values["labels"]) == ("0,0.1 0.5,0.2 1,0.3", "Monday|<Tuesday>|Friday")


def test_the_values_of_thousands_of_points_stay_small():
    curve = [(step / 5000, 1 - step / 10000) for step in range(5001)]
    assert len(read_values(draw_line_chart(LineSeries("GeneDict", curve)))["points"]) < 2500


def test_a_line_that_goes_up_and_down_all_the_time_has_few_points_to_point_at():
    series = LineSeries("GeneDict", [(step / 20000, step % 2) for step in range(20001)], labels=["x"] * 20001)
    values = read_values(draw_line_chart(series))
    points = values["points"].split()
    assert (points[0], points[-1]) == ("0,0", "1,0")
    assert len(points) == len(values["labels"].split("|")) <= 502


@pytest.mark.parametrize(
    ("value", "shown"),
    [(3.0, "3"), (123456, "123456"), (0.98765, "0.9877"), (12345.6, "12346"), (-0.5, "-0.5"), (0.0, "0")],
)
def test_values_have_four_digits_and_counts_all(value, shown):
    assert format_value(value) == shown


def test_it_cuts_a_long_name_in_the_legend_only():
    chart = draw_line_chart(LineSeries("x" * 200, [(0, 1), (1, 1)]))
    shown = [element.text for element in chart.iter(f"{SVG}text")][-1]
    assert set(shown[:-1]) == {"x"}
    assert shown.endswith("…")
    assert 40 < len(shown) < 80
    assert estimate_text_width(shown, 12) <= LEGEND_WIDTH
    assert "x" * 200 in [title.text for title in chart.iter(f"{SVG}title")]


def test_it_gives_32_series_32_looks():
    assert len({get_series_colour_and_dash_classes(index) for index in range(32)}) == 32
    assert [get_series_colour_and_dash_classes(index).split()[0] for index in range(8)] == [
        f"c{index}" for index in range(8)
    ]


def test_it_gives_64_series_64_marks():
    assert len({render_series_mark(index, 0, 0) for index in range(64)}) == 64


def test_it_marks_a_line_at_its_end_and_on_its_way():
    chart = draw_line_chart(LineSeries("GeneDict", [(step / 10, 1 - step / 10) for step in range(11)]))
    marks = [path.get("transform") for path in chart.iter(f"{SVG}path") if path.get("transform")]
    assert marks[-2] == "translate(446 326)"
    assert len(marks) == 5


@pytest.mark.parametrize(
    ("axis", "ticks"),
    [
        (Axis("Recall"), [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (Axis("Rank", 1, 11), [2, 4, 6, 8, 10]),
        (Axis("Rank", 0, 250), [0, 50, 100, 150, 200, 250]),
        (Axis("F", 0.85, 1), [0.85, 0.9, 0.95, 1]),
        (Axis("Seconds", 0.3, 70, logarithmic=True), [0.5, 1, 2, 5, 10, 20, 50]),
    ],
)
def test_it_puts_ticks_at_round_values(axis, ticks):
    assert axis.ticks() == pytest.approx(ticks)


def test_it_places_values_of_a_logarithmic_axis_by_their_powers():
    frame = PlotFrame(Axis("Seconds", 0.1, 10, logarithmic=True), Axis("F1"))
    assert [frame.get_drawing_position((value, 0))[0] for value in (0.1, 1, 10)] == [46, 246, 446]


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([0.42, 0.47], (0.4, 0.5)),
        ([0.0, 0.9], (0, 1)),
        ([1.0], (0.95, 1)),
        ([0.0], (0, 0.05)),
        ([0.31, 0.69], (0.2, 0.8)),
    ],
)
def test_it_ends_an_axis_near_its_values(values, ends):
    axis = build_tight_axis_for_shares("F1", values)
    assert axis.low <= min(values) <= max(values) <= axis.high
    assert (axis.low, axis.high) == pytest.approx(ends)


def test_it_fits_words_into_a_width():
    assert truncate_text_to_width("GeneDict", 100, 12) == "GeneDict"
    assert truncate_text_to_width("蛋白質" * 10, 60, 12) == "蛋白質蛋…"
    assert wrap_text_to_width("one two three", 50, 12) == ["one two", "three"]
    assert "".join(wrap_text_to_width("x" * 40, 50, 12)) == "x" * 40
    assert wrap_text_to_width("", 40, 12) == []


def test_it_keeps_a_series_without_points_in_the_legend():
    chart = draw_line_chart(LineSeries("silent", []))
    assert lines(chart) == []
    assert [element.text for element in chart.iter(f"{SVG}text")][-1] == "silent"


def test_it_holds_a_point_outside_the_axes_at_their_end():
    chart = draw_line_chart(LineSeries("odd", [(-1, 2), (2, -1)]))
    assert [path.get("d") for path in lines(chart)] == ["M46.0 26.0L446.0 326.0"]


@pytest.mark.parametrize(
    ("colour", "paper"), [*product(LIGHT, ["#ffffff", "#fbfaf7"]), *product(DARK, ["#1b2026", "#14181c"])]
)
def test_it_draws_lines_with_enough_contrast_in_both_themes(colour, paper):
    assert compute_contrast(colour, paper) >= 3


def test_a_line_that_goes_up_and_down_thousands_of_times_has_few_points_and_its_extremes():
    positions = [(float(number), float(number % 2)) for number in range(100_001)]
    positions[50_001] = (50_001.0, 40.0)
    kept = list(iter_distant_points_keeping_ends(positions))
    assert len(kept) <= MOST_DRAWN + 4 and kept == sorted(kept)
    assert {positions[0], positions[50_001], positions[-1]} <= set(kept)
    assert {height for _, height in kept} == {0.0, 1.0, 40.0}


def test_a_line_of_as_many_points_as_are_drawn_has_them_all():
    positions = [(float(number), float(number % 3)) for number in range(MOST_DRAWN)]
    assert list(iter_distant_points_keeping_ends(positions)) == positions

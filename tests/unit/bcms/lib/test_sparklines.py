"""Lines as small as words, and strips of days."""

import re

from bcms.lib.svg.day_bars import render_day_strip
from bcms.lib.svg.sparklines import render_sparkline


def draw(*values):
    svg = render_sparkline(values, id_prefix="times-1", title="Times <b>")
    line = re.search('class="spark-line" d="([^"]*)"', svg)[1]
    return line, re.search('cx="([^"]+)" cy="([^"]+)"', svg).groups()


def test_a_line_goes_from_zero_to_the_highest_value():
    assert draw(0.0, 2.0, 1.0) == ("M3 25L60 3L117 14", ("117", "14"))


def test_a_gap_breaks_it_and_a_lone_value_is_a_dot():
    assert draw(1.0, None, 1.0, 1.0, None) == ("M3 3h0M60 3L88.5 3", ("88.5", "3"))


def test_values_of_zero_lie_on_the_ground():
    assert draw(0.0, 0.0)[0] == "M3 25L117 25"


def test_nothing_known_is_no_line():
    assert (
        render_sparkline([None, None], id_prefix="a", title="b") == render_sparkline([], id_prefix="a", title="b") == ""
    )


def test_its_title_is_escaped():
    assert '<title id="t-title">Times &lt;b&gt;</title>' in render_sparkline([1.0], id_prefix="t", title="Times <b>")


def test_a_strip_has_a_path_for_each_class_of_days():
    svg = render_day_strip([1.0, None, 0.9999, 0.5], id_prefix="days", title="Days")
    assert re.findall('class="day-([a-z]+)" d="([^"]+)"', svg) == [
        ("whole", "M1 0h6v34h-6zM17 0h6v34h-6z"),
        ("none", "M9 30h6v4h-6z"),
        ("poor", "M25 20h6v14h-6z"),
    ]

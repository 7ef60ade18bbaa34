"""Lines as small as words, and strips of days."""

import re

from bcms.lib.svg.day_bars import render_day_strip
from bcms.lib.svg.sparklines import render_sparkline


def render_times(*values):
    labels = [f"day {number}" for number in range(len(values))]
    return render_sparkline(values, id_prefix="times-1", title="Times <b>", figure="Seconds", labels=labels)


def draw(*values):
    svg = render_times(*values)
    line = re.search('class="spark-line" d="([^"]*)"', svg)[1]
    return line, re.search('cx="([^"]+)" cy="([^"]+)"', svg).groups()


def test_a_line_goes_from_zero_to_the_highest_value():
    assert draw(0.0, 2.0, 1.0) == ("M3 25L60 3L117 14", ("117", "14"))


def test_a_gap_breaks_it_and_a_lone_value_is_a_dot():
    assert draw(1.0, None, 1.0, 1.0, None) == ("M3 3h0M60 3L88.5 3", ("88.5", "3"))


def test_the_area_below_it_has_the_same_gaps():
    area = re.search('class="spark-area" d="([^"]*)"', render_times(1.0, None, 1.0, 0.5))[1]
    assert area == "M79 25V3L117 14V25z"


def test_values_of_zero_lie_on_the_ground():
    assert draw(0.0, 0.0)[0] == draw(-1.0, -2.0)[0] == "M3 25L117 25"


def test_fewer_than_two_values_are_no_line():
    assert render_times(None, None) == render_times() == render_times(1.0) == render_times(None, 1.0) == ""


def test_its_title_is_escaped():
    assert '<title id="times-1-title">Times &lt;b&gt;</title>' in render_times(1.0, 2.0)


def test_a_line_has_the_values_of_the_days_that_are_known():
    svg = render_times(-0.5, None, 2.0)
    assert 'data-points="0,-0.5 2,2" data-x="3 117 0 2"' in svg
    assert 'data-y="25 3 0 2" data-y-label="Seconds" data-labels="day 0|day 2"' in svg


def test_a_strip_has_a_path_for_each_class_of_days():
    svg = render_day_strip(
        [1.0, None, 0.9999, 0.5], id_prefix="days", title="Days", figure="Up", labels=["Mon", "Tue", "Wed", "Thu"]
    )
    assert 'data-points="0.5,100 2.5,99.99 3.5,50" data-x="0 32 0 4"' in svg
    assert 'data-y-label="Up in %" data-labels="Mon|Wed|Thu"' in svg
    assert re.findall('class="day-([a-z]+)" d="([^"]+)"', svg) == [
        ("whole", "M1 0h6v34h-6zM17 0h6v34h-6z"),
        ("none", "M9 30h6v4h-6z"),
        ("poor", "M25 20h6v14h-6z"),
    ]

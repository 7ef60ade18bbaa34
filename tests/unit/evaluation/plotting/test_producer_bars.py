"""Bars of authors, curators and systems: heights, intervals and the table beside them."""

import re

import numpy as np
import pytest

from bcms.lib.svg.axes import Axis, PlotFrame
from evaluation.analyses.curators.producer_scores import score_answers
from evaluation.plotting.producer_bars import NamedScore, build_producer_panel
from tests.reference.drawings import SVG, figures, render_sheet_root, tables

REFERENCE = {article: frozenset("ab") for article in range(1, 7)}


def make_scores(*names):
    """Each finds one item less than the one before, and nobody anything in the last articles."""
    return [
        NamedScore(
            name,
            score_answers(
                [(article, frozenset("ab"[: 2 - (article + index) % 2])) for article in REFERENCE],
                REFERENCE,
                100,
                np.random.default_rng(1),
            ),
        )
        for index, name in enumerate(names)
    ]


def find_bars(root):
    """{title: (top, height)}."""
    return {
        group.find(f"{SVG}title").text: [float(group.find(f"{SVG}rect").get(name)) for name in ("y", "height")]
        for group in root.iter(f"{SVG}g")
        if group.get("class") == "series" and group.find(f"{SVG}rect") is not None
    }


def find_intervals(root):
    """The lower and the upper end of each interval, in the drawing."""
    paths = [path.get("d") for path in root.iter(f"{SVG}path") if path.get("class") == "interval"]
    return [tuple(map(float, re.match(r"M[\d.]+ ([\d.]+)V([\d.]+)", path).groups())) for path in paths]


def test_it_draws_a_bar_and_an_interval_for_each_figure():
    scores = make_scores("authors", "curators with help")
    root = render_sheet_root(build_producer_panel("Genes", "the outcome", scores))
    frame = PlotFrame(Axis(""), Axis("Value"), height=240)
    recall = scores[0].score.recall
    assert recall == 0.75
    low, high = scores[0].score.recall_interval
    top, height = find_bars(root)[f"authors\nRecall: 0.7500\nInterval: {low:.4f} to {high:.4f}"]
    assert top == pytest.approx(frame.get_drawing_position((0, recall))[1])
    assert height == pytest.approx(frame.bottom - top)
    drawn = tuple(frame.get_drawing_position((0, end))[1] for end in (low, high))
    assert find_intervals(root)[2] == pytest.approx(drawn)
    assert len(find_intervals(root)) == 6


def test_it_lists_every_producer_with_its_articles():
    root = render_sheet_root(build_producer_panel("Genes", "the outcome", make_scores("authors", "curators")))
    assert tables(root)[0][0] == ["annotated by", "Precision", "Recall", "F1"]
    assert figures(root)["authors (6)"] == pytest.approx([1.0, 0.75, 6 / 7], abs=0.0005)


def test_it_draws_the_first_ten_only():
    panel = build_producer_panel("Genes", "the outcome", make_scores(*(f"system {number}" for number in range(12))))
    root = render_sheet_root(panel)
    assert len(find_bars(root)) == 30
    assert "2 more are in the table only." in panel.note
    assert len(tables(root)[0]) == 13

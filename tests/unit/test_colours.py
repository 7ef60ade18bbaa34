"""Text has enough contrast in both themes, also where axe cannot decide: out of view, or in tables that scroll."""

import re
from itertools import product
from pathlib import Path

import pytest

from tests.contrast import compute_contrast

STATIC = Path(__file__).resolve().parents[2] / "static"
STYLES = {path.name: path.read_text(encoding="utf-8") for path in sorted(STATIC.glob("*.css"))}
TEXTS = ("ink", "muted", "accent", "good", "warn", "bad")
GROUNDS = ("paper", "card", "accent-soft", "bad-soft")
# Text that stands on one ground only: on a mark of the heat map, on the button of a form.
MARKS = (
    *(("heat-ink", f"heat-{level}") for level in (1, 2, 3)),
    *(("heat-4-ink", "heat-4"), ("card", "accent")),
)
# Grounds of drawings without text: bars, scales and their pointers.
DRAWN = ("good", "warn", "bad", "ink", "muted", "ppi-mid")


def read_theme_colours():
    """{theme: {token: #rrggbb}} of the first :root rules in site.css, each of which changes those before that apply."""
    light, dark, strong, strong_dark = (
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})\b", rule))
        for rule in re.findall(r":root \{(.*?)\}", STYLES["site.css"], re.DOTALL)[:4]
    )
    return {
        "light": light,
        "dark": light | dark,
        "light, more contrast": light | strong,
        "dark, more contrast": light | dark | strong | strong_dark,
    }


COLOURS = read_theme_colours()


def test_what_more_contrast_changes_it_changes_in_both_themes():
    rules = re.findall(r":root \{(.*?)\}", STYLES["site.css"], re.DOTALL)[2:4]
    strong, strong_dark = (set(re.findall(r"--([\w-]+):", rule)) for rule in rules)
    assert strong == strong_dark


@pytest.mark.parametrize("theme", ["light, more contrast", "dark, more contrast"])
@pytest.mark.parametrize(("text", "ground"), [*product(TEXTS, GROUNDS)])
def test_text_has_more_contrast_for_those_who_ask_for_it(theme, text, ground):
    assert compute_contrast(COLOURS[theme][text], COLOURS[theme][ground]) >= 7


@pytest.mark.parametrize("theme", COLOURS)
@pytest.mark.parametrize(("text", "ground"), [*product(TEXTS, GROUNDS), *MARKS])
def test_text_has_enough_contrast(theme, text, ground):
    assert compute_contrast(COLOURS[theme][text], COLOURS[theme][ground]) >= 4.5


@pytest.mark.parametrize("theme", COLOURS)
@pytest.mark.parametrize(("edge", "ground"), [*product(["edge", "accent"], ["paper", "card"])])
def test_fields_and_the_focus_have_visible_edges(theme, edge, ground):
    assert compute_contrast(COLOURS[theme][edge], COLOURS[theme][ground]) >= 3


@pytest.mark.parametrize("name", STYLES)
def test_styles_have_no_other_colours(name):
    """A colour that is new here belongs into the lists above."""
    texts = set(re.findall(r"(?<![\w-])color: var\(--([\w-]+)\)", STYLES[name]))
    grounds = set(re.findall(r"background(?:-color)?: var\(--([\w-]+)\)", STYLES[name]))
    assert texts - {*TEXTS, *(text for text, _ in MARKS)} == set()
    assert grounds - {*GROUNDS, *DRAWN, *(ground for _, ground in MARKS)} == set()
    assert re.findall(r"(?<![\w-])color: (?:#|rgb|hsl|oklch)", STYLES[name]) == []

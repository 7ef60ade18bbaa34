"""Which portions of a long text are shown."""

import pytest

from bcms.article_page.text.text_portions import PORTION_CHARACTERS, choose_portions

HALF = PORTION_CHARACTERS // 2
# A title, and ten portions of two passages.
LONG = [{"type": "title", "text": "T" * 99}] + [{"type": "paragraph", "text": "x" * (HALF - 1)} for _ in range(20)]


def show(asked, position=None, passages=LONG):
    portions = choose_portions(passages, asked, position)
    return portions.first, portions.last, portions.count, portions.parameter


def test_a_short_text_has_one_portion_whatever_is_asked_for():
    for asked in ("", "1", "2", "all", "1-5", "x"):
        assert show(asked, passages=LONG[:4]) == (1, 1, 1, "")
        assert show(asked, passages=[]) == (1, 1, 1, "")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("", (1, 1, 10, "")),
        ("1", (1, 1, 10, "")),
        ("3", (3, 3, 10, "3")),
        ("10", (10, 10, 10, "10")),
        ("1-5", (1, 5, 10, "1-5")),
        ("9-90", (9, 10, 10, "9-10")),
        ("all", (1, 10, 10, "all")),
        ("1-10", (1, 10, 10, "all")),
        *((wrong, (1, 1, 10, "")) for wrong in ("0", "11", "5-2", "-3", "3-", "x", "²", "1-x", "9" * 99)),
    ],
)
def test_it_shows_what_is_asked_for_or_the_first_portion(asked, expected):
    assert show(asked) == (expected if asked != "3-" else (3, 3, 10, "3"))


def test_the_portions_are_the_text_without_a_gap():
    portions = choose_portions(LONG, "all", None)
    assert list(portions.passages) == list(range(21))
    each = [choose_portions(LONG, str(number), None) for number in range(1, 11)]
    assert [number for one in each for number in one.passages] == list(range(21))
    assert all(one.offsets[one.first] - one.offsets[one.first - 1] >= PORTION_CHARACTERS for one in each)
    assert [(one.before, one.after) for one in (each[0], each[4], each[9])] == [("", "2"), ("4", "6"), ("9", "")]


def test_it_shows_the_portion_of_what_is_chosen():
    assert show("", 0) == (1, 1, 10, "")
    assert show("", 5 * PORTION_CHARACTERS + 300) == (6, 6, 10, "6")
    assert show("2-4", 3 * PORTION_CHARACTERS + 300) == (2, 4, 10, "2-4")
    assert show("2-4", 5 * PORTION_CHARACTERS + 300) == (6, 6, 10, "6")
    assert show("all", 5 * PORTION_CHARACTERS + 300) == (1, 10, 10, "all")

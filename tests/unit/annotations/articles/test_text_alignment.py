"""Positions in a text are found in a slightly different one, if the same words are there."""

import random

import pytest

from annotations.articles.text_alignment import (
    AlignmentBudget,
    TextAlignment,
    align_carried_text,
    has_same_positions,
)
from annotations.schema import Span

TITLE = "BRAF and p53 in melanoma"
ABSTRACT = "We found that BRAF binds p53. The kinase MEK1 is activated by BRAF in human cells."
TEXT = f"{TITLE}\n{ABSTRACT}"


def find_occurrence(text: str, words: str, occurrence: int) -> int:
    start = -1
    for _ in range(occurrence + 1):
        start = text.index(words, start + 1)
    return start


def find(earlier: str, later: str, words: str, occurrence: int = 0) -> tuple[Span, str] | None:
    start = find_occurrence(earlier, words, occurrence)
    span = TextAlignment(earlier, later).find_span(Span(start, start + len(words)))
    return span and (span, later[span.start : span.end])


@pytest.mark.parametrize(
    "later",
    [
        TEXT,
        TEXT.replace("We found that", "Here we show that"),
        TEXT.replace(TITLE, "BRAF, p53 and melanoma"),
        TEXT.replace("in human cells.", "in human cells.\nCopyright 2011"),
        TEXT.replace("binds p53. ", "binds p53.\n"),
        TEXT.replace(" The kinase", "  The kinase"),
        "\N{GRINNING FACE}" + TEXT,
    ],
)
def test_it_finds_the_same_words_at_the_same_occurrence(later):
    for occurrence in range(3):
        place = find_occurrence(later, "BRAF", occurrence)
        assert find(TEXT, later, "BRAF", occurrence) == (Span(place, place + 4), "BRAF")
    assert find(TEXT, later, "MEK1") == (Span(later.index("MEK1"), later.index("MEK1") + 4), "MEK1")


@pytest.mark.parametrize(
    ("later", "found"),
    [("a ﬁlamin A gene", "ﬁlamin A"), ("a  filamin\nA gene", "filamin\nA"), ("a Filamin a gene", "Filamin a")],
)
def test_it_finds_words_in_another_form(later, found):
    earlier = "a filamin A gene"
    assert find(earlier, later, "filamin A") == (Span(later.index(found), later.index(found) + len(found)), found)


@pytest.mark.parametrize("later", ["the gene is", "the p54 gene is", "the p53ab gene is", "the cdp53 gene is", ""])
def test_it_finds_no_other_words(later):
    assert find("the p53 gene is", later, "p53") is None


def test_a_change_is_slight_if_nine_tenths_of_the_text_remain():
    assert TextAlignment("a" * 100, "a" * 90 + "b" * 500).is_slight_change
    assert not TextAlignment("a" * 100, "a" * 89 + "b" * 500).is_slight_change
    assert TextAlignment("", "a text").is_slight_change


def test_lines_that_moved_past_each_other_keep_the_longer_part_only():
    earlier, later = "first line\nsecond line\nthird", "second line\nthird\nfirst line"
    assert find(earlier, later, "second") == (Span(0, 6), "second")
    assert find(earlier, later, "first") is None


def test_every_span_it_finds_has_the_same_words():
    rng = random.Random(7)
    for _ in range(300):
        earlier = "".join(rng.choice("ab c\n") for _ in range(rng.randrange(1, 60)))
        characters = list(earlier)
        for _ in range(rng.randrange(6)):
            characters.insert(rng.randrange(len(characters) + 1), rng.choice("ab c\n"))
            del characters[rng.randrange(len(characters))]
        later = "".join(characters)
        alignment = TextAlignment(earlier, later)
        for start in range(len(earlier)):
            for end in range(start + 1, min(start + 5, len(earlier)) + 1):
                span = alignment.find_span(Span(start, end))
                if span:
                    assert "".join(later[span.start : span.end].split()) == "".join(earlier[start:end].split())
                    assert 0 <= span.start < span.end <= len(later)


def test_changes_of_long_texts_are_left_alone_if_aligning_them_takes_too_much_memory():
    earlier, later = "a" * 30_000 + "\np53", "b" * 30_000 + "\np53"
    assert find(earlier, later, "p53") == (Span(30_001, 30_004), "p53")
    assert not TextAlignment(earlier, later).is_slight_change


LONG = "Mice without the gene had larger tumours than others; the protein was found in all cells that were examined. "


def test_white_space_is_no_part_of_a_text():
    assert TextAlignment(LONG.replace(" ", "   "), LONG).is_slight_change
    assert TextAlignment(LONG, LONG.replace(" ", " \n ")).is_slight_change


def test_single_characters_that_a_long_text_has_somewhere_are_not_shared():
    """Each text of a few words is in a long one, if only its characters and their order count."""
    assert not TextAlignment("Loss of E-cadherin in cancer", LONG * 5).is_slight_change
    assert TextAlignment("the protein was found in all cells", LONG).is_slight_change


@pytest.mark.parametrize("carried", ["", " \n", LONG * 3, " " * 1000, "Loss of E-cadherin in cancer", LONG[::-1]])
def test_texts_that_differ_too_much_have_no_alignment(carried):
    assert align_carried_text(carried, LONG) is None


def test_a_carried_text_is_aligned_with_the_stored_one():
    alignment = align_carried_text(LONG.replace("Mice", "The mice"), LONG)
    start = LONG.index("tumours")
    assert alignment.find_span(Span(start + 4, start + 11)) == Span(start, start + 7)


@pytest.mark.parametrize(
    ("carried", "same"),
    [(LONG, True), (LONG.rstrip(), True), (LONG.replace(" ", "\n"), True), (LONG.replace(" ", "  "), False)],
)
def test_positions_are_the_same_if_only_the_form_of_white_space_differs(carried, same):
    assert has_same_positions(carried, LONG) is same


def test_the_texts_of_a_file_share_a_budget():
    budget = AlignmentBudget(pairs=30_000)
    carried = LONG.replace("Mice", "The mice")
    found = [align_carried_text(carried, LONG, budget) is not None for _ in range(5)]
    assert found == [True, True, False, False, False]


def test_hostile_texts_are_not_aligned():
    lines = "\n".join("ab"[number % 2] for number in range(60_000))
    assert align_carried_text(lines, lines[::-1] + "\nb") is None
    assert align_carried_text("a" * 1_000_000, "b" * 1_000_000) is None


def test_a_long_span_is_found_only_if_it_is_unchanged():
    earlier = f"{LONG * 100}"
    alignment = TextAlignment(earlier, earlier.replace("Mice without", "Mice  without", 1))
    assert alignment.find_span(Span(0, 100)) == Span(0, 101)
    assert alignment.find_span(Span(0, 6_000)) is None
    assert alignment.find_span(Span(200, 6_200)) == Span(201, 6_201)

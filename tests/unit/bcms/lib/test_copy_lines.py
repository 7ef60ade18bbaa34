"""Cells of COPY: what has a meaning in its format is escaped, and everything else is kept."""

from hypothesis import example, given
from hypothesis import strategies as st

from bcms.lib.copy_lines import NULL, format_copy_line, format_text_array_cell, format_text_cell

MEANINGS = {"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"}


@given(st.text("\\\t\n\rtnrNaé "))
@example(NULL)
@example("\\t")
def test_it_escapes_each_character_once(text):
    assert format_text_cell(text) == "".join(MEANINGS.get(character, character) for character in text)


def test_it_writes_a_line_and_an_array():
    assert format_copy_line(["1", format_text_cell("a\tb")]) == "1\ta\\tb\n"
    assert format_text_array_cell(['say "a"', "back\\slash"]) == r'{"say \\"a\\"","back\\\\slash"}'

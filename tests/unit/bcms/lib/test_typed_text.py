"""What people type is kept as they typed it, except for what cannot be stored or shown."""

import pytest

from bcms.lib.text import join_line_breaks, replace_unstorable_characters


@pytest.mark.parametrize("text", ["Fig.\u00a02A", "5\u2009µM", "α\u3000β", "a\r\n\tb", "\U0001d6fd"])
def test_spaces_of_every_kind_are_kept(text):
    assert replace_unstorable_characters(text) == text


@pytest.mark.parametrize("character", ["\0", "\x1b", "\ud800", "\u202e", "\ufffe"])
def test_what_cannot_be_stored_or_shown_is_replaced(character):
    assert replace_unstorable_characters(f"a{character}b") == "a\ufffdb"


def test_a_line_break_is_one_character():
    assert join_line_breaks("a\r\nb\nc\r\n") == "a\nb\nc\n"

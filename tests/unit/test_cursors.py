"""The place in a list, as an address carries it."""

import pytest

from annotations.paging import BadCursorError, Cursor, read_cursor


@pytest.mark.parametrize(
    "cursor",
    [
        *(Cursor(20000003, 5), Cursor(0.1 + 0.2, 7, before=True), Cursor(-1.0, 1), Cursor(0, 1)),
        # A rank of two words that stand far apart, as single precision has it.
        *(Cursor(0.0001500000071246177, 12), Cursor(0.0005000000237487257, 3), Cursor(6.079271e-05, 12)),
    ],
)
def test_it_is_read_as_it_was_written(cursor):
    read = read_cursor(str(cursor))
    assert read == cursor
    assert type(read.value) is type(cursor.value)


def test_it_is_none_of_an_empty_text():
    assert read_cursor("") is None


@pytest.mark.parametrize(
    "text", ["x", "a1", "a~1", "a1~", "c1~1", "anan~1", "ainf~1", "a1e99~1", f"a{'9' * 30}~1", f"a1~{'9' * 30}", "a١~1"]
)
def test_it_refuses_what_is_no_cursor(text):
    with pytest.raises(BadCursorError, match="begin without one"):
        read_cursor(text)

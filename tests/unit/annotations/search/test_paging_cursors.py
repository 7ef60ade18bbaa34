"""The place in a list, as an address carries it."""

import pytest

from annotations.search.paging import BadCursorError, PageCursor, parse_page_cursor_unless_empty


@pytest.mark.parametrize(
    "cursor",
    [
        *(PageCursor(20000003, 5), PageCursor(0.1 + 0.2, 7, before=True), PageCursor(-1.0, 1), PageCursor(0, 1)),
        # A rank of two words that stand far apart, as single precision has it.
        *(PageCursor(0.0001500000071246177, 12), PageCursor(0.0005000000237487257, 3), PageCursor(6.079271e-05, 12)),
    ],
)
def test_it_is_read_as_it_was_written(cursor):
    read = parse_page_cursor_unless_empty(str(cursor))
    assert read == cursor
    assert type(read.value) is type(cursor.value)


def test_it_is_none_of_an_empty_text():
    assert parse_page_cursor_unless_empty("") is None


@pytest.mark.parametrize(
    "text", ["x", "a1", "a~1", "a1~", "c1~1", "anan~1", "ainf~1", "a1e99~1", f"a{'9' * 30}~1", f"a1~{'9' * 30}", "a١~1"]
)
def test_it_refuses_what_is_no_cursor(text):
    with pytest.raises(BadCursorError, match="Start without a cursor"):
        parse_page_cursor_unless_empty(text)

"""Keyset pagination: the next page starts after the last row shown, whatever was inserted meanwhile."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Expression, F, Func, IntegerField, Model, QuerySet, Value
from django.db.models.lookups import GreaterThan, LessThan

# The value is a float such as 0.00012345678901234567, the key fits into 64 bits.
CURSOR = re.compile(r"([ab])(-?[0-9]{1,18}(?:\.[0-9]{1,20})?(?:e-[0-9]{1,2})?)~([0-9]{1,18})", re.ASCII)


class BadCursorError(ValueError):
    """The text is not a cursor; the message says what to do."""

    def __init__(self) -> None:
        super().__init__("Invalid page cursor. Start without a cursor and follow the links to other pages.")


@dataclass(frozen=True, slots=True)
class PageCursor:
    """A position after (or before) a row of a list that is ordered by a number and the primary key, both descending."""

    value: float
    pk: int
    before: bool = False

    def __str__(self) -> str:
        return f"{'b' if self.before else 'a'}{self.value!r}~{self.pk}"


def parse_page_cursor_unless_empty(text: str) -> PageCursor | None:
    """The cursor that str() formatted, None for an empty text. Raises BadCursorError for anything else."""
    if not text:
        return None
    match = CURSOR.fullmatch(text)
    if match is None:
        raise BadCursorError
    number = match[2]
    value = int(number) if re.fullmatch(r"-?[0-9]+", number) else float(number)
    return PageCursor(value, int(match[3]), before=match[1] == "b")


@dataclass(frozen=True, slots=True)
class CursorPage:
    """A page of a list: primary keys in order, and the cursors of the next and previous page, None at the ends."""

    keys: Sequence[int]
    following: PageCursor | None
    preceding: PageCursor | None


class RowValue(Func):
    """A row constructor, for comparing several columns at once."""

    function = "ROW"
    output_field = IntegerField()


def fetch_page_keys_after_or_before_cursor(
    queryset: QuerySet[Model], descending_value: Expression | F, cursor: PageCursor | None, page_size: int
) -> CursorPage:
    """At most `page_size` rows from the cursor on, by descending `descending_value`, a number that is never null: one
    query.
    """
    backwards = cursor is not None and cursor.before
    if cursor is not None:
        position = RowValue(Value(cursor.value), Value(cursor.pk))
        beyond = GreaterThan if backwards else LessThan
        queryset = queryset.filter(beyond(RowValue(descending_value, F("pk")), position))
    ordered = (
        queryset.order_by(descending_value.asc(), "pk")
        if backwards
        else queryset.order_by(descending_value.desc(), "-pk")
    )
    page: list[tuple[int, float]] = list(ordered.values_list("pk", descending_value)[: page_size + 1])
    has_more, page = len(page) > page_size, page[:page_size]
    if backwards:
        page.reverse()
    keys = [pk for pk, _ in page]
    if not page:
        return CursorPage(keys, None, None)
    following = PageCursor(page[-1][1], keys[-1]) if has_more or backwards else None
    has_preceding = has_more if backwards else cursor is not None
    preceding = PageCursor(page[0][1], keys[0], before=True) if has_preceding else None
    return CursorPage(keys, following, preceding)

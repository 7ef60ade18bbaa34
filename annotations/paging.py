"""Long lists by pages that hold still: the next page begins behind the last row shown, whatever came in meanwhile."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Expression, F, Func, IntegerField, Model, QuerySet, Value
from django.db.models.lookups import GreaterThan, LessThan

# Numbers that a double holds, such as 0.00012345678901234567, and keys that fit into 64 bits.
CURSOR = re.compile(r"([ab])(-?[0-9]{1,18}(?:\.[0-9]{1,20})?(?:e-[0-9]{1,2})?)~([0-9]{1,18})", re.ASCII)


class BadCursorError(ValueError):
    """The text is no cursor; the message says what to do."""

    def __init__(self) -> None:
        super().__init__("This is not the cursor of a page: begin without one, and follow the links to other pages.")


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a list that is ordered by a number and the primary key, highest first: behind a row or before it."""

    value: float
    pk: int
    before: bool = False

    def __str__(self) -> str:
        return f"{'b' if self.before else 'a'}{self.value!r}~{self.pk}"


def read_cursor(text: str) -> Cursor | None:
    """What str() of a cursor wrote, None of an empty text; BadCursorError for anything else."""
    if not text:
        return None
    found = CURSOR.fullmatch(text)
    if found is None:
        raise BadCursorError
    number = found[2]
    value = int(number) if re.fullmatch(r"-?[0-9]+", number) else float(number)
    return Cursor(value, int(found[3]), before=found[1] == "b")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A page of a list: primary keys in order, and where the pages beside it begin, None at the ends."""

    keys: Sequence[int]
    following: Cursor | None
    preceding: Cursor | None


class Row(Func):
    function = "ROW"
    output_field = IntegerField()


def leaf(rows: QuerySet[Model], order: Expression | F, cursor: Cursor | None, size: int) -> Leaf:
    """At most `size` rows from the cursor on, the highest first by `order`, a number that is never null: one query."""
    backwards = cursor is not None and cursor.before
    if cursor is not None:
        place = Row(Value(cursor.value), Value(cursor.pk))
        beyond = GreaterThan if backwards else LessThan
        rows = rows.filter(beyond(Row(order, F("pk")), place))
    ordered = rows.order_by(order.asc(), "pk") if backwards else rows.order_by(order.desc(), "-pk")
    found: list[tuple[int, float]] = list(ordered.values_list("pk", order)[: size + 1])
    more, found = len(found) > size, found[:size]
    if backwards:
        found.reverse()
    keys = [pk for pk, _ in found]
    if not found:
        return Leaf(keys, None, None)
    following = Cursor(found[-1][1], keys[-1]) if more or backwards else None
    preceding = Cursor(found[0][1], keys[0], before=True) if (more if backwards else cursor is not None) else None
    return Leaf(keys, following, preceding)

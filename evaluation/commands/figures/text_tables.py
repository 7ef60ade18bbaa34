"""Text output: aligned columns and lists of names."""

from collections.abc import Sequence

# Text lists only this many names; JSON has all of them.
MAX_LISTED_NAMES = 20


def format_name_list_with_rest_count(names: Sequence[str]) -> str:
    """The first names, and the number of the others."""
    more = len(names) - MAX_LISTED_NAMES
    return ", ".join(names[:MAX_LISTED_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def align_first_column_left_others_right(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines with the first column left-aligned and the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]

"""Tables as comma- or tab-separated values whose cells no spreadsheet reads as formulas."""

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

# A spreadsheet reads a cell that starts with one of these as a formula.
FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r")


def format_csv(rows: Iterable[Sequence[object]]) -> str:
    """Comma-separated values with the line ends of RFC 4180. Numbers are written as they are, texts are masked."""
    return _format_rows(rows, ",", "\r\n")


def format_tsv(rows: Iterable[Sequence[object]]) -> str:
    """Tab-separated values, one line each; cells with tabs, quotes or line breaks are quoted, texts are masked."""
    return _format_rows(rows, "\t", "\n")


def mask_formula(text: str) -> str:
    """A text that would be a formula gets an apostrophe in front, which spreadsheets hide."""
    return f"'{text}" if text.startswith(FORMULA_PREFIXES) else text


def _format_rows(rows: Iterable[Sequence[object]], delimiter: str, line_end: str) -> str:
    lines = StringIO()
    writer = csv.writer(lines, delimiter=delimiter, lineterminator=line_end)
    writer.writerows([mask_formula(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return lines.getvalue()

"""Output of the command: tables for people, JSON for programs. Text of the site cannot steer the terminal."""

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from unicodedata import category

Columns = Mapping[str, Callable[[Any], object]]
# Titles have thin and fixed spaces.
_REPLACEMENTS = {"Zs": " "}


def print_rows(options: Namespace, rows: Iterable[Any], columns: Columns) -> None:
    """Print records as a table with these columns, or with --json as a list with all their fields."""
    if options.json:
        print_json(list(rows))
        return
    lines = [list(map(clean_text, columns)), *([format_cell(read(row)) for read in columns.values()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(map(str.ljust, line, widths)).rstrip())


def print_record(options: Namespace, record: Any, columns: Columns) -> None:
    """Print one record line by line, or with --json as an object with all its fields."""
    if options.json:
        print_json(record)
        return
    width = max(map(len, columns))
    for name, read in columns.items():
        print(f"{name.ljust(width)}  {format_cell(read(record))}".rstrip())


def print_sentence(options: Namespace, sentence: str, **fields: object) -> None:
    """Print a sentence, or with --json an object with these fields."""
    if options.json:
        print_json(fields)
    else:
        print(clean_text(sentence))


def print_written_file(options: Namespace, file: Path) -> None:
    """Print where a download is."""
    print_sentence(options, f"Wrote {file}.", file=str(file))


def print_note(text: str) -> None:
    """Print a line on standard error."""
    print(clean_text(text), file=sys.stderr)


def print_json(value: object) -> None:
    """Print records, or lists of them, as JSON in ASCII."""
    print(json.dumps(value, indent=2, default=_convert_to_json))


def format_cell(value: object) -> str:
    """A value as a cell: nothing for None, four digits of figures, the minute of times."""
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return ", ".join(map(format_cell, value))
    return "" if value is None else clean_text(str(value))


def clean_text(text: str) -> str:
    """The text with a sign in place of each letter that is not printable, and plain spaces."""
    return "".join(letter if letter.isprintable() else _REPLACEMENTS.get(category(letter), "\ufffd") for letter in text)


def _convert_to_json(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return value.isoformat() if isinstance(value, datetime) else str(value)

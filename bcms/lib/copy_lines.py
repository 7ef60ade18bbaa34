"""Rows in the text format of PostgreSQL's COPY: a line for each, with tabs between the cells."""

from collections.abc import Iterable, Sequence
from io import StringIO
from itertools import islice

from django.db import connection

NULL = r"\N"
ARRAY_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\""})
BATCH = 5000


def format_copy_line(cells: Iterable[str]) -> str:
    """The line of a row; texts among the cells are escaped already."""
    return "\t".join(cells) + "\n"


def format_text_cell(text: str) -> str:
    """The cell of a text. Replacing is several times faster than str.translate, as most texts are short and plain."""
    return text.replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n").replace("\r", r"\r")


def format_number_array_cell(numbers: Iterable[int]) -> str:
    """The cell of an array of numbers."""
    return f"{{{','.join(map(str, numbers))}}}"


def format_text_array_cell(texts: Sequence[str]) -> str:
    """The cell of an array of texts."""
    array = "{" + ",".join(f'"{text.translate(ARRAY_ESCAPES)}"' for text in texts) + "}"
    return format_text_cell(array)


def copy_lines(statement: str, lines: Iterable[str]) -> int:
    """Store the rows by a COPY ... FROM STDIN; returns how many there were. It is twice as fast as INSERT for many."""
    remaining, number = iter(lines), 0
    # Without wrap_database_errors, COPY raises psycopg's own errors instead of Django's.
    with connection.cursor() as cursor, connection.wrap_database_errors:
        while batch := list(islice(remaining, BATCH)):
            cursor.copy_expert(statement, StringIO("".join(batch)))
            number += len(batch)
    return number

"""Writes annotations as tab-separated values, one per line.

A tab, line feed, carriage return and backslash in a field are written as \\t, \\n, \\r and \\\\, as in PostgreSQL. A
field that a spreadsheet would read as a formula is preceded by a backslash, which PostgreSQL's COPY removes again.
The last column, details, has what only open annotations have: their open members as one JSON object.
"""

import json
from collections.abc import Iterable, Iterator

from annotations.formats.articles.annotated_article import (
    ANNOTATION_COLUMNS,
    AnnotatedArticle,
    format_field_value_with_yes_no,
    iter_annotations_with_flat_nonempty_fields,
)
from annotations.formats.articles.open_members import build_nonempty_open_members
from annotations.schema import AnnotationData

TSV_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
FORMULA_STARTS = ("=", "+", "-", "@")
DETAILS_COLUMN = "details"


def write_annotations_as_tsv(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """A line of column names, then a line for each annotation; missing values are empty."""
    yield "\t".join((*ANNOTATION_COLUMNS, DETAILS_COLUMN)) + "\n"
    for article in articles:
        yield "".join(f"{line}\n" for line in _iter_tsv_lines(article))


def _iter_tsv_lines(article: AnnotatedArticle) -> Iterator[str]:
    for annotation, fields in iter_annotations_with_flat_nonempty_fields(article):
        values = [
            format_field_value_with_yes_no(fields[column]) if column in fields else "" for column in ANNOTATION_COLUMNS
        ]
        yield "\t".join(map(_escape_tsv_cell, (*values, _format_details(annotation))))


def _format_details(annotation: AnnotationData) -> str:
    """The open members as JSON; empty without any."""
    members = build_nonempty_open_members(annotation)
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")) if members else ""


def _escape_tsv_cell(value: str) -> str:
    """The value as a TSV field, escaped so that spreadsheets do not read it as a formula."""
    escaped = value.translate(TSV_ESCAPES)
    return f"\\{escaped}" if escaped.startswith(FORMULA_STARTS) else escaped

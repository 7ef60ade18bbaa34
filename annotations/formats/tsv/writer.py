"""Writes annotations as tab-separated values, one per line.

A tab, line feed, carriage return and backslash in a field are written as \\t, \\n, \\r and \\\\, as in PostgreSQL. A
field that a spreadsheet would read as a formula is preceded by a backslash, which PostgreSQL's COPY removes again.
"""

from collections.abc import Iterable, Iterator

from annotations.formats.articles.annotated_article import (
    ANNOTATION_COLUMNS,
    AnnotatedArticle,
    format_field_value_with_yes_no,
    iter_flat_nonempty_annotation_records,
)

TSV_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
FORMULA_STARTS = ("=", "+", "-", "@")


def write_annotations_as_tsv(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """A line of column names, then a line for each annotation; missing values are empty."""
    yield "\t".join(ANNOTATION_COLUMNS) + "\n"
    for article in articles:
        yield "".join(f"{line}\n" for line in _iter_tsv_lines(article))


def _iter_tsv_lines(article: AnnotatedArticle) -> Iterator[str]:
    for record in iter_flat_nonempty_annotation_records(article):
        values = (
            format_field_value_with_yes_no(record[column]) if column in record else "" for column in ANNOTATION_COLUMNS
        )
        yield "\t".join(map(_escape_tsv_cell, values))


def _escape_tsv_cell(value: str) -> str:
    """The value as a TSV field, escaped so that spreadsheets do not read it as a formula."""
    escaped = value.translate(TSV_ESCAPES)
    return f"\\{escaped}" if escaped.startswith(FORMULA_STARTS) else escaped

"""Reads the annotations of a Parquet file that an export wrote. Parquet with other columns is refused.

pyarrow is imported only when a file is read.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from annotations.formats.articles.annotated_article import PRODUCER_FIELDS, ExportedProducer, UpdatedAnnotation
from annotations.formats.errors import FormatError
from annotations.formats.parquet.schema import build_arrow_schema
from annotations.formats.parquet.tables import ANNOTATION_TABLE
from annotations.schema import (
    FLAT_ANNOTATION_FIELDS,
    AnnotationData,
    EntityId,
    Kind,
    Qualifier,
    RelationArgument,
    RelationParts,
    Span,
)

Row = Mapping[str, Any]

RULE = "R681"
ROWS_AT_ONCE = 10_000
# Without a value, these fields are empty; the others are None.
TEXT_FIELDS = ("text", "type", "database", "identifier", "partner")


def iter_parquet_annotations(stream: BinaryIO, source: str) -> Iterator[tuple[str, ExportedProducer, AnnotationData]]:
    """The ID of the article, the producer and the annotation of each row, in the order of the file.

    FormatError (R681) for a file that is not an export of annotations; its line is the row, from 1.
    """
    for number, row in enumerate(_iter_rows(stream, source), 1):
        try:
            yield row["article"], ExportedProducer(*(row[name] for name in PRODUCER_FIELDS)), _build_annotation(row)
        except (ValueError, TypeError) as error:
            message = f"row {number:,} is not a valid annotation ({error}) - export the file again"
            raise FormatError(source, number, 0, RULE, message) from None


def _iter_rows(stream: BinaryIO, source: str) -> Iterator[Row]:
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(stream)
        if not file.schema_arrow.equals(build_arrow_schema(ANNOTATION_TABLE)):
            message = "the columns are not those of an export of annotations - export the file as parquet-annotations"
            raise FormatError(source, 0, 0, RULE, message)
        for batch in file.iter_batches(ROWS_AT_ONCE):
            yield from batch.to_pylist()
    # Damaged files raise any of these, depending on the place of the damage.
    except (pyarrow.ArrowException, UnicodeDecodeError, OSError):
        message = "the file is not valid Parquet, or damaged - export or copy it again"
        raise FormatError(source, 0, 0, RULE, message) from None


def _build_annotation(row: Row) -> AnnotationData:
    """ValueError or TypeError for values that no annotation has."""
    kind, confidence = Kind(row["kind"]), row["confidence"]
    if confidence is not None and not 0 < confidence <= 1:
        raise ValueError(f"the confidence is {confidence}")
    if kind is Kind.MENTION and not 0 <= row["start"] < row["end"]:
        raise ValueError(f"a mention from {row['start']} to {row['end']}")
    if (kind is Kind.RELATION) != (len(row["arguments"]) > 1):
        raise ValueError("only relations have arguments, two at least")
    values: dict[str, Any] = {
        name: (row[name] or "") if name in TEXT_FIELDS else row[name] for name in FLAT_ANNOTATION_FIELDS
    }
    values |= {"spans": _build_spans(row["spans"]), "identifiers": _build_identifiers(row["identifiers"])}
    values["relation"] = _build_relation(row) if kind is Kind.RELATION else None
    if row["reported"]:
        return UpdatedAnnotation(kind, **values, reported=row["reported"])
    return AnnotationData(kind, **values)


def _build_relation(row: Row) -> RelationParts:
    return RelationParts(
        tuple(
            RelationArgument(
                argument["role"],
                _build_identifiers(argument["identifiers"]),
                _build_spans(argument["spans"]),
                argument["type"],
                argument["text"],
            )
            for argument in row["arguments"]
        ),
        row["directed"],
        tuple(Qualifier(each["name"], each["value"]) for each in row["qualifiers"]),
        _build_spans(row["evidence"]),
    )


def _build_spans(records: Iterable[Row]) -> tuple[Span, ...]:
    return tuple(Span(each["start"], each["end"]) for each in records)


def _build_identifiers(records: Iterable[Row]) -> tuple[EntityId, ...]:
    return tuple(EntityId(each["database"], each["identifier"]) for each in records)

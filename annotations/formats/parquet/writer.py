"""Writes articles or annotations as Apache Parquet, one row group after the other.

Format: https://parquet.apache.org/docs/file-format/. pyarrow is imported only when a file is written.
"""

from collections.abc import Iterable, Iterator, Mapping

from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    iter_annotations_with_flat_nonempty_fields,
)
from annotations.formats.parquet.schema import build_arrow_schema
from annotations.formats.parquet.tables import ANNOTATION_TABLE, ARTICLE_TABLE, ParquetTable
from annotations.formats.zip.writer import OutgoingBuffer
from annotations.identifiers.curies import format_curie
from annotations.schema import AnnotationData, EntityId, RelationArgument, Span

Row = Mapping[str, object]

# A row group is held in memory until it is written. It ends at this many characters of text; a row counts as some
# characters more, so that it has at most 10,000 rows.
CHARACTERS_PER_ROW_GROUP = 1 << 22
CHARACTERS_PER_ROW = 420


def write_annotations_as_parquet(articles: Iterable[AnnotatedArticle]) -> Iterator[bytes]:
    """A row for each annotation, with its article and producer, in pieces of the file."""
    return _write_parquet(ANNOTATION_TABLE, _iter_annotation_rows(articles))


def write_articles_as_parquet(articles: Iterable[AnnotatedArticle]) -> Iterator[bytes]:
    """A row for each article, with its text and who annotated it, in pieces of the file."""
    return _write_parquet(ARTICLE_TABLE, map(_build_article_row, articles))


def _write_parquet(table: ParquetTable, rows: Iterable[Row]) -> Iterator[bytes]:
    import pyarrow.parquet

    schema = build_arrow_schema(table)
    out = OutgoingBuffer()
    with pyarrow.parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for group in _iter_row_groups(rows):
            writer.write_table(pyarrow.Table.from_pylist(group, schema), row_group_size=len(group))
            yield out.take_bytes()
    yield out.take_bytes()


def _iter_row_groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    characters = 0
    for row in rows:
        group.append(row)
        text = row.get("text")
        characters += CHARACTERS_PER_ROW + (len(text) if isinstance(text, str) else 0)
        if characters >= CHARACTERS_PER_ROW_GROUP:
            yield group
            group, characters = [], 0
    if group:
        yield group


def _build_article_row(article: AnnotatedArticle) -> Row:
    ids = article.ids
    return {
        "id": article.id,
        "pmid": ids.pmid,
        "pmcid": ids.pmcid or None,
        "doi": ids.doi or None,
        "journal": article.journal or None,
        "year": article.year,
        "authors": list(article.authors),
        "text_version": article.text_version,
        "text": article.text,
        "passages": [
            {"type": passage.type, "offset": start, "length": len(passage.text)}
            for start, passage in article.iter_passage_offsets()
        ],
        "results": [
            {**result.producer.export_fields(), "kind": result.kind.value, "annotations": len(result.annotations)}
            for result in article.results
        ],
    }


def _iter_annotation_rows(articles: Iterable[AnnotatedArticle]) -> Iterator[Row]:
    for article in articles:
        for annotation, fields in iter_annotations_with_flat_nonempty_fields(article):
            yield {**fields, **_build_nested_values(annotation)}


def _build_nested_values(annotation: AnnotationData) -> Row:
    relation = annotation.relation
    return {
        "spans": _format_spans(annotation.spans),
        "identifiers": _format_identifiers(annotation.identifiers),
        "arguments": [_format_argument(argument) for argument in relation.arguments] if relation else [],
        "directed": relation.directed if relation else None,
        "qualifiers": [qualifier._asdict() for qualifier in relation.qualifiers] if relation else [],
        "evidence": _format_spans(relation.evidence) if relation else [],
    }


def _format_spans(spans: Iterable[Span]) -> list[Row]:
    return [span._asdict() for span in spans]


def _format_identifiers(entity_ids: Iterable[EntityId]) -> list[Row]:
    return [{"curie": format_curie(each), **each._asdict()} for each in entity_ids]


def _format_argument(argument: RelationArgument) -> Row:
    return {
        "role": argument.role,
        "identifiers": _format_identifiers(argument.identifiers),
        "spans": _format_spans(argument.spans),
        "type": argument.type,
        "text": argument.text,
    }

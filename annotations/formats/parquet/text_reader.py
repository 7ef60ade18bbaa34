"""Reads the annotations of a Parquet export as the readers of annotated text do, or as lines of NDJSON.

The export has no articles without annotations, and no texts.
"""

import json
from collections.abc import Iterator
from typing import BinaryIO

from annotations.formats.annotated_text.declared_members import InvalidMembersError
from annotations.formats.annotated_text.mention_collector import MentionCollector
from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.articles.annotated_article import build_nonempty_export_members
from annotations.formats.bioc.declared_infons import KIND_INFON
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.ndjson.reader import ARTICLE_MEMBER, collect_annotation_members
from annotations.formats.parquet.reader import RULE, iter_parquet_annotations


def read_parquet_into_collector(stream: BinaryIO, collector: MentionCollector) -> AnnotatedTextFile:
    """The content of a seekable stream; the lines of faults are rows.

    It is not safe against malicious files, which may need any amount of memory. RefusedFileError for a file that is no
    export of annotations (R659, R681).
    """
    try:
        for row, (document, members) in enumerate(_iter_members(stream, collector.source), 1):
            collector.documents.setdefault(document)
            try:
                collect_annotation_members(collector, members, document, row)
            except InvalidMembersError as error:
                collector.faults.add(RULE, row, 0, str(error))
    except FormatError as fault:
        raise RefusedFileError([fault]) from None
    return collector.finish()


def iter_parquet_rows_as_ndjson(stream: BinaryIO, source: str) -> Iterator[str]:
    """A line for each annotation, with its article. FormatError for a file that is no export of annotations (R681)."""
    for document, members in _iter_members(stream, source):
        yield json.dumps({ARTICLE_MEMBER: document, **members}, ensure_ascii=False) + "\n"


def _iter_members(stream: BinaryIO, source: str) -> Iterator[tuple[str, dict[str, object]]]:
    stream.seek(0)
    for document, producer, annotation in iter_parquet_annotations(stream, source):
        yield (
            document,
            {
                **producer.export_fields(),
                KIND_INFON: annotation.kind.value,
                **build_nonempty_export_members(annotation),
            },
        )

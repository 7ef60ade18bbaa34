"""Store the annotations of an article by a producer: one current Result for each kind, superseding earlier ones."""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import connection, transaction

from annotations.articles.models import Article
from annotations.articles.text_versions import build_in_memory_text_version, store_older_texts_if_annotated
from annotations.articles.versions import INSERT_CHANGE_IF_PUBLIC
from annotations.results.annotation_rows import ANNOTATION_ROW_FIELDS, build_annotation_row
from annotations.results.models import CARRIED_TEXT, Producer
from annotations.schema import AnnotationData, Kind
from bcms.lib.copy_lines import (
    NULL,
    copy_lines,
    format_copy_line,
    format_number_array_cell,
    format_text_array_cell,
    format_text_cell,
)
from bcms.lib.prepared_statements import PreparedStatement

# Raw SQL, because this runs for every answer and the ORM takes longer to build the statement than PostgreSQL to run it.
SUPERSEDE_RESULTS = PreparedStatement(
    "supersede_results",
    {"article": "bigint", "producer": "bigint", "kinds": "text[]"},
    """
UPDATE annotations_result SET superseded = statement_timestamp()
WHERE article_id = %(article)s AND producer_id = %(producer)s AND superseded IS NULL AND kind = ANY(%(kinds)s)
""",
)
# Also returns the article's current text version. Until the commit nobody replaces the text, but others may store
# Results, too.
INSERT_RESULTS = PreparedStatement(
    "insert_results",
    {
        "article": "bigint",
        "text_version": "int",
        "producer": "bigint",
        "call": "bigint",
        "body": "bytea",
        "size": "int",
        "duration": "float8",
        "stated_version": "text",
        "received": "timestamptz",
        "kinds": "text[]",
        "reasons": "text[]",
        "noted": "boolean[]",
        "moved_from": "int[]",
        "not_movable": "int[]",
    },
    """
WITH reply AS (
    INSERT INTO annotations_reply (body, size)
    SELECT body, size FROM (SELECT %(body)s::bytea AS body, %(size)s::integer AS size) AS given WHERE body IS NOT NULL
    RETURNING id
)
INSERT INTO annotations_result
    (article_id, text_version, producer_id, call, reply_id, duration, stated_version, received, kind, empty_reason,
    noted, moved_from, not_movable)
SELECT %(article)s, %(text_version)s, %(producer)s, %(call)s, (SELECT id FROM reply), %(duration)s, %(stated_version)s,
    coalesce(%(received)s, statement_timestamp()), kind, empty_reason, noted, moved_from, not_movable
FROM unnest(%(kinds)s::text[], %(reasons)s::text[], %(noted)s::boolean[], %(moved_from)s::integer[],
    %(not_movable)s::integer[]) AS given (kind, empty_reason, noted, moved_from, not_movable)
RETURNING kind, id, (SELECT text_version FROM annotations_article WHERE id = %(article)s FOR SHARE)
""",
)
# In one round trip, which costs more than the work of the database.
STORE_RESULTS = (SUPERSEDE_RESULTS, INSERT_CHANGE_IF_PUBLIC, INSERT_RESULTS)
# As fast as INSERT for a few rows, and twice as fast for many.
COPY_ANNOTATIONS = f"""
    COPY annotations_annotation (result_id, {", ".join(f'"{name}"' for name in ANNOTATION_ROW_FIELDS)}) FROM STDIN
"""


# Without a savepoint: if this fails inside a larger transaction, the whole transaction fails.
@transaction.atomic(savepoint=False)
def store_results_superseding_earlier(
    article: Article,
    producer: Producer,
    annotations_by_kind: Mapping[Kind, Sequence[AnnotationData]],
    *,
    call_id: int | None = None,
    reply_body: bytes | None = None,
    duration_seconds: float | None = None,
    stated_version: str = "",
    received_at: datetime | None = None,
    empty_reason: str = "",
    moved: Mapping[Kind, int] | None = None,
) -> dict[Kind, int]:
    """Store one Result per kind, even if it is empty, and supersede the producer's earlier ones in the same commit.

    reply_body is the unchanged body of the server's answer; duration_seconds is in seconds; stated_version is the
    version of the system that answered; empty_reason says why there are no annotations if the answer itself is not the
    reason. moved: {kind: number of annotations that could not be moved}, for kinds whose annotations came with a text
    of their own and were moved to the article's. The article object must have the annotated text, which is kept as an
    older text if it has been replaced meanwhile. Returns the id of each Result.
    """
    not_movable = [(moved or {}).get(kind) for kind in annotations_by_kind]
    values = {
        "article": article.pk,
        "text_version": article.text_version,
        "producer": producer.pk,
        "call": call_id,
        "body": None if reply_body is None else zlib.compress(reply_body),
        "size": None if reply_body is None else len(reply_body),
        "duration": duration_seconds,
        "stated_version": stated_version,
        "received": received_at,
        "kinds": [kind.value for kind in annotations_by_kind],
        "reasons": ["" if annotations else empty_reason for annotations in annotations_by_kind.values()],
        "noted": [not has_identifiers(annotations) for annotations in annotations_by_kind.values()],
        "moved_from": [None if number is None else CARRIED_TEXT for number in not_movable],
        "not_movable": not_movable,
    }
    statements = ";".join(each.get_ready_text() for each in STORE_RESULTS)
    with connection.cursor() as cursor:
        cursor.execute(statements, values)
        stored = cursor.fetchall()
    results = {Kind(kind): result for kind, result, _ in stored}
    store_annotations(
        (results[kind], each) for kind, annotations in annotations_by_kind.items() for each in annotations
    )
    if any(version != article.text_version for _, _, version in stored):
        store_older_texts_if_annotated([build_in_memory_text_version(article)])
    return results


def has_identifiers(annotations: Iterable[AnnotationData]) -> bool:
    """Whether any of the annotations refers to an entry of a database, whose look-up has to be queued."""
    return any(True for annotation in annotations for _ in annotation.iter_entity_ids())


def store_annotations(result_ids_and_annotations: Iterable[tuple[int, AnnotationData]]) -> int:
    """Store annotations, each given with the id of its Result. Returns how many there were."""
    return copy_lines(COPY_ANNOTATIONS, (_format_line(*each) for each in result_ids_and_annotations))


def _format_line(result: int, annotation: AnnotationData) -> str:
    row = build_annotation_row(annotation)
    spans, curies, detail = row[-3:]
    taxon, relevant = row[9:11]
    return format_copy_line(
        (
            str(result),
            *[NULL if number is None else str(number) for number in row[:4]],
            *[format_text_cell(text) for text in row[4:9]],
            NULL if taxon is None else str(taxon),
            NULL if relevant is None else "tf"[not relevant],
            NULL if spans is None else format_number_array_cell(spans),
            NULL if curies is None else format_text_array_cell(curies),
            NULL if detail is None else format_text_cell(json.dumps(detail, ensure_ascii=False)),
        )
    )

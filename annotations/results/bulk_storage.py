"""Store the annotations of one producer for many articles at once.

Open article pages are not notified, because nobody waits there for an uploaded run.
"""

from collections.abc import Mapping, Sequence

from django.db import connection, transaction
from django.db.models.functions import Now

from annotations.results.models import CARRIED_TEXT, Producer, Result
from annotations.results.storage import has_identifiers, store_annotations
from annotations.schema import AnnotationData, Kind

# Raw SQL: for half a million results, the ORM would take a minute to create the objects.
INSERT_BULK_RESULTS = """
    INSERT INTO annotations_result
        (article_id, text_version, producer_id, kind, empty_reason, noted, moved_from, not_movable)
    SELECT article.id, text_version, %s, %s, '', %s, moved.moved_from, moved.not_movable
    FROM annotations_article AS article
    LEFT JOIN unnest(%s::bigint[], %s::integer[], %s::integer[]) AS moved (article, moved_from, not_movable)
        ON moved.article = article.id
    WHERE article.id = ANY(%s) ORDER BY article.id
    RETURNING article_id, id
"""


@transaction.atomic(savepoint=False)
def supersede_results_in_bulk_counting_annotations(
    producer: Producer,
    kind: Kind,
    annotations_by_article: Mapping[int, Sequence[AnnotationData]],
    moved: Mapping[int, int] | None = None,
) -> int:
    """Store one Result of this kind for each article, even if it is empty, and supersede the earlier ones.

    annotations_by_article maps primary keys of articles to annotations of their current texts. moved: {primary key:
    number of annotations that could not be moved}, for articles whose annotations came with a text of their own and
    were moved from it. Returns the number of annotations.
    """
    moved = moved or {}
    current = Result.objects.filter(producer=producer, kind=kind, superseded__isnull=True)
    current.filter(article__in=list(annotations_by_article)).update(superseded=Now())
    with connection.cursor() as cursor:
        noted = not any(map(has_identifiers, annotations_by_article.values()))
        moved_columns = [list(moved), [CARRIED_TEXT] * len(moved), list(moved.values())]
        cursor.execute(
            INSERT_BULK_RESULTS, [producer.pk, kind.value, noted, *moved_columns, list(annotations_by_article)]
        )
        results = cursor.fetchall()
    return store_annotations(
        (result, annotation) for article, result in results for annotation in annotations_by_article[article]
    )

"""Store the annotations of one producer for many articles at once.

Open article pages are not notified, because nobody waits there for an uploaded run.
"""

from collections.abc import Mapping, Sequence

from django.db import connection, transaction
from django.db.models.functions import Now

from annotations.results.models import Producer, Result
from annotations.results.storage import has_identifiers, store_annotations
from annotations.schema import AnnotationData, Kind

# Raw SQL: for half a million results, the ORM would take a minute to create the objects.
INSERT_BULK_RESULTS = """
    INSERT INTO annotations_result (article_id, text_version, producer_id, kind, empty_reason, noted)
    SELECT id, text_version, %s, %s, '', %s FROM annotations_article WHERE id = ANY(%s) ORDER BY id
    RETURNING article_id, id
"""


@transaction.atomic(savepoint=False)
def supersede_results_in_bulk_counting_annotations(
    producer: Producer, kind: Kind, annotations_by_article: Mapping[int, Sequence[AnnotationData]]
) -> int:
    """Store one Result of this kind for each article, even if it is empty, and supersede the earlier ones.

    annotations_by_article maps primary keys of articles to annotations of their current texts. Returns the number of
    annotations.
    """
    current = Result.objects.filter(producer=producer, kind=kind, superseded__isnull=True)
    current.filter(article__in=list(annotations_by_article)).update(superseded=Now())
    with connection.cursor() as cursor:
        noted = not any(map(has_identifiers, annotations_by_article.values()))
        cursor.execute(INSERT_BULK_RESULTS, [producer.pk, kind.value, noted, list(annotations_by_article)])
        results = cursor.fetchall()
    return store_annotations(
        (result, annotation) for article, result in results for annotation in annotations_by_article[article]
    )

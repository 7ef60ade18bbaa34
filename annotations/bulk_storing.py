"""Store what one producer says of many articles at once.

Open pages are not told of it: nobody waits for an uploaded run on an article's page.
"""

from collections.abc import Mapping, Sequence

from django.db import connection, transaction
from django.db.models.functions import Now

from annotations.kinds import Finding, Kind
from annotations.models import Producer, Result
from annotations.storing import store_annotations

# Said in SQL: making an object of each of half a million results takes the ORM a minute.
RESULTS = """
    INSERT INTO annotations_result (article_id, text_version, producer_id, kind, empty_reason)
    SELECT id, text_version, %s, %s, '' FROM annotations_article WHERE id = ANY(%s) ORDER BY id
    RETURNING article_id, id
"""


@transaction.atomic(savepoint=False)
def store_many(producer: Producer, kind: Kind, findings: Mapping[int, Sequence[Finding]]) -> int:
    """Store one Result for each article, {its key: findings}, empty ones too, and supersede the earlier ones.

    The findings must have been made on the text that the articles have now. Returns the number of annotations.
    """
    current = Result.objects.filter(producer=producer, kind=kind, superseded__isnull=True)
    current.filter(article__in=list(findings)).update(superseded=Now())
    with connection.cursor() as cursor:
        cursor.execute(RESULTS, [producer.pk, kind.value, list(findings)])
        results = cursor.fetchall()
    return store_annotations((result, finding) for article, result in results for finding in findings[article])

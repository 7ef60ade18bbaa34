"""Store what one producer says of many articles at once; the rows go in by COPY.

Open pages are not told of it: nobody waits for an uploaded run on an article's page.
"""

from collections.abc import Mapping, Sequence
from io import StringIO

from django.db import connection, transaction
from django.db.models.functions import Now

from annotations.kinds import Finding, Kind
from annotations.models import Producer, Result

# Said in SQL: making an object of each of half a million results takes the ORM a minute.
RESULTS = """
    INSERT INTO annotations_result (article_id, text_version, producer_id, kind, empty_reason)
    SELECT id, text_version, %s, %s, '' FROM annotations_article WHERE id = ANY(%s) ORDER BY id
    RETURNING article_id, id
"""
COPY = """
    COPY annotations_annotation
        (result_id, rank, confidence, start, "end", text, type, database, identifier, partner, taxon, relevant)
    FROM STDIN
"""
NULL = r"\N"
ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})


@transaction.atomic(savepoint=False)
def store_many(producer: Producer, kind: Kind, findings: Mapping[int, Sequence[Finding]]) -> int:
    """Store one Result for each article, {its key: findings}, empty ones too, and supersede the earlier ones.

    The findings must have been made on the text that the articles have now. Returns the number of annotations.
    """
    current = Result.objects.filter(producer=producer, kind=kind, superseded__isnull=True)
    current.filter(article__in=list(findings)).update(superseded=Now())
    with connection.cursor() as cursor:
        cursor.execute(RESULTS, [producer.pk, kind.value, list(findings)])
        lines = [line(result, finding) for article, result in cursor.fetchall() for finding in findings[article]]
        cursor.copy_expert(COPY, StringIO("".join(lines)))
    return len(lines)


def line(result: int, finding: Finding) -> str:
    """The row of a finding as COPY reads it."""
    relevant = NULL if finding.relevant is None else "tf"[not finding.relevant]
    cells = (
        str(result),
        *(NULL if own is None else repr(own) for own in (finding.rank, finding.confidence, finding.start, finding.end)),
        *(own.translate(ESCAPES) for own in (finding.text, finding.type, finding.database)),
        *(own.translate(ESCAPES) for own in (finding.identifier, finding.partner)),
        NULL if finding.taxon is None else str(finding.taxon),
        relevant,
    )
    return "\t".join(cells) + "\n"

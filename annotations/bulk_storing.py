"""Store what one producer says of many articles at once; the rows go in by COPY.

Open pages are not told of it: nobody waits for an uploaded run on an article's page.
"""

from collections.abc import Mapping, Sequence
from io import StringIO

from django.db import connection, transaction
from django.db.models.functions import Now

from annotations.kinds import Finding, Kind
from annotations.models import Article, Producer, Result

BATCH = 5000
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
    versions = Article.objects.filter(pk__in=list(findings)).values_list("pk", "text_version")
    results = Result.objects.bulk_create(
        (Result(article_id=pk, text_version=version, kind=kind, producer=producer) for pk, version in versions),
        batch_size=BATCH,
    )
    lines = [line(result.pk, finding) for result in results for finding in findings[result.article_id]]
    with connection.cursor() as cursor:
        cursor.copy_expert(COPY, StringIO("".join(lines)))
    return len(lines)


def line(result: int, finding: Finding) -> str:
    """The row of a finding as COPY reads it; its columns are those of annotations.storing.annotation_row."""
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

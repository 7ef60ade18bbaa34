"""Store what a producer says of an article: one current Result for each kind, the older ones kept apart."""

import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from annotations.kinds import Finding, Kind
from annotations.models import Annotation, Article, Producer, Reply, Result

OF_PRODUCERS = """
    UPDATE annotations_article SET version = version + 1 WHERE id IN (
        SELECT id FROM annotations_article WHERE id IN (
            SELECT article_id FROM annotations_result WHERE producer_id = ANY(%s) AND superseded IS NULL)
        ORDER BY id FOR NO KEY UPDATE)
"""
NEW_VERSION = "UPDATE annotations_article SET version = version + 1 WHERE id = %s"


# No savepoint: whoever stores within a larger transaction loses all of it when this fails.
@transaction.atomic(savepoint=False)
def store_results(
    article: Article,
    producer: Producer,
    findings_by_kind: Mapping[Kind, Sequence[Finding]],
    *,
    call: int | None = None,
    reply: bytes | None = None,
    duration: float | None = None,
    received: datetime | None = None,
    empty_reason: str = "",
) -> list[Result]:
    """Store one Result per kind, empty ones too, and supersede the producer's earlier ones in the same commit.

    reply is what the server sent, byte for byte; duration is in seconds; empty_reason says why nothing was found when
    the reason is not the answer itself. The article must carry the text version that the findings were made on.
    """
    current = Result.objects.filter(article=article, producer=producer, superseded__isnull=True)
    current.filter(kind__in=list(findings_by_kind)).update(superseded=Now())
    stored_reply = None
    if reply is not None:
        stored_reply = Reply.objects.create(body=zlib.compress(reply), size=len(reply))
    results = Result.objects.bulk_create(
        Result(
            article=article,
            text_version=article.text_version,
            kind=kind,
            producer=producer,
            call=call,
            reply=stored_reply,
            duration=duration,
            empty_reason="" if findings else empty_reason,
            **({"received": received} if received else {}),
        )
        for kind, findings in findings_by_kind.items()
    )
    Annotation.objects.bulk_create(
        annotation_row(result, finding)
        for result, findings in zip(results, findings_by_kind.values(), strict=True)
        for finding in findings
    )
    announce(article.pk)
    return results


def annotation_row(result: Result, finding: Finding) -> Annotation:
    return Annotation(
        result=result,
        rank=finding.rank,
        confidence=finding.confidence,
        start=finding.start,
        end=finding.end,
        text=finding.text,
        type=finding.type,
        database=finding.database,
        identifier=finding.identifier,
        partner=finding.partner,
        taxon=finding.taxon,
        relevant=finding.relevant,
    )


def announce(article_id: int) -> None:
    """Tell the pages that poll this article that there is something new."""
    with connection.cursor() as cursor:
        cursor.execute(NEW_VERSION, [article_id])


def open_to_all(producers: QuerySet[Producer]) -> None:
    """Everybody sees from now on what these producers say; pages and lists of their articles are told."""
    opened = list(producers.filter(public=False).values_list("pk", flat=True))
    Producer.objects.filter(pk__in=opened).update(public=True)
    with connection.cursor() as cursor:
        cursor.execute(OF_PRODUCERS, [opened])

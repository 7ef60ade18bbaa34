"""Store what a producer says of an article: one current Result for each kind, the older ones kept apart."""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from io import StringIO
from itertools import islice

from django.db import connection, transaction
from django.db.models import QuerySet

from annotations.kinds import Finding, Kind
from annotations.models import Article, Producer, Reply
from annotations.older_texts import keep, text_of

OF_PRODUCERS = """
    UPDATE annotations_article SET version = version + 1 WHERE id IN (
        SELECT id FROM annotations_article WHERE id IN (
            SELECT article_id FROM annotations_result WHERE producer_id = ANY(%s) AND superseded IS NULL)
        ORDER BY id FOR NO KEY UPDATE)
"""
# Said in SQL, as the loop says it for every answer, and putting it together takes the ORM longer than the database.
NEW_VERSION = """
UPDATE annotations_article AS article SET version = article.version + 1 FROM annotations_producer AS producer
WHERE article.id = %s AND producer.id = %s AND producer.public
"""
SUPERSEDE = """
UPDATE annotations_result SET superseded = statement_timestamp()
WHERE article_id = %s AND producer_id = %s AND superseded IS NULL AND kind = ANY(%s)
"""
# Gives the version that the article's text has now, too, which nobody changes until this is committed.
RESULTS = """
INSERT INTO annotations_result
    (article_id, text_version, producer_id, call, reply_id, duration, stated_version, received, kind, empty_reason)
SELECT %s, %s, %s, %s, %s, %s, %s, coalesce(%s, statement_timestamp()), kind, empty_reason
FROM unnest(%s::text[], %s::text[]) AS said (kind, empty_reason)
RETURNING kind, id, (SELECT text_version FROM annotations_article WHERE id = %s FOR NO KEY UPDATE)
"""
# For few rows as quick as INSERT, for many twice as quick.
COPY = """
    COPY annotations_annotation
        (result_id, rank, confidence, start, "end", text, type, database, identifier, partner, taxon, relevant)
    FROM STDIN
"""
NULL = r"\N"
ESCAPES = str.maketrans({"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"})
BATCH = 5000


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
    stated_version: str = "",
    received: datetime | None = None,
    empty_reason: str = "",
) -> dict[Kind, int]:
    """Store one Result per kind, empty ones too, and supersede the producer's earlier ones in the same commit.

    Returns the id of each.

    reply is what the server sent, byte for byte; duration is in seconds; stated_version is which version of its system
    answered; empty_reason says why nothing was found when the reason is not the answer itself. The article must carry
    the text that the findings were made on, which is kept with them when it has become an older one meanwhile.
    """
    stored_reply = None
    if reply is not None:
        stored_reply = Reply.objects.create(body=zlib.compress(reply), size=len(reply)).pk
    kinds = [kind.value for kind in findings_by_kind]
    reasons = ["" if findings else empty_reason for findings in findings_by_kind.values()]
    whose = [article.pk, article.text_version, producer.pk, call, stored_reply, duration, stated_version, received]
    with connection.cursor() as cursor:
        cursor.execute(SUPERSEDE, [article.pk, producer.pk, kinds])
        cursor.execute(RESULTS, [*whose, kinds, reasons, article.pk])
        stored = cursor.fetchall()
    results = {Kind(kind): result for kind, result, _ in stored}
    store_annotations((results[kind], finding) for kind, findings in findings_by_kind.items() for finding in findings)
    if any(version != article.text_version for _, _, version in stored):
        keep([text_of(article)])
    announce(article.pk, producer.pk)
    return results


def store_annotations(said: Iterable[tuple[int, Finding]]) -> int:
    """Store findings, each with the id of its Result; how many they are."""
    rest, number = iter(said), 0
    # The errors of COPY are psycopg's own otherwise.
    with connection.cursor() as cursor, connection.wrap_database_errors:
        while batch := [line(result, finding) for result, finding in islice(rest, BATCH)]:
            cursor.copy_expert(COPY, StringIO("".join(batch)))
            number += len(batch)
    return number


def line(result: int, finding: Finding) -> str:
    """The row of a finding as COPY reads it."""
    relevant = NULL if finding.relevant is None else "tf"[not finding.relevant]
    cells = (
        str(result),
        *(NULL if own is None else str(own) for own in (finding.rank, finding.confidence, finding.start, finding.end)),
        *(own.translate(ESCAPES) for own in (finding.text, finding.type, finding.database)),
        *(own.translate(ESCAPES) for own in (finding.identifier, finding.partner)),
        NULL if finding.taxon is None else str(finding.taxon),
        relevant,
    )
    return "\t".join(cells) + "\n"


def announce(article_id: int, producer_id: int) -> None:
    """Tell the pages and lists of this article that there is something new of the producer, if everybody sees it."""
    with connection.cursor() as cursor:
        cursor.execute(NEW_VERSION, [article_id, producer_id])


def open_to_all(producers: QuerySet[Producer]) -> None:
    """Everybody sees from now on what these producers say; pages and lists of their articles are told."""
    opened = list(producers.filter(public=False).values_list("pk", flat=True))
    Producer.objects.filter(pk__in=opened).update(public=True)
    with connection.cursor() as cursor:
        cursor.execute(OF_PRODUCERS, [opened])

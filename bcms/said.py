"""Who says what of an article: its current Results joined with the servers that made them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotations.kinds import Finding
from annotations.models import Article, Producer
from annotations.querysets import StoredResult, current_results, findings_of


@dataclass(frozen=True, slots=True)
class Said:
    """What one producer says of an article in one kind; server and mode are empty unless a server says it."""

    producer: Producer
    server: str
    mode: str
    result: StoredResult
    findings: Sequence[Finding]


def said_of(article: Article, producers: QuerySet[Producer]) -> list[Said]:
    """All current Results of the producers, by name of producer and kind: 3 queries."""
    speaking = producers.filter(results__article=article, results__superseded__isnull=True).distinct()
    by_id = {producer.pk: producer for producer in speaking.select_related("queue__server")}
    results = current_results(article, by_id)
    findings = findings_of(results)
    said = [said_by(by_id[result.producer], result, findings.get(result.id, ())) for result in results]
    return sorted(said, key=lambda each: (each.producer.name, each.producer.pk, each.result.kind))


def said_by(producer: Producer, result: StoredResult, findings: Sequence[Finding]) -> Said:
    queue = getattr(producer, "queue", None)
    return Said(producer, queue.server.slug if queue else "", queue.mode if queue else "", result, findings)

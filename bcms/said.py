"""Who says what of an article: its current Results joined with the servers that made them.

Here identifiers get the form that everything which shows annotations shares (pages, REST, XML-RPC): the one that they
have today, and beside it what was reported where that is another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from annotations.collation import Named, named_today
from annotations.kinds import Finding
from annotations.models import Article, Producer
from annotations.querysets import StoredResult, current_results, findings_of, named_entries, results_on_text
from bcms.visibility import producers_seen_by
from servers.states import QueueMode

EVERYBODY = AnonymousUser()


@dataclass(frozen=True, slots=True)
class Stated:
    """A finding under today's identifiers.

    reported: the identifiers as they came (of a pair or passage both), empty where they are today's; calibrated: what
    its confidence is worth by a curve that the reader may see, None without one.
    """

    finding: Finding
    reported: Sequence[str] = ()
    calibrated: float | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What one producer says of one article in one kind; server and mode are empty unless a server says it."""

    producer: Producer
    server: str
    mode: str
    result: StoredResult
    stated: Sequence[Stated]

    @property
    def findings(self) -> list[Finding]:
        return [each.finding for each in self.stated]


def said_of(article: Article, producers: QuerySet[Producer], *, older: bool = False) -> list[Said]:
    """All current Results of the producers, by name of producer and kind: 3 queries, 4 when any has identifiers.

    older: what they last said of the older text that the article has in memory, whatever came later.
    """
    spoke = {"results__text_version": article.text_version} if older else {"results__superseded__isnull": True}
    speaking = producers.filter(results__article=article, **spoke).distinct()
    by_id = {producer.pk: producer for producer in speaking.select_related("queue__server")}
    results = (results_on_text if older else current_results)(article, by_id)
    findings = findings_of(results)
    entries = named_entries(identifiers_in(findings))
    said = [
        said_by(by_id[result.producer], result, stated_today(findings.get(result.id, ()), entries))
        for result in results
    ]
    return sorted(said, key=lambda each: (each.producer.name, each.producer.pk, each.result.kind))


def said_by(producer: Producer, result: StoredResult, stated: Sequence[Stated]) -> Said:
    queue = getattr(producer, "queue", None)
    return Said(producer, queue.server.slug if queue else "", queue.mode if queue else "", result, stated)


def live_producers() -> QuerySet[Producer]:
    """The LIVE queues' producers, which everybody may see."""
    return producers_seen_by(EVERYBODY).filter(queue__mode=QueueMode.LIVE)


def identifiers_in(findings: Mapping[int, Sequence[Finding]]) -> set[tuple[str, str]]:
    """Every (database, identifier) that these findings name."""
    said = (finding for some in findings.values() for finding in some)
    return {(each.database, name) for each in said for name in (each.identifier, each.partner) if name}


def stated_today(findings: Sequence[Finding], entries: Mapping[tuple[str, str], Named]) -> list[Stated]:
    """The findings under the identifiers that theirs mean today, with those that were reported where they differ."""
    today = [named_today(finding, entries) for finding in findings]
    return [
        Stated(new) if new is old else Stated(new, tuple(filter(None, (old.identifier, old.partner))))
        for new, old in zip(today, findings, strict=True)
    ]

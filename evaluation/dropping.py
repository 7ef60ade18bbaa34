"""Drops from the answers of a test, before they are scored, what turned out later not to exist.

A call waits for no outside database, so an identifier that nobody had checked is stored; its database may say later
that it never had such an entry. In a test nobody is asked again: the annotation goes, as it would have gone at once,
and the last try of its call says why. From the first publication of a phase on its answers stay as they are.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from django.db import connection, transaction
from django.db.models import F, Value
from django.db.models.functions import Concat

from annotations.kinds import BrokenRule, Finding, Kind
from annotations.models import Annotation, Producer
from annotations.verification import missing_identifiers
from evaluation.models import Phase, Run, Score
from servers.recording import add_broken

# Stands before what a score was made from when that is no longer all there.
DROPPED = "dropped:"
FOUND = """
WITH absent AS MATERIALIZED (
    SELECT database, identifier FROM annotations_entry WHERE NOT "exists" AND reported
), said AS (
    SELECT said.id, said.result_id, said.database, said.identifier, said.partner
    FROM absent JOIN annotations_annotation AS said
        ON said.identifier <> '' AND said.database = absent.database AND said.identifier = absent.identifier
    UNION
    SELECT said.id, said.result_id, said.database, said.identifier, said.partner
    FROM absent JOIN annotations_annotation AS said
        ON said.partner <> '' AND said.database = absent.database AND said.partner = absent.identifier
)
SELECT said.id, result.call, result.producer_id, result.kind, database, identifier, partner
FROM said JOIN annotations_result AS result ON result.id = said.result_id
WHERE result.producer_id = ANY(%s) AND result.call IS NOT NULL
ORDER BY said.id
"""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Absent:
    """One annotation that names what does not exist."""

    annotation: int
    call: int
    producer: int
    finding: Finding


@transaction.atomic
def drop_absent() -> int:
    """Drop what servers say in tests of identifiers that are known by now never to have been; how many annotations.

    Scores that were made with them are made anew, and the teams read the broken rule with the last try of each call.
    """
    absent = found()
    if absent:
        Annotation.objects.filter(pk__in=[own.annotation for own in absent]).delete()
        producers = {own.producer for own in absent}
        # Pages of whoever sees these answers are told.
        Producer.objects.filter(pk__in=producers).update(renewed=F("renewed") + 1)
        unsettle_scores(producers, {own.finding.kind for own in absent})
        for call, broken in by_call(absent).items():
            add_broken(call, broken)
        log.info("%d annotations of tests were dropped, as what they name does not exist", len(absent))
    return len(absent)


def found() -> list[Absent]:
    producers = list(undecided_runs())
    if not producers:
        return []
    with connection.cursor() as cursor:
        cursor.execute(FOUND, [producers])
        return [
            Absent(pk, call, producer, Finding(Kind(kind), database=database, identifier=name, partner=other))
            for pk, call, producer, kind, database, name, other in cursor.fetchall()
        ]


def undecided_runs() -> set[int]:
    """The producers of servers in tests of which nothing is published."""
    runs = Run.objects.filter(sort=Run.Sort.ONLINE, phase__sort=Phase.Sort.TEST, phase__published__isnull=True)
    return set(runs.exclude(phase__golds__published__isnull=False).values_list("producer_id", flat=True))


def unsettle_scores(producers: Collection[int], kinds: Collection[Kind]) -> None:
    scores = Score.objects.filter(superseded__isnull=True, run__producer__in=producers, run__task__kind__in=kinds)
    scores.exclude(seen__startswith=DROPPED).update(seen=Concat(Value(DROPPED), "seen"))


def by_call(absent: Sequence[Absent]) -> dict[int, list[BrokenRule]]:
    """What is wrong, by the call whose answer said it."""
    broken: dict[int, list[BrokenRule]] = defaultdict(list)
    for rule in missing_identifiers([own.finding for own in absent]):
        own = absent[rule.index or 0]
        broken[own.call].append(replace(rule, where=f"{own.finding.kind}.identifier"))
    return broken

"""Removal of identifiers in tests that turn out not to exist, before the runs are scored.

A call does not wait for external databases, so an unknown identifier is stored first; its database may report later
that it does not exist. In a test the server is not asked again: the annotation is deleted, as it would have been at
once, and the last attempt of its call reports the broken rule. A mention only loses the link, also as an argument of a
relation. After the first publication of a phase, its answers stay unchanged.
"""

import logging
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from django.db import connection, transaction
from django.db.models import F, Value
from django.db.models.functions import Concat

from annotations.identifiers.verification import (
    IDENTIFIER_FIELDS,
    find_known_nonexistent_identifier_faults,
    remove_links_of_mentions,
)
from annotations.results.annotation_rows import (
    ANNOTATION_ROW_FIELDS,
    build_annotation_row,
    parse_stored_curie,
    read_annotation_row,
)
from annotations.results.models import Annotation, Producer
from annotations.schema import AnnotationData, BrokenRule, EntityId, Kind
from evaluation.challenges.models import Phase
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from servers.calls.outcomes.recording import add_broken_rules_to_last_attempt

# Prefix of a score's fingerprint after some of its annotations have been deleted.
DROPPED_PREFIX = "dropped:"
NONEXISTENT_SQL = """
WITH absent AS MATERIALIZED (
    SELECT database, identifier FROM annotations_entry WHERE NOT "exists" AND reported
), named AS (
    SELECT found.id, found.result_id, absent.database || ':' || absent.identifier AS curie
    FROM absent JOIN annotations_annotation AS found
        ON found.identifier <> '' AND found.database = absent.database AND found.identifier = absent.identifier
    UNION
    SELECT found.id, found.result_id, absent.database || ':' || absent.identifier
    FROM absent JOIN annotations_annotation AS found
        ON found.partner <> '' AND found.database = absent.database AND found.partner = absent.identifier
    UNION
    SELECT found.id, found.result_id, absent.database || ':' || absent.identifier
    FROM absent JOIN annotations_annotation AS found
        ON found.curies IS NOT NULL AND found.curies @> ARRAY[absent.database || ':' || absent.identifier]
)
SELECT named.id, result.id, result.call, result.producer_id, result.kind, array_agg(named.curie ORDER BY named.curie)
FROM named JOIN annotations_result AS result ON result.id = named.result_id
WHERE result.producer_id = ANY(%s) AND result.call IS NOT NULL
GROUP BY named.id, result.id ORDER BY named.id
"""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NonexistentAnnotation:
    """An annotation with identifiers that do not exist; pk, result, call, producer: primary keys."""

    pk: int
    result: int
    call: int
    producer: int
    data: AnnotationData
    nonexistent: Collection[EntityId]

    @property
    def remainder(self) -> AnnotationData | None:
        """The annotation without links of mentions that do not exist; None if another identifier does not exist."""
        kept = remove_links_of_mentions(self.data, self.nonexistent)
        return None if any(each in self.nonexistent for each in kept.iter_entity_ids()) else kept


@transaction.atomic
def delete_servers_nonexistent_identifiers_from_unpublished_tests() -> int:
    """Delete servers' annotations in unpublished tests with identifiers that do not exist, or only links of mentions.

    Returns the number of annotations that were deleted or changed. Scores computed with them are marked stale, and the
    broken rule is added to the last attempt of each call.
    """
    nonexistent = _list_nonexistent_annotations()
    if nonexistent:
        _delete_or_update_rows(nonexistent)
        producers = {annotation.producer for annotation in nonexistent}
        # Open pages that show these annotations reload them.
        Producer.objects.filter(pk__in=producers).update(renewed=F("renewed") + 1)
        _mark_scores_stale(producers, {annotation.data.kind for annotation in nonexistent})
        for call, rules in _group_broken_rules_by_call(nonexistent).items():
            add_broken_rules_to_last_attempt(call, rules)
        log.info("Deleted identifiers of %d annotations in tests because they do not exist", len(nonexistent))
    return len(nonexistent)


def _list_nonexistent_annotations() -> list[NonexistentAnnotation]:
    producers = list(_list_unpublished_test_producers())
    if not producers:
        return []
    with connection.cursor() as cursor:
        cursor.execute(NONEXISTENT_SQL, [producers])
        found = cursor.fetchall()
    if not found:
        return []
    rows = Annotation.objects.filter(pk__in=[pk for pk, *_ in found], result__in={result for _, result, *_ in found})
    row_by_pk = {pk: row for pk, *row in rows.values_list("pk", *ANNOTATION_ROW_FIELDS)}
    return [
        NonexistentAnnotation(
            *(pk, result, call, producer),
            read_annotation_row(Kind(kind), *row_by_pk[pk]),
            frozenset(map(parse_stored_curie, curies)),
        )
        for pk, result, call, producer, kind, curies in found
        if pk in row_by_pk
    ]


def _delete_or_update_rows(nonexistent: Sequence[NonexistentAnnotation]) -> None:
    deleted = []
    for annotation in nonexistent:
        if (remainder := annotation.remainder) is None:
            deleted.append(annotation)
        else:
            values = zip(ANNOTATION_ROW_FIELDS, build_annotation_row(remainder), strict=True)
            Annotation.objects.filter(pk=annotation.pk, result=annotation.result).update(**dict(values))
    of_results = {annotation.result for annotation in deleted}
    Annotation.objects.filter(pk__in=[annotation.pk for annotation in deleted], result__in=of_results).delete()


def _list_unpublished_test_producers() -> set[int]:
    """Primary keys of the producers of servers in tests of which nothing is published."""
    runs = Run.objects.filter(sort=Run.Source.ONLINE, phase__sort=Phase.Type.TEST, phase__published__isnull=True)
    return set(runs.exclude(phase__golds__published__isnull=False).values_list("producer_id", flat=True))


def _mark_scores_stale(producers: Collection[int], kinds: Collection[Kind]) -> None:
    # The entities of mentions count in tasks of entities.
    kinds = {*kinds, *([Kind.ENTITY] if Kind.MENTION in kinds else [])}
    scores = Score.objects.filter(superseded__isnull=True, run__producer__in=producers, run__task__kind__in=kinds)
    scores.exclude(seen__startswith=DROPPED_PREFIX).update(seen=Concat(Value(DROPPED_PREFIX), "seen"))


def _group_broken_rules_by_call(nonexistent: Sequence[NonexistentAnnotation]) -> dict[int, list[BrokenRule]]:
    """{call: broken rules} of the annotations."""
    rules_by_call: dict[int, list[BrokenRule]] = defaultdict(list)
    for rule in find_known_nonexistent_identifier_faults([annotation.data for annotation in nonexistent]):
        annotation = nonexistent[rule.index or 0]
        kind = annotation.data.kind
        where = f"{kind}.{IDENTIFIER_FIELDS.get(kind, 'identifier')}"
        rules_by_call[annotation.call].append(replace(rule, where=where))
    return rules_by_call

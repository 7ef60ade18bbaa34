"""The current annotations of an article: its current Results joined with the servers that made them.

The pages, REST and XML-RPC all show current identifiers: an outdated identifier is replaced by its successor, and the
reported one is kept beside it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import QuerySet

from annotations.articles.models import Article
from annotations.identifiers.curies import list_reported_identifiers
from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.name_links import replace_outdated_identifiers
from annotations.identifiers.queries import find_named_entries
from annotations.results.models import Producer
from annotations.results.queries import (
    StoredResult,
    list_current_results_on_current_text,
    list_last_even_superseded_results_on_text,
    load_annotations_by_result_id,
)
from annotations.schema import MENTION, AnnotationData
from evaluation.visibility import ANONYMOUS_READER, list_visible_producers
from servers.calls.states import QueueMode


# A tuple, as a long article has thousands.
class ResolvedAnnotation(NamedTuple):
    """An annotation with current identifiers.

    reported: the identifiers as they came (both of a pair or passage; as CURIEs, the links of a mention and those of
    all arguments of a relation), empty if they are still current. calibrated: its calibrated confidence, None without a
    curve that the reader may see.
    """

    annotation: AnnotationData
    reported: Sequence[str] = ()
    calibrated: float | None = None


@dataclass(frozen=True, slots=True)
class ProducerAnnotations:
    """The annotations of one kind that one producer made on one article.

    server is the slug of the server, mode the mode of its queue; both are empty for other producers.
    """

    producer: Producer
    server: str
    mode: str
    result: StoredResult
    resolved_annotations: Sequence[ResolvedAnnotation]

    @property
    def annotations(self) -> list[AnnotationData]:
        return [resolved.annotation for resolved in self.resolved_annotations]


def list_producer_annotations_with_current_identifiers(
    article: Article, producers: QuerySet[Producer], *, on_older_text_in_memory: bool = False
) -> list[ProducerAnnotations]:
    """All current Results of the producers, by name of producer and kind: 3 queries, 4 when any has identifiers.

    on_older_text_in_memory: instead, their last Results on the older text that the article has in memory.
    """
    return load_producer_annotations_and_reported_entries(
        article, producers, on_older_text_in_memory=on_older_text_in_memory
    )[0]


def load_producer_annotations_and_reported_entries(
    article: Article, producers: QuerySet[Producer], *, on_older_text_in_memory: bool = False
) -> tuple[list[ProducerAnnotations], dict[tuple[str, str], NamedEntry]]:
    """The result of list_producer_annotations_with_current_identifiers, and the known entries of what was reported.

    The entries are by database and identifier. 3 queries, 4 when any Result has identifiers.
    """
    has_results = (
        {"results__text_version": article.text_version}
        if on_older_text_in_memory
        else {"results__superseded__isnull": True}
    )
    annotating = producers.filter(results__article=article, **has_results).distinct()
    by_id = {producer.pk: producer for producer in annotating.select_related("queue__server")}
    results = (
        list_last_even_superseded_results_on_text if on_older_text_in_memory else list_current_results_on_current_text
    )(article, by_id)
    annotations = load_annotations_by_result_id(results)
    entries = find_named_entries(collect_named_identifiers(annotations))
    by_producer = [
        _build_producer_annotations(
            by_id[result.producer],
            result,
            replace_outdated_identifiers_keeping_reported(annotations.get(result.id, ()), entries),
        )
        for result in results
    ]
    return sorted(by_producer, key=lambda each: (each.producer.name, each.producer.pk, each.result.kind)), entries


def _build_producer_annotations(
    producer: Producer, result: StoredResult, resolved: Sequence[ResolvedAnnotation]
) -> ProducerAnnotations:
    queue = getattr(producer, "queue", None)
    return ProducerAnnotations(
        producer, queue.server.slug if queue else "", queue.mode if queue else "", result, resolved
    )


def list_public_producers_of_live_queues(*, with_unreviewed: bool = False) -> QuerySet[Producer]:
    """The producers of LIVE queues of accepted servers; with_unreviewed: of unreviewed servers, too."""
    return list_visible_producers(ANONYMOUS_READER, with_unreviewed=with_unreviewed).filter(queue__mode=QueueMode.LIVE)


def collect_named_identifiers(annotations_by_result: Mapping[int, Sequence[AnnotationData]]) -> set[tuple[str, str]]:
    """Every (database, identifier) in these annotations."""
    return {
        (entity_id.database, entity_id.identifier)
        for annotations in annotations_by_result.values()
        for annotation in annotations
        # Most mentions have no links.
        if annotation.identifiers or annotation.kind is not MENTION
        for entity_id in annotation.iter_entity_ids()
    }


def replace_outdated_identifiers_keeping_reported(
    annotations: Sequence[AnnotationData], entries: Mapping[tuple[str, str], NamedEntry]
) -> list[ResolvedAnnotation]:
    """The annotations with current identifiers, and with the reported ones where these differ."""
    current = [replace_outdated_identifiers(annotation, entries) for annotation in annotations]
    return [
        ResolvedAnnotation(new) if new is old else ResolvedAnnotation(new, list_reported_identifiers(old))
        for new, old in zip(current, annotations, strict=True)
    ]

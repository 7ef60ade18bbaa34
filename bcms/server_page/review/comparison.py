"""Volume and agreement of producers beside those of the accepted servers, for reviewers."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from django.db import connection
from django.db.models import F, QuerySet

from annotations.identifiers.gene_keys import EntriesByIdentifier, get_group_key
from annotations.identifiers.name_links import replace_outdated_identifiers
from annotations.identifiers.queries import add_stored_or_copied_successor_entries, find_named_entries
from annotations.results.annotation_rows import ANNOTATION_ROW_FIELDS, read_annotation_row
from annotations.results.models import Annotation, Producer, Result
from annotations.schema import AnnotationData, Kind
from bcms.article_annotations.current_annotations import collect_named_identifiers
from evaluation.analyses.significance.agreement_intervals import (
    IntervalsByFigure,
    WeightSource,
    bootstrap_pair_agreement_intervals,
)
from evaluation.measures.agreement import (
    PairwiseAgreement,
    add_up_counts,
    compute_agreement_from_label_pair_counts,
)
from servers.calls.states import QueueMode
from servers.review.states import ReviewState

# Results per producer for its volume.
VOLUME_RESULTS = 500
COUNT_ANNOTATIONS = """
    SELECT producer, kind, count(*), avg(number)::float8 FROM unnest(%s::bigint[]) AS producer CROSS JOIN LATERAL (
        SELECT kind, (SELECT count(*) FROM annotations_annotation WHERE result_id = result.id) AS number
        FROM annotations_result AS result
        WHERE producer_id = producer AND superseded IS NULL ORDER BY received DESC LIMIT %s
    ) AS latest GROUP BY producer, kind
"""


@dataclass(frozen=True, slots=True)
class KindVolume:
    """The mean number of annotations per article; usual: the median over the accepted servers of this kind, or None."""

    kind: Kind
    articles: int
    per_article: float
    usual: float | None


@dataclass(frozen=True, slots=True)
class ComparableAnnotations:
    """The annotations of articles, {(producer, kind): {article: annotations}}, with the entries of their identifiers.

    As on the article page, outdated identifiers count as their current ones, and identifiers of one gene as the same.
    """

    by_producer_and_kind: Mapping[tuple[int, Kind], Mapping[str, Sequence[AnnotationData]]]
    entries: EntriesByIdentifier

    def count_shared_articles(self, kind: Kind, one: int, other: int) -> int:
        return len(self._get_articles(one, kind).keys() & self._get_articles(other, kind).keys())

    def compare(self, kind: Kind, one: int, other: int) -> PairwiseAgreement:
        """The agreement on the articles that both annotated."""
        counts = add_up_counts(self._count_by_article(kind, one, other))
        return compute_agreement_from_label_pair_counts(counts, with_kappa=kind == Kind.CLASSIFICATION)

    def compute_intervals(self, kind: Kind, one: int, other: int, get_weights: WeightSource) -> IntervalsByFigure:
        """95 % intervals of compare, without that of kappa."""
        counts = self._count_by_article(kind, one, other)
        return bootstrap_pair_agreement_intervals(counts, get_weights, with_kappa=False)

    def _count_by_article(self, kind: Kind, one: int, other: int) -> list[Counter[tuple[bool, bool]]]:
        """{label by each, or whether each reports the item: number of instances} of the articles that both annotated,
        by article.
        """
        own, others = self._get_articles(one, kind), self._get_articles(other, kind)
        shared = sorted(own.keys() & others.keys())
        if kind == Kind.CLASSIFICATION:
            first, second = _get_labels(own), _get_labels(others)
            return [Counter([(first[each], second[each])]) for each in shared if each in first and each in second]
        items, other_items = self._get_items(own), self._get_items(others)
        return [
            Counter((item in items[each], item in other_items[each]) for item in items[each] | other_items[each])
            for each in shared
        ]

    def _get_articles(self, producer: int, kind: Kind) -> Mapping[str, Sequence[AnnotationData]]:
        return self.by_producer_and_kind.get((producer, kind), {})

    def _get_items(self, annotations: Mapping[str, Sequence[AnnotationData]]) -> dict[str, set[Hashable]]:
        return {
            article: {get_group_key(each, self.entries) for each in items} for article, items in annotations.items()
        }


def _get_labels(annotations: Mapping[str, Sequence[AnnotationData]]) -> dict[str, bool]:
    return {article: bool(labels[0].relevant) for article, labels in annotations.items() if labels}


def list_producers_of_accepted_live_queues() -> QuerySet[Producer]:
    return Producer.objects.filter(queue__mode=QueueMode.LIVE, queue__server__review=ReviewState.ACCEPTED)


def compute_volumes(producers: Collection[int], accepted: Collection[int]) -> dict[int, list[KindVolume]]:
    """The volumes of producers by kind, beside those of other ones, over the latest results of each: 1 query."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_ANNOTATIONS, [list({*producers, *accepted}), VOLUME_RESULTS])
        rows = cursor.fetchall()
    usual: dict[str, list[float]] = defaultdict(list)
    own: dict[tuple[int, str], tuple[int, float]] = {}
    for producer, kind, number, mean in rows:
        own[producer, kind] = number, mean
        if producer in accepted:
            usual[kind].append(mean)
    return {
        producer: [
            KindVolume(kind, *own[producer, kind], median(usual[kind]) if usual[kind] else None)
            for kind in Kind
            if (producer, kind) in own
        ]
        for producer in producers
    }


def load_comparable_annotations(articles: Collection[int], producers: Collection[int]) -> ComparableAnnotations:
    """The current annotations of these articles by these producers: 5 queries at most."""
    results = Result.objects.filter(
        article__in=articles,
        producer__in=producers,
        text_version=F("article__text_version"),
        superseded__isnull=True,
    )
    found: dict[tuple[int, Kind], dict[str, list[AnnotationData]]] = defaultdict(dict)
    lists: dict[int, list[AnnotationData]] = {}
    kinds = {}
    for pk, producer, kind, article in results.values_list("pk", "producer_id", "kind", "article_id"):
        kinds[pk] = Kind(kind)
        found[producer, Kind(kind)][str(article)] = lists[pk] = []
    rows = Annotation.objects.filter(result__in=list(kinds)).values_list("result_id", *ANNOTATION_ROW_FIELDS)
    for pk, *row in rows:
        lists[pk].append(read_annotation_row(kinds[pk], *row))
    entries = add_stored_or_copied_successor_entries(find_named_entries(collect_named_identifiers(lists)))
    for annotations in lists.values():
        annotations[:] = [replace_outdated_identifiers(annotation, entries) for annotation in annotations]
    return ComparableAnnotations(found, entries)

"""What a reviewer looks at before accepting a server: its conformance, failures, volume, agreement and latest answers.

All figures are about the LIVE queue, and over the latest results only, so that a page takes little time however many
articles the servers have annotated.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db import connection
from django.db.models import F, QuerySet

from annotations.articles.queries import format_pmid_or_opaque
from annotations.identifiers.gene_keys import EntriesByIdentifier, get_group_key
from annotations.identifiers.name_links import replace_outdated_identifiers
from annotations.identifiers.queries import add_stored_or_copied_successor_entries, find_named_entries
from annotations.results.models import Annotation, Producer, Result
from annotations.results.queries import ANNOTATION_FIELDS
from annotations.schema import AnnotationData, Kind
from bcms.article_annotations.current_annotations import collect_named_identifiers
from evaluation.measures.agreement import (
    PairwiseAgreement,
    compute_agreement_from_label_pair_counts,
    count_items_by_two_producers_presence,
    count_shared_article_items_by_presence,
    pairwise_agreement_on_shared_articles,
)
from servers.calls.queries import BrokenRuleCount, QueueProgress, list_recent_broken_rule_counts
from servers.calls.states import QueueMode
from servers.registry.models import Server, Trial
from servers.registry.queries import list_servers_with_live_queue_progress
from servers.review.models import ReviewDecision
from servers.review.states import ReviewState
from servers.review.visible_servers import list_latest_review_decisions

# Results per server for its volume, articles for its agreement, and what the page lists.
VOLUME_RESULTS = 500
AGREEMENT_ARTICLES = 50
LATEST_ANSWERS = 10
EXAMPLES = 5
LATEST_TRIALS = 5
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
class AgreementWithServer:
    """The agreement with an accepted server on the annotations of one kind, in the articles that both annotated."""

    kind: Kind
    server: str
    slug: str
    articles: int
    agreement: PairwiseAgreement


@dataclass(frozen=True, slots=True)
class LatestAnswer:
    """One of the latest results; examples: its first annotations as text, of number."""

    article: str
    result: int
    kind: Kind
    received: datetime
    number: int
    examples: Sequence[str]


@dataclass(frozen=True, slots=True)
class ReviewEvidence:
    """live: the progress of the LIVE queue, None if it has none yet; failure_rate: the share of its ended calls."""

    server: Server
    live: QueueProgress | None
    broken: Sequence[BrokenRuleCount]
    trials: Sequence[Trial]
    volumes: Sequence[KindVolume]
    agreements: Sequence[AgreementWithServer]
    answers: Sequence[LatestAnswer]
    decisions: Sequence[ReviewDecision]

    @property
    def failure_rate(self) -> float | None:
        return self.live.failed / self.live.done if self.live and self.live.done else None


def load_review_evidence(server: Server) -> ReviewEvidence:
    """Everything about a server that the page for reviewers shows: a fixed number of queries."""
    [listed] = list_servers_with_live_queue_progress(Server.objects.filter(pk=server.pk))
    producer = _list_live_producers().filter(queue__server=server).first()
    accepted = _list_live_producers().filter(queue__server__review=ReviewState.ACCEPTED).exclude(queue__server=server)
    others = {other.pk: other for other in accepted.select_related("queue__server")}
    return ReviewEvidence(
        server=listed.server,
        live=listed.live,
        broken=list_recent_broken_rule_counts(server),
        trials=list(
            server.trials.filter(finished__isnull=False)
            .defer("request", "answer", "callback")
            .order_by("-pk")[:LATEST_TRIALS]
        ),
        volumes=_compute_volumes(producer, others) if producer else [],
        agreements=_compute_agreements(producer, others) if producer else [],
        answers=_list_latest_answers(producer) if producer else [],
        decisions=list_latest_review_decisions(server),
    )


def _list_live_producers() -> QuerySet[Producer]:
    return Producer.objects.filter(queue__mode=QueueMode.LIVE)


def _compute_volumes(producer: Producer, others: Mapping[int, Producer]) -> list[KindVolume]:
    """The volume by kind, over the latest results of each server: 1 query."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_ANNOTATIONS, [[producer.pk, *others], VOLUME_RESULTS])
        rows = cursor.fetchall()
    usual = defaultdict(list)
    for other, kind, _, mean in rows:
        if other != producer.pk:
            usual[kind].append(mean)
    own = {kind: (number, mean) for one, kind, number, mean in rows if one == producer.pk}
    return [
        KindVolume(kind, *own[kind.value], median(usual[kind.value]) if usual[kind.value] else None)
        for kind in Kind
        if kind.value in own
    ]


def _compute_agreements(producer: Producer, others: Mapping[int, Producer]) -> list[AgreementWithServer]:
    """The agreement with each accepted server on the latest articles, by kind and name of the server.

    5 queries at most. As on the article page, outdated identifiers count as their current ones, and identifiers of one
    gene as the same.
    """
    articles = Result.objects.filter(producer=producer, superseded__isnull=True).order_by("-received")
    latest = list(dict.fromkeys(articles.values_list("article_id", flat=True)[:VOLUME_RESULTS]))[:AGREEMENT_ARTICLES]
    results = Result.objects.filter(
        article__in=latest,
        producer__in=[producer.pk, *others],
        text_version=F("article__text_version"),
        superseded__isnull=True,
    )
    found: dict[tuple[int, Kind], dict[str, list[AnnotationData]]] = defaultdict(dict)
    lists: dict[int, list[AnnotationData]] = {}
    kinds = {}
    for pk, one, kind, article in results.values_list("pk", "producer_id", "kind", "article_id"):
        kinds[pk] = Kind(kind)
        found[one, Kind(kind)][str(article)] = lists[pk] = []
    rows = Annotation.objects.filter(result__in=list(kinds)).values_list("result_id", *ANNOTATION_FIELDS)
    for pk, *fields in rows:
        lists[pk].append(AnnotationData(kinds[pk], *fields))
    entries = add_stored_or_copied_successor_entries(find_named_entries(collect_named_identifiers(lists)))
    for annotations in lists.values():
        annotations[:] = [replace_outdated_identifiers(annotation, entries) for annotation in annotations]
    named = sorted(others.values(), key=lambda other: (other.name, other.pk))
    return [
        agreement
        for kind in Kind
        for other in named
        if (
            agreement := _compare_on_shared_articles(
                kind, other, found[producer.pk, kind], found[other.pk, kind], entries
            )
        )
    ]


def _compare_on_shared_articles(
    kind: Kind,
    other: Producer,
    own: Mapping[str, Sequence[AnnotationData]],
    others: Mapping[str, Sequence[AnnotationData]],
    entries: EntriesByIdentifier,
) -> AgreementWithServer | None:
    """The agreement on the articles that both annotated, by article and annotations; None if there are none."""
    shared = own.keys() & others.keys()
    if not shared:
        return None
    agreement = (
        pairwise_agreement_on_shared_articles(_get_labels(own), _get_labels(others))
        if kind == Kind.CLASSIFICATION
        else compute_agreement_from_label_pair_counts(
            count_items_by_two_producers_presence(
                count_shared_article_items_by_presence([_get_items(own, entries), _get_items(others, entries)]), 0, 1
            ),
            with_kappa=False,
        )
    )
    return AgreementWithServer(kind, other.name, other.queue.server.slug, len(shared), agreement)


def _get_labels(annotations: Mapping[str, Sequence[AnnotationData]]) -> dict[str, bool]:
    return {article: bool(labels[0].relevant) for article, labels in annotations.items() if labels}


def _get_items(
    annotations: Mapping[str, Sequence[AnnotationData]], entries: EntriesByIdentifier
) -> dict[str, set[Hashable]]:
    return {article: {get_group_key(each, entries) for each in items} for article, items in annotations.items()}


def _list_latest_answers(producer: Producer) -> list[LatestAnswer]:
    """The latest results with their first annotations: 2 queries."""
    results = Result.objects.filter(producer=producer, superseded__isnull=True).select_related("article")
    latest = list(results.defer("article__text", "article__metadata").order_by("-received", "-pk")[:LATEST_ANSWERS])
    examples: dict[int, list[str]] = defaultdict(list)
    rows = Annotation.objects.filter(result__in=latest).order_by("pk")
    for result, text, identifier, partner, relevant in rows.values_list(
        "result_id", "text", "identifier", "partner", "relevant"
    ):
        answer = "" if relevant is None else "relevant" if relevant else "not relevant"
        examples[result].append(answer or " ".join(filter(None, [identifier, partner])) or text)
    return [
        LatestAnswer(
            format_pmid_or_opaque(result.article),
            *(result.pk, Kind(result.kind), result.received),
            *(len(examples[result.pk]), examples[result.pk][:EXAMPLES]),
        )
        for result in latest
    ]

"""What a reviewer looks at before accepting a server: its conformance, failures, volume, agreement and latest answers.

All figures are about the LIVE queue, and over the latest results only, so that a page takes little time however many
articles the servers have annotated.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from annotations.articles.queries import format_pmid_or_opaque
from annotations.relation_text import format_relation_ends
from annotations.results.annotation_rows import ANNOTATION_ROW_FIELDS, read_annotation_row
from annotations.results.models import Annotation, Producer, Result
from annotations.schema import AnnotationData, Kind
from bcms.server_page.review.comparison import (
    VOLUME_RESULTS,
    KindVolume,
    compute_volumes,
    list_producers_of_accepted_live_queues,
    load_comparable_annotations,
)
from evaluation.analyses.scores.leaderboard_scores import BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED
from evaluation.analyses.significance.agreement_intervals import IntervalsByFigure, build_weight_source
from evaluation.measures.agreement import PairwiseAgreement
from servers.calls.queries import BrokenRuleCount, QueueProgress, list_recent_broken_rule_counts
from servers.calls.states import QueueMode
from servers.registry.models import Server, Trial
from servers.registry.queries import list_servers_with_live_queue_progress
from servers.review.models import ReviewDecision
from servers.review.visible_servers import list_latest_review_decisions

# Articles for the agreement of a server, and what the page lists.
AGREEMENT_ARTICLES = 50
LATEST_ANSWERS = 10
EXAMPLES = 5
LATEST_TRIALS = 5


@dataclass(frozen=True, slots=True)
class AgreementWithServer:
    """The agreement with an accepted server on the annotations of one kind, in the articles that both annotated.

    intervals: 95 % intervals of joint and f1.
    """

    kind: Kind
    server: str
    slug: str
    articles: int
    agreement: PairwiseAgreement
    intervals: IntervalsByFigure


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
    producer = Producer.objects.filter(queue__mode=QueueMode.LIVE, queue__server=server).first()
    accepted = list_producers_of_accepted_live_queues().exclude(queue__server=server)
    others = {other.pk: other for other in accepted.select_related("queue__server")}
    return ReviewEvidence(
        server=listed.server,
        live=listed.live,
        broken=list_recent_broken_rule_counts(server),
        trials=list(
            server.trials.filter(finished__isnull=False)
            .defer("request", "answer", "callback", "batch_callback")
            .order_by("-pk")[:LATEST_TRIALS]
        ),
        volumes=compute_volumes([producer.pk], others)[producer.pk] if producer else [],
        agreements=_compute_agreements(producer, others) if producer else [],
        answers=_list_latest_answers(producer) if producer else [],
        decisions=list_latest_review_decisions(server),
    )


def _compute_agreements(producer: Producer, others: Mapping[int, Producer]) -> list[AgreementWithServer]:
    """The agreement with each accepted server on the latest articles, by kind and name: 6 queries at most."""
    articles = _list_current_results_on_public_articles(producer).order_by("-received")
    latest = list(dict.fromkeys(articles.values_list("article_id", flat=True)[:VOLUME_RESULTS]))[:AGREEMENT_ARTICLES]
    comparable = load_comparable_annotations(latest, [producer.pk, *others])
    named = sorted(others.values(), key=lambda other: (other.name, other.pk))
    get_weights = build_weight_source(BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED)
    return [
        AgreementWithServer(
            kind,
            other.name,
            other.queue.server.slug,
            shared,
            comparable.compare(kind, producer.pk, other.pk),
            comparable.compute_intervals(kind, producer.pk, other.pk, get_weights),
        )
        for kind in Kind
        for other in named
        if (shared := comparable.count_shared_articles(kind, producer.pk, other.pk))
    ]


def _list_current_results_on_public_articles(producer: Producer) -> QuerySet[Result]:
    """Without those on manuscripts, which reviewers do not see."""
    return Result.objects.filter(producer=producer, superseded__isnull=True, article__blind=False)


def _list_latest_answers(producer: Producer) -> list[LatestAnswer]:
    """The latest results with their first annotations: 2 queries."""
    results = _list_current_results_on_public_articles(producer).select_related("article")
    latest = list(results.defer("article__text", "article__metadata").order_by("-received", "-pk")[:LATEST_ANSWERS])
    kinds = {result.pk: Kind(result.kind) for result in latest}
    examples: dict[int, list[str]] = defaultdict(list)
    rows = Annotation.objects.filter(result__in=latest).order_by("pk")
    for result, *row in rows.values_list("result_id", *ANNOTATION_ROW_FIELDS):
        examples[result].append(_describe_annotation(read_annotation_row(kinds[result], *row)))
    return [
        LatestAnswer(
            format_pmid_or_opaque(result.article),
            *(result.pk, Kind(result.kind), result.received),
            *(len(examples[result.pk]), examples[result.pk][:EXAMPLES]),
        )
        for result in latest
    ]


def _describe_annotation(annotation: AnnotationData) -> str:
    """The class, the value of a label, the text of a mention, or the identifiers; for relations with their type."""
    if annotation.label is not None:
        return annotation.label[1]
    if annotation.relation is not None:
        names = ["/".join(name.identifier for name in each.identifiers) or each.text for each in annotation.arguments]
        return f"{annotation.type}: {format_relation_ends(annotation, names)}"
    if annotation.kind is Kind.MENTION:
        return annotation.text
    return " ".join(filter(None, (annotation.identifier, annotation.partner))) or annotation.text

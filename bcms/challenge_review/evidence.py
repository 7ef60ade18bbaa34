"""What a reviewer looks at before accepting a challenge: how many articles it has published something about, and what.

Volumes are over the latest results of each producer, agreement over some articles that accepted servers annotated.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotations.articles.models import Article
from annotations.results.models import Producer, Result
from bcms.server_page.review.comparison import (
    ComparableAnnotations,
    KindVolume,
    compute_volumes,
    list_producers_of_accepted_live_queues,
    load_comparable_annotations,
)
from evaluation.challenges.models import Challenge, Phase
from evaluation.gold.models import GoldStandard
from evaluation.runs.models import Run
from servers.audit.models import AuditAction, AuditEvent
from servers.audit.queries import list_challenge_audit_events
from servers.registry.models import Server

AGREEMENT_ARTICLES = 50
LATEST_DECISIONS = 5


@dataclass(frozen=True, slots=True)
class PublishedProducer:
    """A run or gold standard of which annotations of one kind are published.

    phase: that of a run, empty for gold standards, whose names tell it. server: the server that made them, whose own
    review counts, None for others. f1: the mean F1 with the accepted
    servers that annotated some of the same articles, None without any; compared: the number of these servers.
    """

    name: str
    sort: str
    team: str
    phase: str
    server: Server | None
    volume: KindVolume
    f1: float | None
    compared: int


@dataclass(frozen=True, slots=True)
class ChallengeEvidence:
    """articles: with published annotations; public: of these, those that are on the site apart from the challenge;
    annotated: of these, those that accepted servers have annotated in their live queues, too.
    """

    challenge: Challenge
    phases: Sequence[Phase]
    articles: int
    public: int
    annotated: int
    producers: Sequence[PublishedProducer]
    decisions: Sequence[AuditEvent]


def load_challenge_evidence(challenge: Challenge) -> ChallengeEvidence:
    """Everything about a challenge that the page for reviewers shows: a fixed number of queries."""
    producers = {producer.pk: producer for producer in _list_published_producers(challenge)}
    runs = Run.objects.filter(producer__in=producers).values_list("producer", "team__name", "phase__sort")
    runs_by_producer = {producer: (team or "", phase) for producer, team, phase in runs}
    accepted = list(list_producers_of_accepted_live_queues().order_by("pk").values_list("pk", flat=True))
    volumes = compute_volumes(producers, accepted)
    comparable = _load_comparable_annotations(producers, accepted)
    decisions = list_challenge_audit_events(challenge.pk).filter(action=AuditAction.CHALLENGE_REVIEWED)
    return ChallengeEvidence(
        challenge,
        list(challenge.phases.filter(published__isnull=False).order_by("pk")),
        *_count_articles(producers, accepted),
        [
            _build_published_producer(producer, runs_by_producer.get(pk, ("", "")), volume, comparable, accepted)
            for pk, producer in producers.items()
            for volume in volumes[pk]
        ],
        list(decisions[:LATEST_DECISIONS]),
    )


def _list_published_producers(challenge: Challenge) -> QuerySet[Producer]:
    """Those of its runs, by name, and then its gold standards; servers included."""
    runs = Run.objects.filter(phase__challenge=challenge).values("producer")
    golds = GoldStandard.objects.filter(phase__challenge=challenge).values("producer")
    published = Producer.objects.filter(Q(pk__in=runs) | Q(pk__in=golds), published=True)
    return published.select_related("queue__server").order_by(F("gold__pk").asc(nulls_first=True), "name", "pk")


def _list_current_results(producers: Iterable[int]) -> QuerySet[Result]:
    return Result.objects.filter(producer__in=list(producers), superseded__isnull=True)


def _count_articles(producers: Iterable[int], accepted: Iterable[int]) -> tuple[int, int, int]:
    """The numbers of articles with published annotations, of public ones, and of those that servers annotated."""
    public = Q(snapshot__isnull=True)
    known = Q(Exists(_list_current_results(accepted).filter(article=OuterRef("pk"))))
    counts = Article.objects.filter(pk__in=_list_current_results(producers).values("article")).aggregate(
        articles=Count("pk"), public=Count("pk", filter=public), annotated=Count("pk", filter=public & known)
    )
    return counts["articles"], counts["public"], counts["annotated"]


def _load_comparable_annotations(producers: Iterable[int], accepted: Iterable[int]) -> ComparableAnnotations:
    """The annotations of some articles by these producers and by servers; 6 queries."""
    known = _list_current_results(accepted).filter(article=OuterRef("article"))
    shared = _list_current_results(producers).filter(Exists(known)).order_by("-article").values_list("article")
    articles = [article for (article,) in shared.distinct()[:AGREEMENT_ARTICLES]]
    return load_comparable_annotations(articles, [*producers, *accepted])


def _build_published_producer(
    producer: Producer,
    team_and_phase: tuple[str, str],
    volume: KindVolume,
    comparable: ComparableAnnotations,
    accepted: Iterable[int],
) -> PublishedProducer:
    compared = [
        comparable.compare(volume.kind, producer.pk, other)
        for other in accepted
        if comparable.count_shared_articles(volume.kind, producer.pk, other)
    ]
    figures = [agreement.f1 for agreement in compared if agreement.f1 is not None]
    queue = getattr(producer, "queue", None)
    return PublishedProducer(
        producer.name,
        producer.sort,
        *team_and_phase,
        queue.server if queue else None,
        volume,
        mean(figures) if figures else None,
        len(compared),
    )

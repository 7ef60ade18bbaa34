"""What curators decided about the annotations of a server, for its team, as far as they agree to show it.

Only decisions in digital abstracts that everybody sees now, as they were when they were published, and those of the
curators of a project that agree with its outcome, if everybody sees this as a digital abstract or a gold standard
(annotations/curation/projects/agreement.py). Nothing of a curation that goes on, of a withdrawn record, or of an
article that is hidden, blind, or part of a test that is not published. Each annotation of an article counts once.
Decisions of accounts that do not share them (CuratorProfile) are left out.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import Case, CharField, Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Cast, Coalesce, Concat

from annotations.articles.models import Article, ArticleSnapshot, CorpusArticle
from annotations.curation.contents import Content, build_content_identity
from annotations.curation.models import Candidate, DecidedItem
from annotations.curation.projects.models import AgreedDecision
from annotations.curation.states import ItemKind, ItemState
from annotations.results.models import Producer
from evaluation.challenges.models import Phase
from evaluation.curation.gold import ORIGIN_START
from evaluation.gold.models import GoldStandard
from evaluation.visibility import ANONYMOUS_READER, list_visible_articles
from servers.calls.states import QueueMode
from servers.registry.models import Server

CURRENT = "curation__publications__withdrawn__isnull"
PUBLISHED_AT = "curation__publications__published"


class CuratorVerdict(StrEnum):
    """What became of an annotation; CORRECTED: accepted with another identifier, type or participant."""

    ACCEPTED = "accepted"
    CORRECTED = "corrected"
    REJECTED = "rejected"


CURATOR_VERDICT_CHOICES = [(each.value, each.value) for each in CuratorVerdict]


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """The numbers of annotations of each kind by verdict, and the number of articles."""

    by_kind: Mapping[ItemKind, Mapping[CuratorVerdict, int]]
    articles: int


def list_articles_with_feedback() -> QuerySet[Article]:
    """The articles that everybody sees, without those of a test that is not published, or that it has snapshots of."""
    tests = Phase.objects.filter(sort=Phase.Type.TEST, published__isnull=True)
    tested = CorpusArticle.objects.filter(article=OuterRef("pk"), corpus__in=tests.values("corpus"))
    snapshots = ArticleSnapshot.objects.filter(released__isnull=True)
    articles = list_visible_articles(ANONYMOUS_READER).filter(~Exists(tested))
    return articles.filter(
        ~Exists(snapshots.filter(pmid=OuterRef("pmid"))),
        ~Exists(snapshots.exclude(doi="").filter(doi=OuterRef("doi"))),
        ~Exists(snapshots.exclude(pmcid="").filter(pmcid=OuterRef("pmcid"))),
    )


def list_published_verdicts(server: Server) -> QuerySet[Any]:
    """The items that the server proposed and curators accepted or rejected, with `proposed`, the content that they saw.

    Each annotation of an article once: as in its digital abstract if that is of one curator, else as one of those
    decided who agree with an outcome, preferably accepted. 1 query to find the producers of the server, whose
    annotations are public.
    """
    live = Producer.objects.filter(queue__server=server.pk, queue__mode=QueueMode.LIVE)
    producers = list(live.values_list("pk", flat=True))
    in_records = Q(pk__in=_list_items_of_published_records(producers).values("pk"))
    in_outcomes = Q(pk__in=_list_agreed_decisions(producers).values("item"))
    shown = DecidedItem.objects.filter(
        in_records | in_outcomes,
        state__in=(ItemState.ACCEPTED, ItemState.REJECTED),
        decision__user__curator_profile__shares_decisions=True,
    )
    # "accepted" comes before "rejected".
    annotation = ("curation__article", "kind", "key")
    ordered = shown.order_by(*annotation, Case(When(in_records, then=0), default=1), "state", "pk")
    once = ordered.distinct(*annotation)
    return DecidedItem.objects.filter(pk__in=once.values("pk")).annotate(proposed=_make_proposed_content_query())


def _list_items_of_published_records(producers: Sequence[int]) -> QuerySet[DecidedItem]:
    """The items of these producers in the curations of published records, as they were decided when published."""
    published = DecidedItem.objects.filter(
        Q(superseded_by__isnull=True) | Q(superseded_by__at__gt=F(PUBLISHED_AT)),
        **{CURRENT: True, "decision__at__lte": F(PUBLISHED_AT)},
        curation__publications__article__in=list_articles_with_feedback().values("pk"),
        producers__overlap=producers,
    )
    # A decision that was taken back after the publication superseded others before it: the last one counts.
    each_item = ("curation", "kind", "key")
    return published.order_by(*each_item, "-decision__number").distinct(*each_item)


def _list_agreed_decisions(producers: Sequence[int]) -> QuerySet[AgreedDecision]:
    """The decisions on items of these producers that agree with an outcome that everybody sees now."""
    project = Cast(OuterRef("item__curation__curator__project"), CharField())
    # A file that is uploaded later takes the place of the outcome, under the id of its gold standard.
    origin = Concat(Value(ORIGIN_START), project, Value(", "))
    golds = GoldStandard.objects.filter(pk=OuterRef("gold"), producer__public=True, source__startswith=origin)
    shown = Q(publication__isnull=False, publication__withdrawn__isnull=True) | Exists(golds)
    return AgreedDecision.objects.filter(
        shown,
        item__producers__overlap=producers,
        item__curation__article__in=list_articles_with_feedback().values("pk"),
    )


def _make_proposed_content_query() -> Coalesce:
    """The content of the candidate on the screen of the decision; if it was not there, of the newest list with it."""
    named = Candidate.objects.filter(kind=OuterRef("kind"), key=OuterRef("key"))
    on_screen = named.filter(candidate_list=OuterRef("decision__candidates"))
    newest = named.filter(candidate_list__article=OuterRef("curation__article")).order_by("-candidate_list")
    return Coalesce(Subquery(on_screen.values("content")[:1]), Subquery(newest.values("content")[:1]))


def count_published_verdicts(server: Server) -> VerdictCounts:
    """3 queries, 2 if no content differs from what was proposed: only items whose content does are loaded."""
    verdicts = list_published_verdicts(server)
    unchanged = Q(state=ItemState.REJECTED) | Q(proposed__isnull=True) | Q(content=F("proposed"))
    # By article as well: counting the articles by another query would find the same items once more.
    groups = verdicts.order_by().values("kind", "state", "curation__article")
    totals = list(groups.annotate(number=Count("pk"), same=Count("pk", filter=unchanged)))
    counts: dict[ItemKind, Counter[CuratorVerdict]] = {kind: Counter() for kind in ItemKind}
    for row in totals:
        counts[ItemKind(row["kind"])][CuratorVerdict(row["state"])] += row["same"]
    if any(row["same"] < row["number"] for row in totals):
        for item in verdicts.exclude(unchanged):
            counts[ItemKind(item.kind)][find_verdict(item, item.proposed)] += 1
    number = len({row["curation__article"] for row in totals})
    return VerdictCounts({kind: own for kind, own in counts.items() if own.total()}, number)


def find_verdict(item: DecidedItem, proposed: Content | None) -> CuratorVerdict:
    """proposed: the content that was proposed, None if it is no longer known."""
    if item.state == ItemState.REJECTED:
        return CuratorVerdict.REJECTED
    if proposed is None:
        return CuratorVerdict.ACCEPTED
    given, became = (build_content_identity(item.kind, content) for content in (proposed, item.content))
    return CuratorVerdict.ACCEPTED if given == became else CuratorVerdict.CORRECTED


def sum_verdicts(counts: Iterable[Mapping[CuratorVerdict, int]]) -> Counter[CuratorVerdict]:
    """The numbers of all kinds together."""
    total: Counter[CuratorVerdict] = Counter()
    for each in counts:
        total.update(each)
    return total

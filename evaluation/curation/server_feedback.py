"""What curators decided about the annotations of a server, for its team, as far as they agree to show it.

Only decisions in digital abstracts that everybody sees now, as they were when they were published: nothing of a
curation that goes on, of a withdrawn record, or of an article that is hidden, blind, or part of a test that is not
published. Decisions of accounts that do not share them (CuratorProfile) are left out.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotations.articles.models import Article, ArticleSnapshot, CorpusArticle
from annotations.curation.contents import Content, read_annotation_content, read_interaction_content
from annotations.curation.models import Candidate, DecidedItem
from annotations.curation.states import ItemKind, ItemState
from annotations.entity_types import get_type_key
from annotations.results.models import Producer
from annotations.schema import AnnotationData, Shape
from evaluation.challenges.models import Phase
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

    1 query to find its producers, whose annotations are public.
    """
    live = Producer.objects.filter(queue__server=server.pk, queue__mode=QueueMode.LIVE)
    producers = list(live.values_list("pk", flat=True))
    published = DecidedItem.objects.filter(
        Q(superseded_by__isnull=True) | Q(superseded_by__at__gt=F(PUBLISHED_AT)),
        **{CURRENT: True, "decision__at__lte": F(PUBLISHED_AT)},
        curation__publications__article__in=list_articles_with_feedback().values("pk"),
        producers__overlap=producers,
    )
    # A decision that was taken back after the publication superseded others before it: the last one counts.
    each_item = ("curation", "kind", "key")
    last = published.order_by(*each_item, "-decision__number").distinct(*each_item)
    return DecidedItem.objects.filter(
        pk__in=last.values("pk"),
        state__in=(ItemState.ACCEPTED, ItemState.REJECTED),
        decision__user__curator_profile__shares_decisions=True,
    ).annotate(proposed=_make_proposed_content_query())


def _make_proposed_content_query() -> Coalesce:
    """The content of the candidate on the screen of the decision; if it was not there, of the newest list with it."""
    named = Candidate.objects.filter(kind=OuterRef("kind"), key=OuterRef("key"))
    on_screen = named.filter(candidate_list=OuterRef("decision__candidates"))
    newest = named.filter(candidate_list__article=OuterRef("curation__article")).order_by("-candidate_list")
    return Coalesce(Subquery(on_screen.values("content")[:1]), Subquery(newest.values("content")[:1]))


def count_published_verdicts(server: Server) -> VerdictCounts:
    """4 queries. Only items whose content differs from what was proposed are loaded."""
    verdicts = list_published_verdicts(server)
    counts: dict[ItemKind, Counter[CuratorVerdict]] = {kind: Counter() for kind in ItemKind}
    unchanged = Q(state=ItemState.REJECTED) | Q(proposed__isnull=True) | Q(content=F("proposed"))
    totals = (
        verdicts.order_by().values("kind", "state").annotate(number=Count("pk"), same=Count("pk", filter=unchanged))
    )
    for row in totals:
        counts[ItemKind(row["kind"])][CuratorVerdict(row["state"])] += row["same"]
    for item in verdicts.exclude(unchanged):
        counts[ItemKind(item.kind)][find_verdict(item, item.proposed)] += 1
    number = verdicts.order_by().values("curation__article").distinct().count()
    return VerdictCounts({kind: own for kind, own in counts.items() if own.total()}, number)


def find_verdict(item: DecidedItem, proposed: Content | None) -> CuratorVerdict:
    """proposed: the content that was proposed, None if it is no longer known."""
    if item.state == ItemState.REJECTED:
        return CuratorVerdict.REJECTED
    is_same = proposed is None or _list_identity(item.kind, item.content) == _list_identity(item.kind, proposed)
    return CuratorVerdict.ACCEPTED if is_same else CuratorVerdict.CORRECTED


def _list_identity(kind: str, content: Content) -> object:
    """What a correction changes. Completing an interaction with its type, methods and passages corrects nothing."""
    if kind == ItemKind.INTERACTION:
        return sorted(each.entity.curie for each in read_interaction_content(content).participants)
    return _list_identity_of_annotation(read_annotation_content(content))


def _list_identity_of_annotation(annotation: AnnotationData) -> object:
    if annotation.shape is Shape.MENTION:
        return annotation.parts, get_type_key(annotation.type), sorted(annotation.identifiers)
    if annotation.shape is Shape.ENTITY:
        return annotation.database, annotation.identifier
    return annotation.key


def sum_verdicts(counts: Iterable[Mapping[CuratorVerdict, int]]) -> Counter[CuratorVerdict]:
    """The numbers of all kinds together."""
    total: Counter[CuratorVerdict] = Counter()
    for each in counts:
        total.update(each)
    return total

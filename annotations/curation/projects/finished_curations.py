"""Load what the curators of a project have finished, with a fixed number of queries."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet

from annotations.curation.models import Curation, DecidedItem
from annotations.curation.projects.comparison import ComparedItem, CuratedItem, compare_curated_items
from annotations.curation.projects.models import CurationProject
from annotations.curation.states import CurationState, ItemKind, ItemState


@dataclass(frozen=True, slots=True)
class FinishedCuration:
    """A finished curation with its items. curator: the id of the Curator; name: of the account."""

    id: int
    article: int
    curator: int
    producer: int
    name: str
    nothing_found: bool
    items: Sequence[CuratedItem]


@dataclass(slots=True)
class ProjectArticle:
    """The state of an article in a project. unfinished: how many curators still work on it.

    outcome: whether there is a finished outcome.
    """

    id: int
    finished: list[FinishedCuration] = field(default_factory=list)
    unfinished: int = 0
    outcome: bool = False

    def compare(self) -> list[ComparedItem]:
        return compare_curated_items([each.items for each in self.finished])

    @property
    def is_agreed(self) -> bool:
        """Whether nobody still works on it, and all who finished it have the same record; one alone does."""
        return bool(self.finished) and not self.unfinished and all(item.agreed for item in self.compare())


def load_project_articles(
    project: CurationProject, article_ids: Iterable[int] | None = None, *, with_items: bool = True
) -> dict[int, ProjectArticle]:
    """The articles that anybody curates in the project, by id: 3 queries, or 2 without items.

    article_ids: only these.
    """
    curations = Curation.objects.filter(curator__project=project)
    outcomes = Curation.objects.filter(curator=project.outcome_id, state=CurationState.FINISHED)
    if article_ids is not None:
        wanted = list(article_ids)
        curations, outcomes = curations.filter(article__in=wanted), outcomes.filter(article__in=wanted)
    items = load_items_by_curation(curations.filter(state=CurationState.FINISHED)) if with_items else {}
    decided = set(outcomes.values_list("article", flat=True))
    articles: dict[int, ProjectArticle] = {}
    fields = ("pk", "article", "state", "curator", "curator__producer", "curator__user__username", "nothing_found")
    for pk, article, state, curator, producer, name, nothing_found in curations.order_by("pk").values_list(*fields):
        known = articles.setdefault(article, ProjectArticle(article, outcome=article in decided))
        if state == CurationState.FINISHED:
            known.finished.append(
                FinishedCuration(pk, article, curator, producer, name or "", nothing_found, items.get(pk, ()))
            )
        else:
            known.unfinished += 1
    return articles


def load_items_by_curation(curations: QuerySet[Curation]) -> Mapping[int, Sequence[CuratedItem]]:
    """{id of the curation: its current items}: 1 query."""
    items: dict[int, list[CuratedItem]] = defaultdict(list)
    rows = DecidedItem.objects.filter(curation__in=curations.values("pk"), superseded_by__isnull=True).order_by("pk")
    for curation, kind, state, content, producers in rows.values_list(
        "curation", "kind", "state", "content", "producers"
    ):
        items[curation].append(CuratedItem(ItemKind(kind), ItemState(state), content, producers))
    return items


def list_articles_in_own_work(project: CurationProject, user_id: int) -> QuerySet[Curation]:
    """The unfinished curations of the account in the project: until they are done, it sees nobody else's of them."""
    return Curation.objects.filter(curator__project=project, curator__user=user_id).exclude(
        state=CurationState.FINISHED
    )

"""What a curator can do next: their own curations, and articles that nobody curates yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import Case, Count, Exists, F, OuterRef, Q, QuerySet, Value, When
from django.db.models.fields.json import KT, KeyTextTransform, KeyTransform
from django.db.models.functions import Coalesce

from annotations.curation.models import Curation, PublishedAbstract
from annotations.curation.projects.assignment import list_unassigned_articles
from annotations.curation.projects.models import CurationProject
from annotations.curation.states import CurationState
from annotations.results.models import ArticleSummary
from evaluation.curation.eligibility import competes_on_blind_corpus, list_curations_of_user
from evaluation.visibility import ANONYMOUS_READER, list_visible_articles
from servers.teams.permissions import User

MOST_ROWS = 50
MOST_SUGGESTIONS = 20
# Without loading the text, which may be long. KT does not follow relations.
TITLE_OF_ARTICLE = KeyTextTransform("text", KeyTransform("0", "article__passages"))


class WorklistOrder(StrEnum):
    """GIVEN: as assigned, in the order of the corpus. The others: the highest first; public servers decide."""

    GIVEN = "given"
    LIKELY = "likely"
    DISAGREEMENT = "disagreement"


ORDER_LABELS = {
    WorklistOrder.GIVEN: "as assigned",
    WorklistOrder.LIKELY: "likely to report interactions first",
    WorklistOrder.DISAGREEMENT: "most disagreement of servers first",
}
SUMMARY_FIELDS = {WorklistOrder.LIKELY: "balance", WorklistOrder.DISAGREEMENT: "disagreement"}


@dataclass(frozen=True, slots=True)
class WorklistRow:
    """A curation of the user. article: its PMID or opaque id; project: its name, "" for none; arm: as in Curation."""

    id: int
    article: str
    title: str
    state: CurationState
    project: str
    project_id: int | None
    changed: datetime
    seconds: float
    nothing_found: bool
    arm: str


@dataclass(frozen=True, slots=True)
class SuggestedArticle:
    """An article that the user does not curate, and in a project nobody does."""

    article: str
    title: str


@dataclass(frozen=True, slots=True)
class Worklist:
    """next: the first row to continue or begin, None if nothing is left. unfinished, finished: how many there are.

    suggestions: of the project, or without one of all public articles.
    """

    rows: Sequence[WorklistRow]
    done: Sequence[WorklistRow]
    unfinished: int
    finished: int
    suggestions: Sequence[SuggestedArticle]

    @property
    def next(self) -> WorklistRow | None:
        return self.rows[0] if self.rows else None

    @property
    def has_experiment(self) -> bool:
        return any(row.arm for row in self.rows)


@dataclass(frozen=True, slots=True)
class OwnProjectProgress:
    """The curations of a user in a project; project_id is None, and project empty, for those in none."""

    project_id: int | None
    project: str
    unfinished: int
    finished: int

    @property
    def total(self) -> int:
        return self.unfinished + self.finished


@dataclass(frozen=True, slots=True)
class CurationProgress:
    """The curations of a user. next: to continue or begin, None if nothing is left."""

    next: WorklistRow | None
    projects: Sequence[OwnProjectProgress]

    @property
    def unfinished(self) -> int:
        return sum(each.unfinished for each in self.projects)

    @property
    def finished(self) -> int:
        return sum(each.finished for each in self.projects)

    @property
    def total(self) -> int:
        return self.unfinished + self.finished

    @property
    def current_projects(self) -> list[OwnProjectProgress]:
        """Those in which something is left to do."""
        return [each for each in self.projects if each.unfinished]

    @property
    def is_all_in_one_current_project(self) -> bool:
        return self.projects == self.current_projects and len(self.projects) == 1


def load_curation_progress(user: User) -> CurationProgress:
    """Of all curations of the user, as in the worklist: 2 queries, 1 if nothing is left to do."""
    own = list_curations_of_user(user)
    is_finished = Q(state=CurationState.FINISHED)
    numbers = {"unfinished": Count("pk", filter=~is_finished), "finished": Count("pk", filter=is_finished)}
    grouped = own.order_by().values_list("curator__project", "curator__project__name").annotate(**numbers)
    projects = [
        OwnProjectProgress(project, name or "", unfinished, finished)
        for project, name, unfinished, finished in grouped.order_by("curator__project__name", "curator__project")
    ]
    if not any(each.unfinished for each in projects):
        return CurationProgress(None, projects)
    rows = _build_rows(_sort_unfinished(own.exclude(is_finished), WorklistOrder.GIVEN), most=1)
    return CurationProgress(next(iter(rows), None), projects)


def load_worklist(user: User, order: WorklistOrder, project: CurationProject | None = None) -> Worklist:
    """The newest work of the user, in the project or everywhere: 5 queries. Open articles come before assigned ones."""
    own = list_curations_of_user(user)
    if project is not None:
        own = own.filter(curator__project=project)
    unfinished = own.exclude(state=CurationState.FINISHED)
    finished = own.filter(state=CurationState.FINISHED)
    return Worklist(
        _build_rows(_sort_unfinished(unfinished, order)),
        _build_rows(finished.order_by("-finished", "-pk")),
        unfinished.count(),
        finished.count(),
        _suggest_articles_of_project(project, user, order) if project else _suggest_public_articles(user, order),
    )


def _sort_unfinished(curations: QuerySet[Curation], order: WorklistOrder) -> QuerySet[Curation]:
    begun_first = Case(When(state=CurationState.OPEN, then=Value(0)), default=Value(1))
    if order is WorklistOrder.GIVEN:
        return curations.order_by(begun_first, "pk")
    value = Coalesce(F(f"article__standing__{SUMMARY_FIELDS[order]}"), -1.0)
    return curations.order_by(begun_first, value.desc(), "pk")


def _build_rows(curations: QuerySet[Curation], most: int = MOST_ROWS) -> list[WorklistRow]:
    fields = ("pk", "article__pmid", "article__opaque", "first_title", "state", "curator__project__name")
    more = ("curator__project", "changed", "seconds", "nothing_found", "arm")
    rows = curations.annotate(first_title=TITLE_OF_ARTICLE).values_list(*fields, *more)
    return [
        WorklistRow(
            pk, opaque if pmid is None else str(pmid), title or "", CurationState(state), project or "", *others
        )
        for pk, pmid, opaque, title, state, project, *others in rows[:most]
    ]


def _suggest_articles_of_project(project: CurationProject, user: User, order: WorklistOrder) -> list[SuggestedArticle]:
    """Articles that nobody curates; none to those who compete on blind ones."""
    if competes_on_blind_corpus(user, project.corpus):
        return []
    articles = list_unassigned_articles(project).annotate(first_title=KT("passages__0__text"))
    if order is not WorklistOrder.GIVEN:
        articles = articles.order_by(Coalesce(F(f"standing__{SUMMARY_FIELDS[order]}"), -1.0).desc(), "pk")
    rows = articles.values_list("pmid", "opaque", "first_title")[:MOST_SUGGESTIONS]
    return [_build_suggestion(*row) for row in rows]


def _suggest_public_articles(user: User, order: WorklistOrder) -> list[SuggestedArticle]:
    """Articles that everybody sees and that have no digital abstract; as nothing is assigned, the likely ones first."""
    field = SUMMARY_FIELDS.get(order, "balance")
    curated = Curation.objects.filter(curator__user=user.pk, article=OuterRef("article"))
    published = PublishedAbstract.objects.filter(article=OuterRef("article"), withdrawn__isnull=True)
    visible = list_visible_articles(ANONYMOUS_READER).filter(pk=OuterRef("article"))
    summaries = ArticleSummary.objects.filter(
        Exists(visible), ~Exists(curated), ~Exists(published), **{f"{field}__isnull": False}
    )
    ordered = summaries.order_by(Coalesce(field, -1.0).desc(), "-article")
    titled = ordered.annotate(first_title=TITLE_OF_ARTICLE)
    rows = titled.values_list("article__pmid", "article__opaque", "first_title")[:MOST_SUGGESTIONS]
    return [_build_suggestion(*row) for row in rows]


def _build_suggestion(pmid: int | None, opaque: str, title: str | None) -> SuggestedArticle:
    return SuggestedArticle(opaque if pmid is None else str(pmid), title or "")

"""Reads of curation projects for pages and REST, each with a fixed number of queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.fields.json import KT

from annotations.articles.models import Article
from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.models import Curator
from annotations.curation.projects.assignment import list_unassigned_articles
from annotations.curation.projects.comparison import ComparedItem
from annotations.curation.projects.finished_curations import (
    ProjectArticle,
    list_articles_in_own_work,
    load_project_articles,
)
from annotations.curation.projects.models import CurationProject
from annotations.curation.states import CurationState
from evaluation.analyses.curators.level_agreement import (
    LevelAgreement,
    compute_level_agreements,
    compute_pairwise_level_agreements,
)
from evaluation.analyses.scores.leaderboard_scores import BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED
from evaluation.analyses.significance.agreement_intervals import build_weight_source
from evaluation.curation.curated_articles import load_curated_articles
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class CuratorProgress:
    """How far a curator is. hours: the time in sight of all articles."""

    id: int
    name: str
    released: bool
    assigned: int
    open: int
    finished: int
    hours: float


@dataclass(frozen=True, slots=True)
class ProjectProgress:
    """How far a project is. articles: in the corpus; unassigned: that nobody curates; decided: with an outcome."""

    articles: int
    unassigned: int
    decided: int
    curators: Sequence[CuratorProgress]


def list_projects_newest_first(projects: QuerySet[CurationProject]) -> QuerySet[CurationProject]:
    """Open ones first."""
    return projects.select_related("corpus", "owner").order_by(F("closed").desc(nulls_first=True), "-pk")


def load_project_progress(project: CurationProject) -> ProjectProgress:
    """4 queries."""
    counts = {state.value: Count("curations", filter=Q(curations__state=state)) for state in CurationState}
    rows = project.curators.order_by("pk").annotate(seconds=Sum("curations__seconds"), **counts)
    fields = ("pk", "user__username", "producer__name", "released", "assigned", "open", "finished", "seconds")
    curators = [
        CuratorProgress(pk, name or producer, released is not None, assigned, opened, finished, (seconds or 0) / 3600)
        for pk, name, producer, released, assigned, opened, finished, seconds in rows.values_list(*fields)
    ]
    return ProjectProgress(
        Article.objects.filter(corpora=project.corpus_id).count(),
        list_unassigned_articles(project).count(),
        project.outcome.curations.filter(state=CurationState.FINISHED).count(),
        curators,
    )


@dataclass(frozen=True, slots=True)
class CuratorPairAgreement:
    """The agreement of two curators, by their names, on the articles that both finished."""

    first: str
    second: str
    levels: Sequence[LevelAgreement]


@dataclass(frozen=True, slots=True)
class ArticleRow:
    """An article in a project. name: its PMID or opaque id. differing: how many items not all curators agree on."""

    id: int
    name: str
    title: str
    curators: Sequence[str]
    differing: int
    decided: bool


@dataclass(frozen=True, slots=True)
class ProjectOutcome:
    """What the curators of a project agree on. together: the agreement of all of them, if they are more than two.

    conflicts: finished articles with items that only some have. agreed: how many articles can be taken over at once.
    hidden: articles that the reader still curates, of which they see nothing.
    """

    pairs: Sequence[CuratorPairAgreement]
    together: Sequence[LevelAgreement]
    conflicts: Sequence[ArticleRow]
    agreed: int
    hidden: int

    @property
    def open_conflicts(self) -> int:
        return sum(not row.decided for row in self.conflicts)


def load_project_outcome(project: CurationProject, reader: User) -> ProjectOutcome:
    """7 queries."""
    in_work = set(list_articles_in_own_work(project, reader.pk or 0).values_list("article", flat=True))
    articles = load_project_articles(project)
    shown = [article for article in articles.values() if article.id not in in_work]
    curated = load_curated_articles(shown)
    names = _load_curator_names(project)
    curators = [curator for curator in names if curator in curated]
    by_curator = [curated[curator] for curator in curators]
    compared = {article.id: article.compare() for article in shown if article.finished and not article.unfinished}
    get_weights = build_weight_source(BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED)
    pairs = compute_pairwise_level_agreements(by_curator, get_weights)
    return ProjectOutcome(
        [
            CuratorPairAgreement(names[curators[one]], names[curators[other]], pairs[one, other])
            for one, other in combinations(range(len(curators)), 2)
            if (one, other) in pairs
        ],
        compute_level_agreements(by_curator, get_weights) if len(curators) > 2 else [],
        _build_conflict_rows(articles, compared),
        sum(
            not articles[article].outcome and all(item.agreed for item in items) for article, items in compared.items()
        ),
        len(in_work),
    )


def _load_curator_names(project: CurationProject) -> dict[int, str]:
    rows = Curator.objects.filter(project=project).order_by("pk")
    return {pk: name or producer for pk, name, producer in rows.values_list("pk", "user__username", "producer__name")}


def _build_conflict_rows(
    articles: Mapping[int, ProjectArticle], compared: Mapping[int, Sequence[ComparedItem]]
) -> list[ArticleRow]:
    """Undecided ones first: 1 query."""
    differing = {article: sum(not item.agreed for item in items) for article, items in compared.items()}
    wanted = [article for article, number in differing.items() if number]
    rows = list_titles(wanted)
    conflicts = [
        ArticleRow(
            article,
            rows[article][0],
            rows[article][1],
            [finished.name for finished in articles[article].finished],
            differing[article],
            articles[article].outcome,
        )
        for article in wanted
    ]
    return sorted(conflicts, key=lambda row: (row.decided, -row.differing, row.id))


def list_titles(article_ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """{article: its PMID or opaque id, and its title}, without its text: 1 query."""
    rows = Article.objects.filter(pk__in=article_ids).annotate(first_title=KT("passages__0__text"))
    return {row.pk: (format_pmid_or_opaque(row), row.first_title or "") for row in rows.only("pk", "pmid", "opaque")}

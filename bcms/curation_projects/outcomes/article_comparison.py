"""An article of a project with the records of its curators side by side, and the choices of an adjudicator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.http import Http404

from annotations.articles.models import Article
from annotations.articles.queries import filter_articles_by_pmid_or_opaque
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation
from annotations.curation.projects.adjudication import (
    Choices,
    build_shown_state,
    find_outcome,
    get_compared_article,
)
from annotations.curation.projects.comparison import ComparedItem
from annotations.curation.projects.finished_curations import ProjectArticle, list_articles_in_own_work
from annotations.curation.projects.models import CurationProject
from annotations.curation.states import CurationState
from bcms.curation_projects.outcomes.version_texts import ComparedRow, build_compared_rows
from servers.teams.permissions import User

LEAVE_OUT = "none"


@dataclass(frozen=True, slots=True)
class RecordComparison:
    """shown: what a decision sends back; decided: there is an outcome already."""

    article: Article
    compared: ProjectArticle
    items: Sequence[ComparedItem]
    rows: Sequence[ComparedRow]
    outcome: Curation | None
    shown: str

    @property
    def curators(self) -> list[str]:
        return [finished.name for finished in self.compared.finished]

    @property
    def decided(self) -> bool:
        return self.outcome is not None and self.outcome.state == CurationState.FINISHED

    @property
    def agreed(self) -> list[ComparedRow]:
        return [row for row in self.rows if row.agreed]

    @property
    def differing(self) -> list[ComparedRow]:
        return [row for row in self.rows if not row.agreed]


def get_project_article_or_404(project: CurationProject, identifier: str) -> Article:
    """An article of the corpus by its PMID or opaque id: 1 query."""
    articles = Article.objects.filter(corpora=project.corpus_id)
    article = filter_articles_by_pmid_or_opaque(articles, identifier).first()
    if article is None:
        raise Http404(f"There is no such article in {project.corpus}.")
    return article


def check_not_curating_article(project: CurationProject, article: Article, reader: User) -> None:
    """PermissionDenied if the reader still curates the article, and is not to know of the work of others: 1 query."""
    if list_articles_in_own_work(project, reader.pk or 0).filter(article=article).exists():
        raise PermissionDenied("You curate this article yourself. Finish your curation, then you see those of others.")


def load_article_comparison(project: CurationProject, article: Article, reader: User) -> RecordComparison:
    """6 queries. PermissionDenied if the reader still curates the article. CurationError if there is nothing yet."""
    check_not_curating_article(project, article, reader)
    compared = get_compared_article(project, article.pk)
    items, outcome = compared.compare(), find_outcome(project, article.pk)
    rows = build_compared_rows(items, [finished.name for finished in compared.finished])
    return RecordComparison(article, compared, items, rows, outcome, build_shown_state(items, outcome))


def parse_choices(items: Sequence[ComparedItem], sent: Mapping[str, str]) -> Choices:
    """The choices of a form, by "item-" and the number of each item: the number of a version, or LEAVE_OUT.

    CurationError for another value; a missing one is left to the operation.
    """
    choices: dict[tuple[object, str], int | None] = {}
    for number, item in enumerate(items):
        value = sent.get(f"item-{number}", "")
        if value == LEAVE_OUT:
            choices[item.kind, item.key] = None
        elif value.isascii() and value.isdecimal() and len(value) < 6:
            choices[item.kind, item.key] = int(value)
        elif value:
            raise CurationError(f"Choose a version of {item.key}, or to leave it out.", item.key)
    return choices  # type: ignore[return-value]

"""The names in the filters because of which a search found nothing, with similar names."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from annotations.articles.models import Article
from annotations.search.article_search import SearchCriteria, filter_articles
from annotations.search.near_names import suggest_similar_annotated_gene_names, suggest_similar_annotated_organism_names


@dataclass(frozen=True, slots=True)
class UnknownName:
    """The name in a filter field that no annotation has.

    problem says so; near are similar names that some annotations have; hint says what to do if there are none.
    """

    field: str
    problem: str
    hint: str
    near: Sequence[str]

    @property
    def message(self) -> str:
        return f"{self.problem} {f'Did you mean {self.suggestions}?' if self.near else self.hint}"

    @property
    def suggestions(self) -> str:
        return " or ".join(self.near)


@dataclass(frozen=True, slots=True)
class NameFilter:
    """A filter that takes a name; suggest finds similar names among the annotations of articles."""

    field: str
    label: str
    example: str
    suggest: Callable[[str, QuerySet[Article]], list[str]]


NAME_FILTERS = (
    NameFilter(
        "gene", "a gene or protein", "an identifier such as uniprot:P04637", suggest_similar_annotated_gene_names
    ),
    NameFilter(
        "taxon", "an organism", "a number of the NCBI Taxonomy such as 9606", suggest_similar_annotated_organism_names
    ),
)


def iter_searched_names_without_annotation(
    articles: QuerySet[Article], criteria: SearchCriteria
) -> Iterator[UnknownName]:
    """The names in the criteria that no annotation of the articles has, regardless of the other criteria.

    Only visible annotations count, so that the answer does not depend on the tables of identifiers. Four queries for
    each name.
    """
    for name_filter in NAME_FILTERS:
        name = getattr(criteria, name_filter.field)
        if not name or filter_articles(articles, SearchCriteria(**{name_filter.field: name})).exists():
            continue
        problem = f"No article is annotated with {name_filter.label} “{name}”."
        hint = f"Check the spelling, or enter {name_filter.example}."
        yield UnknownName(name_filter.field, problem, hint, name_filter.suggest(name, articles))

"""The names in the filters because of which a search found nothing, with similar names."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotations.articles.models import Article
from annotations.search.annotated_types import list_annotated_types
from annotations.search.article_search import SearchCriteria, filter_articles
from annotations.search.near_names import (
    suggest_similar_annotated_entity_names,
    suggest_similar_annotated_gene_names,
    suggest_similar_annotated_method_names,
    suggest_similar_annotated_organism_names,
)


@dataclass(frozen=True, slots=True)
class UnknownName:
    """The name in a filter field that no annotation has.

    problem says so; near are similar names that some annotations have; hint says what to do if there are none, "" for a
    name that it would give as an example. values: what the field has with each of the similar names instead.
    """

    field: str
    problem: str
    hint: str
    near: Sequence[str]
    values: Sequence[str]

    @property
    def message(self) -> str:
        return f"{self.problem} {f'Did you mean {self.suggestions}?' if self.near else self.hint}".rstrip()

    @property
    def suggestions(self) -> str:
        return " or ".join(self.near)


@dataclass(frozen=True, slots=True)
class NameFilter:
    """A filter that takes a name; suggest finds similar names among the annotations of articles.

    criterion: its name in SearchCriteria.
    """

    field: str
    criterion: str
    label: str
    example: str
    suggest: Callable[[str, QuerySet[Article]], list[str]]


def _suggest_similar_entity_types(written: str, _: QuerySet[Article]) -> list[str]:
    return list_annotated_types().list_similar_entity_types(written)


def _suggest_similar_relation_types(written: str, _: QuerySet[Article]) -> list[str]:
    return list_annotated_types().list_similar_relation_types(written)


ENTITY_FILTER = NameFilter(
    *("entity", "entities", "an entity", "an identifier such as MESH:D001943"), suggest_similar_annotated_entity_names
)
NAME_FILTERS = (
    NameFilter(
        *("gene", "gene", "a gene or protein", "an identifier such as uniprot:P04637"),
        suggest_similar_annotated_gene_names,
    ),
    NameFilter(
        *("taxon", "taxon", "an organism", "a number of the NCBI Taxonomy such as 9606"),
        suggest_similar_annotated_organism_names,
    ),
    NameFilter(*("type", "entity_type", "the entity type", "a type such as Disease"), _suggest_similar_entity_types),
    NameFilter(
        *("relation", "relation_type", "the type of relation", "a type such as Association"),
        _suggest_similar_relation_types,
    ),
    NameFilter(
        *("method", "method", "the method", "a PSI-MI identifier such as MI:0018"),
        suggest_similar_annotated_method_names,
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
        name = getattr(criteria, name_filter.criterion)
        if name and (unknown := _find_unknown_name(articles, name_filter, name, name)):
            yield unknown
    for field, names in (("entity", criteria.entities), ("pair", criteria.pair or ())):
        for position, name in enumerate(names):
            if unknown := _find_unknown_name(articles, ENTITY_FILTER, name, (name,)):
                yield _describe_in_list(unknown, field, names, position)


def _find_unknown_name(
    articles: QuerySet[Article], name_filter: NameFilter, name: str, criterion: str | tuple[str, ...]
) -> UnknownName | None:
    """criterion: the name as a value of the criterion of its filter."""
    only: dict[str, Any] = {name_filter.criterion: criterion}
    if filter_articles(articles, SearchCriteria(**only)).exists():
        return None
    problem = f"No article is annotated with {name_filter.label} “{name}”."
    is_example = name_filter.example.casefold().endswith(f" {name.strip().casefold()}")
    hint = "" if is_example else f"Check the spelling, or enter {name_filter.example}."
    near = name_filter.suggest(name, articles)
    return UnknownName(name_filter.field, problem, hint, near, near)


def _describe_in_list(unknown: UnknownName, field: str, names: Sequence[str], position: int) -> UnknownName:
    """The unknown name as one of those in a field that takes several."""
    values = ["; ".join((*names[:position], near, *names[position + 1 :])) for near in unknown.near]
    return UnknownName(field, unknown.problem, unknown.hint, unknown.near, values)

"""Suggestions for misspelled names of entities: names that differ by one typing error.

All possible names (annotations/search/typing_errors.py) are looked up in the index of names at once, so the number of
entries hardly affects the time.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from annotations.articles.models import Article
from annotations.identifiers.psi_mi_terms import PSI_MI_NAMESPACE
from annotations.identifiers.tables.species import list_species_of_bundled_table
from annotations.results.models import ArticleSummary
from annotations.search.entity_curies import GENE_NAMESPACES, ORGANISM_NAMESPACE
from annotations.search.typing_errors import LETTERS
from bcms.lib.text import strip_case_spaces_and_dashes

# Any name is one edit away from a very short name, and a long one has too many edits.
SHORTEST_NAME, LONGEST_NAME = 3, 40
# Limits on the entries with such a name, and on the articles that are annotated with one of them.
MOST_ENTRIES, MOST_ARTICLES = 200, 200
MOST_SUGGESTIONS = 5
# Names per subquery: for more rare names the planner overestimates the rows and scans the whole table.
NAMES_PER_QUERY = 100
COLUMNS = "database, identifier, symbol, name, synonyms"
ENTRIES_BY_NAME = f"""
    SELECT id, reported, {COLUMNS} FROM annotations_entry
    WHERE annotations_names(identifier, symbol, name, synonyms, successors) && %s::text[]
        AND database = ANY(coalesce(%s::text[], ARRAY[database::text]))
"""


def suggest_similar_annotated_gene_names(misspelled_name: str, articles: QuerySet[Article]) -> list[str]:
    """At most five names of genes and proteins that are similar to a name and annotated in one of the articles.

    Two queries.
    """
    return _suggest_names(misspelled_name, GENE_NAMESPACES, articles)


def suggest_similar_annotated_organism_names(misspelled_name: str, articles: QuerySet[Article]) -> list[str]:
    """At most five names of organisms that are similar to a name and annotated in one of the articles.

    Two queries.
    """
    return _suggest_names(misspelled_name, (ORGANISM_NAMESPACE,), articles)


def suggest_similar_annotated_entity_names(misspelled_name: str, articles: QuerySet[Article]) -> list[str]:
    """At most five names of entities of any database that are similar to a name and annotated in one of the articles.

    Two queries.
    """
    return _suggest_names(misspelled_name, None, articles)


def suggest_similar_annotated_method_names(misspelled_name: str, articles: QuerySet[Article]) -> list[str]:
    """At most five names of PSI-MI terms that are similar to a name and annotated in one of the articles.

    Two queries.
    """
    return _suggest_names(misspelled_name, (PSI_MI_NAMESPACE,), articles)


def _suggest_names(name: str, databases: Collection[str] | None, articles: QuerySet[Article]) -> list[str]:
    """At most five names that are similar to a name and annotated in one of the articles.

    They are of entries in these databases, all for None.
    """
    spellings = make_single_edits_if_name_length_allowed(strip_case_spaces_and_dashes(name))
    if not spellings:
        return []
    names = dict(_iter_matching_entries(spellings, databases))
    summaries = ArticleSummary.objects.filter(article__in=articles.values("pk"), named__overlap=list(names))
    rows = summaries.order_by("article").values_list("named", flat=True)[:MOST_ARTICLES] if names else ()
    annotated = set(chain.from_iterable(rows))
    return list(dict.fromkeys(similar for curie, similar in names.items() if curie in annotated))[:MOST_SUGGESTIONS]


def _iter_matching_entries(spellings: set[str], databases: Collection[str] | None) -> Iterator[tuple[str, str]]:
    """The CURIEs of entries with one of these regularized names, each with that name; reported entries first."""
    if databases is None or ORGANISM_NAMESPACE in databases:
        for species in list_species_of_bundled_table():
            if match := _find_matching_name(spellings, (species.name, *species.common)):
                yield f"{ORGANISM_NAMESPACE}:{species.taxon}", match
    for database, identifier, symbol, name, synonyms in _list_entries_by_name(
        sorted(spellings), None if databases is None else list(databases)
    ):
        if match := _find_matching_name(spellings, (symbol, name, *synonyms)):
            yield f"{database}:{identifier}", match


def _list_entries_by_name(names: list[str], databases: list[str] | None) -> list[tuple[Any, ...]]:
    """At most 200 entries (database, identifier, symbol, name, synonyms) with one of these regularized names."""
    parts = [names[start : start + NAMES_PER_QUERY] for start in range(0, len(names), NAMES_PER_QUERY)]
    subqueries = " UNION ALL ".join([ENTRIES_BY_NAME] * len(parts))
    parameters = [parameter for part in parts for parameter in (part, databases)]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {COLUMNS} FROM ({subqueries}) AS entry ORDER BY reported DESC, id LIMIT {MOST_ENTRIES}", parameters
        )
        return list(cursor.fetchall())


def _find_matching_name(spellings: set[str], names: Iterable[str]) -> str:
    """The first name whose regularized form is among the spellings, "" if there is none."""
    return next((name for name in names if strip_case_spaces_and_dashes(name) in spellings), "")


def make_single_edits_if_name_length_allowed(name: str) -> set[str]:
    """Every text that differs from a name by one typing error; empty for a name that is too short or too long."""
    if not SHORTEST_NAME <= len(name) <= LONGEST_NAME:
        return set()
    parts = [(name[:position], name[position:]) for position in range(len(name) + 1)]
    deletions = {left + right[1:] for left, right in parts if right}
    transpositions = {left + right[1] + right[0] + right[2:] for left, right in parts if len(right) > 1}
    substitutions = {left + letter + right[1:] for left, right in parts if right for letter in LETTERS}
    insertions = {left + letter + right for left, right in parts for letter in LETTERS}
    return (deletions | transpositions | substitutions | insertions) - {name}

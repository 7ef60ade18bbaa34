"""Finds PSI-MI terms of the table of the project by what is typed, on sites that have not loaded the ontology."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from annotations.identifiers.psi_mi_terms import PSI_MI_NAMESPACE, PsiMiTerm, load_shipped_psi_mi_terms
from annotations.identifiers.queries import find_psi_mi_terms
from annotations.results.models import AnnotatedTerm
from annotations.search.entry_matches import EntryMatch, NameMatch
from annotations.search.typed_names import WORD, TypedName
from bcms.lib.text import strip_case_spaces_and_dashes


@dataclass(frozen=True, slots=True)
class SearchableTerm:
    """A term with its regularized names, its name first, and the words of all its names."""

    term: PsiMiTerm
    names: tuple[str, ...]
    words: frozenset[str]


def match_shipped_terms(typed: TypedName, most: int, found: Collection[str]) -> list[tuple[NameMatch, EntryMatch]]:
    """At most so many terms that somebody may mean, without typing errors, and how they match, the best first.

    First the term of exactly this name, then those with such a synonym or id, those with a name or id that begins with
    the text, and those with words that do; in each group, those in most articles come first. found: ids of terms to
    leave out. None if the ontology was loaded. No query if there are no such terms, otherwise two at most.
    """
    if most <= 0 or (typed.databases and PSI_MI_NAMESPACE not in typed.databases):
        return []
    beginnings = typed.list_beginnings()
    matches = [(match, term) for match, term in _iter_matches(beginnings, typed.list_words()) if term.id not in found]
    if not matches or find_psi_mi_terms() is not load_shipped_psi_mi_terms():
        return []
    articles = _count_articles([term.id for _, term in matches])
    entries = [(match, _build_entry(term, articles.get(term.id, 0), match)) for match, term in matches]
    return sorted(entries, key=lambda pair: _rank_match(pair[0], pair[1], beginnings))[:most]


@cache
def _list_searchable_terms() -> list[SearchableTerm]:
    return [_build_searchable_term(term) for term in load_shipped_psi_mi_terms()]


def _build_searchable_term(term: PsiMiTerm) -> SearchableTerm:
    names = (term.name, *term.synonyms)
    regularized = tuple(map(strip_case_spaces_and_dashes, (*names, term.id)))
    return SearchableTerm(term, regularized, frozenset(WORD.findall(" ".join(names).lower())))


def _iter_matches(beginnings: Sequence[str], words: Sequence[str]) -> Iterator[tuple[NameMatch, PsiMiTerm]]:
    """The terms with a name that begins so, or with words that begin like each of these."""
    exact, prefixes = set(beginnings), tuple(beginnings)
    for own in _list_searchable_terms():
        if not exact.isdisjoint(own.names):
            yield NameMatch.EXACT, own.term
        elif any(name.startswith(prefixes) for name in own.names):
            yield NameMatch.BEGINNING, own.term
        elif words and all(_has_word(own, word) for word in words):
            yield NameMatch.WORDS, own.term


def _has_word(searchable: SearchableTerm, beginning: str) -> bool:
    """Whether a word begins so; a single character is a whole word."""
    if len(beginning) == 1:
        return beginning in searchable.words
    return any(word.startswith(beginning) for word in searchable.words)


def _count_articles(term_ids: Sequence[str]) -> dict[str, int]:
    """In how many articles the terms are, by id: 1 query."""
    ids_by_curie = {f"{PSI_MI_NAMESPACE}:{term_id}": term_id for term_id in term_ids}
    terms = AnnotatedTerm.objects.filter(category=AnnotatedTerm.Category.ENTITY, value__in=ids_by_curie)
    return {ids_by_curie[value]: articles for value, articles in terms.values_list("value", "articles")}


def _build_entry(term: PsiMiTerm, articles: int, match: NameMatch) -> EntryMatch:
    return EntryMatch(
        id=None,
        database=PSI_MI_NAMESPACE,
        identifier=term.id,
        symbol="",
        name=term.name,
        synonyms=term.synonyms,
        taxon=None,
        location="",
        function="",
        articles=articles,
        chosen=False,
        exact=match == NameMatch.EXACT,
    )


def _rank_match(
    match: NameMatch, entry: EntryMatch, beginnings: Sequence[str]
) -> tuple[bool, bool, bool, int, int, str]:
    is_name = strip_case_spaces_and_dashes(entry.name) in beginnings
    return (not is_name, not entry.exact, match == NameMatch.WORDS, -entry.articles, len(entry.name), entry.identifier)

"""Entries that somebody may mean while typing a name: the best matches first, those in most articles before others.

They are entries that public annotations have, and those of loaded tables. Others are in the local copy of databases
only because an annotation that is not public refers to them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from annotations.identifiers.curies import format_curie_for_readers
from annotations.identifiers.namespaces import namespace_title_or_raw_name
from annotations.identifiers.psi_mi_terms import PSI_MI_NAMESPACE
from annotations.identifiers.queries import find_named_entries
from annotations.schema import EntityId
from annotations.search.entity_curies import ORGANISM_NAMESPACE
from annotations.search.entry_matches import (
    EntryMatch,
    NameMatch,
    WantedEntries,
    match_beginnings_of_names,
    match_names_with_typing_error,
    match_words_of_names,
)
from annotations.search.shipped_terms import match_shipped_terms
from annotations.search.typed_names import WORD, TypedName, is_beginning_but_for_one_error, parse_typed_name
from bcms.lib.text import strip_case_spaces_and_dashes

MOST_SUGGESTED_ENTRIES = 50
MOST_CHOSEN_ORGANISMS = 20


@dataclass(frozen=True, slots=True)
class SuggestedEntry:
    """An entry that somebody may mean.

    curie: in the form that is usual in texts. match: how one of its names matches. matched: the synonym that does, ""
    if the symbol, the name or the identifier does. organism: "" if there is none or it is unknown. chosen_organism:
    whether it is one of those that were chosen or typed. location, function: "" if unknown. articles: how many have it
    in public annotations.
    """

    database: str
    identifier: str
    curie: str
    namespace: str
    symbol: str
    name: str
    match: NameMatch
    matched: str
    taxon: int | None
    organism: str
    chosen_organism: bool
    location: str
    function: str
    articles: int


# In the order in which they are tried.
MATCHERS: tuple[tuple[NameMatch, Callable[[WantedEntries], list[EntryMatch]]], ...] = (
    (NameMatch.BEGINNING, match_beginnings_of_names),
    (NameMatch.WORDS, match_words_of_names),
    (NameMatch.TYPING_ERROR, match_names_with_typing_error),
)


def suggest_entries(
    text: str, databases: Sequence[str], most: int, organisms: Sequence[int] = ()
) -> list[SuggestedEntry]:
    """At most so many entries of these databases, all for none, that somebody may mean by a text.

    First those with a name or identifier that begins with the text, then those with words that do, then, unless there
    is one with exactly this name, those that do but for one typing error. Among the entries that match in the same way,
    those of the organism that is typed with the name ("p53 human"), or else those of `organisms` (taxon ids), come
    first; then those of which the symbol or name begins so, not only a synonym; then those in most articles. Case,
    spaces, dashes and spelled-out Greek letters are ignored. The text may be an identifier, a CURIE, also an incomplete
    one ("MESH:D0019"), or a URL. PSI-MI terms of the table of the project come last, without typing errors, if the
    ontology was not loaded. At most four queries, two more if there are such terms, none for a text that is too short.
    """
    typed = parse_typed_name(text, databases)
    if typed is None or not typed.list_beginnings():
        return []
    wanted = WantedEntries(typed, [typed.taxon] if typed.taxon else list(organisms), most)
    matches = list(_iter_matches(wanted))
    found = {entry.identifier for _, entry in matches if entry.database == PSI_MI_NAMESPACE}
    matches += match_shipped_terms(typed, most - len(matches), found)
    named = find_named_entries({(ORGANISM_NAMESPACE, str(entry.taxon)) for _, entry in matches if entry.taxon})
    organism_names = {identifier: organism.name for (_, identifier), organism in named.items()}
    return [
        _build_suggestion(match, entry, typed, organism_names.get(str(entry.taxon), "")) for match, entry in matches
    ]


def _iter_matches(wanted: WantedEntries) -> Iterator[tuple[NameMatch, EntryMatch]]:
    """Entries with how they match; one way is tried only if the ones before it found too few.

    An exact name has no typing error.
    """
    is_exact = False
    for match, find in MATCHERS:
        is_needed = wanted.most and not (is_exact and match == NameMatch.TYPING_ERROR)
        entries = find(wanted) if is_needed else []
        is_exact = is_exact or any(entry.exact for entry in entries)
        found = [*wanted.found, *(entry.id for entry in entries if entry.id)]
        wanted = replace(wanted, most=wanted.most - len(entries), found=found)
        yield from ((match, entry) for entry in entries)


def _build_suggestion(match: NameMatch, entry: EntryMatch, typed: TypedName, organism: str) -> SuggestedEntry:
    is_match = _make_name_test(match, typed)
    is_shown = any(is_match(each) for each in (entry.identifier, entry.symbol, entry.name))
    return SuggestedEntry(
        entry.database,
        entry.identifier,
        format_curie_for_readers(EntityId(entry.database, entry.identifier)),
        namespace_title_or_raw_name(entry.database),
        entry.symbol,
        entry.name,
        NameMatch.EXACT if match == NameMatch.BEGINNING and entry.exact else match,
        "" if is_shown else next((each for each in entry.synonyms if is_match(each)), ""),
        entry.taxon,
        organism,
        entry.chosen,
        entry.location,
        entry.function,
        entry.articles,
    )


def _make_name_test(match: NameMatch, typed: TypedName) -> Callable[[str], bool]:
    """A function that says whether a name matches the typed text in this way."""
    words = typed.list_words()
    if match in (NameMatch.EXACT, NameMatch.BEGINNING):
        beginnings = tuple(typed.list_beginnings())
        return lambda name: strip_case_spaces_and_dashes(name).startswith(beginnings)
    if match == NameMatch.WORDS:
        return lambda name: not _list_missing_words(words, name)
    text = strip_case_spaces_and_dashes(typed.text)
    return lambda name: (
        is_beginning_but_for_one_error(text, strip_case_spaces_and_dashes(name))
        or _has_words_but_for_one_error(words, name)
    )


def _list_missing_words(words: Sequence[str], name: str) -> list[str]:
    """Those of the words that are not the beginning of any word of the name."""
    own = WORD.findall(name.lower())
    return [word for word in words if not any(each.startswith(word) for each in own)]


def _has_words_but_for_one_error(words: Sequence[str], name: str) -> bool:
    missing = _list_missing_words(words, name)
    return len(missing) == 1 and any(
        is_beginning_but_for_one_error(missing[0], each) for each in WORD.findall(name.lower())
    )

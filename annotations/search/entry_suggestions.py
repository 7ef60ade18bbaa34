"""Entries whose names begin with what somebody types, those in most articles first.

They are entries that public annotations have, and those of loaded tables. Others are in the local copy of databases
only because an annotation that is not public refers to them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from annotations.identifiers.curies import CURIE, format_curie_for_readers
from annotations.identifiers.namespaces import find_database_by_spelling, namespace_title_or_raw_name
from annotations.identifiers.queries import find_named_entries
from annotations.schema import EntityId
from annotations.search.entity_curies import ORGANISM_NAMESPACE
from annotations.search.greek import list_greek_spellings
from bcms.lib.text import strip_case_spaces_and_dashes

# Shorter beginnings are those of too many names.
SHORTEST_BEGINNING = 2
MOST_SUGGESTED_ENTRIES = 50
# As in the index entry_names_by_prefix. Aliases are left out, as their entries have the same names.
SUGGEST_ENTRIES = """
    SELECT entry.database, entry.identifier, entry.symbol, entry.name, entry.synonyms, entry.taxon,
        coalesce(term.articles, 0) AS articles
    FROM annotations_entry AS entry
    LEFT JOIN annotations_annotatedterm AS term
        ON term.category = 'entity' AND term.value = entry.database || ':' || entry.identifier
    WHERE array_to_tsvector(array_remove(annotations_names(
            entry.identifier, entry.symbol, entry.name, entry.synonyms, entry.successors), ''))
            @@ %(beginning)s::tsquery
        AND (entry.listed OR term.articles > 0) AND cardinality(entry.successors) <> 1
        AND entry."exists" IS DISTINCT FROM false
        AND entry.database = ANY(coalesce(%(databases)s::text[], ARRAY[entry.database::text]))
    ORDER BY lower(%(text)s) IN (lower(entry.identifier), lower(entry.symbol), lower(entry.name)) DESC, articles DESC,
        length(coalesce(nullif(entry.symbol, ''), entry.name)), entry.database, entry.identifier
    LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class SuggestedEntry:
    """An entry that somebody may mean.

    curie: in the form that is usual in texts. matched: the synonym that begins with the text, "" if the symbol or the
    name does. organism: "" if there is none or it is unknown. articles: how many have it in public annotations.
    """

    database: str
    identifier: str
    curie: str
    namespace: str
    symbol: str
    name: str
    matched: str
    taxon: int | None
    organism: str
    articles: int


def suggest_entries_by_beginning(text: str, databases: Sequence[str], most: int) -> list[SuggestedEntry]:
    """At most so many entries of these databases, all for none, with a name or identifier that begins with the text.

    Case, spaces, dashes and spelled-out Greek letters are ignored. A CURIE may be incomplete: "MESH:D0019". Two
    queries, none for a text that is too short.
    """
    text = text.strip()
    if (match := CURIE.fullmatch(text)) and (database := find_database_by_spelling(match["prefix"])):
        if databases and database not in databases:
            return []
        text, databases = match["identifier"], [database]
    beginnings = _list_folded_spellings(text)
    if not beginnings:
        return []
    query = " | ".join(map(_format_prefix_lexeme, beginnings))
    parameters = {"beginning": query, "databases": list(databases) or None, "text": text, "most": most}
    with connection.cursor() as cursor:
        cursor.execute(SUGGEST_ENTRIES, parameters)
        rows = cursor.fetchall()
    organisms = find_named_entries({(ORGANISM_NAMESPACE, str(row[5])) for row in rows if row[5]})
    names = {identifier: organism.name for (_, identifier), organism in organisms.items()}
    return [_build_suggestion(row, beginnings, names.get(str(row[5]), "")) for row in rows]


def _list_folded_spellings(text: str) -> list[str]:
    folded = [strip_case_spaces_and_dashes(spelling) for spelling in list_greek_spellings(text)]
    return [each for each in dict.fromkeys(folded) if len(each) >= SHORTEST_BEGINNING]


def _format_prefix_lexeme(beginning: str) -> str:
    """A query for lexemes with this prefix; quotes and backslashes are doubled."""
    escaped = beginning.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}':*"


def _build_suggestion(row: Sequence[Any], beginnings: Sequence[str], organism: str) -> SuggestedEntry:
    database, identifier, symbol, name, synonyms, taxon, articles = row
    shown = any(_begins_with_any(each, beginnings) for each in (identifier, symbol, name))
    matched = "" if shown else next((each for each in synonyms if _begins_with_any(each, beginnings)), "")
    return SuggestedEntry(
        database,
        identifier,
        format_curie_for_readers(EntityId(database, identifier)),
        namespace_title_or_raw_name(database),
        symbol,
        name,
        matched,
        taxon,
        organism,
        articles,
    )


def _begins_with_any(name: str, beginnings: Sequence[str]) -> bool:
    return strip_case_spaces_and_dashes(name).startswith(tuple(beginnings))

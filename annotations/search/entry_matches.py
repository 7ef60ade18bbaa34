"""Finds entries by what is typed, in the index entry_lexemes: one query for each way in which names may match.

Found are entries that public annotations have, and those of loaded tables. Others are in the local copy of databases
only because an annotation that is not public refers to them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db import connection

from annotations.search.greek import list_greek_spellings
from annotations.search.typed_names import SHORTEST_MISTYPED, TypedName
from annotations.search.typing_errors import LETTERS

# So many entries are ordered, for each text that may be meant; a text with more matches is not a good one.
MOST_ORDERED = 500
# As many of a beginning, and so many of the entries in most articles are looked through if it has more.
MOST_MATCHES, MOST_TERMS = 3000, 2000
# Shorter beginnings are not looked up: many names have them, and few errors are possible in them.
LEAST_REACH = 4
# As in the index entry_lexemes
LEXEMES = """annotations_name_lexemes(annotations_names(
    entry.identifier, entry.symbol, entry.name, entry.synonyms, entry.successors), entry.name, entry.synonyms)"""
VISIBLE = """(entry.listed OR EXISTS (SELECT FROM annotations_annotatedterm AS own
    WHERE own.category = 'entity' AND own.value = entry.database || ':' || entry.identifier AND own.articles > 0))"""
# Aliases are left out, as their entries have the same names.
SUGGESTED = """cardinality(entry.successors) <> 1 AND entry."exists" IS DISTINCT FROM false
    AND entry.database = ANY(coalesce(%(databases)s::text[], ARRAY[entry.database::text]))
    AND entry.id <> ALL(%(found)s::bigint[])"""
SELECT_IN_ORDER = """
    SELECT entry.id, entry.database, entry.identifier, entry.symbol, entry.name, entry.synonyms, entry.taxon,
        entry.location, entry.function, coalesce(term.articles, 0) AS articles,
        coalesce(entry.taxon = ANY(%(taxa)s::integer[]), false) AS chosen,
        entry.id IN (SELECT id FROM exact) AS is_exact
    FROM annotations_entry AS entry
"""
# For few entries; the planner expects more of them, and would read the whole table of terms. OFFSET prevents that.
JOIN_TERMS_ONE_BY_ONE = """
    LEFT JOIN LATERAL (SELECT own.articles FROM annotations_annotatedterm AS own
        WHERE own.category = 'entity' AND own.value = entry.database || ':' || entry.identifier OFFSET 0
    ) AS term ON true
"""
# preferred: what orders entries that match in the same way before the number of their articles does.
ORDER = """
    ORDER BY lower(nullif(%(whole)s, '')) IN (lower(entry.symbol), lower(entry.name)) DESC, chosen DESC,
        lower(%(text)s) IN (lower(entry.identifier), lower(entry.symbol), lower(entry.name)) DESC,
        is_exact DESC, {preferred} articles DESC,
        length(coalesce(nullif(entry.symbol, ''), entry.name)), entry.database, entry.identifier
    LIMIT %(most)s
"""
ORDER_BY_ARTICLES = ORDER.format(preferred="")
# Whether the symbol or the name begins with the text, and not only a synonym or the identifier.
PREFERRED = "(lower(entry.symbol) LIKE ANY(%(patterns)s::text[]) OR lower(entry.name) LIKE ANY(%(patterns)s::text[]))"
# Those of the chosen organisms apart, so that others do not take their place.
LIMIT_ORDERED = f"""
    (SELECT entry.id FROM annotations_entry AS entry
        WHERE cardinality(%(taxa)s::integer[]) > 0 AND entry.taxon = ANY(%(taxa)s::integer[])
        AND {LEXEMES} @@ {{query}} AND {SUGGESTED} AND {VISIBLE} LIMIT {MOST_ORDERED})
    UNION
    (SELECT entry.id FROM annotations_entry AS entry
        WHERE {LEXEMES} @@ {{query}} AND {SUGGESTED} AND {VISIBLE} LIMIT {MOST_ORDERED})
"""
# Of a beginning with more matches, which takes too long to order, those that most articles have are found the other way
# round: by their symbols and names, among the entries in most articles. OFFSET keeps this order of work.
FREQUENT = f"""
    SELECT entry.id FROM (
        SELECT value, articles FROM annotations_annotatedterm WHERE category = 'entity' AND articles > 0
        ORDER BY articles DESC LIMIT {MOST_TERMS}
    ) AS term CROSS JOIN LATERAL (
        SELECT own.* FROM annotations_entry AS own
        WHERE own.database = split_part(term.value, ':', 1)
            AND own.identifier = substr(term.value, strpos(term.value, ':') + 1) OFFSET 0
    ) AS entry
    WHERE (SELECT count(*) FROM matched) >= {MOST_MATCHES} AND {{condition}} AND {SUGGESTED} AND {PREFERRED}
    ORDER BY term.articles DESC LIMIT %(most)s
"""
OF_CHOSEN_TAXON = "cardinality(%(taxa)s::integer[]) > 0 AND entry.taxon = ANY(%(taxa)s::integer[])"
# An alias that is typed as a whole means its entry.
MATCH_BEGINNING = f"""
    WITH exact AS MATERIALIZED (
        SELECT id, database, successors, listed, identifier FROM annotations_entry AS entry
        WHERE {LEXEMES} @@ %(exact)s::tsquery
    ), matched AS MATERIALIZED (
        SELECT entry.id FROM annotations_entry AS entry
        WHERE {LEXEMES} @@ %(beginning)s::tsquery AND {SUGGESTED} AND {VISIBLE} LIMIT {MOST_MATCHES}
    ), found AS MATERIALIZED (
        SELECT id FROM matched
        UNION SELECT id FROM exact
        UNION SELECT successor.id FROM exact AS entry JOIN annotations_entry AS successor
            ON successor.database = entry.database AND successor.identifier = entry.successors[1]
            WHERE cardinality(entry.successors) = 1 AND {VISIBLE}
        UNION (SELECT entry.id FROM annotations_entry AS entry
            WHERE {OF_CHOSEN_TAXON} AND {LEXEMES} @@ %(beginning)s::tsquery
                AND (SELECT count(*) FROM matched) >= {MOST_MATCHES} AND {SUGGESTED} AND {VISIBLE} LIMIT {MOST_ORDERED})
        UNION ({FREQUENT.format(condition=OF_CHOSEN_TAXON)})
        UNION ({FREQUENT.format(condition="true")})
    )
    {SELECT_IN_ORDER} {JOIN_TERMS_ONE_BY_ONE}
    WHERE entry.id IN (SELECT id FROM found) AND {SUGGESTED} AND (entry.listed OR term.articles > 0)
    {ORDER.format(preferred=f"{PREFERRED} DESC,")}
"""
MATCH_WORDS = f"""
    WITH exact AS (SELECT 0::bigint AS id WHERE false),
    found AS MATERIALIZED ({LIMIT_ORDERED.format(query="%(words)s::tsquery")})
    {SELECT_IN_ORDER} {JOIN_TERMS_ONE_BY_ONE} WHERE entry.id IN (SELECT id FROM found) {ORDER_BY_ARTICLES}
"""
# A text as a lexeme in a tsquery, without the quotes around it
ESCAPE = r"regexp_replace({text}, '([''\\])', '\1\1', 'g')"
# What names begin with, and what words in them begin with.
FORMAT_PREFIX = """('''' || {lexeme} || ''':*' || CASE WHEN is_word THEN ' | '' ' || {lexeme} || ''':*' ELSE '' END)"""
START_QUERY = FORMAT_PREFIX.format(lexeme=ESCAPE.format(text="left(text, position)"))
PART_QUERY = FORMAT_PREFIX.format(lexeme=ESCAPE.format(text="text"))
EDIT_QUERY = FORMAT_PREFIX.format(lexeme="edit.lexeme")
# Each part is the whole text, or one of its words while the others are as typed and in one entry. An error is no
# further than the longest beginning of the part that any name has. Few of the possible texts are in the index; they are
# looked up together.
MATCH_TYPING_ERRORS = f"""
    WITH part AS MATERIALIZED (
        SELECT * FROM unnest(%(texts)s::text[], %(others)s::text[], %(are_words)s::boolean[])
            WITH ORDINALITY AS part (text, others, is_word, number)
        WHERE others = '' OR EXISTS (SELECT FROM annotations_entry AS entry WHERE {LEXEMES} @@ others::tsquery)
    ), reach AS MATERIALIZED (
        SELECT number, CASE WHEN EXISTS (
            SELECT FROM annotations_entry AS entry WHERE {LEXEMES} @@ {PART_QUERY}::tsquery
        ) THEN length(text) ELSE (
            SELECT coalesce(max(position), {LEAST_REACH})
            FROM generate_series({LEAST_REACH + 1}, length(text) - 1) AS position
            WHERE EXISTS (SELECT FROM annotations_entry AS entry WHERE {LEXEMES} @@ {START_QUERY}::tsquery)
        ) END AS position FROM part
    ), edit AS MATERIALIZED (
        SELECT DISTINCT number, is_word, {ESCAPE.format(text="edit")} AS lexeme
        FROM part JOIN reach USING (number)
        CROSS JOIN LATERAL generate_series(0, least(reach.position, length(text))) AS before
        CROSS JOIN LATERAL (
            SELECT left(text, before) || letter || substr(text, before + 1) AS edit FROM unnest(%(letters)s) AS letter
            UNION ALL
            SELECT left(text, before) || letter || substr(text, before + 2) FROM unnest(%(letters)s) AS letter
            UNION ALL
            SELECT left(text, before) || substr(text, before + 2)
            UNION ALL
            SELECT left(text, before) || substr(text, before + 2, 1) || substr(text, before + 1, 1)
                || substr(text, before + 3)
        ) AS edited
        WHERE edit <> text AND length(edit) >= {SHORTEST_MISTYPED}
    ), known AS MATERIALIZED (
        SELECT number, lexeme, {EDIT_QUERY} AS query FROM edit
        WHERE EXISTS (SELECT FROM annotations_entry AS entry WHERE {LEXEMES} @@ {EDIT_QUERY}::tsquery)
    ), queries AS MATERIALIZED (
        SELECT coalesce(string_agg(query, ' | ')::tsquery && nullif(others, '')::tsquery,
            string_agg(query, ' | ')::tsquery) AS query,
            string_agg('''' || lexeme || '''', ' | ') FILTER (WHERE others = '')::tsquery AS exact
        FROM known JOIN part USING (number) GROUP BY number, others
    ), exact AS MATERIALIZED (
        SELECT own.id FROM queries CROSS JOIN LATERAL ({LIMIT_ORDERED.format(query="queries.exact")}) AS own
    ), found AS MATERIALIZED (
        SELECT id FROM exact
        UNION SELECT own.id FROM queries CROSS JOIN LATERAL ({LIMIT_ORDERED.format(query="queries.query")}) AS own
    )
    {SELECT_IN_ORDER} {JOIN_TERMS_ONE_BY_ONE} WHERE entry.id IN (SELECT id FROM found) {ORDER_BY_ARTICLES}
"""


class NameMatch(StrEnum):
    """How the typed text matches a name of an entry, the best first."""

    EXACT = "exact"
    BEGINNING = "beginning"
    WORDS = "words"
    TYPING_ERROR = "typing error"


@dataclass(frozen=True, slots=True)
class EntryMatch:
    """A row of the table of entries, the number of public articles, and how the typed text matches one of its names.

    id: None for a PSI-MI term of the table of the project. chosen: whether it is of one of the taxa that were chosen.
    exact: whether a name is the text.
    """

    id: int | None
    database: str
    identifier: str
    symbol: str
    name: str
    synonyms: Sequence[str]
    taxon: int | None
    location: str
    function: str
    articles: int
    chosen: bool
    exact: bool


@dataclass(frozen=True, slots=True)
class WantedEntries:
    """taxa: of the entries that come first. most: how many entries to find. found: ids of entries to leave out."""

    typed: TypedName
    taxa: Sequence[int]
    most: int
    found: Sequence[int] = ()


def match_beginnings_of_names(wanted: WantedEntries) -> list[EntryMatch]:
    """Entries of which a name or identifier begins with the text: one query, none for a text that is too short."""
    beginnings = wanted.typed.list_beginnings()
    if not beginnings:
        return []
    exact = map(_quote_lexeme, beginnings)
    queries = {
        "exact": " | ".join(exact),
        "beginning": " | ".join(map(_format_prefix_lexeme, beginnings)),
        "patterns": [_format_pattern(each) for each in dict.fromkeys((wanted.typed.text.lower(), *beginnings))],
    }
    return _select_entries(MATCH_BEGINNING, wanted, queries)


def _format_pattern(beginning: str) -> str:
    """The pattern of LIKE for texts with this beginning."""
    return re.sub(r"([\\%_])", r"\\\1", beginning) + "%"


def match_words_of_names(wanted: WantedEntries) -> list[EntryMatch]:
    """Entries of which names have words that begin with those of the text: one query.

    None for too many words and for identifiers.
    """
    words = wanted.typed.list_words()
    return _select_entries(MATCH_WORDS, wanted, {"words": _format_all_words(words)}) if words else []


def match_names_with_typing_error(wanted: WantedEntries) -> list[EntryMatch]:
    """Entries of which a name or its words begin with the text but for one error: one query.

    None for short texts and for identifiers.
    """
    parts = wanted.typed.list_mistyped_parts()
    is_one_word = len(wanted.typed.list_words()) == 1
    parameters = {
        "texts": [text for text, _ in parts],
        "others": [_format_all_words(others) for _, others in parts],
        "are_words": [bool(others) or is_one_word for _, others in parts],
        "letters": list(LETTERS),
    }
    return _select_entries(MATCH_TYPING_ERRORS, wanted, parameters) if parts else []


def _format_all_words(words: Iterable[str]) -> str:
    """A query for all of these words, each in any spelling of Greek letters."""
    spellings = ([*dict.fromkeys(list_greek_spellings(word))] for word in words)
    return " & ".join(f"({' | '.join(map(_format_prefix_word, each))})" for each in spellings)


def _format_prefix_word(word: str) -> str:
    """A query for words with this prefix, also at the beginning of a name; a single character is a whole word."""
    if len(word) == 1:
        return f"({_quote_lexeme(word)} | {_quote_lexeme(f' {word}')})"
    return f"({_format_prefix_lexeme(word)} | {_format_prefix_lexeme(f' {word}')})"


def _format_prefix_lexeme(beginning: str) -> str:
    return f"{_quote_lexeme(beginning)}:*"


def _quote_lexeme(lexeme: str) -> str:
    """The lexeme as in a tsquery; quotes and backslashes are doubled."""
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def _select_entries(sql: str, wanted: WantedEntries, queries: dict[str, Any]) -> list[EntryMatch]:
    typed = wanted.typed
    parameters = {
        **queries,
        **{"databases": list(typed.databases) or None, "taxa": list(wanted.taxa), "found": list(wanted.found)},
        **{"text": typed.text, "whole": typed.whole, "most": wanted.most},
    }
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return [EntryMatch(*row) for row in cursor.fetchall()]

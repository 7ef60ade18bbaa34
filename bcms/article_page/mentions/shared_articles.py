"""Other articles that are annotated with the chosen entity and with one that is named beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.db import connection

from annotations.articles.models import Article
from annotations.identifiers.curies import format_curie, parse_curie_or_url
from annotations.schema import EntityId
from bcms.article_page.template_data import MentionMeaning, MentionPanel
from bcms.lib.text import strip_case_spaces_and_dashes
from evaluation.visibility import list_visible_articles
from servers.teams.permissions import User

MOST_COUNTED_ARTICLES = 100
# The stored CURIEs of an entity are those that a search for it reads: its own, and those of entries with its identifier
# as a name or successor. Few articles are read of each pair, by the index of identifiers.
COUNT_SHARED_ARTICLES = """
    WITH wanted AS MATERIALIZED (
        SELECT * FROM unnest(%s::text[], %s::text[], %s::text[])
            WITH ORDINALITY AS wanted (database, identifier, folded, number)
    ), entity AS MATERIALIZED (
        SELECT number, array_agg(curie) AS curies FROM (
            SELECT number, database || ':' || identifier AS curie FROM wanted
            UNION
            SELECT number, entry.database || ':' || unnest(entry.identifier || entry.successors)
            FROM wanted CROSS JOIN LATERAL (
                SELECT own.database, own.identifier::text AS identifier, own.successors::text[] AS successors
                FROM annotations_entry AS own
                WHERE annotations_names(own.identifier, own.symbol, own.name, own.synonyms, own.successors)
                    && ARRAY[wanted.folded] AND own.database = wanted.database OFFSET 0
            ) AS entry
        ) AS curies GROUP BY number
    )
    SELECT companion.number, shared.articles
    FROM entity AS chosen JOIN entity AS companion ON chosen.number = 1 AND companion.number > 1
    CROSS JOIN LATERAL (
        SELECT count(*) AS articles FROM (
            SELECT FROM annotations_articlesummary AS summary
            WHERE summary.named && chosen.curies AND summary.named && companion.curies
                AND summary.article_id <> %s AND summary.article_id IN ({visible_articles})
            LIMIT %s
        ) AS listed
    ) AS shared
    WHERE shared.articles > 0
    ORDER BY companion.number
"""


@dataclass(frozen=True, slots=True)
class SharedEntity:
    """An entity that other articles have together with the chosen one.

    query: the query string of the search that finds them. count: how many they are, one more than
    MOST_COUNTED_ARTICLES for any larger number.
    """

    title: str
    query: str
    count: int

    @property
    def number(self) -> str:
        return str(self.count) if self.count <= MOST_COUNTED_ARTICLES else f"more than {MOST_COUNTED_ARTICLES}"


def list_shared_entities(user: User, article: Article, panel: MentionPanel | None) -> list[SharedEntity]:
    """The entities named beside the chosen mention that other articles have together with what it refers to.

    Both are taken for what they most likely refer to. One query, none if one of them has no identifier.
    """
    chosen = panel.genes[0].meanings[0] if panel and panel.genes else None
    companions = [each for each in panel.companion_meanings if _is_searchable(each)] if panel else []
    if chosen is None or not companions or not _is_searchable(chosen):
        return []
    counts = _count_shared_articles(user, article, [chosen, *companions])
    return [
        SharedEntity(
            companion.reference.title, urlencode({"entity": f"{_format_key(chosen)}; {_format_key(companion)}"}), count
        )
        for number, companion in enumerate(companions, start=2)
        if (count := counts.get(number))
    ]


def _format_key(meaning: MentionMeaning) -> str:
    return format_curie(EntityId(*meaning.key))


def _is_searchable(meaning: MentionMeaning) -> bool:
    """Whether the search reads its CURIE as this entity."""
    curie = _format_key(meaning)
    return ";" not in curie and parse_curie_or_url(curie) == meaning.key


def _count_shared_articles(user: User, article: Article, meanings: Sequence[MentionMeaning]) -> dict[int, int]:
    """The number of other articles with the first entity and each of the others, by its number from 2; no zeros."""
    databases, identifiers = zip(*(meaning.key for meaning in meanings), strict=True)
    folded = [strip_case_spaces_and_dashes(identifier) for identifier in identifiers]
    visible, parameters = list_visible_articles(user).values("pk").query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(
            COUNT_SHARED_ARTICLES.format(visible_articles=visible),
            [[*databases], [*identifiers], folded, article.pk, *parameters, MOST_COUNTED_ARTICLES + 1],
        )
        return dict(cursor.fetchall())

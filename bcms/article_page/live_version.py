"""The version of an article page, by which an open page learns that it is out of date.

Hundreds of open pages poll it every few seconds, so it is one SQL statement: the ORM takes five times as long to
compose the three queries as PostgreSQL takes to run them.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from django.db import connection

from annotations.articles.queries import parse_pmid_or_opaque_lookup
from annotations.articles.versions import ARTICLE_VERSION_SQL
from bcms.article_page.server_status import QueueCallState, compute_queue_states_checksum
from evaluation.visibility import ANONYMOUS_READER, list_visible_articles, list_visible_producers
from servers.teams.permissions import User

QUEUE_CALL_STATES_SQL = """
    SELECT {version}, queue.id, server.state, queue.state = 'resting', producer.renewed,
        call.id, call.state, call.tries, call.due
    FROM annotations_article AS article
    LEFT JOIN servers_queue AS queue ON queue.producer_id IN ({producers})
    LEFT JOIN servers_server AS server ON server.id = queue.server_id
    LEFT JOIN annotations_producer AS producer ON producer.id = queue.producer_id
    LEFT JOIN LATERAL (
        SELECT id, state, tries, CASE WHEN state = 'waiting' THEN due END AS due
        FROM servers_call WHERE article_id = article.id AND queue_id = queue.id
        ORDER BY id DESC LIMIT 1
    ) AS call ON true
    WHERE article.{name} = %s AND article.id IN ({articles})
"""


def compute_page_version(article_version: int, states: Iterable[QueueCallState]) -> str:
    """The version of a page: it changes with everything the page shows."""
    return f"{article_version}.{compute_queue_states_checksum(states)}"


def find_current_page_version(user: User, pmid_or_opaque_id: str, *, with_unreviewed: bool = False) -> str | None:
    """The version of the page of an article, None if the user may see no such article: one query."""
    name, value = parse_pmid_or_opaque_lookup(pmid_or_opaque_id)
    producers, producer_parameters, articles, article_parameters = (
        _build_visibility_sql(user, with_unreviewed=with_unreviewed)
        if user.is_authenticated
        else _build_public_visibility_sql(with_unreviewed=with_unreviewed)
    )
    statement = QUEUE_CALL_STATES_SQL.format(
        version=ARTICLE_VERSION_SQL, producers=producers, name=name, articles=articles
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [*producer_parameters, value, *article_parameters])
        rows = cursor.fetchall()
    return compute_page_version(rows[0][0], [tuple(row[1:]) for row in rows if row[1] is not None]) if rows else None


def _build_visibility_sql(user: User, *, with_unreviewed: bool) -> tuple[str, tuple[Any, ...], str, tuple[Any, ...]]:
    """SQL for the producers, then for the articles, that the user may see, each followed by its parameters."""
    producers = list_visible_producers(user, with_unreviewed=with_unreviewed).values("pk").query.sql_with_params()
    articles = list_visible_articles(user).values("pk").query.sql_with_params()
    return *producers, *articles


@cache
def _build_public_visibility_sql(*, with_unreviewed: bool) -> tuple[str, tuple[Any, ...], str, tuple[Any, ...]]:
    """The result of _build_visibility_sql for anonymous users, composed once."""
    return _build_visibility_sql(ANONYMOUS_READER, with_unreviewed=with_unreviewed)

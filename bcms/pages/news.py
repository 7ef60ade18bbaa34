"""Whether an open article page has news: one statement, as hundreds of pages ask every few seconds.

Putting three queries together takes the ORM five times as long as the database takes to answer them.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import connection

from annotations.querysets import named_by
from bcms.pages.awaited import QueueStands, waiting_signature
from bcms.visibility import User, articles_seen_by, producers_seen_by

STANDS = """
    SELECT article.version, queue.id, server.state, producer.renewed, call.id, call.state, call.tries, call.due
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


def version_of(article_version: int, states: Iterable[QueueStands]) -> str:
    """Changes with whatever the page shows."""
    return f"{article_version}.{waiting_signature(states)}"


def version_today(user: User, ident: str) -> str | None:
    """The version of the page of an article, None when the user sees no such article: one query."""
    name, value = named_by(ident)
    producers, of_producers, articles, of_articles = seen_by(user) if user.is_authenticated else seen_by_all()
    statement = STANDS.format(producers=producers, name=name, articles=articles)
    with connection.cursor() as cursor:
        cursor.execute(statement, [*of_producers, value, *of_articles])
        rows = cursor.fetchall()
    return version_of(rows[0][0], [tuple(row[1:]) for row in rows if row[1] is not None]) if rows else None


def seen_by(user: User) -> tuple[str, tuple[Any, ...], str, tuple[Any, ...]]:
    """What selects the producers and the articles that the user sees, each with its parameters."""
    producers = producers_seen_by(user).values("pk").query.sql_with_params()
    articles = articles_seen_by(user).values("pk").query.sql_with_params()
    return *producers, *articles


@cache
def seen_by_all() -> tuple[str, tuple[Any, ...], str, tuple[Any, ...]]:
    """The same for whoever is not logged in, put together once."""
    return seen_by(AnonymousUser())

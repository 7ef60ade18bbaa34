"""Whether an open article page has news: one statement, as hundreds of pages ask every few seconds.

Putting three queries together takes the ORM five times as long as the database takes to answer them.
"""

import zlib
from collections.abc import Iterable
from functools import cache
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import connection

from annotations.querysets import named_by
from bcms.calibrated import State
from bcms.pages.awaited import QueueStands, waiting_signature
from bcms.visibility import User, articles_seen_by, calibrations_seen_by, producers_seen_by

# SQL and its parameters.
Selected = tuple[str, tuple[Any, ...]]

STANDS = """
    SELECT article.version, learned.number, learned.ids, learned.newest,
        queue.id, server.state, producer.renewed, call.id, call.state, call.tries, call.due
    FROM annotations_article AS article
    CROSS JOIN (
        SELECT count(*) AS number, coalesce(sum(calibration.id), 0)::bigint AS ids, max(fitted) AS newest
        FROM evaluation_calibration AS calibration
        JOIN evaluation_run AS run ON run.id = calibration.run_id
        JOIN servers_queue AS training ON training.producer_id = run.producer_id
        WHERE calibration.id IN ({calibrations})
        AND training.server_id IN (SELECT server_id FROM servers_queue WHERE producer_id IN ({producers}))
    ) AS learned
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


def version_of(article_version: int, states: Iterable[QueueStands], learned: State) -> str:
    """Changes with whatever the page shows."""
    return f"{article_version}.{waiting_signature(states)}.{zlib.crc32(repr(learned).encode()):08x}"


def version_today(user: User, ident: str) -> str | None:
    """The version of the page of an article, None when the user sees no such article: one query."""
    name, value = named_by(ident)
    seen = seen_by(user) if user.is_authenticated else seen_by_all()
    (calibrations, of_calibrations), (producers, of_producers), (articles, of_articles) = seen
    statement = STANDS.format(calibrations=calibrations, producers=producers, name=name, articles=articles)
    with connection.cursor() as cursor:
        cursor.execute(statement, [*of_calibrations, *of_producers, *of_producers, value, *of_articles])
        rows = cursor.fetchall()
    if not rows:
        return None
    version, *learned = rows[0][:4]
    return version_of(version, [tuple(row[4:]) for row in rows if row[4] is not None], tuple(learned))


def seen_by(user: User) -> tuple[Selected, Selected, Selected]:
    """What selects the calibrations, the producers and the articles that the user sees."""
    calibrations = calibrations_seen_by(user).values("pk").query.sql_with_params()
    producers = producers_seen_by(user).values("pk").query.sql_with_params()
    articles = articles_seen_by(user).values("pk").query.sql_with_params()
    return calibrations, producers, articles


@cache
def seen_by_all() -> tuple[Selected, Selected, Selected]:
    """The same for whoever is not logged in, put together once."""
    return seen_by(AnonymousUser())

"""The states of the pages that are kept for visitors: one query each."""

from collections.abc import Callable, Mapping

from django.db import connection
from django.http import HttpRequest

from annotations.articles.queries import parse_pmid_or_opaque_lookup
from annotations.articles.versions import ARTICLE_VERSION_SQL
from bcms.visitor_pages.changes import SUM_OF_CHANGES, VisitorState

# What is stored for an article, and which servers are asked, raise its version and change its calls.
ARTICLE_STATE = """
    SELECT ({changes} WHERE NOT of_boards), article.id, {version}, article.blind, (
        SELECT sum(hashtextextended(concat_ws(' ', id, state, tries, due, priority), 0))
        FROM servers_call WHERE article_id = article.id
    )
    FROM annotations_article AS article WHERE article.{name} = %s
"""
# Until a phase opens or closes, or the names of its teams are shown.
NEXT_MOMENT = """
    SELECT extract(epoch FROM min(moment) - statement_timestamp())::float8
    FROM evaluation_phase CROSS JOIN unnest(ARRAY[opens, closes, names_shown]) AS moment
    WHERE moment > statement_timestamp()
"""
# Texts that were replaced, and what unreviewed servers say, change by more than the state of an article: pages with
# these parameters are not kept.
OTHER_VERSIONS = frozenset({"text", "unreviewed"})


def read_article_state(request: HttpRequest, *, ident: str) -> VisitorState | None:
    """The state of an article page; None if there is no such article."""
    name, value = parse_pmid_or_opaque_lookup(ident)
    with connection.cursor() as cursor:
        cursor.execute(ARTICLE_STATE.format(changes=SUM_OF_CHANGES, version=ARTICLE_VERSION_SQL, name=name), [value])
        row = cursor.fetchone()
    return VisitorState(row[0], row[1:]) if row else None


def read_site_state(request: HttpRequest, **_: str) -> VisitorState:
    """The state of a page that shows no article."""
    with connection.cursor() as cursor:
        cursor.execute(SUM_OF_CHANGES)
        (changes,) = cursor.fetchone()
    return VisitorState(changes)


def find_seconds_to_next_moment() -> float | None:
    """After how many seconds pages change by the clock alone; None if nothing is due."""
    with connection.cursor() as cursor:
        cursor.execute(NEXT_MOMENT)
        (seconds,) = cursor.fetchone()
    return None if seconds is None else float(seconds)


# By the name of the URL.
PAGE_STATES: Mapping[str, Callable[..., VisitorState | None]] = {
    "article": read_article_state,
    "article-compare": read_article_state,
    "widget-article": read_article_state,
    "challenge": read_site_state,
    "challenge-data": read_site_state,
    "challenge-leaderboards": read_site_state,
    "challenge-list": read_site_state,
    "challenge-rules": read_site_state,
    "leaderboard": read_site_state,
    # Everybody who has a leaderboard open asks for its changes every two seconds.
    "leaderboard-live": read_site_state,
    "leaderboard-csv": read_site_state,
    "leaderboard-json": read_site_state,
    "leaderboard-latex": read_site_state,
    "leaderboard-pairs": read_site_state,
    "phase-mean-ranks": read_site_state,
}

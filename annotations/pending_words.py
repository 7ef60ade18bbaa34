"""Keeps searches quick while articles come in.

A GIN index takes new words into a list of its own first, which each search reads to its end, until VACUUM or 4 MB of
them empty it (https://www.postgresql.org/docs/current/gin.html#GIN-FAST-UPDATE). With some MB in it PostgreSQL rather
reads all articles, without knowing that their words lie apart from them: that takes thirty times as long.
"""

from django.db import connection

INDEXES = ("article_words", "article_journal_words", "standing_named", "standing_producers", "entry_names")


def take_in() -> int:
    """Take the lists of all indexes in; how many pages they had. One query, and nothing to do when they are empty."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(gin_clean_pending_list(index)) FROM unnest(%s::regclass[]) AS index", [list(INDEXES)]
        )
        [(pages,)] = cursor.fetchall()
    return int(pages)

"""Keeps searches fast while articles are imported.

A GIN index first adds new words to a pending list, which every search reads completely, until VACUUM runs or the list
has 4 MB (https://www.postgresql.org/docs/current/gin.html#GIN-FAST-UPDATE). With some MB in the list, PostgreSQL's
planner prefers a sequential scan of all articles, which takes thirty times as long.
"""

from django.db import connection

GIN_INDEXES = (
    *("article_words", "article_journal_words", "standing_named", "standing_terms", "standing_producers"),
    *("entry_names", "entry_lexemes"),
)


def flush_pending_gin_lists_counting_pages() -> int:
    """Merge the pending lists into their indexes: one query. Returns how many pages the lists had."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(gin_clean_pending_list(index)) FROM unnest(%s::regclass[]) AS index", [list(GIN_INDEXES)]
        )
        [(pages,)] = cursor.fetchall()
    return int(pages)

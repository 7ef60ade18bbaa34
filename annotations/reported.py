"""Which identifiers annotations name: noted once as entries to ask for, and the articles that show them."""

from collections.abc import Collection, Iterable

from django.db import connection

BATCH = 500
ARTICLES = 1000
# The newest results first, as somebody may be looking at them; whoever changes a result just now is not waited for.
NOTE = """
    WITH chosen AS (
        SELECT id FROM annotations_result
        WHERE NOT noted AND kind IN ('normalization', 'taxon', 'pair', 'method', 'passage')
        ORDER BY id DESC LIMIT %s FOR NO KEY UPDATE SKIP LOCKED
    ), found AS (
        SELECT database, identifier, partner, taxon FROM annotations_annotation
        WHERE result_id IN (SELECT id FROM chosen)
    ), stored AS (
        INSERT INTO annotations_entry AS entry (database, identifier, name, symbol, synonyms, source, reported)
        SELECT database, identifier, '', '', '{}', '', true FROM (
            SELECT database, identifier FROM found UNION SELECT database, partner FROM found
            UNION SELECT 'ncbitaxon', taxon::text FROM found WHERE taxon > 0
        ) AS named
        WHERE identifier <> ''
        ORDER BY database, identifier
        ON CONFLICT (database, identifier) DO UPDATE SET reported = true WHERE NOT entry.reported
    )
    UPDATE annotations_result SET noted = true WHERE id IN (SELECT id FROM chosen)
"""
# The articles where everybody sees them; of what is not public its producers, as nobody else is to notice.
SHOWING = """
    SELECT DISTINCT
        CASE WHEN producer.public THEN result.article_id END, CASE WHEN NOT producer.public THEN producer.id END
    FROM (
        SELECT result_id FROM annotations_annotation
        WHERE database = %(database)s AND identifier <> '' AND identifier = ANY(%(names)s)
        UNION
        SELECT result_id FROM annotations_annotation
        WHERE database = %(database)s AND partner <> '' AND partner = ANY(%(names)s)
    ) AS said
    JOIN annotations_result AS result ON result.id = said.result_id AND result.superseded IS NULL
    JOIN annotations_producer AS producer ON producer.id = result.producer_id
"""
RENEW = """
    UPDATE annotations_producer SET renewed = renewed + 1 WHERE id IN (
        SELECT id FROM annotations_producer WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE)
"""
# An article that somebody else changes at this moment has a new version anyway.
ANNOUNCE = """
    UPDATE annotations_article SET version = version + 1 WHERE id IN (
        SELECT id FROM annotations_article WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)
"""
TAXA = """
    INSERT INTO annotations_entry AS entry (database, identifier, name, symbol, synonyms, source, reported)
    SELECT 'ncbitaxon', taxon::text, '', '', '{}', '', true FROM unnest(%s::integer[]) AS taxon ORDER BY 2
    ON CONFLICT (database, identifier) DO UPDATE SET reported = true WHERE NOT entry.reported
"""


def note_reported() -> int:
    """Note the identifiers of at most 500 results that are not noted yet, the newest first; the number of results."""
    with connection.cursor() as cursor:
        cursor.execute(NOTE, [BATCH])
        return int(cursor.rowcount)


def note_taxa(taxa: Iterable[int]) -> None:
    """Note the organisms of entries: pages name them."""
    with connection.cursor() as cursor:
        cursor.execute(TAXA, [sorted(set(taxa))])


def announce_articles(database: str, identifiers: Collection[str]) -> int:
    """Tell the pages that show these identifiers that there is something new: those of articles where everybody sees
    it, of which the number is returned, and all that show a producer of which only some see what it says."""
    if not identifiers:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(SHOWING, {"database": database, "names": list(identifiers)})
        rows = cursor.fetchall()
        articles = sorted(article for article, _ in rows if article is not None)
        cursor.execute(RENEW, [[producer for _, producer in rows if producer is not None]])
        for start in range(0, len(articles), ARTICLES):
            cursor.execute(ANNOUNCE, [articles[start : start + ARTICLES]])
    return len(articles)

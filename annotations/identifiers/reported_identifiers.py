"""Queues the identifiers of annotations for look-up, and updates the articles that show them."""

from collections.abc import Collection, Iterable

from django.db import connection

from annotations.articles.versions import store_changes

BATCH = 500
# The newest results first, because somebody may be viewing them. Results that are locked are skipped, and identifiers
# without a namespace, or longer than those in tables of entries: nobody can look them up.
QUEUE_REPORTED_IDENTIFIERS = """
    WITH chosen AS (
        SELECT id FROM annotations_result
        WHERE NOT noted
        AND kind IN ('mention', 'normalization', 'taxon', 'pair', 'method', 'passage', 'entity', 'relation')
        ORDER BY id DESC LIMIT %s FOR NO KEY UPDATE SKIP LOCKED
    ), reported AS (
        SELECT database, identifier, partner, taxon, curies FROM annotations_annotation
        WHERE result_id IN (SELECT id FROM chosen)
    ), stored AS (
        INSERT INTO annotations_entry AS entry (database, identifier, name, symbol, synonyms, source, reported)
        SELECT database, identifier, '', '', '{}', '', true FROM (
            SELECT database, identifier FROM reported UNION SELECT database, partner FROM reported
            UNION SELECT 'ncbitaxon', taxon::text FROM reported WHERE taxon > 0
            UNION SELECT split_part(curie, ':', 1), substr(curie, strpos(curie, ':') + 1)
                FROM reported CROSS JOIN LATERAL unnest(curies) AS curie
        ) AS identifiers
        WHERE database <> '' AND identifier <> '' AND length(identifier) <= 64
        ORDER BY database, identifier
        ON CONFLICT (database, identifier) DO UPDATE SET reported = true WHERE NOT entry.reported
    )
    UPDATE annotations_result SET noted = true WHERE id IN (SELECT id FROM chosen)
"""
# The results with annotations of some identifiers of one database.
RESULTS_WITH_IDENTIFIERS = """
    SELECT result_id FROM annotations_annotation
    WHERE database = %(database)s AND identifier <> '' AND identifier = ANY(%(names)s)
    UNION
    SELECT result_id FROM annotations_annotation
    WHERE database = %(database)s AND partner <> '' AND partner = ANY(%(names)s)
    UNION
    SELECT result_id FROM annotations_annotation WHERE curies IS NOT NULL AND curies && %(curies)s
"""
# The articles, for public producers; otherwise the producers, because nobody else should notice the change.
ARTICLES_AND_PRODUCERS_SHOWING = f"""
    SELECT DISTINCT
        CASE WHEN producer.public THEN result.article_id END, CASE WHEN NOT producer.public THEN producer.id END
    FROM ({RESULTS_WITH_IDENTIFIERS}) AS annotation
    JOIN annotations_result AS result ON result.id = annotation.result_id AND result.superseded IS NULL
    JOIN annotations_producer AS producer ON producer.id = result.producer_id
"""
RENEW_PRODUCERS = """
    UPDATE annotations_producer SET renewed = renewed + 1 WHERE id IN (
        SELECT id FROM annotations_producer WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE)
"""
QUEUE_TAXA = """
    INSERT INTO annotations_entry AS entry (database, identifier, name, symbol, synonyms, source, reported)
    SELECT 'ncbitaxon', taxon::text, '', '', '{}', '', true FROM unnest(%s::integer[]) AS taxon ORDER BY 2
    ON CONFLICT (database, identifier) DO UPDATE SET reported = true WHERE NOT entry.reported
"""


def mark_result_batch_noted_queueing_identifiers() -> int:
    """Queue the identifiers of at most 500 results, newest first, for look-up. Returns the number of results."""
    with connection.cursor() as cursor:
        cursor.execute(QUEUE_REPORTED_IDENTIFIERS, [BATCH])
        return int(cursor.rowcount)


def queue_organism_entries_for_lookup(taxon_ids: Iterable[int]) -> None:
    """Queue the organisms of entries for look-up, because pages show their names."""
    with connection.cursor() as cursor:
        cursor.execute(QUEUE_TAXA, [sorted(set(taxon_ids))])


def build_identifier_parameters(database: str, identifiers: Collection[str]) -> dict[str, str | list[str]]:
    """The parameters of RESULTS_WITH_IDENTIFIERS."""
    curies = [f"{database}:{identifier}" for identifier in identifiers]
    return {"database": database, "names": list(identifiers), "curies": curies}


def raise_article_or_private_producer_versions(database: str, identifiers: Collection[str]) -> int:
    """Raise the versions of what shows these identifiers, so that pages are updated.

    For annotations of public producers these are the articles, of which the number is returned; for others it is the
    counter `renewed` of the producer.
    """
    if not identifiers:
        return 0
    with connection.cursor() as cursor:
        cursor.execute(ARTICLES_AND_PRODUCERS_SHOWING, build_identifier_parameters(database, identifiers))
        rows = cursor.fetchall()
        cursor.execute(RENEW_PRODUCERS, [[producer for _, producer in rows if producer is not None]])
    articles = [article for article, _ in rows if article is not None]
    store_changes(articles)
    return len(articles)

"""What public producers make of each article in a few figures (the model Standing), kept up by a worker.

It looks for articles whose version is another than the one their standing was made of, so nobody has to tell it
anything: an article's version goes up with whatever its page shows. What a batch reads and the versions it writes are
of one moment, so that what comes in meanwhile is found the next time.
"""

import time

from django.db import connection

SLICE_SECONDS = 10.0
BATCH = 500
# So many articles are looked up at once; each look reads the versions of all.
LOOKED_UP = 20_000
OLD = """
    SELECT article.id FROM annotations_article AS article
    LEFT JOIN annotations_standing AS standing ON standing.article_id = article.id
    WHERE standing.version IS DISTINCT FROM article.version
    ORDER BY article.id LIMIT %s
"""
# Articles that are withdrawn just now are left out. The version is read apart from the lock: a locked row would be the
# newest there is, though the annotations are those of the beginning of the statement. OFFSET 0 has the annotations
# looked up result by result: to PostgreSQL reading all there are seems cheaper.
STAND = """
    INSERT INTO annotations_standing AS standing
        (article_id, version, servers, producers, named, yes, no, balance, disagreement)
    WITH chosen AS MATERIALIZED (
        SELECT id FROM annotations_article WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE SKIP LOCKED
    ), article AS MATERIALIZED (
        SELECT id, version, text_version FROM annotations_article WHERE id IN (SELECT id FROM chosen)
    ), said AS MATERIALIZED (
        SELECT result.id, result.article_id, result.kind, producer.id AS producer, producer.sort = 'server' AS by_server
        FROM article
        JOIN annotations_result AS result ON result.article_id = article.id
            AND result.text_version = article.text_version AND result.superseded IS NULL
        JOIN annotations_producer AS producer ON producer.id = result.producer_id
            AND producer.public AND producer.sort <> 'gold'
    ), annotation AS MATERIALIZED (
        SELECT said.article_id, said.kind, said.producer, said.by_server, own.confidence, own.start, own."end",
            own.text, own.database, own.identifier, own.partner, own.taxon, own.relevant
        FROM said CROSS JOIN LATERAL (
            SELECT * FROM annotations_annotation WHERE result_id = said.id OFFSET 0
        ) AS own
    ), speaking AS (
        SELECT article_id, array_agg(DISTINCT producer) AS producers,
            count(DISTINCT producer) FILTER (WHERE by_server) AS servers
        FROM said GROUP BY article_id
    ), naming AS (
        SELECT article_id, array_agg(DISTINCT name) AS named FROM (
            SELECT article_id, database || ':' || identifier AS name FROM annotation WHERE identifier <> ''
            UNION ALL SELECT article_id, database || ':' || partner FROM annotation WHERE partner <> ''
            UNION ALL SELECT article_id, 'ncbitaxon:' || taxon FROM annotation WHERE taxon > 0
        ) AS names GROUP BY article_id
    ), voted AS (
        SELECT article_id, count(*) FILTER (WHERE relevant) AS yes, count(*) FILTER (WHERE NOT relevant) AS no,
            0.5 + sum(CASE WHEN relevant THEN 1 ELSE -1 END * coalesce(confidence, 1)) / (2 * count(*)) AS balance
        FROM annotation WHERE by_server AND kind = 'classification' AND relevant IS NOT NULL GROUP BY article_id
    ), looked AS (
        SELECT article_id, kind, count(*) AS servers FROM said WHERE by_server
        GROUP BY article_id, kind HAVING count(*) > 1
    ), made AS (
        SELECT article_id, kind, count(DISTINCT producer) AS servers FROM annotation WHERE by_server
        GROUP BY article_id, kind, relevant, start, "end",
            CASE WHEN kind <> 'mention' THEN database END,
            CASE WHEN partner = '' THEN identifier ELSE least(identifier, partner) END,
            CASE WHEN partner <> '' THEN greatest(identifier, partner) END,
            CASE WHEN kind = 'passage' THEN text END
    ), differing AS (
        SELECT article_id, avg((looked.servers - made.servers)::float8 / (looked.servers - 1)) AS disagreement
        FROM made JOIN looked USING (article_id, kind) GROUP BY article_id
    )
    SELECT article.id, article.version, coalesce(servers, 0), coalesce(producers, '{}'), coalesce(named, '{}'),
        coalesce(yes, 0), coalesce(no, 0), balance, disagreement
    FROM article
    LEFT JOIN speaking ON speaking.article_id = article.id
    LEFT JOIN naming ON naming.article_id = article.id
    LEFT JOIN voted ON voted.article_id = article.id
    LEFT JOIN differing ON differing.article_id = article.id
    ON CONFLICT (article_id) DO UPDATE SET
        version = excluded.version, servers = excluded.servers, producers = excluded.producers,
        named = excluded.named, yes = excluded.yes, no = excluded.no, balance = excluded.balance,
        disagreement = excluded.disagreement
"""


def bring_up(seconds: float = SLICE_SECONDS) -> bool:
    """Make the standings of articles that have changed until the time is over; whether there is more to do."""
    until = time.monotonic() + seconds
    while old := changed_articles():
        for start in range(0, len(old), BATCH):
            stand(old[start : start + BATCH])
            if time.monotonic() > until:
                return True
        if len(old) < LOOKED_UP:
            return False
    return False


def changed_articles() -> list[int]:
    """The ids of at most 20,000 articles whose standing is not of their version."""
    with connection.cursor() as cursor:
        cursor.execute(OLD, [LOOKED_UP])
        return [pk for (pk,) in cursor.fetchall()]


def stand(articles: list[int]) -> None:
    """Make the standings of these articles anew: one statement."""
    with connection.cursor() as cursor:
        cursor.execute(STAND, [articles])

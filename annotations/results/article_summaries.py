"""Summaries of the public annotations of each article (the model ArticleSummary), refreshed by a worker.

A summary is outdated if its version differs from the counted version of the article, for which changes are counted
first, or if it was computed by earlier rules. A batch reads the annotations and the versions in one snapshot, so that
later changes are found the next time.
"""

import time

from django.db import connection, transaction

from annotations.articles.versions import count_changes_returning_whether_more_remain
from annotations.entity_types import get_type_key, list_known_entity_types
from annotations.results.annotated_terms import add_new_annotated_terms

SLICE_SECONDS = 10.0
BATCH = 500
# Articles per query for changed articles, each of which reads the versions of all articles.
MOST_CHANGED_ARTICLES = 20_000
# Increase it with every change of what a summary says of the same annotations.
RULES = 4
# For each annotation without a type, those of its server are compared with those of the others.
MOST_SOUGHT_TYPES = 50
CHANGED_ARTICLES = """
    SELECT article.id FROM annotations_article AS article
    LEFT JOIN annotations_articlesummary AS summary ON summary.article_id = article.id
    WHERE summary.version IS DISTINCT FROM article.version OR summary.rules <> %s
    ORDER BY article.id LIMIT %s
"""
# Skips articles that are being deleted. The version is read separately from the lock, because a locked row is the
# latest one, while the annotations are those at the start of the statement. OFFSET 0 makes PostgreSQL look up the
# annotations result by result; otherwise it would read the whole table. As on the article's page, identifiers are the
# current ones, and those of one gene are the same (NamedEntry.current and gene), and of several queues of a server one
# counts for each kind: by_server. Arguments of relations are ordered as in AnnotationData.key: by role and, without
# direction, by what they name. sought: the types of mentions and entities that a server looks for, those that it is
# registered for and those that it reports in the article, or the sets of its labels; NULL for any type, as for all
# other kinds and for too many. The type of a relation is part of what servers agree or disagree about.
STORE_SUMMARIES = """
    INSERT INTO annotations_articlesummary
        (article_id, version, rules, servers, producers, named, terms, best_confidences, yes, no, balance, disagreement)
    WITH chosen AS MATERIALIZED (
        SELECT id FROM annotations_article WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE SKIP LOCKED
    ), article AS MATERIALIZED (
        SELECT id, version, text_version FROM annotations_article WHERE id IN (SELECT id FROM chosen)
    ), results AS MATERIALIZED (
        SELECT result.id, result.article_id, result.kind, producer.id AS producer,
            coalesce(producer.server, -producer.id) AS server, producer.entity_types AS registered_types,
            producer.sort = 'server' AND row_number() OVER (
                PARTITION BY result.article_id, result.kind, coalesce(producer.server, -producer.id)
                ORDER BY producer.id
            ) = 1 AS by_server
        FROM article
        JOIN annotations_result AS result ON result.article_id = article.id
            AND result.text_version = article.text_version AND result.superseded IS NULL
        JOIN annotations_producer AS producer ON producer.id = result.producer_id
            AND producer.public AND producer.sort <> 'gold'
    ), annotation AS MATERIALIZED (
        SELECT results.id AS result, results.article_id, results.kind, results.producer, results.by_server,
            stored.confidence,
            stored.start, stored."end", stored.text, stored.type, stored.database, stored.identifier, stored.partner,
            stored.taxon, stored.relevant, stored.spans, stored.curies, stored.detail
        FROM results CROSS JOIN LATERAL (
            SELECT * FROM annotations_annotation WHERE result_id = results.id OFFSET 0
        ) AS stored
    ), listed AS MATERIALIZED (
        SELECT article_id, kind, by_server, unnest(curies) AS curie FROM annotation WHERE curies IS NOT NULL
    ), producer_lists AS (
        SELECT article_id, array_agg(DISTINCT producer) AS producers,
            count(DISTINCT server) FILTER (WHERE by_server) AS servers
        FROM results GROUP BY article_id
    ), identifier_lists AS (
        SELECT article_id, array_agg(DISTINCT name) AS named FROM (
            SELECT article_id, database || ':' || identifier AS name FROM annotation WHERE identifier <> ''
            UNION ALL SELECT article_id, database || ':' || partner FROM annotation WHERE partner <> ''
            UNION ALL SELECT article_id, 'ncbitaxon:' || taxon FROM annotation WHERE taxon > 0
            UNION ALL SELECT article_id, curie FROM listed
            UNION ALL SELECT article_id, 'psi-mi:MI:' || substring(detail #>> '{q,method}' FROM '[0-9]{4}$')
                FROM annotation WHERE kind = 'relation' AND detail #>> '{q,method}' ~ '[0-9]{4}$'
        ) AS names GROUP BY article_id
    ), typed AS MATERIALIZED (
        SELECT article_id, term, max(confidence) AS confidence FROM (
            SELECT article_id, 'type:' || annotations_entity_type(kind, type, database) AS term, confidence
            FROM annotation
            UNION ALL SELECT article_id, 'relation:' || annotations_relation_type(kind, type), confidence
            FROM annotation
        ) AS terms WHERE term IS NOT NULL GROUP BY article_id, term
    ), term_lists AS (
        SELECT article_id, array_agg(term) AS terms,
            jsonb_object_agg(term, confidence) FILTER (WHERE confidence IS NOT NULL) AS best
        FROM typed GROUP BY article_id
    ), votes AS (
        SELECT article_id, count(*) FILTER (WHERE relevant) AS yes, count(*) FILTER (WHERE NOT relevant) AS no,
            0.5 + sum(CASE WHEN relevant THEN 1 ELSE -1 END * coalesce(confidence, 1)) / (2 * count(*)) AS balance
        FROM annotation WHERE by_server AND kind = 'classification' AND relevant IS NOT NULL GROUP BY article_id
    ), type_key AS MATERIALIZED (
        SELECT type, coalesce(spelling.key, folded) AS key FROM (
            SELECT type, lower(regexp_replace(type, '[^[:alnum:]]+', '', 'g')) AS folded FROM (
                SELECT type FROM annotation WHERE kind IN ('mention', 'entity', 'label')
                UNION SELECT unnest(registered_types) FROM results
            ) AS types
        ) AS folded_types LEFT JOIN unnest(%s::text[], %s::text[]) AS spelling (folded, key) USING (folded)
    ), sought_type AS (
        SELECT result, key, false AS is_registered FROM annotation JOIN type_key USING (type)
        WHERE by_server AND kind IN ('mention', 'entity', 'label')
        UNION
        SELECT results.id, key, true
        FROM results CROSS JOIN LATERAL unnest(registered_types) AS registered (type) JOIN type_key USING (type)
        WHERE by_server AND kind IN ('mention', 'entity')
    ), sought AS MATERIALIZED (
        SELECT results.id AS result, results.article_id, results.kind, types.keys
        FROM results LEFT JOIN (
            SELECT result, array_agg(DISTINCT key) FILTER (WHERE key <> '') AS keys FROM sought_type GROUP BY result
            HAVING (bool_or(is_registered) OR NOT bool_or(key = ''))
                AND count(DISTINCT key) FILTER (WHERE key <> '') <= %s
        ) AS types ON types.result = results.id
        WHERE by_server
    ), reported AS (
        SELECT database, identifier AS name FROM annotation WHERE by_server AND identifier <> ''
        UNION SELECT database, partner FROM annotation WHERE by_server AND partner <> ''
        UNION SELECT split_part(curie, ':', 1), substr(curie, strpos(curie, ':') + 1)
            FROM listed WHERE by_server AND kind = 'relation'
    ), entity AS MATERIALIZED (
        SELECT reported.database, reported.name, current.key AS current,
            CASE WHEN cardinality(current.genes) = 1 THEN 'ncbigene:' || current.genes[1] ELSE current.key END AS gene
        FROM reported
        LEFT JOIN annotations_entry AS entry
            ON entry.database = reported.database AND entry.identifier = reported.name
        LEFT JOIN annotations_entry AS successor
            ON successor.database = reported.database AND cardinality(entry.successors) = 1
            AND successor.identifier = entry.successors[1] AND successor.exists
        CROSS JOIN LATERAL (
            SELECT coalesce(successor.genes, entry.genes, '{}') AS genes, reported.database || ':' ||
                CASE WHEN cardinality(entry.successors) = 1 THEN entry.successors[1] ELSE reported.name END AS key
        ) AS current
    ), servers_by_annotation AS (
        SELECT annotation.article_id, annotation.kind, count(DISTINCT producer) AS servers,
            bool_or(types.keys IS NULL) AS any_type,
            string_to_array(string_agg(DISTINCT array_to_string(types.keys, '|'), '|'), '|') AS keys
        FROM annotation
        JOIN sought USING (result)
        LEFT JOIN type_key USING (type)
        CROSS JOIN LATERAL (
            SELECT CASE WHEN annotation.kind IN ('mention', 'entity', 'label') AND type_key.key <> ''
                THEN ARRAY[type_key.key] ELSE sought.keys END AS keys
        ) AS types
        LEFT JOIN entity AS first ON first.database = annotation.database AND first.name = annotation.identifier
        LEFT JOIN entity AS second ON second.database = annotation.database AND second.name = annotation.partner
        CROSS JOIN LATERAL (
            SELECT CASE WHEN annotation.kind IN ('normalization', 'pair', 'entity') THEN first.gene
                    WHEN annotation.kind <> 'mention' THEN first.current END AS one,
                CASE WHEN annotation.kind IN ('normalization', 'pair') THEN second.gene ELSE second.current END AS other
        ) AS named
        WHERE by_server
        GROUP BY annotation.article_id, annotation.kind, relevant, start, "end", least(named.one, named.other),
            CASE WHEN partner <> '' THEN greatest(named.one, named.other) END,
            CASE annotation.kind
                WHEN 'mention' THEN spans::text
                WHEN 'passage' THEN text
                WHEN 'label' THEN jsonb_build_array(type, text)::text
                WHEN 'relation' THEN jsonb_build_array(
                    type, detail ? 'd', detail #>> '{q,negated}' IS NOT DISTINCT FROM 'true', (
                        SELECT jsonb_agg(
                            jsonb_build_array(argument.role, argument.names, argument.spans)
                            ORDER BY argument.role, CASE WHEN NOT detail ? 'd' THEN argument.names END,
                                CASE WHEN NOT detail ? 'd' THEN argument.spans END, argument.position
                        ) FROM (
                            SELECT position, coalesce(value ->> 'r', '') AS role,
                                CASE WHEN NOT value ? 'i' THEN value -> 's' END AS spans, (
                                    SELECT jsonb_agg(DISTINCT entity.gene ORDER BY entity.gene)
                                    FROM jsonb_array_elements_text(value -> 'i') AS curie
                                    JOIN entity ON entity.database || ':' || entity.name = curie
                                ) AS names
                            FROM jsonb_array_elements(detail -> 'a') WITH ORDINALITY AS arguments (value, position)
                        ) AS argument
                    )
                )::text
            END
    ), alike AS (
        SELECT article_id, kind, servers, any_type, keys, count(*) AS annotations
        FROM servers_by_annotation GROUP BY article_id, kind, servers, any_type, keys
    ), compared AS (
        SELECT article_id, alike.servers, annotations, count(*) AS looking
        FROM alike JOIN sought USING (article_id, kind)
        WHERE any_type OR sought.keys IS NULL OR sought.keys && alike.keys
        GROUP BY article_id, kind, alike.servers, any_type, alike.keys, annotations HAVING count(*) > 1
    ), disagreements AS (
        SELECT article_id,
            sum(annotations * (looking - servers)::float8 / (looking - 1)) / sum(annotations) AS disagreement
        FROM compared GROUP BY article_id
    )
    SELECT article.id, article.version, %s, coalesce(servers, 0), coalesce(producers, '{}'), coalesce(named, '{}'),
        coalesce(terms, '{}'), coalesce(best, '{}'),
        coalesce(yes, 0), coalesce(no, 0), balance, disagreement
    FROM article
    LEFT JOIN producer_lists ON producer_lists.article_id = article.id
    LEFT JOIN identifier_lists ON identifier_lists.article_id = article.id
    LEFT JOIN term_lists ON term_lists.article_id = article.id
    LEFT JOIN votes ON votes.article_id = article.id
    LEFT JOIN disagreements ON disagreements.article_id = article.id
    ON CONFLICT (article_id) DO UPDATE SET
        version = excluded.version, rules = excluded.rules, servers = excluded.servers, producers = excluded.producers,
        named = excluded.named, terms = excluded.terms,
        best_confidences = excluded.best_confidences, yes = excluded.yes, no = excluded.no,
        balance = excluded.balance, disagreement = excluded.disagreement
"""


def update_summaries_returning_whether_more_remain(time_limit_seconds: float = SLICE_SECONDS) -> bool:
    """Count changes of articles and refresh their summaries for so many seconds; return whether there is more to do."""
    until = time.monotonic() + time_limit_seconds
    while count_changes_returning_whether_more_remain():
        if time.monotonic() > until:
            return True
    while outdated := list_first_articles_with_outdated_summary():
        for start in range(0, len(outdated), BATCH):
            _store_article_summaries(outdated[start : start + BATCH])
            if time.monotonic() > until:
                return True
        if len(outdated) < MOST_CHANGED_ARTICLES:
            return False
    return False


def list_first_articles_with_outdated_summary() -> list[int]:
    """The primary keys of at most 20,000 articles whose summary is missing or outdated."""
    with connection.cursor() as cursor:
        cursor.execute(CHANGED_ARTICLES, [RULES, MOST_CHANGED_ARTICLES])
        return [pk for (pk,) in cursor.fetchall()]


def _store_article_summaries(articles: list[int]) -> None:
    """Compute and store the summaries of these articles and the terms that they have: two statements."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(STORE_SUMMARIES, [articles, *_list_type_spellings(), MOST_SOUGHT_TYPES, RULES])
        add_new_annotated_terms(articles)


def _list_type_spellings() -> tuple[list[str], list[str]]:
    """The spellings of known types in lower case, letters and digits only, and the key of the type of each."""
    spellings = {
        spelling: get_type_key(spelling) for known in list_known_entity_types() for spelling in known.spellings
    }
    return list(spellings), list(spellings.values())

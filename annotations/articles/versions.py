"""The version of an article, which increases with every change of what everybody may see of it.

It is the counted version in the article's row and the number of its changes that a worker has not counted yet. Answers
of many servers for one article are stored at the same time: each inserts a change, and none waits for the others, as
they would for the article's row. So does what must not wait for them. Everything else raises the counted version.
"""

from collections.abc import Iterable

from django.db import connection
from django.db.models import Count, F, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotations.articles.models import Article, ArticleChange
from bcms.lib.prepared_statements import PreparedStatement

# In statements that name the table annotations_article "article".
ARTICLE_VERSION_SQL = (
    "(article.version + (SELECT count(*) FROM annotations_articlechange WHERE article_id = article.id))"
)
INSERT_CHANGE_IF_PUBLIC = PreparedStatement(
    "insert_change_if_public",
    {"article": "bigint", "producer": "bigint"},
    """
INSERT INTO annotations_articlechange (article_id)
SELECT %(article)s FROM annotations_producer WHERE id = %(producer)s AND public
""",
)
RAISE_VERSIONS = """
    UPDATE annotations_article SET version = version + 1 WHERE id IN (
        SELECT id FROM annotations_article WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE)
"""
INSERT_CHANGES = "INSERT INTO annotations_articlechange (article_id) SELECT unnest(%s::bigint[])"
# The sum of both does not change. It waits for nobody: what somebody else has locked, such as an article that an answer
# is just being stored for, or one that is being deleted, has its turn the next time. Changes of deleted articles go.
# OFFSET 0 makes PostgreSQL look up the articles one by one; otherwise it may read the whole table.
COUNT_CHANGES = """
    WITH chosen AS MATERIALIZED (
        SELECT id, article_id FROM annotations_articlechange ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED
    ), free AS MATERIALIZED (
        SELECT id FROM annotations_article WHERE id IN (SELECT article_id FROM chosen)
        ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
    ), gone AS (
        SELECT article_id FROM chosen
        LEFT JOIN LATERAL (SELECT id FROM annotations_article WHERE id = article_id OFFSET 0) AS found ON true
        WHERE found.id IS NULL
    ), counted AS (
        DELETE FROM annotations_articlechange AS change USING chosen
        WHERE change.id = chosen.id
            AND chosen.article_id IN (SELECT id FROM free UNION ALL SELECT article_id FROM gone)
        RETURNING change.article_id
    ), raised AS (
        UPDATE annotations_article AS article SET version = article.version + changes.number
        FROM (SELECT article_id, count(*) AS number FROM counted GROUP BY article_id) AS changes
        WHERE article.id = changes.article_id
    )
    SELECT count(*) FROM counted
"""
MOST_CHANGES = 10_000


def annotate_version(articles: QuerySet[Article]) -> QuerySet[Article]:
    """The articles with version, for reading only."""
    changes = ArticleChange.objects.filter(article=OuterRef("pk")).order_by().values("article")
    number = Subquery(changes.values(number=Count("pk")), output_field=IntegerField())
    version = F("counted_version") + Coalesce(number, 0)
    return articles.annotate(**{"version": version})


def store_change_if_producer_public(article_id: int, producer_id: int) -> None:
    """Raise the version of an article, so that its page and lists are updated, if the producer is public."""
    statement = INSERT_CHANGE_IF_PUBLIC.get_ready_text()
    with connection.cursor() as cursor:
        cursor.execute(statement, {"article": article_id, "producer": producer_id})


def raise_article_versions(article_ids: Iterable[int]) -> None:
    """Raise the versions of articles, so that their pages and lists are updated, and lock them until the commit."""
    with connection.cursor() as cursor:
        cursor.execute(RAISE_VERSIONS, [list(article_ids)])


def store_changes(article_ids: Iterable[int]) -> None:
    """Raise the versions of articles without waiting for those who have locked them."""
    with connection.cursor() as cursor:
        cursor.execute(INSERT_CHANGES, [list(article_ids)])


def count_changes_returning_whether_more_remain() -> bool:
    """Add the changes of articles, the first of them if there are many, to their counted versions. Versions stay."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_CHANGES, [MOST_CHANGES])
        (number,) = cursor.fetchone()
    # Otherwise only what is new, or locked, can be left.
    return bool(number > MOST_CHANGES // 2)

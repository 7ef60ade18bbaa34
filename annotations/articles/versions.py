"""The version of an article, which increases with every change of what everybody may see of it.

It is the counted version in the article's row and the number of its changes that a worker has not counted yet. Answers
of many servers for one article are stored at the same time: each inserts a change, and none waits for the others, as
they would for the article's row. Everything else raises the counted version.
"""

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
# The sum of both does not change. Articles that somebody else has locked, such as those that answers are just being
# stored for, have their turn the next time.
COUNT_CHANGES = """
    WITH article AS MATERIALIZED (
        SELECT id FROM annotations_article
        WHERE id IN (SELECT article_id FROM annotations_articlechange ORDER BY id LIMIT %s)
        ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
    ), counted AS (
        DELETE FROM annotations_articlechange WHERE article_id IN (SELECT id FROM article) RETURNING article_id
    )
    UPDATE annotations_article AS article SET version = article.version + changes.number
    FROM (SELECT article_id, count(*) AS number FROM counted GROUP BY article_id) AS changes
    WHERE article.id = changes.article_id
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


def count_changes_of_articles() -> int:
    """Add the changes of articles to their counted versions; returns of how many articles. Their versions stay."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_CHANGES, [MOST_CHANGES])
        return int(cursor.rowcount)

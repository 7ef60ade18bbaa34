"""The types and entities that the public annotations of public articles have, and in how many articles (AnnotatedTerm).

Searches compare types with these, and suggest them and the entities.
"""

from collections.abc import Sequence

from django.db import connection

# Gold standards and annotations that are not public are in no summary; blind articles, and those that administrators
# took down, are left out here.
PUBLIC_ARTICLES = """
    SELECT id FROM annotations_article AS article
    WHERE NOT blind
    AND NOT EXISTS (SELECT FROM annotations_articletakedown AS hidden WHERE hidden.article_id = article.id)
"""
TERMS_OF_SUMMARIES = """
    SELECT article_id, split_part(term, ':', 1) AS category, substr(term, strpos(term, ':') + 1) AS value
    FROM annotations_articlesummary CROSS JOIN LATERAL unnest(terms) AS term
    WHERE {condition}
    UNION ALL SELECT article_id, 'entity', curie
    FROM annotations_articlesummary CROSS JOIN LATERAL unnest(named) AS curie WHERE {condition}
"""
ADD_NEW_TERMS = f"""
    INSERT INTO annotations_annotatedterm (category, value)
    SELECT DISTINCT category, value
    FROM ({TERMS_OF_SUMMARIES.format(condition="article_id = ANY(%(articles)s)")}) AS found
    JOIN ({PUBLIC_ARTICLES}) AS public ON public.id = found.article_id
    ORDER BY category, value
    ON CONFLICT (category, value) DO NOTHING
"""
COUNT_ARTICLES = f"""
    WITH counted AS MATERIALIZED (
        SELECT category, value, count(*) AS articles FROM ({TERMS_OF_SUMMARIES.format(condition="true")}) AS found
        JOIN ({PUBLIC_ARTICLES}) AS public ON public.id = found.article_id
        GROUP BY category, value
    ), removed AS (
        DELETE FROM annotations_annotatedterm AS term
        WHERE NOT EXISTS (SELECT FROM counted WHERE counted.category = term.category AND counted.value = term.value)
    )
    INSERT INTO annotations_annotatedterm AS term (category, value, articles)
    SELECT category, value, articles FROM counted ORDER BY category, value
    ON CONFLICT (category, value) DO UPDATE SET articles = excluded.articles
    WHERE term.articles <> excluded.articles
"""


def add_new_annotated_terms(articles: Sequence[int]) -> None:
    """Add the terms in the summaries of these articles that are not known yet: one statement."""
    with connection.cursor() as cursor:
        cursor.execute(ADD_NEW_TERMS, {"articles": list(articles)})


def count_articles_of_annotated_terms() -> int:
    """Count the articles of every term, and delete those of none: one statement. Returns the number of changed ones."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_ARTICLES, {})
        return int(cursor.rowcount)

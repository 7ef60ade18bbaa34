"""The name under which an article is sent to servers and shown to their teams: never its PMID while it is blind."""

from django.db import connection

from annotations.articles.models import Article
from servers.calls.models import Call
from servers.calls.states import QueueMode

SELECT_IS_BLIND = """
SELECT EXISTS (
    SELECT FROM annotations_corpusarticle member JOIN annotations_corpus corpus ON corpus.id = member.corpus_id
    WHERE member.article_id = %s AND corpus.blind
)
"""


def is_test_call_or_blind_article(call: Call) -> bool:
    """Whether the server must not learn which article it is."""
    if call.queue.mode == QueueMode.TEST:
        return True
    with connection.cursor() as cursor:
        cursor.execute(SELECT_IS_BLIND, [call.article_id])
        return bool(cursor.fetchone()[0])


def get_pmid_or_opaque_id(article: Article, *, blind: bool) -> str:
    """The article's PMID; its opaque id if it is blind or has no PMID."""
    return article.opaque if blind or not article.pmid else str(article.pmid)

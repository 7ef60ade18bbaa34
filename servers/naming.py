"""What an article is called towards teams and their servers: never by its PMID while it is blind."""

from django.db import connection

from annotations.models import Article
from servers.models import Call
from servers.states import QueueMode

BLIND = """
SELECT EXISTS (
    SELECT FROM annotations_corpusarticle member JOIN annotations_corpus corpus ON corpus.id = member.corpus_id
    WHERE member.article_id = %s AND corpus.blind
)
"""


def is_blind(call: Call) -> bool:
    """Whether the server must not learn which article it is."""
    if call.queue.mode == QueueMode.TEST:
        return True
    with connection.cursor() as cursor:
        cursor.execute(BLIND, [call.article_id])
        return bool(cursor.fetchone()[0])


def name_of(article: Article, *, blind: bool) -> str:
    """What the article is called towards servers."""
    return article.opaque if blind or not article.pmid else str(article.pmid)

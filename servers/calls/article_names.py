"""The name under which an article is sent to servers and shown to their teams: never its PMID while it is blind."""

from annotations.articles.models import Article
from servers.calls.models import Call
from servers.calls.states import QueueMode


def is_test_call_or_blind_article(call: Call) -> bool:
    """Whether the server must not learn which article it is."""
    return call.queue.mode == QueueMode.TEST or call.article.blind


def get_pmid_or_opaque_id(article: Article, *, blind: bool) -> str:
    """The article's PMID; its opaque id if it is blind or has no PMID."""
    return article.opaque if blind or not article.pmid else str(article.pmid)

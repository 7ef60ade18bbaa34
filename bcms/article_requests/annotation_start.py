"""Have servers annotate an article that is here, for anybody, within limits: by page, by REST and by XML-RPC.

Requests that change nothing, because the servers have answered or wait to be called, do not count, so that programs can
repeat them while they wait. The limits keep a visitor from delaying without end what others wait for.
"""

from allauth.core import ratelimit
from django.http import HttpRequest

from annotations.articles.models import Article
from bcms.lib.rest.limits import TooManyRequests
from servers.calls.queues.contents import (
    enqueue_or_prioritize_missing_nonblind_live_calls,
    has_live_calls_to_add_or_prioritize,
)
from servers.calls.queues.missed_articles import (
    enqueue_for_stopped_and_unreachable_servers,
    is_missed_by_stopped_or_unreachable_server,
)
from servers.teams.permissions import User

# How often one visitor may ask (settings.ACCOUNT_RATE_LIMITS), each with the seconds after which it is allowed again.
START_LIMITS = (("start_annotation", 60), ("start_annotation_hourly", 3600))
WAIT_LIMIT = "await_stopped_servers"


def start_rate_limited_annotation(request: HttpRequest, article: Article, reader: User) -> None:
    """Call the servers that have not been called for the article yet; TooManyRequests above the visitor's limits.

    For servers that are unreachable or were stopped a short time ago the article waits, unless the visitor has let too
    many wait: that is not refused, as nobody waits for their annotations. reader decides which servers are called,
    request whose requests are counted. Blind articles are skipped.
    """
    if has_live_calls_to_add_or_prioritize(article, reader):
        for action, seconds in START_LIMITS:
            if not ratelimit.consume(request, action=action):
                raise TooManyRequests("Servers were called for too many articles from your IP address.", seconds)
        enqueue_or_prioritize_missing_nonblind_live_calls(article, reader)
    if is_missed_by_stopped_or_unreachable_server(article, reader) and ratelimit.consume(request, action=WAIT_LIMIT):
        enqueue_for_stopped_and_unreachable_servers(article, reader)

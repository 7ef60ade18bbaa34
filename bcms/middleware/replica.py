"""Let a replica of the database answer searches, exports and visitors' pages, and the primary whenever it cannot."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase

from bcms.database.replica import (
    has_replica,
    is_replica_current,
    iterate_on_replica,
    leave_replica_alone,
    read_from_replica,
)
from bcms.lib.rest.limits import count_no_more
from bcms.metrics.replica import count_replica_request
from bcms.visitor_pages.plain_visitors import is_of_plain_visitor

READING = ("GET", "HEAD")
# How a request is answered while its database is away.
UNAVAILABLE = 503
ATTRIBUTE = "replica_use"


def _is_anybody(request: HttpRequest) -> bool:
    return True


def _is_without_token(request: HttpRequest) -> bool:
    """Tokens and passwords of programs are read by the view, and their use is recorded."""
    return "Authorization" not in request.headers


# Who is asking does not matter to them.
EXPORTS = """
    article-export api-article-export api-export api-search-export
    api-curations-data-file api-digital-abstracts-file api-article-digital-abstract-file
"""
SEARCHES = "search api-entries api-digital-abstracts data-set-file api-data-set-file"
VISITOR_PAGES = """
    home article article-live article-results article-result article-reply document
    corpus-compare curations-data data-sets data-set widget-article
    server-list server server-live server-availability server-badge
    challenge-list challenge leaderboard leaderboard-live leaderboard-csv leaderboard-json leaderboard-latex
    leaderboard-svg leaderboard-time leaderboard-pairs leaderboard-score leaderboard-run phase-mean-ranks
    api-article api-annotations api-article-entries api-article-mention api-article-result api-article-servers
    api-article-digital-abstract api-consensus api-corpora api-corpus api-corpus-croissant api-corpus-compare
    api-curations-data api-data api-data-set api-servers api-server api-server-availability
    api-challenges api-challenge api-leaderboard api-leaderboard-pairs api-leaderboard-score api-phase-mean-ranks
"""
# By the name of the URL: whether the replica may answer this request.
REPLICA_URLS: Mapping[str, Callable[[HttpRequest], bool]] = {
    **dict.fromkeys(EXPORTS.split(), _is_anybody),
    **dict.fromkeys(SEARCHES.split(), _is_without_token),
    **dict.fromkeys(VISITOR_PAGES.split(), is_of_plain_visitor),
}


@dataclass(slots=True)
class ReplicaUse:
    """Whether the replica may answer a request, and whether it does; reading: what ends with the view."""

    reading: ExitStack = field(default_factory=ExitStack)
    is_allowed: bool = True
    is_begun: bool = False


class ReplicaMiddleware:
    """Innermost: sessions are read and stored outside of it, on the primary, and so is the state of kept pages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not has_replica():
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        use = ReplicaUse()
        setattr(request, ATTRIBUTE, use)
        with use.reading:
            response = self.get_response(request)
        if use.is_begun and response.status_code == UNAVAILABLE:
            return self._answer_from_primary(request, use)
        if use.is_begun and isinstance(response, StreamingHttpResponse):
            response.streaming_content = iterate_on_replica(response.streaming_content)  # type: ignore[arg-type]
            response.is_read_from_replica = True  # type: ignore[attr-defined]
        return response

    def _answer_from_primary(self, request: HttpRequest, use: ReplicaUse) -> HttpResponseBase:
        leave_replica_alone()
        count_replica_request("primary after failure")
        use.is_allowed = False
        count_no_more(request)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: object, args: object, kwargs: object) -> None:
        """Let the replica answer what the view asks the database, if it may and can."""
        use: ReplicaUse = getattr(request, ATTRIBUTE)
        may_answer = REPLICA_URLS.get(request.resolver_match.view_name if request.resolver_match else "")
        if not (use.is_allowed and may_answer and request.method in READING and may_answer(request)):
            return
        # Who is asking is read before, from the primary.
        _ = request.user.is_authenticated
        use.is_begun = is_replica_current()
        count_replica_request("replica" if use.is_begun else "primary")
        if use.is_begun:
            use.reading.enter_context(read_from_replica())

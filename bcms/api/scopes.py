"""What a token must open for each address of the API that writes: the one table, asked at every log-in by a token.

An address that writes and is not here answers no token; tests/integration/test_api_scopes.py names it.
"""

from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from bcms.accounts.scopes import Scope
from bcms.models import ApiToken

ADDRESSES = {
    # Whoever reads an article that is not here has it fetched, with or without a log-in.
    Scope.READ: ("api-article-requests",),
    Scope.SERVERS: (
        *("api-servers", "api-server-start", "api-server-halt", "api-server-halt-hard", "api-server-load"),
        *("api-server-queue", "api-server-try", "api-replay", "api-phase-enter", "api-phase-load"),
    ),
    Scope.RUNS: ("api-team-runs", "api-run-cut", "api-run-withdraw", "api-run-final", "api-challenge-join"),
    Scope.CURATE: (
        *("api-label-show", "api-label-answer", "api-label-undo", "api-label-pause", "api-label-resume"),
        *("api-label-clock", "api-pool-judging", "api-pool-adjudicating"),
    ),
    Scope.ORGANIZE: (
        *("api-articles", "api-challenges", "api-challenge-rules", "api-challenge-tasks", "api-challenge-corpora"),
        *("api-challenge-task", "api-challenge-organizers"),
        *("api-challenge-teams", "api-challenge-phases", "api-phase", "api-phase-gold", "api-phase-freeze"),
        *("api-phase-thaw", "api-phase-move-end", "api-phase-exclude", "api-phase-include", "api-phase-baselines"),
        *("api-phase-begin", "api-phase-end", "api-phase-rescore", "api-phase-publish", "api-phase-publish-task"),
        *("api-challenge-archive", "api-labellings", "api-labelling-curators", "api-labelling-rulings"),
        *("api-challenge-by-hand", "api-by-hand"),
        *("api-labelling-gold", "api-pool-collect", "api-pool-judges", "api-pool-close", "api-pool-reopen"),
    ),
}
WRITING = {address: scope for scope, addresses in ADDRESSES.items() for address in addresses}


def needed(request: Request) -> Scope:
    """KeyError for an address that writes and that the table does not have."""
    match = request.resolver_match
    if request.method in SAFE_METHODS or match is None or match.url_name is None:
        return Scope.READ
    return WRITING[match.url_name]


def demand_scope(token: ApiToken, request: Request) -> None:
    """A 403 that says which scope the token would need."""
    if request.method and not hasattr(request.parser_context["view"], request.method.lower()):
        return
    scope = needed(request)
    if scope not in token.scopes:
        raise PermissionDenied(
            f"The token “{token.name}” was made without the scope {scope}, which this takes: make one with it on your "
            "account page."
        )

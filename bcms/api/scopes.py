"""The scope that a token needs for each API URL that writes, checked whenever a token authenticates.

When you add such a URL, add its name to URLS_BY_SCOPE. tests/integration/bcms/api/test_api_scopes.py fails for URLs
without one.
"""

from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from bcms.accounts.models import ApiToken
from bcms.accounts.scopes import Scope

URLS_BY_SCOPE = {
    # Anyone may have an article annotated or score lists, even without an account, so reading is enough. Who reads
    # notifications may also say so.
    Scope.READ: ("api-article-requests", "api-article-servers", "api-inbox-read", "api-tapk"),
    Scope.ANNOTATE: ("api-pasted-texts", "api-pasted-text"),
    Scope.SERVERS: (
        *("api-server", "api-servers", "api-server-start", "api-server-stop", "api-server-stop-now", "api-server-load"),
        *("api-server-queue", "api-server-try", "api-server-credentials", "api-server-signing-secret"),
        *("api-replay", "api-team-delivery-replay", "api-challenge-review"),
        *("api-phase-enter", "api-phase-load", "api-server-review", "api-server-visibility"),
    ),
    Scope.RUNS: (
        *("api-team-runs", "api-run-cut", "api-run-withdraw", "api-run-final", "api-run-description"),
        *("api-challenge-join", "api-challenge-discussion", "api-challenge-thread", "api-challenge-post"),
    ),
    Scope.DATA: (
        *("api-data", "api-data-set-update", "api-data-set-propose", "api-data-set-review"),
        *("api-data-set-withdraw", "api-data-set-baseline", "api-data-set-run"),
    ),
    Scope.MANUSCRIPTS: (
        *("api-manuscripts", "api-manuscript-links", "api-manuscript-link", "api-manuscript-refuse"),
        *("api-manuscript-remind", "api-manuscript-withdraw", "api-manuscript-publish", "api-manuscript-curators"),
        "api-manuscript-curator",
    ),
    Scope.CURATE: (
        *("api-label-show", "api-label-answer", "api-label-undo", "api-label-pause", "api-label-resume"),
        *("api-label-clock", "api-pool-judging", "api-pool-adjudicating"),
        *("api-curation-hand-over", "api-curation-accept", "api-curation-projects", "api-curation-project-leave"),
        *("api-curation-project-curator-add", "api-curation-project-curator-remove", "api-curation-project-split"),
        *("api-curation-project-adjudicator-add", "api-curation-project-assign", "api-curation-project-take"),
        *("api-curation-project-close", "api-curation-project-article", "api-curation-project-agreed"),
        *("api-curations", "api-curation-decisions", "api-curation-finish", "api-curation-reopen"),
        *("api-curation-propose", "api-curation-file", "api-curation-questionnaire", "api-curation-open"),
        "api-article-digital-abstract-withdraw",
    ),
    Scope.ORGANIZE: (
        *(
            "api-articles",
            "api-challenges",
            "api-challenge-from-file",
            "api-challenge-rules",
            "api-challenge-tasks",
            "api-challenge-corpora",
        ),
        *("api-challenge-task", "api-challenge-organizers", "api-challenge-state", "api-challenge"),
        *("api-challenge-corpus", "api-challenge-corpus-articles", "api-challenge-announcements"),
        *("api-challenge-announcement", "api-challenge-thread-state", "api-challenge-post-hidden"),
        *("api-challenge-pictures", "api-challenge-picture", "api-challenge-delivery-replay"),
        *("api-challenge-teams", "api-challenge-phases", "api-phase", "api-phase-gold", "api-phase-freeze"),
        *("api-phase-unfreeze", "api-phase-move-end", "api-phase-exclude", "api-phase-include", "api-phase-baselines"),
        *("api-run-baseline", "api-phase-resend"),
        *("api-phase-begin", "api-phase-end", "api-phase-rescore", "api-phase-publish", "api-phase-publish-task"),
        *("api-challenge-archive", "api-labellings", "api-labelling-curators", "api-labelling-adjudications"),
        *("api-challenge-manual-annotations", "api-manual-annotations", "api-curation-project-gold"),
        *(
            "api-labelling-gold",
            "api-curation-project-gold",
            "api-pool-collect",
            "api-pool-judges",
            "api-pool-close",
            "api-pool-reopen",
        ),
    ),
}
SCOPE_BY_WRITING_URL = {url_name: scope for scope, url_names in URLS_BY_SCOPE.items() for url_name in url_names}


def _get_needed_scope(request: Request) -> Scope:
    """The scope for the method and URL of a request; KeyError for a URL that writes and is not in the table."""
    match = request.resolver_match
    if request.method in SAFE_METHODS or match is None or match.url_name is None:
        return Scope.READ
    return SCOPE_BY_WRITING_URL[match.url_name]


def check_token_scope(token: ApiToken, request: Request) -> None:
    """Raise PermissionDenied, naming the scope, if the token does not have the scope that the request needs."""
    if request.method and not hasattr(request.parser_context["view"], request.method.lower()):
        return
    scope = _get_needed_scope(request)
    if scope not in token.scopes:
        raise PermissionDenied(
            f"This requires the scope {scope}, which the token “{token.name}” does not have. Create a token with it on "
            "your account page."
        )

"""The page with the matrix of a phase, which updates itself, and the button for articles that need another call."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from evaluation.challenges.form_pages import organizer_required
from evaluation.challenges.lookup import get_challenge_phase_or_404
from evaluation.challenges.matrix.server_matrix import build_server_matrix, format_matrix_version
from evaluation.challenges.matrix.unanswered_articles import resend_articles_failed_by_meta_server
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.phases.checks import explain_phase_closed
from evaluation.errors import ChallengeError


def _build_matrix_context(phase: Phase) -> dict[str, Any]:
    """done: the phase is over, so the page needs no more updates; closed: why articles cannot be sent again, or ""."""
    now = timezone.now()
    return {
        "matrix": build_server_matrix(phase),
        "done": phase.closes is not None and phase.closes <= now,
        "closed": explain_phase_closed(phase, now, "send articles again"),
    }


@never_cache
@organizer_required
@require_safe
def show_server_by_article_matrix(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    return render(
        request,
        "evaluation/challenges/matrix.html",
        _build_matrix_context(get_challenge_phase_or_404(challenge, phase)),
    )


@never_cache
@organizer_required
@require_safe
def poll_matrix(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    """The part of the page that changes; 204 if ?v= is the current version."""
    of_phase = get_challenge_phase_or_404(challenge, phase)
    if request.GET.get("v") == format_matrix_version(of_phase):
        return HttpResponse(status=204)
    return render(request, "evaluation/challenges/_matrix.html", _build_matrix_context(of_phase))


@organizer_required
@require_POST
def resend_unanswered_articles(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    """Send the articles that failed because of errors of the meta-server again."""
    try:
        number = resend_articles_failed_by_meta_server(get_challenge_phase_or_404(challenge, phase), request.user)
    except ChallengeError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{number} will be sent again.")
    return redirect("phase-matrix", challenge.slug, phase)

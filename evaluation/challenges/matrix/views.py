"""The page with the matrix of a phase, which updates itself."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from evaluation.challenges.form_pages import organizer_required
from evaluation.challenges.lookup import get_challenge_phase_or_404
from evaluation.challenges.matrix.server_matrix import build_server_matrix, format_matrix_version
from evaluation.challenges.models import Challenge, Phase


def _build_matrix_context(phase: Phase) -> dict[str, Any]:
    """done: the phase is over, so the page needs no more updates."""
    return {"matrix": build_server_matrix(phase), "done": phase.closes is not None and phase.closes <= timezone.now()}


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

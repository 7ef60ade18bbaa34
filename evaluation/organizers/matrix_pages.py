"""The matrix of a phase as a page that keeps itself up to date."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from evaluation.models import Challenge, Phase
from evaluation.organizers.matrix import matrix, version_of
from evaluation.organizers.steering import phase_of
from evaluation.organizing import organizers_only


def context_of(phase: Phase) -> dict[str, Any]:
    return {"matrix": matrix(phase), "done": phase.closes is not None and phase.closes <= timezone.now()}


@never_cache
@organizers_only
@require_safe
def page(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    return render(request, "evaluation/matrix.html", context_of(phase_of(challenge, phase)))


@never_cache
@organizers_only
@require_safe
def live(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    """The part that changes; 204 while ?v= names the newest version."""
    found = phase_of(challenge, phase)
    if request.GET.get("v") == version_of(found):
        return HttpResponse(status=204)
    return render(request, "evaluation/_matrix.html", context_of(found))

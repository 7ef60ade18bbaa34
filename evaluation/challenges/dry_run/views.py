"""The page with the dry run of a challenge."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from evaluation.challenges.dry_run.setup_checks import perform_dry_run
from evaluation.challenges.form_pages import organizer_required
from evaluation.challenges.models import Challenge


@never_cache
@organizer_required
@require_safe
def show_dry_run(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    return render(request, "evaluation/challenges/dry_run.html", {"dry_run": perform_dry_run(challenge)})

"""Pages of challenges, for everybody; each shows what its reader may see."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.challenges import may_create
from evaluation.models import Challenge
from evaluation.overview import listed_challenges, overview
from evaluation.pooling.judging import judged_by


@require_safe
def challenge_list(request: HttpRequest) -> HttpResponse:
    context = {"challenges": listed_challenges(timezone.now()), "may_create": may_create(request.user)}
    return render(request, "evaluation/challenge_list.html", context)


@require_safe
def challenge(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(Challenge, slug=slug)
    context = {"overview": overview(found, request.user), "judging": judged_by(request.user, found)}
    return render(request, "evaluation/challenge.html", context)

"""The list of challenges and the pages of each. All are public but for drafts, which their organizers see."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.challenges.challenge_page.overview import (
    build_challenge_overview,
    group_challenges_by_state,
    list_challenges_with_phase_states,
)
from evaluation.challenges.lookup import get_challenge_or_404
from evaluation.challenges.permissions import can_create_challenge
from evaluation.challenges.pictures.queries import list_pictures_for_markdown
from evaluation.pooling.judges import list_judge_roles


@require_safe
def show_challenge_list(request: HttpRequest) -> HttpResponse:
    context = {
        "groups": group_challenges_by_state(list_challenges_with_phase_states(request.user, timezone.now())),
        "may_create": can_create_challenge(request.user),
    }
    return render(request, "evaluation/challenges/challenge_list.html", context)


@require_safe
def show_challenge(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = get_challenge_or_404(request.user, slug)
    context = {
        "overview": build_challenge_overview(challenge, request.user),
        "judging": list_judge_roles(request.user, challenge),
        "pictures": list_pictures_for_markdown(challenge),
    }
    return render(request, "evaluation/challenges/challenge.html", context)


@require_safe
def show_challenge_data(request: HttpRequest, slug: str) -> HttpResponse:
    return _render_tab(request, slug, "data")


@require_safe
def show_challenge_rules(request: HttpRequest, slug: str) -> HttpResponse:
    return _render_tab(request, slug, "rules")


@require_safe
def show_challenge_leaderboards(request: HttpRequest, slug: str) -> HttpResponse:
    return _render_tab(request, slug, "leaderboards")


def _render_tab(request: HttpRequest, slug: str, tab: str) -> HttpResponse:
    """The tab of a challenge that shows its phases under this aspect, which is also the name of its template."""
    challenge = get_challenge_or_404(request.user, slug)
    context = {"overview": build_challenge_overview(challenge, request.user), "tab": tab}
    return render(request, f"evaluation/challenges/{tab}.html", context)

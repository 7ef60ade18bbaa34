"""The page of the mean ranks of a phase."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation.challenges.lookup import get_phase_or_404
from evaluation.leaderboards.mean_ranks.board import build_mean_rank_board_visible_to_user


@require_safe
def show_mean_ranks(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    board = build_mean_rank_board_visible_to_user(get_phase_or_404(request.user, slug, phase), request.user)
    return render(request, "evaluation/leaderboards/mean_ranks.html", {"board": board})

"""Pages of challenges and leaderboards, for everybody; each shows what its reader may see."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from evaluation.challenges import may_create
from evaluation.exports import as_csv, as_data
from evaluation.leaderboard import Board, board
from evaluation.models import Challenge, Phase, Task
from evaluation.overview import listed_challenges, overview
from evaluation.plots import plot_of


@require_safe
def challenge_list(request: HttpRequest) -> HttpResponse:
    context = {"challenges": listed_challenges(timezone.now()), "may_create": may_create(request.user)}
    return render(request, "evaluation/challenge_list.html", context)


@require_safe
def challenge(request: HttpRequest, slug: str) -> HttpResponse:
    found = get_object_or_404(Challenge, slug=slug)
    return render(request, "evaluation/challenge.html", {"overview": overview(found, request.user)})


def board_for(request: HttpRequest, slug: str, phase: str, task: str) -> Board:
    """The leaderboard at an address as the user may see it; 404 when there is none."""
    tasks = Task.objects.select_related("challenge").filter(challenge__slug=slug, name=task)
    phases = Phase.objects.select_related("challenge", "corpus").filter(challenge__slug=slug, sort=phase)
    found_task, found_phase = tasks.first(), phases.first()
    if found_task is None or found_phase is None:
        raise Http404(f"There is no leaderboard of {task} in a {phase} phase of {slug}; see the challenge's page.")
    return board(found_task, found_phase, request.user)


def board_context(shown: Board) -> dict[str, object]:
    closes = shown.phase.closes
    return {"board": shown, "plot": plot_of(shown), "done": closes is not None and closes <= timezone.now()}


@require_safe
def leaderboard(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    return render(request, "evaluation/leaderboard.html", board_context(board_for(request, slug, phase, task)))


@never_cache
@require_safe
def leaderboard_live(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """The part of the page that changes; 204 when ?v= names the version that the user would get."""
    shown = board_for(request, slug, phase, task)
    if request.GET.get("v") == shown.version:
        return HttpResponse(status=204)
    return render(request, "evaluation/_board.html", board_context(shown))


@require_safe
def leaderboard_csv(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    response = HttpResponse(as_csv(board_for(request, slug, phase, task)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{phase}-{task}.csv"'
    return response


@require_safe
def leaderboard_json(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    return JsonResponse(as_data(board_for(request, slug, phase, task)))


@require_safe
def leaderboard_svg(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    plot = plot_of(board_for(request, slug, phase, task))
    if plot is None:
        raise Http404("No run that you may see has a curve yet; the plot is there as soon as one is scored.")
    return HttpResponse(plot.svg, content_type="image/svg+xml")

"""Pages and files of leaderboards, for everybody; each shows what its reader may see."""

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotations.kinds import Kind
from evaluation.baselines import make_baselines
from evaluation.board_rows import with_bars, with_starts
from evaluation.challenges import organizes
from evaluation.errors import ChallengeError
from evaluation.exports import as_csv, as_data, as_latex
from evaluation.leaderboard import Board, Chosen, board, with_curves
from evaluation.measures.board_scenarios import OFFICIAL
from evaluation.models import Phase, Run, Task
from evaluation.own_runs import pages_seen_by
from evaluation.pairs import matrix_of
from evaluation.plots import lines_of, plot_of, time_file, time_plot
from evaluation.score_files import names_of, offered, scores_of, with_files
from evaluation.score_history import compare_command

AVERAGES = ("", "macro", "micro")
WITH_BASELINES = frozenset({Kind.CLASSIFICATION, Kind.METHOD, Kind.PAIR})
MOST_RUNS = 100


def chosen_in(query: QueryDict) -> Chosen:
    """What an address chooses. Http404 for an average that there is not."""
    average, scenario = query.get("average", ""), query.get("scenario", OFFICIAL)
    if average not in AVERAGES:
        raise Http404("The average is macro or micro; leave it out for the official one.")
    runs = frozenset(int(run) for run in query.getlist("run")[:MOST_RUNS] if run.isascii() and run.isdigit())
    return Chosen(scenario, average, runs)


def address_of(chosen: Chosen) -> str:
    """The query that chooses it, empty for what is shown without one."""
    own = [("scenario", chosen.scenario)] if chosen.scenario != OFFICIAL else []
    own += [("average", chosen.average)] if chosen.average else []
    own += [("run", str(run)) for run in sorted(chosen.runs)]
    return f"?{urlencode(own)}" if own else ""


def task_and_phase(slug: str, phase: str, task: str) -> tuple[Task, Phase]:
    tasks = Task.objects.select_related("challenge").filter(challenge__slug=slug, name=task)
    phases = Phase.objects.select_related("challenge", "corpus").filter(challenge__slug=slug, sort=phase)
    found_task, found_phase = tasks.first(), phases.first()
    if found_task is None or found_phase is None:
        raise Http404(f"There is no leaderboard of {task} in a {phase} phase of {slug}; see the challenge's page.")
    return found_task, found_phase


def board_for(request: HttpRequest, slug: str, phase: str, task: str) -> Board:
    """The leaderboard at an address as the user may see it; 404 when there is none."""
    found_task, found_phase = task_and_phase(slug, phase, task)
    try:
        return board(found_task, found_phase, request.user, chosen_in(request.GET))
    except KeyError:
        raise Http404("There is no such scenario; choose one on the leaderboard.") from None


def board_context(shown: Board, user: Any) -> dict[str, object]:
    drawn = with_curves(with_looks(shown), lines_of(shown))
    closes = shown.phase.closes
    closed = closes is not None and closes <= timezone.now()
    organizer = shown.task.kind in WITH_BASELINES and organizes(user, shown.phase.challenge)
    return {
        "board": drawn,
        "plot": plot_of(drawn),
        "time_plot": time_plot(shown),
        "query": address_of(shown.chosen),
        "drawn": {row.run for row in drawn.curves},
        "pages": pages_seen_by(user, shown.phase),
        "baselines": organizer,
        "protein_runs": protein_runs(shown.phase) if organizer and shown.task.kind == Kind.PAIR else (),
        "done": closed and shown.published and shown.ranking is not None and not shown.ranking.total,
    }


def with_looks(shown: Board) -> Board:
    """The board with everything that its drawing needs: bars on one scale, and where each rank begins."""
    rows = with_bars([*shown.rows, *([shown.ensemble] if shown.ensemble else [])])
    own = with_starts(rows[: len(shown.rows)])
    return replace(shown, rows=own, ensemble=rows[-1] if shown.ensemble else None)


@require_safe
def leaderboard(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    context = board_context(board_for(request, slug, phase, task), request.user)
    return render(request, "evaluation/leaderboard.html", context)


@never_cache
@require_safe
def leaderboard_live(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """The part of the page that changes; 204 when ?v= names the version that the user would get."""
    shown = board_for(request, slug, phase, task)
    if request.GET.get("v") == shown.version:
        return HttpResponse(status=204)
    return render(request, "evaluation/_board.html", board_context(shown, request.user))


@require_safe
def leaderboard_csv(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    return as_file(as_csv(board_for(request, slug, phase, task)), "text/csv", f"{slug}-{phase}-{task}.csv")


@require_safe
def leaderboard_latex(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    return as_file(as_latex(board_for(request, slug, phase, task)), "application/x-tex", f"{slug}-{phase}-{task}.tex")


def as_file(text: str, sort: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type=f"{sort}; charset=utf-8", headers=headers)


@require_safe
def leaderboard_json(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    shown = board_for(request, slug, phase, task)
    return JsonResponse(as_data(with_curves(shown, lines_of(shown))))


@require_safe
def leaderboard_svg(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    shown = board_for(request, slug, phase, task)
    plot = plot_of(with_curves(shown, lines_of(shown)))
    if plot is None:
        raise Http404("No run that you may see has a curve yet; the plot is there as soon as one is scored.")
    return HttpResponse(plot.svg, content_type="image/svg+xml")


@require_safe
def leaderboard_time(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    drawn = time_file(board_for(request, slug, phase, task))
    if drawn is None:
        raise Http404("Fewer than two runs that you may see have timed answers; the plot is there as soon as two have.")
    return HttpResponse(drawn, content_type="image/svg+xml")


@require_safe
def leaderboard_pairs(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """Every two runs beside each other."""
    shown = board_for(request, slug, phase, task)
    ranking, context = shown.ranking, {"board": shown, "query": address_of(shown.chosen), "matrix": matrix_of(shown)}
    if ranking is not None and ranking.counts:
        options = shown.scenario.options
        own = (shown.task, ranking.measure, ranking.samples, ranking.seed, options)
        names = names_of(shown.task, shown.phase)
        context["command"] = with_files(compare_command(*own), names, runs_tested(shown))
        context["files"] = offered(request.user, shown)
    return render(request, "evaluation/pairs.html", context)


@require_safe
def leaderboard_score(request: HttpRequest, slug: str, phase: str, task: str, run: int) -> HttpResponse:
    """What the scores of a run were made from, and those before."""
    shown = board_for(request, slug, phase, task)
    scores = scores_of(request.user, shown, run)
    if scores is None:
        raise Http404("There is no such run that you may see on this leaderboard.")
    context = {"board": shown, "row": scores.row, "history": scores.history, "files": scores.files}
    return render(request, "evaluation/score.html", context)


def runs_tested(shown: Board) -> list[int]:
    """The runs in the order in which they were compared, as far as they are on the board."""
    own = {row.score: row.run for row in shown.rows}
    return [own[score] for score in (shown.ranking.scores if shown.ranking else ()) if score in own]


@require_POST
def leaderboard_baselines(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """Make the baselines; for organizers."""
    found_task, found_phase = task_and_phase(slug, phase, task)
    if not organizes(request.user, found_phase.challenge):
        raise Http404("There is no such page for you.")
    try:
        made = make_baselines(found_task, found_phase, proteins_in(request, found_phase))
    except ChallengeError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"{', '.join(map(str, made))}: made; the scores follow within seconds.")
    return redirect("leaderboard", slug, phase, task)


def proteins_in(request: HttpRequest, phase: Phase) -> Run | None:
    """The run of genes and proteins that the form names, if any."""
    chosen = request.POST.get("proteins", "")
    if not chosen.isdigit():
        return None
    return get_object_or_404(protein_runs(phase), pk=int(chosen))


def protein_runs(phase: Phase) -> QuerySet[Run]:
    """The runs whose proteins can be paired."""
    return phase.runs.filter(task__kind=Kind.NORMALIZATION, withdrawn__isnull=True).order_by("name", "pk")

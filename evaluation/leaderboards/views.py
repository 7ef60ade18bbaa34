"""The pages of a leaderboard: its table and plots, pairwise comparison, scores of a run, files and baselines."""

from collections.abc import Iterable
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotations.schema import Kind
from evaluation.challenges.access import get_task_and_phase_or_404
from evaluation.challenges.form_pages import organizer_required
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.permissions import can_organize
from evaluation.errors import ChallengeError
from evaluation.leaderboards import score_files
from evaluation.leaderboards.baselines import make_baseline_runs
from evaluation.leaderboards.board import Board, BoardSelection, add_bars_and_rank_starts, add_curves, build_board
from evaluation.leaderboards.exports import build_board_data, format_board_csv, format_board_latex
from evaluation.leaderboards.pairwise import build_pairwise_matrix
from evaluation.leaderboards.plots import (
    count_drawn_curves,
    render_precision_recall_plot,
    render_time_plot,
    render_time_plot_file,
)
from evaluation.leaderboards.score_files import find_run_scores, insert_file_names, list_offered_files, name_board_files
from evaluation.leaderboards.score_history import format_compare_command
from evaluation.measures.leaderboard_scenarios import OFFICIAL_SCENARIO
from evaluation.runs.models import Run
from evaluation.runs.permissions import list_visible_run_pages
from evaluation.visibility import User

AVERAGES = ("", "macro", "micro")
KINDS_WITH_BASELINES = frozenset({Kind.CLASSIFICATION, Kind.METHOD, Kind.PAIR})
MAX_SELECTED_RUNS = 100


def build_tsv_response(lines: Iterable[str], name: str) -> HttpResponse:
    return build_download_response("".join(lines), "text/tab-separated-values", name)


def build_gold_file_response(user: User, task: Task, phase: Phase, file: str) -> HttpResponse:
    """The file with this key of DERIVED_GOLD_FILES; Http404 if the user may not read the gold standard."""
    gold, derived = score_files.find_readable_gold(user, task, phase), score_files.DERIVED_GOLD_FILES.get(file)
    if gold is None or derived is None:
        raise Http404("There is no such file, or it is not public yet. That of a test is public once it is published.")
    name = score_files.name_board_files(task, phase)[derived.placeholder]
    return build_tsv_response(derived.iter_lines(gold, user), name)


def build_run_file_response(user: User, task: Task, phase: Phase, run_id: int) -> HttpResponse:
    """The annotations of a run; Http404 if the user may not read it."""
    rows = phase.runs.filter(task=task, withdrawn__isnull=True)
    run: Run | None = rows.select_related("team", "task", "phase__challenge", "phase__corpus").filter(pk=run_id).first()
    # The same answer whether or not the run exists, so that nobody can count the runs of others.
    if run is None or not score_files.can_read_run(user, run):
        raise Http404("There is no such run, or it is not public yet. Until then only its team can read it.")
    return build_tsv_response(score_files.list_run_file_lines(run), score_files.format_run_file_name(run.pk))


@require_safe
def download_gold_file(request: HttpRequest, slug: str, phase: str, task: str, file: str) -> HttpResponse:
    return build_gold_file_response(request.user, *get_task_and_phase_or_404(slug, phase, task), file)


@require_safe
def download_run_file(request: HttpRequest, slug: str, phase: str, task: str, run: int) -> HttpResponse:
    return build_run_file_response(request.user, *get_task_and_phase_or_404(slug, phase, task), run)


def parse_board_selection(query: QueryDict) -> BoardSelection:
    """The selection in the query of an address. Http404 for an unknown average."""
    average, scenario = query.get("average", ""), query.get("scenario", OFFICIAL_SCENARIO)
    if average not in AVERAGES:
        raise Http404("The average is macro or micro. Omit it for the official one.")
    runs = frozenset(int(run) for run in query.getlist("run")[:MAX_SELECTED_RUNS] if run.isascii() and run.isdigit())
    return BoardSelection(scenario, average, runs)


def format_board_query(chosen: BoardSelection) -> str:
    """The query string for a selection, such as "?average=micro"; empty for the default."""
    parameters = [("scenario", chosen.scenario)] if chosen.scenario != OFFICIAL_SCENARIO else []
    parameters += [("average", chosen.average)] if chosen.average else []
    parameters += [("run", str(run)) for run in sorted(chosen.runs)]
    return f"?{urlencode(parameters)}" if parameters else ""


def get_board_or_404(request: HttpRequest, slug: str, phase: str, task: str) -> Board:
    """The leaderboard at an address as the user may see it; Http404 for an unknown task, phase, average or scenario."""
    of_task, of_phase = get_task_and_phase_or_404(slug, phase, task)
    try:
        return build_board(of_task, of_phase, request.user, parse_board_selection(request.GET))
    except KeyError:
        raise Http404("There is no such scenario. Choose one on the leaderboard.") from None


def build_board_context(board: Board, user: User) -> dict[str, object]:
    """pages: the runs whose pages the user may see; done: the leaderboard does not change any more."""
    drawn = add_curves(add_bars_and_rank_starts(board), count_drawn_curves(board))
    closes = board.phase.closes
    closed = closes is not None and closes <= timezone.now()
    can_make_baselines = board.task.kind in KINDS_WITH_BASELINES and can_organize(user, board.phase.challenge)
    needs_proteins = can_make_baselines and board.task.kind == Kind.PAIR
    return {
        "board": drawn,
        "plot": render_precision_recall_plot(drawn),
        "time_plot": render_time_plot(board),
        "query": format_board_query(board.chosen),
        "drawn": {row.run for row in drawn.curves},
        "pages": list_visible_run_pages(user, board.phase),
        "baselines": can_make_baselines,
        "protein_runs": list_protein_runs(board.phase) if needs_proteins else (),
        "done": closed and board.published and board.ranking is not None and not board.ranking.total,
    }


@require_safe
def show_leaderboard_page(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    context = build_board_context(get_board_or_404(request, slug, phase, task), request.user)
    return render(request, "evaluation/leaderboards/leaderboard.html", context)


@never_cache
@require_safe
def refresh_leaderboard(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """The part of the page that changes; 204 if ?v= is the version that the user would get."""
    board = get_board_or_404(request, slug, phase, task)
    if request.GET.get("v") == board.version:
        return HttpResponse(status=204)
    return render(request, "evaluation/leaderboards/_leaderboard.html", build_board_context(board, request.user))


@require_safe
def download_leaderboard_csv(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    return build_download_response(
        format_board_csv(get_board_or_404(request, slug, phase, task)), "text/csv", f"{slug}-{phase}-{task}.csv"
    )


@require_safe
def download_leaderboard_latex(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    return build_download_response(
        format_board_latex(get_board_or_404(request, slug, phase, task)),
        "application/x-tex",
        f"{slug}-{phase}-{task}.tex",
    )


def build_download_response(text: str, media_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type=f"{media_type}; charset=utf-8", headers=headers)


@require_safe
def serve_leaderboard_json(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    board = get_board_or_404(request, slug, phase, task)
    return JsonResponse(build_board_data(add_curves(board, count_drawn_curves(board))))


@require_safe
def serve_precision_recall_svg(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    board = get_board_or_404(request, slug, phase, task)
    plot = render_precision_recall_plot(add_curves(board, count_drawn_curves(board)))
    if plot is None:
        raise Http404("No run that you may see has a curve yet. The plot appears when one is scored.")
    return HttpResponse(plot.svg, content_type="image/svg+xml")


@require_safe
def serve_quality_time_svg(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    svg = render_time_plot_file(get_board_or_404(request, slug, phase, task))
    if svg is None:
        raise Http404("Fewer than two runs that you may see have timed answers. The plot appears when two have.")
    return HttpResponse(svg, content_type="image/svg+xml")


@require_safe
def show_pairwise_comparison(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """Pairwise comparison of the runs, with the command that computes it."""
    board = get_board_or_404(request, slug, phase, task)
    context = {"board": board, "query": format_board_query(board.chosen), "matrix": build_pairwise_matrix(board)}
    ranking = board.ranking
    if ranking is not None and ranking.counts:
        command = format_compare_command(
            board.task, ranking.measure, ranking.samples, ranking.seed, board.scenario.options
        )
        names = name_board_files(board.task, board.phase)
        context["command"] = insert_file_names(command, names, list_tested_runs(board))
        context["files"] = list_offered_files(request.user, board)
    return render(request, "evaluation/leaderboards/pairs.html", context)


@require_safe
def show_run_scores(request: HttpRequest, slug: str, phase: str, task: str, run: int) -> HttpResponse:
    """How the scores of a run are computed, and its earlier scores."""
    board = get_board_or_404(request, slug, phase, task)
    scores = find_run_scores(request.user, board, run)
    if scores is None:
        raise Http404("There is no such run on this leaderboard, or you may not see it.")
    context = {"board": board, "row": scores.row, "history": scores.history, "files": scores.files}
    return render(request, "evaluation/leaderboards/score.html", context)


def list_tested_runs(board: Board) -> list[int]:
    """The ids of the runs on the board that were tested, in the order of the tests."""
    runs = {row.score: row.run for row in board.rows}
    return [runs[score] for score in (board.ranking.scores if board.ranking else ()) if score in runs]


@organizer_required
@require_POST
def create_baselines(request: HttpRequest, challenge: Challenge, phase: str, task: str) -> HttpResponse:
    """Make the baselines of a task in a phase, replacing earlier ones."""
    of_task, of_phase = get_task_and_phase_or_404(challenge.slug, phase, task)
    try:
        runs = make_baseline_runs(of_task, of_phase, find_selected_protein_run(request, of_phase))
    except ChallengeError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Created: {', '.join(map(str, runs))}. The scores follow within seconds.")
    return redirect("leaderboard", challenge.slug, phase, task)


def find_selected_protein_run(request: HttpRequest, phase: Phase) -> Run | None:
    """The run of genes and proteins that the form selects, None if it selects none."""
    run_id = request.POST.get("proteins", "")
    if not run_id.isdigit():
        return None
    return get_object_or_404(list_protein_runs(phase), pk=int(run_id))


def list_protein_runs(phase: Phase) -> QuerySet[Run]:
    """The runs of a phase whose proteins can be paired."""
    return phase.runs.filter(task__kind=Kind.NORMALIZATION, withdrawn__isnull=True).order_by("name", "pk")

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
from evaluation.challenges.form_pages import organizer_required
from evaluation.challenges.lookup import get_task_and_phase_or_404
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.permissions import can_organize
from evaluation.errors import ChallengeError
from evaluation.leaderboards.baselines import SOURCE_KINDS, store_baseline_runs_replacing_earlier
from evaluation.leaderboards.board import (
    Board,
    BoardSelection,
    add_bars_and_rank_starts,
    add_curves_of_chosen_or_best,
    build_board_visible_to_user,
)
from evaluation.leaderboards.exports import (
    build_board_json_data,
    format_board_csv,
    format_board_latex_of_first_measures,
)
from evaluation.leaderboards.pairwise import find_holm_matrix_of_competing_runs
from evaluation.leaderboards.plots import (
    choose_max_drawn_curves,
    render_figure_against_time,
    render_figure_against_time_svg_file,
    render_precision_recall_plot,
)
from evaluation.leaderboards.reproduction import score_files
from evaluation.leaderboards.reproduction.score_files import (
    build_gold_file_name_by_placeholder,
    find_scores_and_files_of_run,
    list_downloadable_command_files,
    replace_placeholders_by_file_names,
)
from evaluation.leaderboards.reproduction.score_history import format_compare_command_with_placeholders
from evaluation.measures.leaderboard_scenarios import OFFICIAL_SCENARIO
from evaluation.runs.models import Run
from evaluation.runs.permissions import list_visible_run_ids
from evaluation.runs.uploads.score_history import render_score_history_of_own_team
from servers.teams.permissions import User

AVERAGES = ("", "macro", "micro")
MAX_SELECTED_RUNS = 100


def _build_tsv_response(lines: Iterable[str], name: str) -> HttpResponse:
    return _build_download_response("".join(lines), "text/tab-separated-values", name)


def build_gold_file_response_or_404(user: User, task: Task, phase: Phase, derived_file_key: str) -> HttpResponse:
    """The file with this key of DERIVED_GOLD_FILES; Http404 if the user may not read the gold standard."""
    gold, derived = (
        score_files.find_readable_gold(user, task, phase),
        score_files.DERIVED_GOLD_FILES.get(derived_file_key),
    )
    if gold is None or derived is None:
        raise Http404("There is no such file, or it is not public yet. That of a test is public once it is published.")
    name = score_files.build_gold_file_name_by_placeholder(task, phase)[derived.placeholder]
    return _build_tsv_response(derived.iter_lines(gold, user), name)


def build_run_file_response_or_404(user: User, task: Task, phase: Phase, run_id: int) -> HttpResponse:
    """The annotations of a run; Http404 if the user may not read it."""
    rows = phase.runs.filter(task=task, withdrawn__isnull=True)
    run: Run | None = rows.select_related("team", "task", "phase__challenge", "phase__corpus").filter(pk=run_id).first()
    # The same answer whether or not the run exists, so that nobody can count the runs of others.
    if run is None or not score_files.can_read_run(user, run):
        raise Http404("There is no such run, or it is not public yet. Until then only its team can read it.")
    return _build_tsv_response(score_files.list_run_file_lines_as_scored(run), score_files.format_run_file_name(run.pk))


@require_safe
def download_gold_file(request: HttpRequest, slug: str, phase: str, task: str, file: str) -> HttpResponse:
    return build_gold_file_response_or_404(
        request.user, *get_task_and_phase_or_404(request.user, slug, phase, task), file
    )


@require_safe
def download_run_file(request: HttpRequest, slug: str, phase: str, task: str, run: int) -> HttpResponse:
    return build_run_file_response_or_404(
        request.user, *get_task_and_phase_or_404(request.user, slug, phase, task), run
    )


def _parse_board_selection(query: QueryDict) -> BoardSelection:
    """The selection in the query of an address. Http404 for an unknown average."""
    average, scenario = query.get("average", ""), query.get("scenario", OFFICIAL_SCENARIO)
    if average not in AVERAGES:
        raise Http404("The average is macro or micro. Omit it for the official one.")
    runs = frozenset(int(run) for run in query.getlist("run")[:MAX_SELECTED_RUNS] if run.isascii() and run.isdigit())
    return BoardSelection(scenario, average, runs)


def _format_board_query(chosen: BoardSelection) -> str:
    """The query string for a selection, such as "?average=micro"; empty for the default."""
    parameters = [("scenario", chosen.scenario)] if chosen.scenario != OFFICIAL_SCENARIO else []
    parameters += [("average", chosen.average)] if chosen.average else []
    parameters += [("run", str(run)) for run in sorted(chosen.runs)]
    return f"?{urlencode(parameters)}" if parameters else ""


def _get_board_or_404(request: HttpRequest, slug: str, phase: str, task: str) -> Board:
    """The leaderboard at an address as the user may see it; Http404 for an unknown task, phase, average or scenario."""
    of_task, of_phase = get_task_and_phase_or_404(request.user, slug, phase, task)
    try:
        return build_board_visible_to_user(of_task, of_phase, request.user, _parse_board_selection(request.GET))
    except KeyError:
        raise Http404("There is no such scenario. Choose one on the leaderboard.") from None


def _build_board_context(board: Board, user: User) -> dict[str, object]:
    """pages: the runs whose pages the user may see; done: the leaderboard does not change any more."""
    drawn = add_curves_of_chosen_or_best(add_bars_and_rank_starts(board), choose_max_drawn_curves(board))
    closes = board.phase.closes
    closed = closes is not None and closes <= timezone.now()
    can_make_baselines = can_organize(user, board.phase.challenge)
    needs_source = can_make_baselines and Kind(board.task.kind) in SOURCE_KINDS
    return {
        "board": drawn,
        "plot": render_precision_recall_plot(drawn),
        "time_plot": render_figure_against_time(board),
        "query": _format_board_query(board.chosen),
        "drawn": {row.run for row in drawn.curves},
        "pages": list_visible_run_ids(user, board.phase),
        "baselines": can_make_baselines,
        "source_runs": list_source_runs_of_baseline(board.task, board.phase) if needs_source else (),
        "done": closed and board.published and board.ranking is not None and not board.ranking.total,
    }


@require_safe
def show_leaderboard_page(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    board = _get_board_or_404(request, slug, phase, task)
    context = _build_board_context(board, request.user)
    context["history"] = render_score_history_of_own_team(request.user, board.task, board.phase)
    return render(request, "evaluation/leaderboards/leaderboard.html", context)


@never_cache
@require_safe
def poll_leaderboard(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """The part of the page that changes; 204 if ?v= is the version that the user would get."""
    board = _get_board_or_404(request, slug, phase, task)
    if request.GET.get("v") == board.version:
        return HttpResponse(status=204)
    return render(request, "evaluation/leaderboards/_leaderboard.html", _build_board_context(board, request.user))


@require_safe
def download_leaderboard_csv(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    return _build_download_response(
        format_board_csv(_get_board_or_404(request, slug, phase, task)), "text/csv", f"{slug}-{phase}-{task}.csv"
    )


@require_safe
def download_leaderboard_latex(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    return _build_download_response(
        format_board_latex_of_first_measures(_get_board_or_404(request, slug, phase, task)),
        "application/x-tex",
        f"{slug}-{phase}-{task}.tex",
    )


def _build_download_response(text: str, media_type: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type=f"{media_type}; charset=utf-8", headers=headers)


@require_safe
def serve_leaderboard_json(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    board = _get_board_or_404(request, slug, phase, task)
    return JsonResponse(build_board_json_data(add_curves_of_chosen_or_best(board, choose_max_drawn_curves(board))))


@require_safe
def serve_precision_recall_svg(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    board = _get_board_or_404(request, slug, phase, task)
    plot = render_precision_recall_plot(add_curves_of_chosen_or_best(board, choose_max_drawn_curves(board)))
    if plot is None:
        raise Http404("No run that you may see has a curve yet. The plot appears when one is scored.")
    return HttpResponse(plot.svg, content_type="image/svg+xml")


@require_safe
def serve_figure_against_time_svg(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    svg = render_figure_against_time_svg_file(_get_board_or_404(request, slug, phase, task))
    if svg is None:
        raise Http404("Fewer than two runs that you may see have timed answers. The plot appears when two have.")
    return HttpResponse(svg, content_type="image/svg+xml")


@require_safe
def show_pairwise_comparison(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """Pairwise comparison of the runs, with the command that computes it."""
    board = _get_board_or_404(request, slug, phase, task)
    context = {
        "board": board,
        "query": _format_board_query(board.chosen),
        "matrix": find_holm_matrix_of_competing_runs(board),
    }
    ranking = board.ranking
    if ranking is not None and ranking.counts:
        command = format_compare_command_with_placeholders(
            board.task, ranking.measure, ranking.samples, ranking.seed, board.scenario
        )
        names = build_gold_file_name_by_placeholder(board.task, board.phase)
        context["command"] = replace_placeholders_by_file_names(command, names, _list_tested_runs(board))
        context["files"] = list_downloadable_command_files(request.user, board)
    return render(request, "evaluation/leaderboards/pairs.html", context)


@require_safe
def show_run_scores(request: HttpRequest, slug: str, phase: str, task: str, run: int) -> HttpResponse:
    """How the scores of a run are computed, and its earlier scores."""
    board = _get_board_or_404(request, slug, phase, task)
    scores = find_scores_and_files_of_run(request.user, board, run)
    if scores is None:
        raise Http404("There is no such run on this leaderboard, or you may not see it.")
    context = {"board": board, "row": scores.row, "history": scores.history, "files": scores.files}
    return render(request, "evaluation/leaderboards/score.html", context)


def _list_tested_runs(board: Board) -> list[int]:
    """The ids of the runs on the board that were tested, in the order of the tests."""
    runs = {row.score: row.run for row in board.rows}
    return [runs[score] for score in (board.ranking.scores if board.ranking else ()) if score in runs]


@organizer_required
@require_POST
def store_baselines_from_form_replacing_earlier(
    request: HttpRequest, challenge: Challenge, phase: str, task: str
) -> HttpResponse:
    """Make the baselines of a task in a phase, replacing earlier ones."""
    of_task, of_phase = get_task_and_phase_or_404(request.user, challenge.slug, phase, task)
    try:
        runs = store_baseline_runs_replacing_earlier(
            of_task, of_phase, _find_selected_source_run(request, of_task, of_phase)
        )
    except ChallengeError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Created: {', '.join(map(str, runs))}. The scores follow within seconds.")
    return redirect("leaderboard", challenge.slug, phase, task)


def _find_selected_source_run(request: HttpRequest, task: Task, phase: Phase) -> Run | None:
    """The run that the form selects as the source of the baseline, None if it selects none."""
    run_id = request.POST.get("proteins", "")
    if not run_id.isdigit():
        return None
    return get_object_or_404(list_source_runs_of_baseline(task, phase), pk=int(run_id))


def list_source_runs_of_baseline(task: Task, phase: Phase) -> QuerySet[Run]:
    """The runs that a baseline of the task can be made from: of proteins for pairs, of pairs for passages, of entities
    or identifiers of mentions for relations."""
    source_kinds = SOURCE_KINDS.get(Kind(task.kind), ())
    return phase.runs.filter(task__kind__in=source_kinds, withdrawn__isnull=True).order_by("name", "pk")

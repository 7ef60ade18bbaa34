"""Pages of a run: its figures, its errors, its file; withdraw it, tag it as final, or cut its lists."""

from collections.abc import Callable
from io import BytesIO
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotations.schema import Kind
from bcms.lib.confirmation import UNDONE, ConfirmationQuestion, ask_unless_confirmed
from evaluation.calibration.models import Calibration
from evaluation.challenges.permissions import can_organize
from evaluation.challenges.phases.checks import explain_phase_closed
from evaluation.errors import ChallengeError
from evaluation.runs.descriptions.description import get_description_of_run
from evaluation.runs.models import Run
from evaluation.runs.run_page.article_comparison import (
    ARTICLES_PER_PAGE,
    compare_run_with_gold_by_article,
    list_unexcluded_article_ids_in_corpus_order,
)
from evaluation.runs.run_page.baseline_mark import set_baseline_mark_until_publication
from evaluation.runs.run_page.curve import render_precision_recall_curve_of_run
from evaluation.runs.run_page.cut_upload import upload_cut_run
from evaluation.runs.run_page.error_analysis.analysis import (
    RunErrorAnalysis,
    find_unsealed_gold,
    get_or_compute_cached_error_analysis,
)
from evaluation.runs.run_page.figures import count_articles_failed_by_meta_server, get_visible_figures
from evaluation.runs.run_page.forms import CutForm
from evaluation.runs.run_page.lookup import (
    find_visible_gold_and_score,
    get_organized_run_or_403,
    get_own_team_run_or_403,
    get_visible_run_or_404,
    is_on_team_of_run,
)
from evaluation.runs.run_page.withdrawal_and_final_tag import (
    set_run_final_in_open_phase,
    withdraw_and_hide_run_if_allowed,
)
from evaluation.runs.uploads.intake import read_upload_content
from evaluation.runs.uploads.models import Upload
from evaluation.runs.uploads.outcome_page import redirect_to_run_or_upload
from servers.teams.permissions import User


@login_required
@require_safe
def show_run(request: HttpRequest, pk: int) -> HttpResponse:
    """A run with its figures, its curve and, unless the gold standard is sealed, the analysis of its errors."""
    run = get_visible_run_or_404(request.user, pk)
    figures = get_visible_figures(run, request.user)
    gold = find_unsealed_gold(run) if figures.score else None
    analysis = get_or_compute_cached_error_analysis(run, gold, figures.score) if gold and figures.score else None
    on_team = is_on_team_of_run(request.user, run)
    has_lists = run.task.settings is None and run.task.kind not in (Kind.CLASSIFICATION, Kind.PASSAGE, Kind.MENTION)
    can_cut = on_team and has_lists
    context = {
        "run": run,
        "upload": (upload := getattr(run, "upload", None)),
        "warnings": upload.located_warnings if upload else [],
        "figures": figures,
        "unanswered": count_articles_failed_by_meta_server(run),
        "plot": render_precision_recall_curve_of_run(run, figures.score),
        "gold": gold,
        "awaits_gold": figures.score is None and not run.phase.golds.filter(task=run.task_id).exists(),
        "analysis": analysis,
        "mine": on_team,
        "description": (description := get_description_of_run(run)),
        "moderates": bool(description) and not on_team and can_organize(request.user, run.phase.challenge),
        "markable": _can_mark_as_baseline(request.user, run),
        "standing": explain_phase_closed(run.phase, timezone.now(), "change runs"),
        "cut_form": CutForm(initial=_suggest_first_cut(run, analysis), label_suffix="") if can_cut else None,
    }
    return render(request, "evaluation/runs/run.html", context)


@never_cache
@login_required
@require_safe
def poll_awaited_scores(request: HttpRequest, pk: int) -> HttpResponse:
    """204 while the run has no scores that the user may see; then what leads to the run's page with them."""
    run = get_visible_run_or_404(request.user, pk)
    if get_visible_figures(run, request.user).score is None:
        return HttpResponse(status=204)
    return render(request, "evaluation/runs/_awaited_scores.html", {"run": run, "scored": True})


def _can_mark_as_baseline(user: User, run: Run) -> bool:
    """Whether the button is shown; the operation checks the gold standards, too."""
    is_of_team = run.sort not in (Run.Source.BASELINE, Run.Source.IMPORTED)
    changeable = run.withdrawn is None and run.phase.published is None and is_of_team
    return changeable and can_organize(user, run.phase.challenge)


def _suggest_first_cut(run: Run, analysis: RunErrorAnalysis | None) -> dict[str, Any]:
    """Initial values of the form: the run's best cut-off, or, without an analysis, that of its server in training."""
    if analysis is not None and analysis.cuts:
        return {"by": analysis.cuts[0].by, "value": analysis.cuts[0].formatted}
    of_server = Calibration.objects.filter(run__producer__queue__server__queues__producer=run.producer_id)
    calibration = of_server.filter(run__task=run.task_id, cut_value__isnull=False).order_by("-run").first()
    return {"by": calibration.cut_by, "value": f"{calibration.cut_value:g}"} if calibration else {}


@login_required
@require_safe
def show_run_compared_with_gold(request: HttpRequest, pk: int) -> HttpResponse:
    """The run compared with the gold standard by article; with the parameter `faulty` only articles with an error."""
    run = get_visible_run_or_404(request.user, pk)
    basis = find_visible_gold_and_score(run, request.user)
    if basis is None:
        raise Http404("There is no gold standard that you may compare this run with; see the run's page.")
    gold, score = basis
    faulty = "faulty" in request.GET
    articles = (
        get_or_compute_cached_error_analysis(run, gold, score).faulty
        if faulty
        else list_unexcluded_article_ids_in_corpus_order(run.phase)
    )
    page = Paginator(articles, ARTICLES_PER_PAGE).get_page(request.GET.get("page"))
    rows = compare_run_with_gold_by_article(run, gold, list(page))
    context = {"run": run, "page": page, "rows": rows, "faulty": faulty, "marked": any(row.marked for row in rows)}
    return render(request, "evaluation/runs/run_articles.html", context)


@login_required
@require_safe
def download_uploaded_run(request: HttpRequest, pk: int) -> FileResponse:
    """The uploaded file of the run, byte for byte."""
    run = get_visible_run_or_404(request.user, pk)
    upload = get_object_or_404(Upload, run=run)
    content = BytesIO(read_upload_content(upload))
    return FileResponse(content, as_attachment=True, filename=upload.source, content_type="application/octet-stream")


@login_required
@require_POST
def withdraw_run(request: HttpRequest, pk: int) -> HttpResponse:
    run = get_own_team_run_or_403(request.user, pk)
    consequences = ["It is no longer scored or listed. Only your team and the organizers see it.", UNDONE]
    question = ConfirmationQuestion(f"Withdraw {run}?", consequences, "Withdraw the run", reverse("run", args=[pk]))
    if page := ask_unless_confirmed(request, question):
        return page
    return _redirect_to_run(request, run, lambda: withdraw_and_hide_run_if_allowed(run), f"{run} is withdrawn.")


@login_required
@require_POST
def set_or_remove_final_tag(request: HttpRequest, pk: int) -> HttpResponse:
    """Tag a run as final, or remove the tag if the parameter `final` is 0."""
    run, final = get_own_team_run_or_403(request.user, pk), request.POST.get("final") != "0"
    message = f"{run} is tagged as final." if final else f"{run} is no longer final."
    return _redirect_to_run(request, run, lambda: set_run_final_in_open_phase(run, is_final=final), message)


@login_required
@require_POST
def set_or_remove_baseline_mark(request: HttpRequest, pk: int) -> HttpResponse:
    """Mark a run as a baseline, or remove the mark if the parameter `baseline` is 0."""
    run, baseline = get_organized_run_or_403(request.user, pk), request.POST.get("baseline") != "0"
    message = (
        f"{run} is marked as a baseline and has no rank. The other ranks follow within seconds."
        if baseline
        else f"{run} is no longer marked as a baseline. Its rank follows within seconds."
    )
    return _redirect_to_run(
        request, run, lambda: set_baseline_mark_until_publication(run, is_baseline=baseline), message
    )


def _redirect_to_run(request: HttpRequest, run: Run, change_run: Callable[[], None], message: str) -> HttpResponse:
    try:
        change_run()
    except ChallengeError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, message)
    return redirect("run", run.pk)


@login_required
@require_POST
def create_cut_run(request: HttpRequest, pk: int) -> HttpResponse:
    """Upload a copy of the run with its lists cut."""
    run, form = get_own_team_run_or_403(request.user, pk), CutForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect("run", pk)
    try:
        upload = upload_cut_run(run, form.cleaned_data["by"], form.cleaned_data["value"], request.user)
    except ChallengeError as error:
        messages.error(request, str(error))
        return redirect("run", pk)
    return redirect_to_run_or_upload(request, upload)

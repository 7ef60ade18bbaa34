"""Pages of uploads: the uploads of a team in a task and phase, the form to upload more, and one upload."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotations.formats.errors import RefusedFileError
from evaluation.challenges.caps import format_caps
from evaluation.challenges.lookup import get_task_and_phase_or_404
from evaluation.challenges.models import Phase, Task
from evaluation.errors import ChallengeError
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.eligibility import check_may_upload_run, count_upload_allowance
from evaluation.runs.uploads.file_check import check_run_without_storing
from evaluation.runs.uploads.forms import RunUploadForm
from evaluation.runs.uploads.lookup import get_visible_upload_or_404
from evaluation.runs.uploads.models import Upload
from evaluation.runs.uploads.outcome_page import redirect_to_run_or_upload
from evaluation.runs.uploads.score_history import render_score_history
from evaluation.runs.uploads.team_uploads import list_newest_team_uploads_with_figure, list_runs_of_team_servers
from servers.teams.models import Team
from servers.teams.permissions import User


def _get_chosen_team(request: HttpRequest) -> tuple[Team | None, list[Team]]:
    """Return the team of the parameter `team`, or the user's first one (None if on no team), and all teams of the user.

    Raises PermissionDenied for a team that the user is not on.
    """
    teams = list(Team.objects.filter(members=request.user.pk).order_by("name"))
    slug = request.POST.get("team") or request.GET.get("team")
    team = next((each for each in teams if each.slug == slug), None) if slug else next(iter(teams), None)
    if slug and team is None:
        raise PermissionDenied
    return team, teams


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def show_or_upload_team_runs(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """The uploads of a team in a task and phase, and the form to upload another run."""
    found_task, found_phase = get_task_and_phase_or_404(request.user, slug, phase, task)
    team, teams = _get_chosen_team(request)
    form = RunUploadForm(found_task, *((request.POST, request.FILES) if request.method == "POST" else ()))
    context: dict[str, Any] = {"task": found_task, "phase": found_phase, "team": team, "teams": teams, "form": form}
    if request.method == "POST" and team is not None and form.is_valid():
        if "check" in request.POST:
            context |= _check_form_file(form, found_task, found_phase)
        else:
            try:
                upload = intake.store_run_upload_and_process_or_enqueue(
                    form.get_submission(), found_task, found_phase, team, request.user
                )
                return redirect_to_run_or_upload(request, upload)
            except ChallengeError as error:
                form.add_error(None, str(error))
    return render(
        request,
        "evaluation/runs/runs.html",
        _build_team_runs_context(context, request.user),
        status=422 if form.errors else 200,
    )


def _check_form_file(form: RunUploadForm, task: Task, phase: Phase) -> dict[str, Any]:
    """Check the file of a valid form without storing it. Returns what the page shows of the outcome."""
    try:
        return {"checked": check_run_without_storing(form.get_submission(), task, phase)}
    except RefusedFileError as error:
        return {"faults": error.faults}
    except ChallengeError as error:
        form.add_error(None, str(error))
        return {}


def _build_team_runs_context(context: dict[str, Any], user: User) -> dict[str, Any]:
    team, task, phase = context["team"], context["task"], context["phase"]
    if team is None:
        return context
    context["form"].label_suffix = ""
    files = list_newest_team_uploads_with_figure(team, task, phase, user)
    return context | {
        "allowance": count_upload_allowance(team, task, phase),
        "cap": format_caps({task.kind: max_results}) if (max_results := phase.upload_caps.get(task.kind)) else "",
        "files": files,
        "history": render_score_history(files),
        "server_runs": list_runs_of_team_servers(team, task, phase, user),
        "refusal": _explain_upload_refusal(team, task, phase, user),
    }


def _explain_upload_refusal(team: Team, task: Task, phase: Phase, user: User) -> str:
    """Why the user cannot upload a run for the team now, in a sentence; empty if possible."""
    try:
        check_may_upload_run(team, task, phase, user)
    except ChallengeError as error:
        return str(error)
    return ""


def _build_run_upload_context(upload: Upload) -> dict[str, Any]:
    return {"upload": upload, "faults": upload.located_faults, "warnings": upload.located_warnings}


@login_required
@require_safe
def show_upload(request: HttpRequest, pk: int) -> HttpResponse:
    """The state of an upload, with its faults."""
    upload = get_visible_upload_or_404(request.user, pk)
    return render(request, "evaluation/runs/upload.html", _build_run_upload_context(upload))


@never_cache
@login_required
@require_safe
def poll_upload(request: HttpRequest, pk: int) -> HttpResponse:
    """The changing part of the upload's page; 204 while the state equals the parameter `v`."""
    upload = get_visible_upload_or_404(request.user, pk)
    if request.GET.get("v") == upload.state:
        return HttpResponse(status=204)
    return render(request, "evaluation/runs/_upload.html", _build_run_upload_context(upload))

"""Pages of uploaded runs: what a team tried, what is wrong with a file, how a run scores, and why."""

from io import BytesIO
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.formats.errors import RefusedFileError
from annotations.kinds import Kind
from evaluation import comparison, own_runs, phases, run_curves, runs
from evaluation.caps import in_words
from evaluation.cut_runs import make_cut_run
from evaluation.errors import ChallengeError
from evaluation.models import Calibration, Phase, Run, Task, Upload
from evaluation.run_forms import CutForm, UploadForm
from servers.models import Team


def place_of(slug: str, phase: str, task: str) -> tuple[Task, Phase]:
    """The task and phase at an address; 404 when there is none."""
    tasks = Task.objects.select_related("challenge")
    found = Phase.objects.select_related("challenge", "corpus")
    return get_object_or_404(tasks, challenge__slug=slug, name=task), get_object_or_404(
        found, challenge__slug=slug, sort=phase
    )


def chosen_team(request: HttpRequest) -> tuple[Team | None, list[Team]]:
    """The team of ?team=, or else the user's first one, None without any; and all that the user may choose from."""
    mine = list(Team.objects.filter(members=request.user.pk).order_by("name"))
    wanted = request.POST.get("team") or request.GET.get("team")
    team = next((own for own in mine if own.slug == wanted), None) if wanted else next(iter(mine), None)
    if wanted and team is None:
        raise PermissionDenied
    return team, mine


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team_runs(request: HttpRequest, slug: str, phase: str, task: str) -> HttpResponse:
    """What a team tried in a task and phase, and the form to try more."""
    of_task, in_phase = place_of(slug, phase, task)
    team, teams = chosen_team(request)
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    context: dict[str, Any] = {"task": of_task, "phase": in_phase, "team": team, "teams": teams, "form": form}
    if request.method == "POST" and team is not None and form.is_valid():
        if "check" in request.POST:
            context |= tried(form, of_task, in_phase)
        else:
            try:
                return redirect("upload", runs.upload(form.sent(), of_task, in_phase, team, request.user).pk)
            except ChallengeError as error:
                form.add_error(None, str(error))
    return render(request, "evaluation/runs.html", listed(context, request.user), status=422 if form.errors else 200)


def tried(form: UploadForm, task: Task, phase: Phase) -> dict[str, Any]:
    """What checking a file without storing it found."""
    try:
        return {"checked": runs.checked_only(form.sent(), task, phase)}
    except RefusedFileError as error:
        return {"faults": error.faults}
    except ChallengeError as error:
        form.add_error(None, str(error))
        return {}


def listed(context: dict[str, Any], user: Any) -> dict[str, Any]:
    team, task, phase = context["team"], context["task"], context["phase"]
    if team is None:
        return context
    context["form"].label_suffix = ""
    return context | {
        "allowance": runs.allowance(team, task, phase),
        "cap": in_words({task.kind: most}) if (most := phase.upload_caps.get(task.kind)) else "",
        "files": own_runs.files_of(team, task, phase, user),
        "online": list(own_runs.online_of(team, task, phase)),
        "refusal": refusal(team, task, phase, user),
    }


def refusal(team: Team, task: Task, phase: Phase, user: Any) -> str:
    """Why nothing can be uploaded now, in a sentence; empty when it can."""
    try:
        runs.refuse_upload(team, task, phase, user)
    except ChallengeError as error:
        return str(error)
    return ""


def upload_for(request: HttpRequest, pk: int) -> Upload:
    found = get_object_or_404(own_runs.uploads(), pk=pk)
    if not own_runs.may_see(request.user, found):
        raise Http404
    return found


def upload_context(own: Upload) -> dict[str, Any]:
    return {"upload": own, "faults": own.told_faults, "warnings": own.told_warnings}


@login_required
@require_safe
def upload(request: HttpRequest, pk: int) -> HttpResponse:
    """What became of a file."""
    return render(request, "evaluation/upload.html", upload_context(upload_for(request, pk)))


@never_cache
@login_required
@require_safe
def upload_live(request: HttpRequest, pk: int) -> HttpResponse:
    """The part of the page that changes; 204 while the state is that of ?v=."""
    own = upload_for(request, pk)
    if request.GET.get("v") == own.state:
        return HttpResponse(status=204)
    return render(request, "evaluation/_upload.html", upload_context(own))


def run_for(request: HttpRequest, pk: int) -> Run:
    """The run, for its team, organizers and staff; 404 for everybody else."""
    found = get_object_or_404(own_runs.runs(), pk=pk)
    if not own_runs.may_see(request.user, found):
        raise Http404
    return found


def own_run_for(request: HttpRequest, pk: int) -> Run:
    """The run, for members of its team; 403 for others who may see it."""
    found = run_for(request, pk)
    if found.team is None or not found.team.members.filter(pk=request.user.pk).exists():
        raise PermissionDenied
    return found


@login_required
@require_safe
def run(request: HttpRequest, pk: int) -> HttpResponse:
    """A run with its figures, its curve and, where the gold standard is open to its team, what went wrong and why."""
    found = run_for(request, pk)
    figures = own_runs.figures_of(found, request.user)
    gold = comparison.gold_of(found) if figures.score else None
    analysis = comparison.analysis(found, gold, figures.score) if gold and figures.score else None
    mine = found.team is not None and found.team.members.filter(pk=request.user.pk).exists()
    cuts = mine and found.task.kind not in (Kind.CLASSIFICATION, Kind.PASSAGE, Kind.MENTION)
    context = {
        "run": found,
        "upload": (tried := getattr(found, "upload", None)),
        "warnings": tried.told_warnings if tried else [],
        "figures": figures,
        "plot": run_curves.plot_of(found, figures.score),
        "gold": gold,
        "analysis": analysis,
        "mine": mine,
        "standing": standing(found.phase),
        "cut_form": CutForm(initial=first_cut(found, analysis), label_suffix="") if cuts else None,
    }
    return render(request, "evaluation/run.html", context)


def first_cut(run: Run, analysis: comparison.Analysis | None) -> dict[str, Any]:
    """The best cut of the run itself; where its gold standard is sealed, that of its server in training."""
    if analysis is not None and analysis.cuts:
        return {"by": analysis.cuts[0].by, "value": analysis.cuts[0].shown}
    of_server = Calibration.objects.filter(run__producer__queue__server__queues__producer=run.producer_id)
    learned = of_server.filter(run__task=run.task_id, cut_value__isnull=False).order_by("-run").first()
    return {"by": learned.cut_by, "value": f"{learned.cut_value:g}"} if learned else {}


def standing(phase: Phase) -> str:
    """Why nothing goes into the phase now, empty when it does."""
    try:
        phases.refuse_standing(phase, timezone.now(), "change runs")
    except ChallengeError as error:
        return str(error)
    return ""


@login_required
@require_safe
def run_articles(request: HttpRequest, pk: int) -> HttpResponse:
    """The run and the gold standard side by side, article by article; with ?faulty only articles with a fault."""
    found = run_for(request, pk)
    figures = own_runs.figures_of(found, request.user)
    gold = comparison.gold_of(found) if figures.score else None
    if gold is None or figures.score is None:
        raise Http404("This run has nothing to be compared with that you may see; see the run's page.")
    faulty = "faulty" in request.GET
    articles = (
        comparison.analysis(found, gold, figures.score).faulty if faulty else comparison.articles_in_order(found.phase)
    )
    page = Paginator(articles, comparison.PER_PAGE).get_page(request.GET.get("page"))
    rows = comparison.compared(found, gold, list(page))
    return render(request, "evaluation/run_articles.html", {"run": found, "page": page, "rows": rows, "faulty": faulty})


@login_required
@require_safe
def run_file(request: HttpRequest, pk: int) -> FileResponse:
    """The file that the run was uploaded as, byte for byte."""
    found = run_for(request, pk)
    own = get_object_or_404(Upload, run=found)
    content = BytesIO(runs.content_of(own))
    return FileResponse(content, as_attachment=True, filename=own.source, content_type="application/octet-stream")


@login_required
@require_POST
def run_withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    found = own_run_for(request, pk)
    return said(request, found, lambda: runs.withdraw(found), f"{found} is withdrawn.")


@login_required
@require_POST
def run_final(request: HttpRequest, pk: int) -> HttpResponse:
    """Tag a run as final, or with final=0 take the tag away."""
    found, final = own_run_for(request, pk), request.POST.get("final") != "0"
    words = f"{found} is tagged as final." if final else f"{found} is not final any more."
    return said(request, found, lambda: runs.tag(found, final=final), words)


def said(request: HttpRequest, run: Run, do: Any, words: str) -> HttpResponse:
    try:
        do()
    except ChallengeError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, words)
    return redirect("run", run.pk)


@login_required
@require_POST
def run_cut(request: HttpRequest, pk: int) -> HttpResponse:
    """Make a run out of this one with its lists cut."""
    found, form = own_run_for(request, pk), CutForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect("run", pk)
    try:
        made = make_cut_run(found, form.cleaned_data["by"], form.cleaned_data["value"], request.user)
    except ChallengeError as error:
        messages.error(request, str(error))
        return redirect("run", pk)
    return redirect("upload", made.pk)

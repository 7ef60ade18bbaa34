"""What organizers and teams do on the pages of a challenge: set it up, take part, publish."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST

from annotations.formats.errors import FormatError, RefusedFileError
from annotations.kinds import Kind
from evaluation import challenges, entrants
from evaluation.errors import ChallengeError
from evaluation.forms import ChallengeForm, CorpusForm, GoldForm, PhaseForm, ServerChoiceForm, TaskForm
from evaluation.gold import store_gold
from evaluation.gold_uploads import InMemoryOnly
from evaluation.models import Challenge, Phase
from evaluation.phases import WHEN
from evaluation.setting_up import change_task
from servers.models import Server, Team

P = ParamSpec("P")


def organizers_only(
    view: Callable[Concatenate[HttpRequest, Challenge, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]:
    """The view gets the challenge of the address; 403 for whoever does not organize it."""

    @wraps(view)
    @login_required
    def guarded(request: HttpRequest, slug: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        challenge = get_object_or_404(Challenge, slug=slug)
        if not challenges.organizes(request.user, challenge):
            raise PermissionDenied
        return view(request, challenge, *args, **kwargs)

    return guarded


def done(form: BaseForm, do: Callable[[], Any]) -> bool:
    """Whether it was done; else the form says why it could not be."""
    try:
        do()
    except ChallengeError as error:
        form.add_error(None, str(error))
        return False
    return True


def form_page(request: HttpRequest, form: BaseForm, heading: str, **context: Any) -> HttpResponse:
    """A page with one form; does: what its button says, where that is not the heading."""
    form.label_suffix = ""
    status = 422 if form.errors or context.get("faults") else 200
    return render(request, "evaluation/form.html", {"form": form, "heading": heading, **context}, status=status)


@login_required
@require_http_methods(["GET", "POST"])
def challenge_new(request: HttpRequest) -> HttpResponse:
    if not challenges.may_create(request.user):
        raise PermissionDenied
    form = ChallengeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        if done(form, lambda: challenges.create_challenge(**data, organizer=request.user)):
            return redirect("challenge", data["slug"])
    return form_page(request, form, "New challenge", does="Make the challenge")


@organizers_only
@require_http_methods(["GET", "POST"])
def task_add(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = TaskForm(challenge, request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = {**form.cleaned_data, "kind": Kind(form.cleaned_data["kind"])}
        if done(form, lambda: challenges.add_task(challenge, **data)):
            messages.success(request, f"The task {data['name']} is added.")
            return redirect("challenge-organize", challenge.slug)
    return form_page(request, form, "Add a task", challenge=challenge)


@organizers_only
@require_http_methods(["GET", "POST"])
def task_change(request: HttpRequest, challenge: Challenge, task: str) -> HttpResponse:
    found = get_object_or_404(challenge.tasks, name=task)
    form = TaskForm(challenge, request.POST or None, instance=found)
    if request.method == "POST" and form.is_valid():
        data = {**form.cleaned_data, "kind": Kind(form.cleaned_data["kind"])}
        if done(form, lambda: change_task(found, **data)):
            messages.success(request, f"The task {found} is changed.")
            return redirect("challenge-organize", challenge.slug)
    more = {"challenge": challenge, "remove": reverse("challenge-task-remove", args=[challenge.slug, task])}
    return form_page(request, form, f"Change the task {task}", does="Store the task", **more)


@organizers_only
@require_http_methods(["GET", "POST"])
def corpus_add(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = CorpusForm(challenge, request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        if done(form, lambda: challenges.create_corpus(challenge, **data)):
            said = f"The corpus {data['name']} holds {len(data['articles'])} articles; add a phase with it."
            messages.success(request, said)
            return redirect("challenge-organize", challenge.slug)
    return form_page(request, form, "Add a corpus", challenge=challenge)


@organizers_only
@require_http_methods(["GET", "POST"])
def phase_add(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = PhaseForm(challenge, request.user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        if done(form, lambda: challenges.add_phase(challenge, **data)):
            messages.success(request, f"The {data['sort']} phase is added; look at its rules.")
            return redirect("challenge-organize", challenge.slug)
    return form_page(request, form, "Add a phase", challenge=challenge)


@csrf_exempt
@require_http_methods(["GET", "POST"])
def gold_upload(request: HttpRequest, slug: str) -> HttpResponseBase:
    """A file is kept in memory, as a test's is sealed before any disk sees it; this is settled before it is read."""
    request.upload_handlers = [InMemoryOnly(request)]
    return gold_page(request, slug)


@csrf_protect
@organizers_only
def gold_page(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    form = GoldForm(challenge, request.POST or None, request.FILES or None)
    faults: tuple[FormatError, ...] = ()
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            content, name, more = data["file"].read(), data["file"].name, form.alternatives_file()
            gold = store_gold(data["task"], data["phase"], content, name, more, data["source"])
        except RefusedFileError as error:
            faults = error.faults
        except ChallengeError as error:
            form.add_error(None, str(error))
        else:
            said = "sealed" if gold.producer_id is None else "stored"
            messages.success(
                request, f"The gold standard of {data['task']} in the {data['phase'].sort} phase is {said}."
            )
            return redirect("challenge-organize", challenge.slug)
    return form_page(request, form, "Upload a gold standard", challenge=challenge, faults=faults)


@login_required
@require_POST
def challenge_join(request: HttpRequest, slug: str) -> HttpResponse:
    """A member of a team accepts the terms for it, and asks to be let in where organizers approve each team."""
    challenge = get_object_or_404(Challenge, slug=slug)
    team = Team.objects.filter(members=request.user.pk, slug=request.POST.get("team", "")).first()
    if team is None:
        messages.error(request, "That is no team of yours; choose one from the list.")
        return redirect("challenge", slug)
    try:
        entrant = entrants.join(challenge, team, request.user)
    except ChallengeError as error:
        messages.error(request, str(error))
    else:
        waits = entrants.what_is_missing(challenge, entrant, team)
        messages.success(request, waits or f"{team} takes part: enter a server or upload a run.")
    return redirect("challenge", slug)


def chosen(request: HttpRequest, slug: str, phase: str) -> tuple[Phase, Server | None]:
    """The phase of the address and the server of the form, one of the user's teams'; None when it is no such server."""
    found = get_object_or_404(Phase.objects.select_related("challenge", "corpus"), challenge__slug=slug, sort=phase)
    mine = Server.objects.select_related("team").filter(team__members=request.user.pk)
    form = ServerChoiceForm(mine, request.POST)
    if not form.is_valid():
        messages.error(request, "That is no server of your teams; choose one from the list.")
        return found, None
    return found, form.cleaned_data["server"]


@login_required
@require_POST
def phase_enter(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    found, server = chosen(request, slug, phase)
    if server:
        try:
            runs = challenges.enter(server, found, request.user)
        except ChallengeError as error:
            messages.error(request, str(error))
        else:
            tasks = " and ".join(run.task.name for run in runs)
            until = f" until {found.closes.strftime(WHEN)}" if found.closes else ""
            messages.success(
                request, f"{server} takes part in the {phase} phase in {tasks}{until}; start it if it is not online."
            )
    return redirect("challenge", slug)


@login_required
@require_POST
def phase_load(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    found, server = chosen(request, slug, phase)
    if server:
        try:
            added = challenges.load(server, found)
        except ChallengeError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, loaded(server, phase, added))
    return redirect("challenge", slug)


def loaded(server: Server, phase: str, added: int) -> str:
    if added:
        return f"{added} articles were added to {server}'s {phase} queue."
    if phase == Phase.Sort.TEST:
        return f"Nothing was added: {server} has every test article in its queue, and each is asked once."
    return f"Nothing was added: {server} still has every training article waiting."

"""The organizers' buttons: freeze a phase, move its end, leave an article out, score again, publish; let teams in."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from evaluation import challenges, entrants, phases, publishing
from evaluation.errors import ChallengeError
from evaluation.models import Challenge, GoldStandard, Phase
from evaluation.opening import runs_are_open
from evaluation.organizers.forms import EndForm, ExcludeForm, ReasonForm, TeamForm
from evaluation.organizing import organizers_only
from evaluation.sealing import SealError
from servers.models import Team


def phase_of(challenge: Challenge, sort: str) -> Phase:
    return get_object_or_404(challenge.phases.select_related("challenge", "corpus"), sort=sort)


def back(challenge: Challenge) -> HttpResponse:
    return redirect("challenge-organize", challenge.slug)


def tell_faults(request: HttpRequest, form: Any) -> None:
    for field, faults in form.errors.items():
        for fault in faults:
            messages.error(request, f"{form.fields[field].label or field.capitalize()}: {fault}")


@organizers_only
@require_POST
def freeze(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    form, found = ReasonForm(request.POST), phase_of(challenge, phase)
    if not form.is_valid():
        tell_faults(request, form)
    elif phases.freeze(found, request.user, form.cleaned_data["reason"]):
        messages.success(request, f"The {phase} phase is frozen: nothing goes in, and nobody is asked.")
    else:
        messages.info(request, f"The {phase} phase was frozen before.")
    return back(challenge)


@organizers_only
@require_POST
def thaw(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    if phases.thaw(phase_of(challenge, phase), request.user):
        messages.success(request, f"The {phase} phase goes on.")
    else:
        messages.info(request, f"The {phase} phase was not frozen.")
    return back(challenge)


@organizers_only
@require_POST
def move_end(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    form, found = EndForm(request.POST), phase_of(challenge, phase)
    if not form.is_valid():
        tell_faults(request, form)
        return back(challenge)
    try:
        phases.move_end(found, form.cleaned_data["closes"], request.user, form.cleaned_data["reason"])
    except ChallengeError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The end of the {phase} phase is moved; the challenge's page says why.")
    return back(challenge)


@organizers_only
@require_POST
def exclude(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    form, found = ExcludeForm(request.POST), phase_of(challenge, phase)
    if not form.is_valid():
        tell_faults(request, form)
        return back(challenge)
    try:
        article = phases.article_named(found, form.cleaned_data["article"])
        new = phases.exclude(found, article, request.user, form.cleaned_data["reason"])
    except ChallengeError as error:
        messages.error(request, str(error))
    else:
        said = "counts for nobody; all runs are scored again" if new else "did not count before"
        messages.success(request, f"The article {phases.name_in(found, article)} {said}.")
    return back(challenge)


@organizers_only
@require_POST
def include(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    found = phase_of(challenge, phase)
    try:
        article = phases.article_named(found, request.POST.get("article", ""))
    except ChallengeError as error:
        messages.error(request, str(error))
        return back(challenge)
    if phases.include(found, article, request.user):
        messages.success(request, f"The article {phases.name_in(found, article)} counts; all runs are scored again.")
    else:
        messages.info(request, "That article counted already.")
    return back(challenge)


@organizers_only
@require_POST
def rescore(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    phases.rescore(phase_of(challenge, phase), request.user)
    messages.success(request, f"The runs of the {phase} phase are scored again, within a minute or so.")
    return back(challenge)


@organizers_only
@require_POST
def publish(request: HttpRequest, challenge: Challenge, phase: str) -> HttpResponse:
    found = phase_of(challenge, phase)
    try:
        new = challenges.publish(found)
    except (ChallengeError, SealError) as error:
        messages.error(request, str(error))
        return back(challenge)
    found.refresh_from_db()
    if found.published:
        said = f"is published: everybody sees its {seen_of(found)}" if new else "was published before"
    else:
        said = "is published as soon as the scoring worker has opened its gold standards"
    messages.success(request, f"The {phase} phase {said}.")
    return back(challenge)


def seen_of(phase: Phase) -> str:
    if runs_are_open(phase, timezone.now()):
        return "leaderboards, runs and articles"
    return f"leaderboards and articles, and its runs from {phase.names_shown:%-d %B %Y, %H:%M UTC} on, with the names"


@organizers_only
@require_POST
def publish_task(request: HttpRequest, challenge: Challenge, phase: str, task: str) -> HttpResponse:
    golds = GoldStandard.objects.select_related("task", "phase")
    gold = get_object_or_404(golds, task__challenge=challenge, task__name=task, phase__sort=phase)
    try:
        publishing.publish_task(gold)
    except (ChallengeError, SealError) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The leaderboard of {task} in the {phase} phase is open to everybody in a moment.")
    return back(challenge)


@organizers_only
@require_POST
def approve(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    """Approve a team that asked, or name one that did not."""
    form = TeamForm(challenge, request.POST)
    if form.is_valid():
        team = form.cleaned_data["team"]
        entrants.approve(challenge, team, request.user)
        messages.success(request, f"{team} may take part.")
    else:
        messages.error(request, "That is no team, or it is approved already; choose one from the list.")
    return back(challenge)


@organizers_only
@require_POST
def disapprove(request: HttpRequest, challenge: Challenge) -> HttpResponse:
    team = get_object_or_404(Team, slug=request.POST.get("team", ""))
    if entrants.disapprove(challenge, team):
        messages.success(request, f"{team} enters and uploads nothing more; its runs stay.")
    else:
        messages.info(request, f"{team} was not approved.")
    return back(challenge)

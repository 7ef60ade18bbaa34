"""The organizers' buttons: begin, end or freeze a phase, leave an article out, score again, publish; let teams in."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from evaluation import appointing, challenges, entrants, phases, publishing, setting_up
from evaluation.errors import ChallengeError
from evaluation.models import Challenge, GoldStandard, Phase
from evaluation.opening import runs_are_open
from evaluation.organizers.forms import EndForm, ExcludeForm, OrganizerForm, ReasonForm, TeamForm
from evaluation.organizing import organizers_only
from evaluation.sealing import SealError
from servers.models import Team

P = ParamSpec("P")


def button(
    press: Callable[Concatenate[HttpRequest, Challenge, P], None],
) -> Callable[Concatenate[HttpRequest, str, P], HttpResponseBase]:
    """What an organizer presses; the page that it was pressed on says what came of it, or why it was refused."""

    @organizers_only
    @require_POST
    @wraps(press)
    def pressed(request: HttpRequest, challenge: Challenge, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            press(request, challenge, *args, **kwargs)
        except (ChallengeError, SealError) as error:
            messages.error(request, str(error))
        stays = challenges.organizes(request.user, challenge)
        return redirect("challenge-organize" if stays else "challenge", challenge.slug)

    return pressed


def phase_of(challenge: Challenge, sort: str) -> Phase:
    return get_object_or_404(challenge.phases.select_related("challenge", "corpus"), sort=sort)


def complete(request: HttpRequest, form: Any) -> bool:
    """Whether the form is filled in as it should be; if not, the page says what is wrong."""
    for field, faults in form.errors.items():
        for fault in faults:
            messages.error(request, f"{form.fields[field].label or field.capitalize()}: {fault}")
    return not form.errors


def for_a_reason(change: Callable[[Phase, Any, str], bool], done: str, before: str) -> Callable[..., HttpResponseBase]:
    """A button that does something to a phase for a reason: `The test phase is open.`, or that it was so before."""

    @button
    def pressed(request: HttpRequest, challenge: Challenge, phase: str) -> None:
        form, found = ReasonForm(request.POST), phase_of(challenge, phase)
        if not complete(request, form):
            return
        if change(found, request.user, form.cleaned_data["reason"]):
            messages.success(request, f"The {phase} phase {done}.")
        else:
            messages.info(request, f"The {phase} phase was {before} before.")

    return pressed


begin = for_a_reason(phases.begin_now, "is open; the challenge's page says why", "open")
end = for_a_reason(phases.end_now, "is over; the challenge's page says why", "over")
freeze = for_a_reason(phases.freeze, "is frozen: nothing goes in, and nobody is asked", "frozen")


@button
def thaw(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    if phases.thaw(phase_of(challenge, phase), request.user):
        messages.success(request, f"The {phase} phase goes on.")
    else:
        messages.info(request, f"The {phase} phase was not frozen.")


@button
def move_end(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    form, found = EndForm(request.POST), phase_of(challenge, phase)
    if complete(request, form):
        phases.move_end(found, form.cleaned_data["closes"], request.user, form.cleaned_data["reason"])
        messages.success(request, f"The end of the {phase} phase is moved; the challenge's page says why.")


@button
def exclude(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    form, found = ExcludeForm(request.POST), phase_of(challenge, phase)
    if not complete(request, form):
        return
    article = phases.article_named(found, form.cleaned_data["article"])
    new = phases.exclude(found, article, request.user, form.cleaned_data["reason"])
    said = "counts for nobody; all runs are scored again" if new else "did not count before"
    messages.success(request, f"The article {phases.name_in(found, article)} {said}.")


@button
def include(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    found = phase_of(challenge, phase)
    article = phases.article_named(found, request.POST.get("article", ""))
    if phases.include(found, article, request.user):
        messages.success(request, f"The article {phases.name_in(found, article)} counts; all runs are scored again.")
    else:
        messages.info(request, "That article counted already.")


@button
def rescore(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    phases.rescore(phase_of(challenge, phase), request.user)
    messages.success(request, f"The runs of the {phase} phase are scored again, within a minute or so.")


@button
def publish(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    found = phase_of(challenge, phase)
    new = challenges.publish(found)
    found.refresh_from_db()
    if found.published:
        said = f"is published: everybody sees its {seen_of(found)}" if new else "was published before"
    else:
        said = "is published as soon as the scoring worker has opened its gold standards"
    messages.success(request, f"The {phase} phase {said}.")


def seen_of(phase: Phase) -> str:
    if runs_are_open(phase, timezone.now()):
        return "leaderboards, runs and articles"
    return f"leaderboards and articles, and its runs from {phase.names_shown:%-d %B %Y, %H:%M UTC} on, with the names"


@button
def publish_task(request: HttpRequest, challenge: Challenge, phase: str, task: str) -> None:
    golds = GoldStandard.objects.select_related("task", "phase")
    publishing.publish_task(get_object_or_404(golds, task__challenge=challenge, task__name=task, phase__sort=phase))
    messages.success(request, f"The leaderboard of {task} in the {phase} phase is open to everybody in a moment.")


@button
def approve(request: HttpRequest, challenge: Challenge) -> None:
    """Approve a team that asked, or name one that did not."""
    form = TeamForm(challenge, request.POST)
    if form.is_valid():
        team = form.cleaned_data["team"]
        entrants.approve(challenge, team, request.user)
        messages.success(request, f"{team} may take part.")
    else:
        messages.error(request, "That is no team, or it is approved already; choose one from the list.")


@button
def disapprove(request: HttpRequest, challenge: Challenge) -> None:
    team = get_object_or_404(Team, slug=request.POST.get("team", ""))
    if entrants.disapprove(challenge, team):
        messages.success(request, f"{team} enters and uploads nothing more; its runs stay.")
    else:
        messages.info(request, f"{team} was not approved.")


@button
def appoint(request: HttpRequest, challenge: Challenge) -> None:
    form = OrganizerForm(request.POST)
    if complete(request, form):
        user = form.cleaned_data["organizer"]
        new = appointing.appoint(challenge, user, request.user)
        said = "organizes this challenge too, and is told so by mail" if new else "organized this challenge before"
        messages.success(request, f"{user.username} {said}.")


@button
def release(request: HttpRequest, challenge: Challenge) -> None:
    name = request.POST.get("organizer", "")
    appointing.release(challenge, name, request.user)
    messages.success(request, f"{name} organizes {challenge} no more.")


@button
def remove_task(request: HttpRequest, challenge: Challenge, task: str) -> None:
    setting_up.remove_task(get_object_or_404(challenge.tasks, name=task))
    messages.success(request, f"The task {task} is removed.")


@button
def remove_phase(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    setting_up.remove_phase(phase_of(challenge, phase))
    messages.success(request, f"The {phase} phase is removed; its corpus is still there.")

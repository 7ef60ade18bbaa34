"""The actions with which organizers publish a phase or one of its tasks."""

from django.contrib import messages
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from bcms.lib.confirmation import ConfirmationQuestion
from evaluation.challenges.form_pages import organizer_confirmed_action
from evaluation.challenges.lookup import get_challenge_phase_or_404
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.publication.consequences import (
    list_consequences_of_phase_publication,
    list_consequences_of_task_publication,
)
from evaluation.challenges.publication.publication_requests import (
    check_may_publish,
    publish_phase_or_request_if_sealed,
    publish_task_or_request_if_sealed,
)
from evaluation.gold.models import GoldStandard
from evaluation.runs.disclosure import is_published_with_team_names


def _describe_phase_publication(challenge: Challenge, phase: str) -> ConfirmationQuestion:
    of_phase = get_challenge_phase_or_404(challenge, phase)
    check_may_publish(of_phase)
    return ConfirmationQuestion(
        f"Publish the {phase} phase of {challenge}?",
        list_consequences_of_phase_publication(of_phase),
        f"Publish the {phase} phase",
        reverse("challenge-organize", args=[challenge.slug]),
    )


@organizer_confirmed_action(_describe_phase_publication)
def publish_phase_or_request_publication(request: HttpRequest, challenge: Challenge, phase: str) -> None:
    of_phase = get_challenge_phase_or_404(challenge, phase)
    new = publish_phase_or_request_if_sealed(of_phase)
    of_phase.refresh_from_db()
    if not of_phase.published:
        outcome = "will be published as soon as the scoring worker has opened its gold standards"
    elif new:
        outcome = f"is published. Everybody can see its {_format_published_parts(of_phase)}"
    else:
        outcome = "is already published"
    messages.success(request, f"The {phase} phase {outcome}.")


def _format_published_parts(phase: Phase) -> str:
    """What everybody can see now, and from when on they can see the rest."""
    if is_published_with_team_names(phase, timezone.now()):
        return "leaderboards, runs and articles"
    return f"leaderboards and articles, and its runs and team names from {phase.names_shown:%-d %B %Y, %H:%M UTC} on"


def _describe_task_publication(challenge: Challenge, phase: str, task: str) -> ConfirmationQuestion:
    gold = _get_gold_or_404(challenge, phase, task)
    check_may_publish(gold.phase)
    return ConfirmationQuestion(
        f"Publish {task} in the {phase} phase of {challenge}?",
        list_consequences_of_task_publication(gold),
        f"Publish {task}",
        reverse("challenge-organize", args=[challenge.slug]),
    )


def _get_gold_or_404(challenge: Challenge, phase: str, task: str) -> GoldStandard:
    golds = GoldStandard.objects.select_related("task", "phase__challenge")
    return get_object_or_404(golds, task__challenge=challenge, task__name=task, phase__sort=phase)


@organizer_confirmed_action(_describe_task_publication)
def publish_task_or_request_publication(request: HttpRequest, challenge: Challenge, phase: str, task: str) -> None:
    publish_task_or_request_if_sealed(_get_gold_or_404(challenge, phase, task))
    messages.success(request, f"Everybody will see the leaderboard of {task} in the {phase} phase in a moment.")

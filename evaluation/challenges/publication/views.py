"""The actions with which organizers publish a phase or one of its tasks."""

from django.contrib import messages
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone

from evaluation.challenges.form_pages import organizer_post_action
from evaluation.challenges.lookup import get_challenge_phase_or_404
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.publication.publication_requests import (
    publish_phase_or_request_if_sealed,
    publish_task_or_request_if_sealed,
)
from evaluation.gold.models import GoldStandard
from evaluation.runs.disclosure import is_published_with_team_names


@organizer_post_action
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


@organizer_post_action
def publish_task_or_request_publication(request: HttpRequest, challenge: Challenge, phase: str, task: str) -> None:
    golds = GoldStandard.objects.select_related("task", "phase")
    publish_task_or_request_if_sealed(
        get_object_or_404(golds, task__challenge=challenge, task__name=task, phase__sort=phase)
    )
    messages.success(request, f"Everybody will see the leaderboard of {task} in the {phase} phase in a moment.")

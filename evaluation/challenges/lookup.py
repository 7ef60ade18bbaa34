"""Find what an address names: a challenge for its organizers, a phase, a task of a phase. Pages and REST both ask here.

The look-ups raise Django's Http404 and PermissionDenied, which Django REST framework understands too.
"""

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import get_object_or_404

from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.permissions import can_organize
from servers.teams.permissions import User


def get_challenge_or_403_unless_organizer(user: User, slug: str) -> Challenge:
    """The challenge with this slug; PermissionDenied for a user who does not organize it."""
    challenge = get_object_or_404(Challenge, slug=slug)
    if not can_organize(user, challenge):
        raise PermissionDenied(f"Only the organizers of {challenge} can do this. Ask one of them.")
    return challenge


def get_challenge_phase_or_404(challenge: Challenge, phase_type: str) -> Phase:
    """The training, development or test phase of a challenge."""
    return get_object_or_404(challenge.phases.select_related("challenge", "corpus"), sort=phase_type)


def get_phase_or_404(challenge_slug: str, phase_type: str) -> Phase:
    """The training, development or test phase of the challenge with this slug."""
    return get_object_or_404(
        Phase.objects.select_related("challenge", "corpus"), challenge__slug=challenge_slug, sort=phase_type
    )


def get_task_and_phase_or_404(challenge_slug: str, phase_type: str, task_name: str) -> tuple[Task, Phase]:
    """A task and a phase of the challenge with this slug."""
    tasks = Task.objects.select_related("challenge").filter(challenge__slug=challenge_slug, name=task_name)
    phases = Phase.objects.select_related("challenge", "corpus").filter(challenge__slug=challenge_slug, sort=phase_type)
    found_task, found_phase = tasks.first(), phases.first()
    if found_task is None or found_phase is None:
        raise Http404(
            f"There is no task {task_name} in a {phase_type} phase of {challenge_slug}. See the page of the challenge."
        )
    return found_task, found_phase

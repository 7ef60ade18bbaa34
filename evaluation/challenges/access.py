"""Find what an address names: a challenge for its organizers, a phase, a task of a phase. Pages and REST both ask here.

The look-ups raise Django's Http404 and PermissionDenied, which Django REST framework understands too.
"""

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import get_object_or_404

from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.permissions import can_organize
from evaluation.visibility import User


def get_organized_challenge_or_404(user: User, slug: str) -> Challenge:
    """The challenge with this slug; PermissionDenied for a user who does not organize it."""
    challenge = get_object_or_404(Challenge, slug=slug)
    if not can_organize(user, challenge):
        raise PermissionDenied(f"Only the organizers of {challenge} can do this. Ask one of them.")
    return challenge


def get_challenge_phase_or_404(challenge: Challenge, phase: str) -> Phase:
    """The training, development or test phase of a challenge."""
    return get_object_or_404(challenge.phases.select_related("challenge", "corpus"), sort=phase)


def get_phase_or_404(slug: str, phase: str) -> Phase:
    """The training, development or test phase of the challenge with this slug."""
    return get_object_or_404(Phase.objects.select_related("challenge", "corpus"), challenge__slug=slug, sort=phase)


def get_task_and_phase_or_404(slug: str, phase: str, task: str) -> tuple[Task, Phase]:
    """A task and a phase of the challenge with this slug."""
    tasks = Task.objects.select_related("challenge").filter(challenge__slug=slug, name=task)
    phases = Phase.objects.select_related("challenge", "corpus").filter(challenge__slug=slug, sort=phase)
    found_task, found_phase = tasks.first(), phases.first()
    if found_task is None or found_phase is None:
        raise Http404(f"There is no task {task} in a {phase} phase of {slug}. See the page of the challenge.")
    return found_task, found_phase

"""Find what an address names: a challenge, a phase, a task of a phase. Pages and REST both ask here.

Every address below a challenge is looked up here, so that a draft is like an unknown challenge to those who do not
organize it.

The look-ups raise Django's Http404 and PermissionDenied, which Django REST framework understands too.
"""

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.permissions import can_organize
from evaluation.visibility import list_visible_challenges
from servers.teams.permissions import User


def get_challenge_or_404(user: User, slug: str) -> Challenge:
    """The challenge with this slug if the user may see it."""
    return get_object_or_404(list_visible_challenges(user), slug=slug)


def get_challenge_or_403_unless_organizer(user: User, slug: str) -> Challenge:
    """The challenge with this slug; PermissionDenied for a user who sees but does not organize it."""
    challenge = get_challenge_or_404(user, slug)
    if not can_organize(user, challenge):
        raise PermissionDenied(f"Only the organizers of {challenge} can do this. Ask one of them.")
    return challenge


def get_challenge_phase_or_404(challenge: Challenge, phase_type: str) -> Phase:
    """The training, development or test phase of a challenge."""
    return get_object_or_404(challenge.phases.select_related("challenge", "corpus"), sort=phase_type)


def _list_visible_phases(user: User, challenge_slug: str) -> QuerySet[Phase]:
    challenges = list_visible_challenges(user).filter(slug=challenge_slug)
    return Phase.objects.select_related("challenge", "corpus").filter(challenge__in=challenges.values("pk"))


def get_phase_or_404(user: User, challenge_slug: str, phase_type: str) -> Phase:
    """The training, development or test phase of the challenge with this slug if the user may see it."""
    return get_object_or_404(_list_visible_phases(user, challenge_slug), sort=phase_type)


def get_task_and_phase_or_404(user: User, challenge_slug: str, phase_type: str, task_name: str) -> tuple[Task, Phase]:
    """A task and a phase of the challenge with this slug if the user may see it."""
    tasks = Task.objects.select_related("challenge").filter(challenge__slug=challenge_slug, name=task_name)
    found_phase = _list_visible_phases(user, challenge_slug).filter(sort=phase_type).first()
    found_task = tasks.first() if found_phase else None
    if found_task is None or found_phase is None:
        raise Http404(
            f"There is no task {task_name} in a {phase_type} phase of {challenge_slug}. See the page of the challenge."
        )
    return found_task, found_phase

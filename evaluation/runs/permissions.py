"""Who may see uploaded files and the pages of runs."""

from django.db.models import Q

from evaluation.challenges.models import Phase
from evaluation.challenges.permissions import can_organize
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from servers.teams.permissions import User, get_team_rights


def can_see_run(user: User, run: Run | Upload) -> bool:
    """Whether the user is on its team, an organizer of its challenge or staff.

    Whether its figures are visible too is up to run_page.figures.get_visible_figures.
    """
    if run.team is not None and get_team_rights(user, run.team).run:
        return True
    return can_organize(user, run.phase.challenge)


def list_visible_run_ids(user: User, phase: Phase) -> set[int]:
    """The keys of the runs of a phase for which can_see_run is true; one query."""
    if not user.is_authenticated:
        return set()
    is_visible = (
        Q() if getattr(user, "is_staff", False) else Q(team__members=user.pk) | Q(phase__challenge__organizers=user.pk)
    )
    return set(phase.runs.filter(is_visible).values_list("pk", flat=True))

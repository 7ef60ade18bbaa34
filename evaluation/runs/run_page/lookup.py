"""Look up runs and what a user may see of them, for pages and API."""

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import get_object_or_404

from evaluation.challenges.permissions import can_organize
from evaluation.gold.models import GoldStandard
from evaluation.runs.models import Run
from evaluation.runs.permissions import can_see_run
from evaluation.runs.run_page.error_analysis.analysis import find_unsealed_gold
from evaluation.runs.run_page.figures import get_visible_figures, list_runs_with_details
from evaluation.scoring.models import Score
from servers.teams.permissions import User


def find_visible_gold_and_score(run: Run, user: User) -> tuple[GoldStandard, Score] | None:
    """Return the gold standard and the score that the user may compare the run with, None if there are none."""
    score = get_visible_figures(run, user).score
    gold = find_unsealed_gold(run) if score else None
    return None if gold is None or score is None else (gold, score)


def get_visible_run_or_404(user: User, pk: int) -> Run:
    """Return the run if the user is on its team, an organizer or staff. Raises Http404 otherwise."""
    run = get_object_or_404(list_runs_with_details(), pk=pk)
    if not can_see_run(user, run):
        raise Http404
    return run


def get_own_team_run_or_403(user: User, pk: int) -> Run:
    """Return the run if the user is on its team. Raises Http404 for a run that the user may not see."""
    run = get_visible_run_or_404(user, pk)
    if not is_on_team_of_run(user, run):
        raise PermissionDenied("Only members of the run's team may change it.")
    return run


def get_organized_run_or_403(user: User, pk: int) -> Run:
    """Return the run if the user organizes its challenge. Raises Http404 for a run that the user may not see."""
    run = get_visible_run_or_404(user, pk)
    if not can_organize(user, run.phase.challenge):
        raise PermissionDenied("Only organizers of the challenge may do this with its runs.")
    return run


def is_on_team_of_run(user: User, run: Run) -> bool:
    return run.team is not None and run.team.members.filter(pk=user.pk).exists()

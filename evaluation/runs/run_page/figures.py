"""Runs with their details, and the figures that a user may see of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from evaluation.challenges.matrix.unanswered_articles import list_phase_calls_failed_by_meta_server
from evaluation.leaderboards.board import list_board_measures_primary_first
from evaluation.leaderboards.rows import ScoreCell
from evaluation.leaderboards.visibility import list_visible_board_runs
from evaluation.measures.registry import Measure
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The figures of a run, the primary one first; score is None if there is none or it is hidden from the user."""

    cells: Sequence[ScoreCell]
    score: Score | None
    hidden: bool = False


def count_articles_failed_by_meta_server(run: Run) -> int:
    """The articles that the server of the run could not answer because of errors of the meta-server; one query at most.

    0 for runs of other sources.
    """
    if run.sort != Run.Source.ONLINE:
        return 0
    return list_phase_calls_failed_by_meta_server(run.phase).filter(queue__producer=run.producer_id).count()


def list_runs_with_details() -> QuerySet[Run]:
    """Runs with everything that their pages show, in one query."""
    return Run.objects.select_related(
        "task",
        "team",
        "producer",
        "phase__challenge",
        "phase__corpus",
        "upload__by__curator_profile",
        "producer__queue__server",
    )


def get_visible_figures(run: Run, user: User) -> RunFigures:
    """The figures of a run, hidden if the user may not see them; two queries."""
    if not list_visible_board_runs(user, run.phase).filter(pk=run.pk).exists():
        return RunFigures([], None, hidden=True)
    score = Score.objects.filter(run=run, scenario="all", superseded__isnull=True).select_related("gold").first()
    if score is None:
        return RunFigures([], None)
    return RunFigures(
        [_build_score_cell(measure, score) for measure in list_board_measures_primary_first(run.task)], score
    )


def _build_score_cell(measure: Measure, score: Score) -> ScoreCell:
    low, high = score.intervals.get(measure.name) or (None, None)
    return ScoreCell(measure, score.figures.get(measure.name), low, high)

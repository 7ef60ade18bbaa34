"""The uploads and runs of a team in a task and phase, with the figures that a user may see."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet

from evaluation.challenges.models import Phase, Task
from evaluation.leaderboards.board import list_board_measures_primary_first
from evaluation.leaderboards.rows import ScoreCell
from evaluation.leaderboards.visibility import list_visible_board_runs
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from evaluation.scoring.models import Score
from servers.teams.models import Team
from servers.teams.permissions import User

MAX_LISTED_UPLOADS = 200


@dataclass(frozen=True, slots=True)
class ListedUpload:
    """An upload, its run if it became one, and the primary figure if the user may see it."""

    upload: Upload
    run: Run | None
    primary: ScoreCell | None


def list_uploads_with_details() -> QuerySet[Upload]:
    return Upload.objects.select_related(
        "task", "team", "phase__challenge", "phase__corpus", "run", "by__curator_profile"
    )


def _prefetch_current_scores() -> "Prefetch[str, QuerySet[Score], str]":
    """Prefetch the current scores of runs over all articles, as attribute `current`."""
    return Prefetch(
        "scores",
        Score.objects.filter(scenario="all", superseded__isnull=True).only("run", "figures"),
        to_attr="current",
    )


def list_newest_team_uploads_with_figure(team: Team, task: Task, phase: Phase, user: User) -> list[ListedUpload]:
    """The newest uploads of a team, newest first; three queries."""
    uploads = Upload.objects.filter(team=team, task=task, phase=phase).order_by("-pk")[:MAX_LISTED_UPLOADS]
    listed_uploads = list(uploads.select_related("run"))
    visible_runs = list_visible_board_runs(user, phase).filter(
        pk__in=[upload.run_id for upload in listed_uploads if upload.run_id], task=task, sort=Run.Source.UPLOAD
    )
    runs_with_scores = {run.pk: run for run in visible_runs.prefetch_related(_prefetch_current_scores())}
    primary = list_board_measures_primary_first(task)[0]
    listed = []
    for upload in listed_uploads:
        figures = _get_prefetched_figures(runs_with_scores.get(upload.run_id)) if upload.run_id else {}
        listed.append(
            ListedUpload(upload, upload.run, ScoreCell(primary, figures.get(primary.name)) if figures else None)
        )
    return listed


def list_runs_of_team_servers(team: Team, task: Task, phase: Phase) -> QuerySet[Run]:
    """The runs that the team's servers produce online."""
    return Run.objects.filter(team=team, task=task, phase=phase, sort=Run.Source.ONLINE).order_by("name", "pk")


def _get_prefetched_figures(run: Any) -> dict[str, float | None]:
    """The figures of a run with prefetched current scores, empty if there are none."""
    return dict(run.current[0].figures) if run is not None and run.current else {}

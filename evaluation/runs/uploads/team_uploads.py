"""The uploads and runs of a team in a task and phase, with the figures that a user may see."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, QuerySet

from evaluation.challenges.models import Phase, Task
from evaluation.leaderboards.board import list_board_measures_primary_first
from evaluation.leaderboards.rows import ScoreCell
from evaluation.leaderboards.visibility import list_visible_board_runs
from evaluation.measures.registry import Measure
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from evaluation.scoring.models import Score
from servers.calls.queries import QueuePace, QueueProgress, count_calls_by_queue_and_state
from servers.teams.models import Team
from servers.teams.permissions import User

MAX_LISTED_UPLOADS = 200


@dataclass(frozen=True, slots=True)
class ListedUpload:
    """An upload, its run if it became one, and the primary figure if the user may see it."""

    upload: Upload
    run: Run | None
    primary: ScoreCell | None


@dataclass(frozen=True, slots=True)
class ListedServerRun:
    """A run of an annotation server, how far its queue is, and the primary figure if the user may see it."""

    run: Run
    progress: QueueProgress
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
    figures = _load_visible_figures(user, phase, [upload.run_id for upload in listed_uploads if upload.run_id])
    primary = list_board_measures_primary_first(task)[0]
    return [
        ListedUpload(
            upload, upload.run, _make_primary_cell(primary, figures.get(upload.run_id) if upload.run_id else None)
        )
        for upload in listed_uploads
    ]


def list_runs_of_team_servers(team: Team, task: Task, phase: Phase, user: User) -> list[ListedServerRun]:
    """The runs that the team's servers produce online; four queries."""
    runs = Run.objects.filter(team=team, task=task, phase=phase, sort=Run.Source.ONLINE)
    listed_runs = list(runs.select_related("producer__queue__server").order_by("name", "pk"))
    figures = _load_visible_figures(user, phase, [run.pk for run in listed_runs])
    queues = [run.producer.queue for run in listed_runs]
    counts = count_calls_by_queue_and_state(queues)
    primary = list_board_measures_primary_first(task)[0]
    return [
        ListedServerRun(
            run, QueueProgress(queue, counts[queue.pk], QueuePace()), _make_primary_cell(primary, figures.get(run.pk))
        )
        for run, queue in zip(listed_runs, queues, strict=True)
    ]


def _load_visible_figures(user: User, phase: Phase, run_ids: Sequence[int]) -> dict[int, dict[str, float | None]]:
    """{id: current figures} of those of the runs that the user may see and that are scored; two queries."""
    if not run_ids:
        return {}
    visible_runs = list_visible_board_runs(user, phase).filter(pk__in=run_ids)
    # to_attr of the prefetch
    scored_runs: Iterable[Any] = visible_runs.prefetch_related(_prefetch_current_scores())
    return {run.pk: dict(run.current[0].figures) for run in scored_runs if run.current}


def _make_primary_cell(primary: Measure, figures: dict[str, float | None] | None) -> ScoreCell | None:
    return ScoreCell(primary, figures.get(primary.name)) if figures else None

"""What teams and organizers read of uploads and runs: who may see which, and their figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch, Q, QuerySet

from evaluation.board_rows import Cell
from evaluation.challenges import organizes
from evaluation.leaderboard import columns_of, runs_seen_by
from evaluation.measures.registry import Measure
from evaluation.models import Phase, Run, Score, Task, Upload
from servers.models import Team
from servers.roles import rights

MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class ListedUpload:
    """A file that a team tried, its run if it became one, and the figure that orders the board if it may be seen."""

    upload: Upload
    run: Run | None
    primary: Cell | None


@dataclass(frozen=True, slots=True)
class RunFigures:
    """All figures of a run, the one that orders the board first; score is None when there is none to be seen, and
    hidden says whether that is so because the reader may not see it yet."""

    cells: Sequence[Cell]
    score: Score | None
    hidden: bool = False


def may_see(user: Any, run: Run | Upload) -> bool:
    """Its team, the organizers of its challenge and staff; the figures are another question (figures_of)."""
    if run.team is not None and rights(user, run.team).run:
        return True
    return organizes(user, run.phase.challenge)


def pages_seen_by(user: Any, phase: Phase) -> set[int]:
    """The runs of a phase whose pages the user may see, as may_see; in one query."""
    if not user.is_authenticated:
        return set()
    seen = Q() if user.is_staff else Q(team__members=user.pk) | Q(phase__challenge__organizers=user.pk)
    return set(phase.runs.filter(seen).values_list("pk", flat=True))


def uploads() -> QuerySet[Upload]:
    return Upload.objects.select_related("task", "team", "phase__challenge", "phase__corpus", "run", "by")


def runs() -> QuerySet[Run]:
    """Runs with all that their pages name, in one query."""
    return Run.objects.select_related(
        "task", "team", "producer", "phase__challenge", "phase__corpus", "upload__by", "producer__queue__server"
    )


def current_scores() -> Prefetch:
    return Prefetch("scores", Score.objects.filter(scenario="all", superseded__isnull=True), to_attr="current")


def files_of(team: Team, task: Task, phase: Phase, user: Any) -> list[ListedUpload]:
    """The files that a team tried, the newest first, in three queries."""
    tried = Upload.objects.filter(team=team, task=task, phase=phase).order_by("-pk")[:MOST_LISTED]
    seen = runs_seen_by(user, phase).filter(team=team, task=task, sort=Run.Sort.UPLOAD)
    scored = {run.pk: run for run in seen.prefetch_related(current_scores())}
    primary = columns_of(task)[0]
    listed = []
    for own in tried.select_related("run"):
        figures = figures_in(scored.get(own.run_id)) if own.run_id else {}
        listed.append(ListedUpload(own, own.run, Cell(primary, figures.get(primary.name)) if figures else None))
    return listed


def online_of(team: Team, task: Task, phase: Phase) -> QuerySet[Run]:
    """The runs that servers of the team make."""
    return Run.objects.filter(team=team, task=task, phase=phase, sort=Run.Sort.ONLINE).order_by("name", "pk")


def figures_in(run: Any) -> dict[str, float | None]:
    """The figures of a run that was read with its current scores, empty when there are none."""
    return dict(run.current[0].figures) if run is not None and run.current else {}


def figures_of(run: Run, user: Any) -> RunFigures:
    """The figures of a run as the user may see them, in two queries."""
    if not runs_seen_by(user, run.phase).filter(pk=run.pk).exists():
        return RunFigures([], None, hidden=True)
    score = Score.objects.filter(run=run, scenario="all", superseded__isnull=True).select_related("gold").first()
    if score is None:
        return RunFigures([], None)
    return RunFigures([cell_of(measure, score) for measure in columns_of(run.task)], score)


def cell_of(measure: Measure, score: Score) -> Cell:
    low, high = score.intervals.get(measure.name) or (None, None)
    return Cell(measure, score.figures.get(measure.name), low, high)

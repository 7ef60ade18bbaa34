"""The mean ranks of teams over the tasks of a phase that its organizers chose.

Of each team, the best of its runs that count is ranked in the official scenario, by its figure as leaderboards show it.
Baselines are left out.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Prefetch
from django.utils import timezone

from bcms.lib.table_text import format_csv
from evaluation.analyses.mean_ranks import compute_mean_ranks_best_first
from evaluation.challenges.models import CountedRuns, Phase, Task
from evaluation.challenges.permissions import can_organize
from evaluation.gold.models import GoldStandard
from evaluation.leaderboards.rows import SCORE_DECIMALS, ScoreCell
from evaluation.measures.leaderboard_scenarios import OFFICIAL_SCENARIO
from evaluation.measures.registry import MEASURES_BY_NAME
from evaluation.runs.counted_runs import COUNTED_RUNS_SENTENCES, choose_counted_run_ids, find_best_run
from evaluation.runs.models import Run
from evaluation.runs.names import build_run_naming
from evaluation.scoring.models import Score
from servers.teams.permissions import User

BestRuns = Mapping[int, Run]


@dataclass(frozen=True, slots=True)
class TaskRank:
    """A team in one task. run: id of its best run, None without one; cell: its figure; rank: from 1, x.5 if shared."""

    task: Task
    run: int | None
    name: str
    cell: ScoreCell
    rank: float


@dataclass(frozen=True, slots=True)
class MeanRankRow:
    """A team. place: by the mean rank, which other teams may share; team_slug: empty while the team is anonymous."""

    place: int
    shared: bool
    team: str
    team_slug: str
    mean: float
    ranks: Sequence[TaskRank]


@dataclass(frozen=True, slots=True)
class MeanRankBoard:
    """The teams, best first; visible: whether the user may see them. tasks: the chosen ones, which may be none."""

    phase: Phase
    tasks: Sequence[Task]
    rows: Sequence[MeanRankRow]
    visible: bool

    @property
    def counted_sentence(self) -> str:
        """Which runs count, empty if all do."""
        return COUNTED_RUNS_SENTENCES[CountedRuns(self.phase.counted_runs)]


def build_mean_rank_board_visible_to_user(phase: Phase, user: User) -> MeanRankBoard:
    """The mean ranks once the phase or all chosen tasks are published, before only for organizers; at most 7 queries.

    Before publication, teams see only their own runs, which have no ranks.
    """
    tasks = list_mean_rank_tasks(phase)
    if tasks and (phase.published or can_organize(user, phase.challenge) or _are_all_published(tasks, phase)):
        return build_mean_rank_board(phase, tasks, user, timezone.now())
    return MeanRankBoard(phase, tasks, (), visible=False)


def list_mean_rank_tasks(phase: Phase) -> list[Task]:
    return list(phase.mean_rank_tasks.select_related("challenge").order_by("pk"))


def _are_all_published(tasks: Sequence[Task], phase: Phase) -> bool:
    return GoldStandard.objects.filter(phase=phase, task__in=tasks, published__isnull=False).count() == len(tasks)


def build_mean_rank_board(phase: Phase, tasks: Sequence[Task], reader: User, now: datetime) -> MeanRankBoard:
    """The mean ranks over these tasks with the names that the reader may see."""
    runs_by_task: dict[int, list[Run]] = defaultdict(list)
    for run in _list_runs_with_official_scores(phase, tasks):
        runs_by_task[run.task_id].append(run)
    best = [_find_best_run_of_each_team(runs_by_task[task.pk], task, phase) for task in tasks]
    teams = {team: run.team for in_task in best for team, run in in_task.items()}
    naming = build_run_naming(phase, reader, [team for team in teams.values() if team], now)
    figures = [_list_shown_figures(in_task, task) for in_task, task in zip(best, tasks, strict=True)]
    ordered = compute_mean_ranks_best_first(figures)
    rows = []
    for mean in ordered:
        names = naming.get_run_names(next(in_task[mean.competitor] for in_task in best if mean.competitor in in_task))
        ranks = [
            TaskRank(
                task,
                run.pk if run else None,
                naming.get_run_names(run).run if run else "",
                ScoreCell(MEASURES_BY_NAME[task.primary], _get_official_figure(run, task) if run else None),
                rank,
            )
            for task, in_task, rank in zip(tasks, best, mean.ranks, strict=True)
            for run in [in_task.get(mean.competitor)]
        ]
        rows.append(MeanRankRow(mean.place, mean.shared, names.team, names.team_slug, mean.mean, ranks))
    return MeanRankBoard(phase, tasks, sorted(rows, key=lambda row: (row.place, row.team)), visible=True)


def _list_runs_with_official_scores(phase: Phase, tasks: Sequence[Task]) -> list[Any]:
    """The runs of these tasks that are not withdrawn, with their current official scores (none or one) as `shown`."""
    scores = Score.objects.filter(scenario=OFFICIAL_SCENARIO, superseded__isnull=True, absent="").only("run", "figures")
    runs = phase.runs.filter(task__in=tasks, withdrawn__isnull=True).order_by("pk")
    return list(
        runs.select_related("team", "producer__queue__server").prefetch_related(
            Prefetch("scores", scores, to_attr="shown")
        )
    )


def _get_official_figure(run: Any, task: Task) -> float | None:
    """run: a Run as _list_runs_with_official_scores returns it."""
    figure: float | None = run.shown[0].figures.get(task.primary) if run.shown else None
    return figure


def _find_best_run_of_each_team(runs: Sequence[Run], task: Task, phase: Phase) -> dict[int, Run]:
    """{id of a team: the best of its runs that count}, of teams with a figure."""
    figures = {run.pk: _get_official_figure(run, task) for run in runs}
    counted = choose_counted_run_ids(runs, task, phase, figures)
    of_teams: dict[int, list[Run]] = defaultdict(list)
    for run in runs:
        if run.team_id is not None and not run.is_baseline and run.pk in counted and figures[run.pk] is not None:
            of_teams[run.team_id].append(run)
    return {team: find_best_run(of_team, task, figures) for team, of_team in of_teams.items()}


def _list_shown_figures(best_runs: BestRuns, task: Task) -> tuple[dict[int, float], bool]:
    """{id of a team: its figure as it is shown}, and whether higher figures are better."""
    figures = {team: round(_get_official_figure(run, task) or 0.0, SCORE_DECIMALS) for team, run in best_runs.items()}
    return figures, MEASURES_BY_NAME[task.primary].higher_is_better


def format_mean_rank_csv(board: MeanRankBoard) -> str:
    """One line per team. Names cannot act as formulas in a spreadsheet; a missing figure is an empty cell."""
    columns = [f"{task.name}_{column}" for task in board.tasks for column in ("rank", "run", task.primary)]
    lines = [
        [row.place, row.team, row.mean]
        + [value for own in row.ranks for value in (own.rank, own.name, "" if own.run is None else own.cell.value)]
        for row in board.rows
    ]
    return format_csv([["place", "team", "mean_rank", *columns], *lines])

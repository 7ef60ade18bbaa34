"""Which runs of a team count on the leaderboards of a phase: all, its best, its last, or those tagged as final.

Baselines and runs without a team always count. The choice cannot change once a part of the phase is published.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from django.db.models import QuerySet

from evaluation.challenges.models import CountedRuns, Phase, Task
from evaluation.measures.leaderboard_scenarios import OFFICIAL_SCENARIO
from evaluation.measures.registry import MEASURES_BY_NAME
from evaluation.runs.models import Run
from evaluation.scoring.models import Score

COUNTED_RUNS_SENTENCES = {
    CountedRuns.ALL: "",
    CountedRuns.BEST: "Only the best run of each team counts: the one with the best official score, or the later of "
    "equal ones.",
    CountedRuns.LAST: "Only the last run of each team counts.",
    CountedRuns.FINAL: "Only runs that their teams tagged as final count.",
}


def filter_counted_runs(runs: QuerySet[Run], task: Task, phase: Phase) -> QuerySet[Run]:
    """Those of these runs of a task in a phase that count; no query, one or two by the rule of the phase."""
    counted = find_counted_run_ids(task, phase)
    return runs if counted is None else runs.filter(pk__in=counted)


def find_counted_run_ids(task: Task, phase: Phase) -> set[int] | None:
    """The ids of the runs that count; None if all do. Withdrawn runs never count."""
    if phase.counted_runs == CountedRuns.ALL:
        return None
    runs = list(phase.runs.filter(task=task, withdrawn__isnull=True).order_by("pk"))
    figures = _load_official_figures(task, phase) if phase.counted_runs == CountedRuns.BEST else {}
    return choose_counted_run_ids(runs, task, phase, figures)


def find_counted_run_ids_of_boards(boards: Collection[tuple[Task, Phase]]) -> set[int] | None:
    """The ids of the runs that count on these leaderboards; None if all do. No query, or 2."""
    ruled = {(task.pk, phase.pk): (task, phase) for task, phase in boards}
    if all(phase.counted_runs == CountedRuns.ALL for _, phase in ruled.values()):
        return None
    tasks, phases = ({pair[place] for pair in ruled} for place in (0, 1))
    runs = Run.objects.filter(task__in=tasks, phase__in=phases, withdrawn__isnull=True)
    runs_by_board: dict[tuple[int, int], list[Run]] = defaultdict(list)
    for run in runs.order_by("pk").only("task", "phase", "team", "sort", "baseline", "final"):
        runs_by_board[run.task_id, run.phase_id].append(run)
    scores = _list_official_scores().filter(run__in=runs.values("pk"))
    figures = {
        run: figures.get(primary)
        for run, primary, figures in scores.values_list("run", "run__task__primary", "figures")
    }
    return {
        run
        for pair, (task, phase) in ruled.items()
        for run in choose_counted_run_ids(runs_by_board[pair], task, phase, figures)
    }


def choose_counted_run_ids(
    runs: Sequence[Run], task: Task, phase: Phase, official_figures: Mapping[int, float | None]
) -> set[int]:
    """The ids of those runs that count. runs: all that are not withdrawn, in the order of their ids.

    official_figures: {id of a run: its primary figure}, needed if the best run of a team counts.
    """
    if phase.counted_runs == CountedRuns.ALL:
        return {run.pk for run in runs}
    counted = {run.pk for run in runs if run.team_id is None or run.is_baseline}
    of_teams: dict[int, list[Run]] = defaultdict(list)
    for run in runs:
        if run.team_id is not None and run.pk not in counted:
            of_teams[run.team_id].append(run)
    if phase.counted_runs == CountedRuns.FINAL:
        return counted | {run.pk for of_team in of_teams.values() for run in of_team if run.final}
    if phase.counted_runs == CountedRuns.LAST:
        return counted | {of_team[-1].pk for of_team in of_teams.values()}
    return counted | {find_best_run(of_team, task, official_figures).pk for of_team in of_teams.values()}


def find_best_run(of_team: Sequence[Run], task: Task, official_figures: Mapping[int, float | None]) -> Run:
    """The run with the best official figure, the later of equal ones; the last run if none has a figure."""
    sign = 1 if MEASURES_BY_NAME[task.primary].higher_is_better else -1

    def sort_key(run: Run) -> tuple[bool, float, int]:
        figure = official_figures.get(run.pk)
        return figure is not None, sign * (figure or 0.0), run.pk

    return max(of_team, key=sort_key)


def _load_official_figures(task: Task, phase: Phase) -> dict[int, float | None]:
    scores = _list_official_scores().filter(run__task=task, run__phase=phase)
    return {run: figures.get(task.primary) for run, figures in scores.values_list("run", "figures")}


def _list_official_scores() -> QuerySet[Score]:
    return Score.objects.filter(scenario=OFFICIAL_SCENARIO, superseded__isnull=True, absent="")

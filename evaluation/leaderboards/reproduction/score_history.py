"""The current and earlier scores of a run, with the commands that reproduce them."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotations.schema import Kind
from evaluation.analyses.scores.item_scores import name_label_measure
from evaluation.analyses.scores.leaderboard_scores import PASSAGE_MEASURES
from evaluation.analyses.tables.count_tables import LABEL_FIGURES
from evaluation.challenges.models import Task
from evaluation.leaderboards.board import build_score_cells, list_board_measures_primary_first
from evaluation.leaderboards.rows import ScoreCell
from evaluation.measures.leaderboard_scenarios import (
    OFFICIAL_SCENARIO,
    LeaderboardScenario,
    list_known_scenarios_official_first,
)
from evaluation.measures.open_tasks import COMMAND_TASKS, list_command_options
from evaluation.runs.files.run_reader import get_file_reader_task_name
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from evaluation.scoring.scenario_scores import list_optional_figure_names


@dataclass(frozen=True, slots=True)
class ScenarioScore:
    """The current score in a scenario, its figures, and the command that computes them."""

    scenario: LeaderboardScenario
    score: Score
    cells: Sequence[ScoreCell]
    command: str


@dataclass(frozen=True, slots=True)
class SupersededScore:
    """A score that was superseded, with its primary figure."""

    score: Score
    leading: ScoreCell


@dataclass(frozen=True, slots=True)
class ScoreHistory:
    """current: one score per scenario, the official one first; before: earlier official scores, newest first."""

    current: Sequence[ScenarioScore]
    before: Sequence[SupersededScore]


def build_current_and_official_earlier_scores(
    run: Run, task: Task, fill_placeholders: Callable[[str], str]
) -> ScoreHistory:
    """The current scores of a run by scenario and the earlier ones, newest first, in 1 query.

    fill_placeholders: inserts the names of files into a command.
    """
    scores = list(run.scores.defer("curve", "table").order_by("-computed", "-pk"))
    current_scores: Mapping[str, Score] = {score.scenario: score for score in scores if score.superseded is None}
    columns = list_board_measures_primary_first(task)
    current = [
        ScenarioScore(
            scenario,
            score,
            build_score_cells(columns, score.figures, score.intervals),
            fill_placeholders(format_score_command_with_placeholders(task, scenario, score)),
        )
        for scenario, score in (
            (known, current_scores[known.name]) for known in list_known_scenarios_official_first(current_scores)
        )
    ]
    before = [
        SupersededScore(score, build_score_cells(columns[:1], score.figures, score.intervals)[0])
        for score in scores
        if score.superseded is not None and score.scenario == OFFICIAL_SCENARIO
    ]
    return ScoreHistory(current, before)


def format_score_command_with_placeholders(task: Task, scenario: LeaderboardScenario, score: Score) -> str:
    """The command line that computes these figures from the files RUN and GOLD."""
    options = _list_scenario_options(task, scenario)
    further = ["--further"] if list_optional_figure_names(task) else []
    bootstrap = ["--bootstrap", str(score.samples), "--seed", str(score.seed), *further]
    return _format_evaluation_command("score", task, [*options, *bootstrap, "RUN", "GOLD"])


def _list_scenario_options(task: Task, scenario: LeaderboardScenario) -> list[str]:
    """The options of a task and a scenario of its leaderboard."""
    settings, form = task.get_settings(), task.compared_form
    if settings is not None and form is not None:
        return list_command_options(form, settings, scenario)
    return ["--unreported", "negative"] if task.kind == Kind.CLASSIFICATION else [*scenario.options]


def _format_evaluation_command(command: str, task: Task, arguments: Sequence[str]) -> str:
    form = task.compared_form
    name = COMMAND_TASKS[form] if form else get_file_reader_task_name(Kind(task.kind), task.name)
    return shlex.join(["python", "-m", "evaluation", command, "--task", name, *arguments])


def _get_command_figure(kind: Kind, measure: str) -> str:
    """The name of a measure on the command line."""
    if kind == Kind.PASSAGE:
        return next((figure for figure, name in PASSAGE_MEASURES.items() if name == measure), measure)
    if kind == Kind.LABEL:
        return next((figure for figure in LABEL_FIGURES if name_label_measure(figure) == measure), measure)
    return measure if kind == Kind.CLASSIFICATION else measure.replace("_", ".", 1)


def format_compare_command_with_placeholders(
    task: Task, measure: str, sample_count: int, seed: int, scenario: LeaderboardScenario
) -> str:
    """The command line that computes p of each pair of runs in a scenario from the files RUN and GOLD."""
    figure = _get_command_figure(Kind(task.kind), measure)
    tests = ["--figure", figure, "--samples", str(sample_count), "--seed", str(seed)]
    options = _list_scenario_options(task, scenario)
    return _format_evaluation_command("compare", task, [*options, *tests, "RUN", "RUN", "GOLD"])

"""What the scores of one run were made from, how to make them again, and the scores that it had before."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotations.kinds import Kind
from evaluation.analyses.board_scores import OF_PASSAGES
from evaluation.board_rows import Cell
from evaluation.leaderboard import cells_of, columns_of
from evaluation.measures.board_scenarios import OFFICIAL, BoardScenario, in_order
from evaluation.models import Run, Score, Task
from evaluation.run_files import word_of


@dataclass(frozen=True, slots=True)
class InOneScenario:
    """The current score of one scenario, its figures, and the command that computes them."""

    scenario: BoardScenario
    score: Score
    cells: Sequence[Cell]
    command: str


@dataclass(frozen=True, slots=True)
class Before:
    """A score that was superseded, with the leading figure that it had."""

    score: Score
    leading: Cell


@dataclass(frozen=True, slots=True)
class History:
    current: Sequence[InOneScenario]
    before: Sequence[Before]


def history_of(run: Run, task: Task, named: Callable[[str], str]) -> History:
    """The scores of a run: the current ones by scenario, and those before, the newest first. One query.

    named: gives a command the names of its files.
    """
    every = list(run.scores.defer("curve", "table").order_by("-computed", "-pk"))
    now: Mapping[str, Score] = {score.scenario: score for score in every if score.superseded is None}
    columns = columns_of(task)
    current = [
        InOneScenario(
            scenario,
            now[scenario.name],
            cells_of(columns, now[scenario.name].figures, now[scenario.name].intervals),
            named(command_of(task, scenario, now[scenario.name])),
        )
        for scenario in in_order(now)
    ]
    before = [
        Before(score, cells_of(columns[:1], score.figures, score.intervals)[0])
        for score in every
        if score.superseded is not None and score.scenario == OFFICIAL
    ]
    return History(current, before)


def command_of(task: Task, scenario: BoardScenario, score: Score) -> str:
    """The command line that gives these figures from the run's file and the gold standard's."""
    kind = Kind(task.kind)
    own = ["--unreported", "negative"] if kind == Kind.CLASSIFICATION else [*scenario.options]
    drawn = ["--bootstrap", str(score.samples), "--seed", str(score.seed)]
    parts = ["python", "-m", "evaluation", "score", "--task", word_of(kind, task.name), *own, *drawn, "RUN", "GOLD"]
    return shlex.join(parts)


def figure_of(kind: Kind, measure: str) -> str:
    """What the command line calls a measure."""
    if kind == Kind.PASSAGE:
        return next((figure for figure, name in OF_PASSAGES.items() if name == measure), measure)
    return measure if kind == Kind.CLASSIFICATION else measure.replace("_", ".", 1)


def compare_command(task: Task, measure: str, samples: int, seed: int, options: Sequence[str]) -> str:
    """The command line that gives the p of every two runs."""
    kind = Kind(task.kind)
    own = ["--unreported", "negative"] if kind == Kind.CLASSIFICATION else [*options]
    figure = figure_of(kind, measure)
    tests = ["--figure", figure, "--samples", str(samples), "--seed", str(seed)]
    parts = [
        "python",
        "-m",
        "evaluation",
        "compare",
        "--task",
        word_of(kind, task.name),
        *own,
        *tests,
        "RUN",
        "RUN",
        "GOLD",
    ]
    return shlex.join(parts)

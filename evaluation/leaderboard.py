"""The leaderboard of a task in a phase: who may see which runs, their figures and their order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Aggregate, FloatField, OuterRef, QuerySet, Subquery

from annotations.kinds import Kind
from annotations.models import Result
from bcms.lib.durations import in_words
from evaluation.challenges import organizes
from evaluation.measures.registry import BY_NAME, Measure, measures_for
from evaluation.models import GoldStandard, Phase, Run, Score, Task

# Figures are shown with so many decimals, and runs whose primary figures look the same share a rank.
DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure of a run; value is None when it has no score or the figure is undefined."""

    measure: Measure
    value: float | None

    @property
    def shown(self) -> str:
        if self.value is None:
            return "-"
        return str(int(self.value)) if self.measure.counted else f"{self.value:.{DECIMALS}f}"


@dataclass(frozen=True, slots=True)
class Row:
    """One run. first and last are the ranks it holds or shares, None for baselines and for runs without a score.

    seconds is the median time of an answer per article, None when no answer was timed.
    """

    run: int
    name: str
    team: str
    team_slug: str
    server_slug: str
    sort: str
    first: int | None
    last: int | None
    cells: Sequence[Cell]
    curve: Sequence[tuple[float, float]]
    answered: int
    articles: int
    seconds: float | None
    signature: str
    computed: datetime | None

    @property
    def scored(self) -> bool:
        return self.computed is not None

    @property
    def is_baseline(self) -> bool:
        return self.sort == Run.Sort.BASELINE

    @property
    def rank(self) -> str:
        if self.first is None:
            return "-"
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    @property
    def primary(self) -> Cell:
        return self.cells[0]

    @property
    def shares_rank(self) -> bool:
        return self.first != self.last

    @property
    def time(self) -> str:
        return in_words(self.seconds)


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard as one user sees it. The first column orders it; gold is None when nothing can be scored yet."""

    task: Task
    phase: Phase
    columns: Sequence[Measure]
    rows: Sequence[Row]
    gold: GoldStandard | None
    version: str

    @property
    def curves(self) -> Sequence[Row]:
        return [row for row in self.rows if row.curve]


class Median(Aggregate):
    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


def runs_seen_by(user: AbstractBaseUser | AnonymousUser, phase: Phase) -> QuerySet[Run]:
    """The runs of a phase that a user may see.

    Once the phase is published, all of them for everybody; before, all for the challenge's organizers, and in training
    each team's own for the team. Test scores are seen by no team before they are published.
    """
    if phase.published or organizes(user, phase.challenge):
        return phase.runs.all()
    if phase.sort == Phase.Sort.TRAINING and user.is_authenticated:
        return phase.runs.filter(team__members=user.pk)
    return phase.runs.none()


def board(task: Task, phase: Phase, user: Any) -> Board:
    """The leaderboard of a task in a phase as the user may see it, in at most three queries."""
    columns = columns_of(task)
    timed = Result.objects.filter(
        producer=OuterRef("producer"), kind=task.kind, superseded__isnull=True, duration__isnull=False
    )
    medians = timed.values("producer").annotate(median=Median("duration")).values("median")
    runs = list(
        runs_seen_by(user, phase)
        .filter(task=task)
        .select_related("team", "score", "producer__queue__server")
        .annotate(seconds=Subquery(medians))
    )
    gold = GoldStandard.objects.filter(task=task, phase=phase).first()
    rows = ranked(row_of(run, columns) for run in runs)
    return Board(task, phase, columns, rows, gold, version_of(runs, phase))


def columns_of(task: Task) -> list[Measure]:
    """The task's measures, the one that orders its leaderboard first."""
    primary = BY_NAME[task.primary]
    return [primary, *(measure for measure in measures_for(Kind(task.kind)) if measure != primary)]


def row_of(run: Any, columns: Sequence[Measure]) -> Row:
    score: Score | None = getattr(run, "score", None)
    figures = score.figures if score else {}
    queue = getattr(run.producer, "queue", None)
    return Row(
        run=run.pk,
        name=run.name,
        team=run.team.name if run.team else "",
        team_slug=run.team.slug if run.team else "",
        server_slug=queue.server.slug if queue else "",
        sort=run.sort,
        first=None,
        last=None,
        cells=[Cell(measure, figures.get(measure.name)) for measure in columns],
        curve=[(recall, precision) for recall, precision in score.curve] if score else [],
        answered=score.answered if score else 0,
        articles=score.articles if score else 0,
        seconds=run.seconds,
        signature=score.signature if score else "",
        computed=score.computed if score else None,
    )


def ranked(rows: Iterable[Row]) -> list[Row]:
    """The rows best first with their ranks; equal figures share theirs. Baselines stand in their place without a rank,
    runs without the primary figure below and never ranked."""
    every = sorted(rows, key=lambda row: (row.name, row.run))
    scored = sorted((row for row in every if row.primary.value is not None), key=worth)
    competing = [worth(row) for row in scored if not row.is_baseline]
    placed = [row if row.is_baseline else with_rank(row, competing) for row in scored]
    return placed + [row for row in every if row.primary.value is None]


def worth(row: Row) -> float:
    """The primary figure as it is shown, smaller is better."""
    shown = round(row.primary.value or 0.0, DECIMALS)
    return -shown if row.primary.measure.higher_is_better else shown


def with_rank(row: Row, competing: Sequence[float]) -> Row:
    first = 1 + sum(other < worth(row) for other in competing)
    return replace(row, first=first, last=first + competing.count(worth(row)) - 1)


def version_of(runs: Sequence[Run], phase: Phase) -> str:
    """Another word whenever the board would look different: who is on it, the latest score, whether it is published."""
    computed = [run.score.computed for run in runs if hasattr(run, "score")]
    latest = max(computed).timestamp() if computed else 0
    return f"{len(runs)}-{len(computed)}-{latest:.6f}-{'public' if phase.published else 'closed'}"

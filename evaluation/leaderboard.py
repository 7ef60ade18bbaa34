"""The leaderboard of a task in a phase: who may see which runs, their figures and their order."""

import zlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Prefetch, Q, QuerySet
from django.utils import timezone

from annotations.kinds import Kind
from evaluation.analyses.board_tests import is_large
from evaluation.board_rows import Cell, Row
from evaluation.challenges import organizes
from evaluation.measures.board_scenarios import OFFICIAL, BoardScenario, in_order, scenario_of
from evaluation.measures.registry import BY_NAME, Measure, counterpart, measures_for
from evaluation.models import ExcludedArticle, GoldStandard, Phase, Ranking, Run, Score, Task
from evaluation.naming import Naming, naming_for
from evaluation.ranked_rows import ensemble_row, placed, ranked_by_figure, tested


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a reader chose on a board: the scenario, the average that leads (empty: that of the task), and the runs
    whose curves are drawn (none: the best)."""

    scenario: str = OFFICIAL
    average: str = ""
    runs: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Choice:
    """One scenario to choose; absent: why nothing can be scored in it."""

    scenario: BoardScenario
    absent: str


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard as one user sees it. The first column orders it; gold is None when nothing can be scored yet.

    choices: the scenarios; averages: "macro" and "micro" where the measures have both, the one that leads first;
    ranking: the tests of these runs, None when they are still to be made or the user sees no scores; whole: whether the
    user sees all runs.
    """

    task: Task
    phase: Phase
    columns: Sequence[Measure]
    rows: Sequence[Row]
    gold: GoldStandard | None
    version: str
    chosen: Chosen = Chosen()
    choices: Sequence[Choice] = ()
    averages: Sequence[str] = ()
    ranking: Ranking | None = None
    ensemble: Row | None = None
    published: bool = False
    whole: bool = False
    anonymous: bool = False
    excluded: int = 0

    @property
    def told_gold(self) -> GoldStandard | None:
        """The gold standard for who may know which file it is: by its checksum a file that is public is known again."""
        return self.gold if self.whole or any(row.scored for row in self.rows) else None

    @property
    def curves(self) -> Sequence[Row]:
        return [row for row in self.rows if row.curve]

    @property
    def scenario(self) -> BoardScenario:
        return scenario_of(self.chosen.scenario)

    @property
    def official(self) -> bool:
        return self.chosen.scenario == OFFICIAL and self.columns[0].name == self.task.primary

    @property
    def absent(self) -> str:
        """Why there is nothing in the scenario that was chosen."""
        return next((own.absent for own in self.choices if own.scenario.name == self.chosen.scenario), "")

    @property
    def ranked(self) -> bool:
        return any(row.first is not None for row in self.rows)

    @property
    def progress(self) -> int | None:
        """Per cent of the tests that a worker has made, None when none is at work."""
        own = self.ranking
        return 100 * own.done // own.total if own and own.total else None


def runs_seen_by(user: AbstractBaseUser | AnonymousUser, phase: Phase) -> QuerySet[Run]:
    """The runs of a phase that a user may see.

    Once the phase is published, all of them for everybody, and once a task of it is, those of the task; before, all for
    the challenge's organizers, and before the test each team's own for the team. Test scores are seen by no team before
    they are published. Runs that were withdrawn are on no board.
    """
    runs = phase.runs.filter(withdrawn__isnull=True)
    if phase.published or organizes(user, phase.challenge):
        return runs
    golds = GoldStandard.objects.filter(phase=phase, published__isnull=False)
    seen = Q(task__in=golds.values("task"))
    if phase.sort != Phase.Sort.TEST and user.is_authenticated:
        seen |= Q(pk__in=phase.runs.filter(team__members=user.pk).values("pk"))
    return runs.filter(seen)


def board(task: Task, phase: Phase, user: Any, chosen: Chosen = Chosen(), now: datetime | None = None) -> Board:
    """The leaderboard of a task in a phase as the user may see it, in a fixed number of queries.

    KeyError when there is no such scenario.
    """
    seen = runs_seen_by(user, phase).filter(task=task)
    organizer = phase.published is None and organizes(user, phase.challenge)
    return board_of(task, phase, seen, user, chosen, now or timezone.now(), organizer=organizer)


def board_of(
    task: Task, phase: Phase, seen: QuerySet[Run], reader: Any, chosen: Chosen, now: datetime, *, organizer: bool
) -> Board:
    """The leaderboard of these runs under the names that the reader may see; organizer: they are all that there are.

    KeyError as board.
    """
    scenario_of(chosen.scenario)
    runs = runs_with_scores(seen, chosen.scenario)
    columns = columns_of(task, chosen.average)
    gold = GoldStandard.objects.filter(task=task, phase=phase).defer("sealed").first()
    published = bool(phase.published or (gold and gold.published))
    whole = published or organizer
    naming = naming_for(phase, reader, [run.team for run in runs if run.team], now)
    ranking = Ranking.objects.filter(task=task, phase=phase, scenario=chosen.scenario, measure=columns[0].name).first()
    rows = [row_of(run, columns, naming) for run in runs]
    ranking = ranking if whole else without_others(ranking, rows)
    rows = ordered(rows, ranking)
    return Board(
        task=task,
        phase=phase,
        columns=columns,
        rows=rows,
        gold=gold,
        version=version_of(rows, phase, ranking, naming, published=published),
        chosen=chosen,
        choices=choices_of(seen),
        averages=averages_of(columns[0]),
        ranking=ranking,
        ensemble=ensemble_row(ranking, columns, rows) if whole else None,
        published=published,
        whole=whole,
        anonymous=naming.anonymous,
        excluded=ExcludedArticle.objects.filter(phase=phase).count(),
    )


def runs_with_scores(runs: QuerySet[Run], scenario: str) -> list[Any]:
    """The runs, each with its current score in the scenario, if any, as `shown`; without curves and tables."""
    scores = Score.objects.filter(scenario=scenario, superseded__isnull=True, absent="").defer("curve", "table")
    return list(
        runs.select_related("team", "producer__queue__server").prefetch_related(
            Prefetch("scores", scores, to_attr="shown")
        )
    )


def ordered(rows: Sequence[Row], ranking: Ranking | None) -> list[Row]:
    """Ranked runs by their ranks where they are tested, else by their figures; baselines in their place without a
    rank, runs without the figure below and never ranked."""
    if ranking is not None and ranking.untested:
        return placed(ranked_by_figure(rows))
    return placed(tested(rows, ranking))


def choices_of(runs: QuerySet[Run]) -> list[Choice]:
    """The scenarios in which these runs are scored, and those in which none can be."""
    rows = Score.objects.filter(run__in=runs.values("pk"), superseded__isnull=True)
    reasons: dict[str, str] = {}
    for name, absent in rows.values_list("scenario", "absent").distinct():
        reasons[name] = absent if reasons.get(name, absent) else ""
    return (
        [Choice(scenario, reasons[scenario.name]) for scenario in in_order({OFFICIAL: "", **reasons})]
        if reasons
        else []
    )


def columns_of(task: Task, average: str = "") -> list[Measure]:
    """The task's measures, the one that orders its leaderboard first; of the average chosen first, if there is one."""
    primary = BY_NAME[task.primary]
    other = counterpart(primary.name)
    if other.startswith(f"{average}_") and average:
        primary = BY_NAME[other]
    kinds = [measure for measure in measures_for(Kind(task.kind)) if measure != primary]
    further = [measure for measure in kinds if measure.name in task.further] if task.further else kinds
    way = primary.name.partition("_")[0]
    return [primary, *sorted(further, key=lambda own: not own.name.startswith(f"{way}_"))]


def averages_of(primary: Measure) -> list[str]:
    """The averages that there are of the leading measure, its own first."""
    other = counterpart(primary.name)
    return [name.partition("_")[0] for name in (primary.name, other)] if other else []


def row_of(run: Any, columns: Sequence[Measure], naming: Naming) -> Row:
    score: Score | None = run.shown[0] if run.shown else None
    name = naming.of(run)
    return Row(
        run=run.pk,
        name=name.run,
        team=name.team,
        team_slug=name.team_slug,
        server_slug=name.server_slug,
        sort=run.sort,
        first=None,
        last=None,
        cells=cells_of(columns, score.figures if score else {}, score.intervals if score else {}),
        curve=(),
        answered=score.answered if score else 0,
        articles=score.articles if score else 0,
        seconds=score.seconds_median if score else None,
        seconds_mean=score.seconds_mean if score else None,
        seconds_slowest=score.seconds_slowest if score else None,
        confidence=score.confidence if score else None,
        score=score.pk if score else None,
        signature=score.signature if score else "",
        computed=score.computed if score else None,
    )


def cells_of(
    columns: Sequence[Measure], figures: Mapping[str, float | None], intervals: Mapping[str, Any]
) -> list[Cell]:
    return [Cell(measure, figures.get(measure.name), *intervals.get(measure.name, (None, None))) for measure in columns]


def with_curves(shown: Board, most: int) -> Board:
    """The board with the curves of the runs that were chosen, or of the best, at most so many; one query."""
    scored = [row for row in shown.rows if row.score is not None]
    wanted = [row for row in scored if row.run in shown.chosen.runs] or scored
    rows = Score.objects.filter(pk__in=[row.score for row in wanted[:most]]).values_list("run", "curve")
    curves = {run: [(recall, precision) for recall, precision in curve] for run, curve in rows}
    return replace(shown, rows=[replace(row, curve=curves.get(row.run, ())) for row in shown.rows])


def without_others(ranking: Ranking | None, rows: Sequence[Row]) -> Ranking | None:
    """What those who do not see all runs may know of the tests: not when others were compared, how many there are, or
    whether there are."""
    own = {row.score for row in rows if row.competes}
    if ranking is None or not any(row.scored for row in rows):
        return None
    if len(own) < 2 and scenario_of(ranking.scenario).compared:
        ranking.counts, ranking.untested, ranking.samples = [], "", 0
    elif is_large(len(ranking.scores)):
        ranking = tests_among(ranking, own)
    ranking.done, ranking.total, ranking.computed = 0, 0, None
    return ranking


def tests_among(ranking: Ranking, own: Set[int | None]) -> Ranking:
    """With the tests between the runs that the reader sees in the place of all; none while these are to be made."""
    fitting = [each for each in ranking.readers if own <= {*each["scores"]}]
    made = min(fitting, key=lambda each: len(each["scores"]), default=None)
    ranking.scores, ranking.counts = (made["scores"], made["counts"]) if made else ([], [])
    ranking.untested, ranking.samples = (made["untested"], made["samples"]) if made else ("", 0)
    return ranking


def version_of(rows: Sequence[Row], phase: Phase, ranking: Ranking | None, naming: Naming, *, published: bool) -> str:
    """Another word whenever the board would look different: who is on it, their scores, the ranks, who sees it."""
    shown = zlib.crc32(repr([(row.run, row.score, row.computed, row.first, row.last) for row in rows]).encode())
    ranks = f"{ranking.computed.timestamp() if ranking.computed else 0:.3f}.{ranking.done}" if ranking else "0"
    seen = "public" if published else "closed"
    names = "numbered" if naming.anonymous else "named"
    return f"{shown:08x}-{ranks}-{phase.revision}-{seen}-{names}"

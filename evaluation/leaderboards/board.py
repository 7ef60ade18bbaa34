"""The leaderboard of a task in a phase: who may see which runs, their figures and their order."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.utils import timezone

from annotations.schema import Kind
from evaluation.challenges.models import CountedRuns, ExcludedArticle, Phase, Task
from evaluation.challenges.permissions import can_organize
from evaluation.gold.models import GoldStandard
from evaluation.leaderboards.models import Ranking
from evaluation.leaderboards.ranks import (
    build_ensemble_row_with_gain,
    rank_competing_rows_by_shown_figure,
    rank_rows_if_all_competing_tested,
    sort_leaderboard_rows_best_first,
)
from evaluation.leaderboards.rows import (
    LeaderboardRow,
    ScoreCell,
    add_interval_bars_on_one_scale,
    mark_first_row_of_each_rank,
)
from evaluation.leaderboards.visibility import hide_tests_of_unseen_runs_in_place, list_visible_board_runs
from evaluation.measures.leaderboard_scenarios import (
    OFFICIAL_SCENARIO,
    LeaderboardScenario,
    get_fixed_or_build_scenario,
    list_known_scenarios_official_first,
)
from evaluation.measures.open_tasks import list_open_measures
from evaluation.measures.registry import (
    MEASURES_BY_NAME,
    Measure,
    list_chosen_optional_measures,
    list_scored_measures,
    other_average_measure_or_empty,
)
from evaluation.runs.counted_runs import COUNTED_RUNS_SENTENCES, filter_counted_runs
from evaluation.runs.descriptions.description import NO_DESCRIPTION, get_description_of_run
from evaluation.runs.models import Run
from evaluation.runs.names import RunNaming, build_run_naming
from evaluation.scoring.models import Score
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class BoardSelection:
    """What a reader chose on a leaderboard.

    scenario: its name; average: "macro" or "micro" for the first column, empty for that of the task; runs: ids of the
    runs whose curves are drawn, empty for the best.
    """

    scenario: str = OFFICIAL_SCENARIO
    average: str = ""
    runs: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ScenarioOption:
    """A scenario that readers can choose; absent: why nothing can be scored in it, else empty."""

    scenario: LeaderboardScenario
    absent: str


@dataclass(frozen=True, slots=True)
class Board:
    """A leaderboard as one user sees it.

    columns: the measures, of which the first orders the rows; gold: None while there is nothing to score with;
    version: changes whenever the leaderboard looks different; chosen: what the reader chose; choices: the scenarios;
    averages: "macro" and "micro" if the first measure has both, the current one first; ranking: the tests of these
    runs, None if they are not made yet or the user sees no scores; published: everybody sees it; whole: the user sees
    all runs; anonymous: teams are numbered instead of named; excluded: number of articles that are not scored.
    """

    task: Task
    phase: Phase
    columns: Sequence[Measure]
    rows: Sequence[LeaderboardRow]
    gold: GoldStandard | None
    version: str
    chosen: BoardSelection = BoardSelection()
    choices: Sequence[ScenarioOption] = ()
    averages: Sequence[str] = ()
    ranking: Ranking | None = None
    ensemble: LeaderboardRow | None = None
    published: bool = False
    whole: bool = False
    anonymous: bool = False
    excluded: int = 0

    @property
    def visible_gold(self) -> GoldStandard | None:
        """The gold standard, for users who see a score; its checksum could reveal which public file it is."""
        return self.gold if self.whole or any(row.scored for row in self.rows) else None

    @property
    def counted_sentence(self) -> str:
        """Which runs count, empty if all do."""
        return COUNTED_RUNS_SENTENCES[CountedRuns(self.phase.counted_runs)]

    @property
    def curves(self) -> Sequence[LeaderboardRow]:
        """The rows with a precision-recall curve."""
        return [row for row in self.rows if row.curve]

    @property
    def described_rows(self) -> Sequence[LeaderboardRow]:
        """The rows whose team says more than the name of the method and where to read on."""
        return [row for row in self.rows if row.description.abstract or row.description.environment]

    @property
    def scenario(self) -> LeaderboardScenario:
        return get_fixed_or_build_scenario(self.chosen.scenario)

    @property
    def official(self) -> bool:
        """Whether the rows have the official order, by the primary measure in the official scenario."""
        return self.chosen.scenario == OFFICIAL_SCENARIO and self.columns[0].name == self.task.primary

    @property
    def absent(self) -> str:
        """Why nothing is scored in the chosen scenario, else empty."""
        return next((choice.absent for choice in self.choices if choice.scenario.name == self.chosen.scenario), "")

    @property
    def ranked(self) -> bool:
        return any(row.first is not None for row in self.rows)

    @property
    def has_rankable_runs(self) -> bool:
        """Whether any run is neither a baseline nor imported."""
        return any(not row.is_outside for row in self.rows)

    @property
    def progress(self) -> int | None:
        """Per cent of the tests that a worker has made, None if no worker is at it."""
        ranking = self.ranking
        return 100 * ranking.done // ranking.total if ranking and ranking.total else None


def build_board_visible_to_user(
    task: Task, phase: Phase, user: User, selection: BoardSelection = BoardSelection(), now: datetime | None = None
) -> Board:
    """The leaderboard of a task in a phase as the user may see it, in a fixed number of queries.

    KeyError for an unknown scenario.
    """
    visible = list_visible_board_runs(user, phase).filter(task=task)
    organizer = phase.published is None and can_organize(user, phase.challenge)
    return build_board_from_runs(task, phase, visible, user, selection, now or timezone.now(), sees_all_runs=organizer)


def build_board_from_runs(
    task: Task,
    phase: Phase,
    visible_runs: QuerySet[Run],
    reader: User,
    selection: BoardSelection,
    now: datetime,
    *,
    sees_all_runs: bool,
) -> Board:
    """The leaderboard of these runs with the names that the reader may see.

    sees_all_runs: the reader organizes the challenge, so that visible_runs are all runs. KeyError for an unknown
    scenario.
    """
    get_fixed_or_build_scenario(selection.scenario)
    visible_runs = filter_counted_runs(visible_runs, task, phase)
    runs = _list_runs_with_scores(visible_runs, selection.scenario)
    columns = list_board_measures_primary_first(task, selection.average)
    gold = GoldStandard.objects.filter(task=task, phase=phase).defer("sealed").first()
    published = bool(phase.published or (gold and gold.published))
    whole = published or sees_all_runs
    naming = build_run_naming(phase, reader, [run.team for run in runs if run.team], now)
    ranking = Ranking.objects.filter(
        task=task, phase=phase, scenario=selection.scenario, measure=columns[0].name
    ).first()
    rows = [_build_board_row(run, columns, naming) for run in runs]
    ranking = ranking if whole else hide_tests_of_unseen_runs_in_place(ranking, rows)
    rows = _rank_and_sort_rows(rows, ranking)
    return Board(
        task=task,
        phase=phase,
        columns=columns,
        rows=rows,
        gold=gold,
        version=_compute_board_version(rows, phase, ranking, naming, published=published),
        chosen=selection,
        choices=_list_scenario_options(visible_runs),
        averages=_list_averages(columns[0]),
        ranking=ranking,
        ensemble=build_ensemble_row_with_gain(ranking, columns, rows) if whole else None,
        published=published,
        whole=whole,
        anonymous=naming.anonymous,
        excluded=ExcludedArticle.objects.filter(phase=phase).count(),
    )


def _list_runs_with_scores(runs: QuerySet[Run], scenario: str) -> list[Any]:
    """The runs with their current scores in the scenario (none or one) as `shown`, without curves and tables."""
    scores = Score.objects.filter(scenario=scenario, superseded__isnull=True, absent="").defer("curve", "table")
    return list(
        runs.select_related("team", "producer__queue__server").prefetch_related(
            Prefetch("scores", scores, to_attr="shown")
        )
    )


def _rank_and_sort_rows(rows: Sequence[LeaderboardRow], ranking: Ranking | None) -> list[LeaderboardRow]:
    """The rows with their ranks, best first: by the tests or, if no test is possible, by the figures.

    Baselines stand between the ranked runs but have no rank, and runs without a primary figure come last.
    """
    if ranking is not None and ranking.untested:
        return sort_leaderboard_rows_best_first(rank_competing_rows_by_shown_figure(rows))
    return sort_leaderboard_rows_best_first(rank_rows_if_all_competing_tested(rows, ranking))


def _list_scenario_options(runs: QuerySet[Run]) -> list[ScenarioOption]:
    """The scenarios of the scores of these runs, with the reason for those in which no run can be scored."""
    rows = Score.objects.filter(run__in=runs.values("pk"), superseded__isnull=True)
    reasons: dict[str, str] = {}
    for name, absent in rows.values_list("scenario", "absent").distinct():
        reasons[name] = absent if reasons.get(name, absent) else ""
    if not reasons:
        return []
    scenarios = list_known_scenarios_official_first({OFFICIAL_SCENARIO: "", **reasons})
    return [ScenarioOption(scenario, reasons[scenario.name]) for scenario in scenarios]


def list_board_measures_primary_first(task: Task, average_of_first_measure: str = "") -> list[Measure]:
    """The columns of a leaderboard, the one that orders it first.

    average_of_first_measure: "macro" or "micro" to order by that average of the primary measure instead, if there is
    one. Measures with the same average as the first come before the others.
    """
    primary = MEASURES_BY_NAME[task.primary]
    other = other_average_measure_or_empty(primary.name)
    if other.startswith(f"{average_of_first_measure}_") and average_of_first_measure:
        primary = MEASURES_BY_NAME[other]
    offered = list_task_measures(task)
    others = [measure for measure in offered if measure != primary]
    further = [measure for measure in others if measure.name in task.further] if task.further else others
    prefix = primary.name.partition("_")[0]
    return [primary, *sorted(further, key=lambda measure: not measure.name.startswith(f"{prefix}_"))]


def list_task_measures(task: Task) -> list[Measure]:
    """The measures that a leaderboard of a task can show without further choices."""
    if (form := task.compared_form) is not None:
        return list_open_measures(form)
    kind = Kind(task.kind)
    return [*list_scored_measures(kind), *list_chosen_optional_measures(kind, task.further)]


def _list_averages(primary: Measure) -> list[str]:
    """The averages of a measure, its own first; empty if it has only one."""
    other = other_average_measure_or_empty(primary.name)
    return [name.partition("_")[0] for name in (primary.name, other)] if other else []


def _build_board_row(run: Any, columns: Sequence[Measure], naming: RunNaming) -> LeaderboardRow:
    """run: a Run as _list_runs_with_scores returns it."""
    score: Score | None = run.shown[0] if run.shown else None
    name = naming.get_run_names(run)
    return LeaderboardRow(
        run=run.pk,
        name=name.run,
        team=name.team,
        team_slug=name.team_slug,
        server_slug=name.server_slug,
        sort=str(run.board_sort),
        first=None,
        last=None,
        cells=build_score_cells(columns, score.figures if score else {}, score.intervals if score else {}),
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
        description=NO_DESCRIPTION if name.anonymous else get_description_of_run(run),
    )


def build_score_cells(
    measures: Sequence[Measure], figure_by_measure: Mapping[str, float | None], interval_by_measure: Mapping[str, Any]
) -> list[ScoreCell]:
    """figure_by_measure: {measure: value}; interval_by_measure: {measure: [low, high]}."""
    return [
        ScoreCell(measure, figure_by_measure.get(measure.name), *interval_by_measure.get(measure.name, (None, None)))
        for measure in measures
    ]


def add_curves_of_chosen_or_best(board: Board, max_curves: int) -> Board:
    """The board with the curves of the chosen runs, or else of the best; 1 query."""
    scored = [row for row in board.rows if row.score is not None]
    drawn = [row for row in scored if row.run in board.chosen.runs] or scored
    rows = Score.objects.filter(pk__in=[row.score for row in drawn[:max_curves]]).values_list("run", "curve")
    curves = {run: [(recall, precision) for recall, precision in curve] for run, curve in rows}
    return replace(board, rows=[replace(row, curve=curves.get(row.run, ())) for row in board.rows])


def _compute_board_version(
    rows: Sequence[LeaderboardRow], phase: Phase, ranking: Ranking | None, naming: RunNaming, *, published: bool
) -> str:
    """A text that changes whenever the board looks different: its runs, scores and ranks, and who sees it."""
    seen = [(row.run, row.score, row.computed, row.first, row.last, row.description) for row in rows]
    checksum = zlib.crc32(repr(seen).encode())
    ranks = f"{ranking.computed.timestamp() if ranking.computed else 0:.3f}.{ranking.done}" if ranking else "0"
    visibility = "public" if published else "closed"
    names = "numbered" if naming.anonymous else "named"
    return f"{checksum:08x}-{ranks}-{phase.revision}-{visibility}-{names}"


def add_bars_and_rank_starts(board: Board) -> Board:
    """The board with what its table draws: interval bars on one scale, and where each rank starts."""
    rows = add_interval_bars_on_one_scale([*board.rows, *([board.ensemble] if board.ensemble else [])])
    runs = mark_first_row_of_each_rank(rows[: len(board.rows)])
    return replace(board, rows=runs, ensemble=rows[-1] if board.ensemble else None)

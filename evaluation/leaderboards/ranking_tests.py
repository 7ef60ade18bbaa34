"""Run the paired tests between all runs of a leaderboard, again whenever their scores have changed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
from django.contrib.postgres.aggregates import ArrayAgg
from django.utils import timezone

from annotations.schema import Kind
from bcms.lib.version import VERSION
from evaluation.analyses.scores.leaderboard_scores import BOOTSTRAP_SEED
from evaluation.analyses.significance.leaderboard_tests import (
    MIN_SAMPLES,
    count_call_swaps_reaching_observed_difference,
    count_label_swaps_reaching_observed_difference,
    count_list_swaps_reaching_observed_difference,
    count_passage_swaps_reaching_observed_difference,
    has_more_runs_than_default_tests_allow,
    required_holm_samples_or_minimum,
)
from evaluation.analyses.significance.randomization import SampleProgress
from evaluation.analyses.tables.packing import (
    unpack_call_table_counts,
    unpack_count_table,
    unpack_passage_table,
    unpack_ranked_hits,
)
from evaluation.challenges.models import Phase, Task
from evaluation.leaderboards.ensemble import EnsembleScore, score_best_teams_vote_ensemble_by_scenario
from evaluation.leaderboards.models import Ranking
from evaluation.measures.leaderboard_scenarios import OFFICIAL_SCENARIO, get_fixed_or_build_scenario
from evaluation.measures.registry import MEASURES_BY_NAME, other_average_measure_or_empty
from evaluation.runs.counted_runs import find_counted_run_ids
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from servers.teams.models import Membership

# How often the progress of the tests is stored for the page.
PROGRESS_STEPS = 20
UNTESTABLE_REASON = (
    "In this scenario runs are scored over different articles, so no test can compare them. They are ordered by their "
    "figures only."
)


@dataclass(frozen=True, slots=True)
class StaleBoard:
    """A leaderboard with outdated rankings; wanted: scenario, measure and ids of the scores of each."""

    task: Task
    phase: Phase
    wanted: Sequence[tuple[str, str, Sequence[int]]]


@dataclass(frozen=True, slots=True)
class ReaderTests:
    """The tests between the runs that some users see before publication, with the fields of Ranking."""

    scores: Sequence[int]
    counts: Sequence[int]
    untested: str
    samples: int


def list_boards_with_outdated_rankings() -> list[StaleBoard]:
    """The leaderboards whose rankings are missing or not of the current scores and software.

    4 queries, and one or two for each leaderboard on which not all runs count.
    """
    current = Score.objects.filter(superseded__isnull=True, absent="", run__withdrawn__isnull=True)
    outside = (Run.Source.BASELINE, Run.Source.IMPORTED)
    competing = current.exclude(run__sort__in=outside).exclude(run__baseline=True)
    boards = competing.values_list("run__task", "run__phase", "scenario")
    groups = boards.annotate(ids=ArrayAgg("pk", order_by="pk"), runs=ArrayAgg("run", order_by="pk")).order_by(
        "run__task", "run__phase", "scenario"
    )
    stored = {
        (ranking.task_id, ranking.phase_id, ranking.scenario, ranking.measure): ranking
        for ranking in Ranking.objects.defer("counts", "ensemble", "readers")
    }
    tasks, phases = Task.objects.in_bulk(), Phase.objects.in_bulk()
    find_counted = cache(find_counted_run_ids)
    wanted: dict[tuple[int, int], list[tuple[str, str, Sequence[int]]]] = {}
    for task, phase, scenario, score_ids, runs in groups:
        counted = find_counted(tasks[task], phases[phase])
        ids = [score for score, run in zip(score_ids, runs, strict=True) if counted is None or run in counted]
        if not ids:
            continue
        for measure in _list_ranked_measures(tasks[task]):
            ranking = stored.get((task, phase, scenario, measure))
            if ranking is None or ranking.scores != ids or ranking.version != VERSION:
                wanted.setdefault((task, phase), []).append((scenario, measure, ids))
    return [StaleBoard(tasks[task], phases[phase], rankings) for (task, phase), rankings in wanted.items()]


def _list_ranked_measures(task: Task) -> list[str]:
    """The measures by which runs are ranked: the primary one and, if there is one, its other average."""
    other = other_average_measure_or_empty(task.primary)
    return [task.primary, *([other] if other else [])]


def store_rankings_of_stale_board(stale_board: StaleBoard) -> int:
    """Make the rankings of a leaderboard, the official one first. How many were made."""
    ensemble = score_officially_best_teams_ensemble_unsealing_gold(stale_board.task, stale_board.phase)
    order = sorted(
        stale_board.wanted, key=lambda one: (one[0] != OFFICIAL_SCENARIO, one[1] != stale_board.task.primary)
    )
    for scenario, measure, ids in order:
        _update_ranking(stale_board, scenario, measure, ids, ensemble.get(scenario))
    return len(order)


def score_officially_best_teams_ensemble_unsealing_gold(task: Task, phase: Phase) -> dict[str, EnsembleScore]:
    """The ensemble of the best runs by the official scenario, {scenario: score}; empty if there is none."""
    scores = Score.objects.filter(
        run__task=task,
        run__phase=phase,
        run__withdrawn__isnull=True,
        run__team__isnull=False,
        run__baseline=False,
        scenario=OFFICIAL_SCENARIO,
        superseded__isnull=True,
        absent="",
    ).exclude(run__sort=Run.Source.BASELINE)
    counted = find_counted_run_ids(task, phase)
    if counted is not None:
        scores = scores.filter(run__in=counted)
    return score_best_teams_vote_ensemble_by_scenario(
        task, phase, list(scores.select_related("run", "gold__task", "gold__phase__corpus").defer("table"))
    )


def _update_ranking(
    stale: StaleBoard, scenario: str, measure: str, ids: Sequence[int], ensemble: EnsembleScore | None
) -> Ranking:
    """Make one ranking and store it instead of the earlier one, with its progress in the meantime."""
    ranking, _ = Ranking.objects.get_or_create(task=stale.task, phase=stale.phase, scenario=scenario, measure=measure)
    samples = required_holm_samples_or_minimum(len(ids))
    scores = list(Score.objects.filter(pk__in=ids).select_related("run").order_by("pk"))
    kind = Kind(stale.task.kind)
    tables = [bytes(score.table) for score in scores]
    counts, untested = _run_paired_tests(kind, scenario, measure, tables, samples, _make_progress_writer(ranking))
    fields: dict[str, Any] = {
        "scores": list(ids),
        "counts": counts,
        "untested": untested[:300],
        "samples": samples if counts else 0,
        "seed": BOOTSTRAP_SEED,
        "ensemble": _build_ensemble_record(kind, scenario, measure, scores, ensemble) if ensemble else None,
        "readers": _run_reader_tests(stale, scenario, measure, scores),
        "version": VERSION,
        "done": 0,
        "total": 0,
        "computed": timezone.now(),
    }
    Ranking.objects.filter(pk=ranking.pk).update(**fields)
    ranking.refresh_from_db()
    return ranking


def _run_reader_tests(stale: StaleBoard, scenario: str, measure: str, scores: Sequence[Score]) -> list[dict[str, Any]]:
    """ReaderTests, as dictionaries, for each set of teams whose runs a user sees before publication.

    None for a test, where teams see no scores, and none for small leaderboards, where the tests of two runs do not
    depend on the number of other runs.
    """
    if (
        stale.phase.sort == Phase.Type.TEST
        or stale.phase.published
        or not has_more_runs_than_default_tests_allow(len(scores))
    ):
        return []
    tests = []
    for seen in _group_scores_by_reader(scores):
        samples, tables = required_holm_samples_or_minimum(len(seen)), [bytes(score.table) for score in seen]
        counts, untested = _run_paired_tests(Kind(stale.task.kind), scenario, measure, tables, samples)
        tests.append(ReaderTests([score.pk for score in seen], counts, untested[:300], samples if counts else 0))
    return [asdict(one) for one in tests]


def _group_scores_by_reader(scores: Sequence[Score]) -> list[list[Score]]:
    """The scores that each user may see, once for each distinct set of teams, in their order."""
    teams: dict[int, set[int]] = {}
    members = Membership.objects.filter(team__in={score.run.team_id for score in scores if score.run.team_id})
    for user, team in members.values_list("user", "team"):
        teams.setdefault(user, set()).add(team)
    team_sets = sorted({tuple(sorted(of_user)) for of_user in teams.values()})
    return [[score for score in scores if score.run.team_id in team_set] for team_set in team_sets]


def _make_progress_writer(ranking: Ranking) -> SampleProgress:
    """A callback that stores the progress of the tests, PROGRESS_STEPS times."""
    steps = set[int]()

    def write_progress(done: int, total: int) -> None:
        step = done * PROGRESS_STEPS // total
        if step not in steps:
            steps.add(step)
            Ranking.objects.filter(pk=ranking.pk).update(done=done, total=total)

    return write_progress


def _build_ensemble_record(
    kind: Kind, scenario: str, measure: str, scores: Sequence[Score], ensemble: EnsembleScore
) -> dict[str, Any]:
    """The ensemble as Ranking.ensemble stores it; p: of the test against the best run, None if there is no test."""
    sign = 1 if MEASURES_BY_NAME[measure].higher_is_better else -1
    defined = [score for score in scores if score.figures.get(measure) is not None]
    best = sorted(defined, key=lambda score: -sign * score.figures[measure])[:1]
    tables = [*(bytes(score.table) for score in best), ensemble.table]
    counts, _ = _run_paired_tests(kind, scenario, measure, tables, MIN_SAMPLES)
    record = {name: value for name, value in asdict(ensemble).items() if name != "table"}
    return record | {"p": (counts[0] + 1) / (MIN_SAMPLES + 1) if counts else None}


def _run_paired_tests(
    kind: Kind,
    scenario: str,
    measure: str,
    tables: Sequence[bytes],
    samples: int,
    progress: SampleProgress | None = None,
) -> tuple[list[int], str]:
    """Ranking.counts for these tables (as Score.table), and why there are none, else empty."""
    if not get_fixed_or_build_scenario(scenario).is_comparable:
        return [], UNTESTABLE_REASON
    if len(tables) < 2:
        return [], ""
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    try:
        if kind == Kind.CLASSIFICATION:
            counts = count_call_swaps_reaching_observed_difference(
                list(map(unpack_call_table_counts, tables)), measure, samples, rng, progress
            )
        elif kind == Kind.PASSAGE:
            counts = count_passage_swaps_reaching_observed_difference(
                list(map(unpack_passage_table, tables)), measure, samples, rng, progress
            )
        elif kind == Kind.LABEL:
            counts = count_label_swaps_reaching_observed_difference(
                list(map(unpack_count_table, tables)), measure, samples, rng, progress
            )
        else:
            figure = measure.replace("_", ".", 1)
            counts = count_list_swaps_reaching_observed_difference(
                list(map(unpack_ranked_hits, tables)), figure, samples, rng, progress
            )
    except ValueError as error:
        return [], f"{error} Runs are ordered by their figures only."
    return counts.tolist(), ""

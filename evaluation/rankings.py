"""Rank the runs of a leaderboard: paired tests between all of them, made anew when their scores have changed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from django.contrib.postgres.aggregates import ArrayAgg
from django.utils import timezone

from annotations.kinds import Kind
from bcms.lib.version import VERSION
from evaluation.analyses.board_scores import SEED
from evaluation.analyses.board_tests import (
    LEAST_SAMPLES,
    call_counts,
    is_large,
    list_counts,
    passage_counts,
    samples_for,
)
from evaluation.analyses.packed import unpack_calls, unpack_lists, unpack_passages
from evaluation.analyses.randomization import Progress
from evaluation.joining import Joined, joined
from evaluation.measures.board_scenarios import OFFICIAL, scenario_of
from evaluation.measures.registry import BY_NAME, counterpart
from evaluation.models import Phase, Ranking, Run, Score, Task
from servers.models import Membership

# How often the page is told how far a worker is, in samples.
STEPS = 20


@dataclass(frozen=True, slots=True)
class Stale:
    """A board of which rankings are to be made; wanted: scenario and measure of each, and the scores to be compared."""

    task: Task
    phase: Phase
    wanted: Sequence[tuple[str, str, Sequence[int]]]


@dataclass(frozen=True, slots=True)
class OfReader:
    """The tests between all runs that members of some teams see before publication, as a ranking has those of all."""

    scores: Sequence[int]
    counts: Sequence[int]
    untested: str
    samples: int


def stale_boards() -> list[Stale]:
    """Boards with scores that their rankings do not know, in four queries."""
    current = Score.objects.filter(superseded__isnull=True, absent="", run__withdrawn__isnull=True)
    competing = current.exclude(run__sort=Run.Sort.BASELINE).values_list("run__task", "run__phase", "scenario")
    groups = competing.annotate(ids=ArrayAgg("pk", order_by="pk")).order_by("run__task", "run__phase", "scenario")
    made = {
        (ranking.task_id, ranking.phase_id, ranking.scenario, ranking.measure): ranking
        for ranking in Ranking.objects.defer("counts", "ensemble", "readers")
    }
    tasks, phases = Task.objects.in_bulk(), Phase.objects.in_bulk()
    wanted: dict[tuple[int, int], list[tuple[str, str, Sequence[int]]]] = {}
    for task, phase, scenario, ids in groups:
        for measure in ranked_measures(tasks[task]):
            ranking = made.get((task, phase, scenario, measure))
            if ranking is None or ranking.scores != ids or ranking.version != VERSION:
                wanted.setdefault((task, phase), []).append((scenario, measure, ids))
    return [Stale(tasks[task], phases[phase], own) for (task, phase), own in wanted.items()]


def ranked_measures(task: Task) -> list[str]:
    """The measures by which runs are ranked: the primary one, and the other average of it where there is one."""
    other = counterpart(task.primary)
    return [task.primary, *([other] if other else [])]


def rank_board(stale: Stale) -> int:
    """Make the rankings of a board, the official one first; how many."""
    ensemble = ensemble_of(stale.task, stale.phase)
    order = sorted(stale.wanted, key=lambda own: (own[0] != OFFICIAL, own[1] != stale.task.primary))
    for scenario, measure, ids in order:
        rank(stale, scenario, measure, ids, ensemble.get(scenario))
    return len(order)


def ensemble_of(task: Task, phase: Phase) -> dict[str, Joined]:
    """The ensemble of the best runs by the official figures, by scenario; empty where there is none."""
    scores = Score.objects.filter(
        run__task=task,
        run__phase=phase,
        run__withdrawn__isnull=True,
        run__team__isnull=False,
        scenario=OFFICIAL,
        superseded__isnull=True,
        absent="",
    ).exclude(run__sort=Run.Sort.BASELINE)
    return joined(task, phase, list(scores.select_related("run", "gold__task", "gold__phase__corpus").defer("table")))


def rank(stale: Stale, scenario: str, measure: str, ids: Sequence[int], ensemble: Joined | None) -> Ranking:
    """Make one ranking, telling how far it is, and store it in the place of the last one."""
    ranking, _ = Ranking.objects.get_or_create(task=stale.task, phase=stale.phase, scenario=scenario, measure=measure)
    samples = samples_for(len(ids))
    scores = list(Score.objects.filter(pk__in=ids).select_related("run").order_by("pk"))
    kind = Kind(stale.task.kind)
    tables = [bytes(score.table) for score in scores]
    counts, untested = tested(kind, scenario, measure, tables, samples, told(ranking))
    fields: dict[str, Any] = {
        "scores": list(ids),
        "counts": counts,
        "untested": untested[:300],
        "samples": samples if counts else 0,
        "seed": SEED,
        "ensemble": compared(kind, scenario, measure, scores, ensemble) if ensemble else None,
        "readers": tests_of_readers(stale, scenario, measure, scores),
        "version": VERSION,
        "done": 0,
        "total": 0,
        "computed": timezone.now(),
    }
    Ranking.objects.filter(pk=ranking.pk).update(**fields)
    ranking.refresh_from_db()
    return ranking


def tests_of_readers(stale: Stale, scenario: str, measure: str, scores: Sequence[Score]) -> list[dict[str, Any]]:
    """OfReader of each set of runs, where a team sees its own before all are published; none on a board that is not
    large, whose tests are the same whoever else is there."""
    if stale.phase.sort == Phase.Sort.TEST or stale.phase.published or not is_large(len(scores)):
        return []
    made = []
    for own in seen_together(scores):
        samples, tables = samples_for(len(own)), [bytes(score.table) for score in own]
        counts, untested = tested(Kind(stale.task.kind), scenario, measure, tables, samples)
        made.append(OfReader([score.pk for score in own], counts, untested[:300], samples if counts else 0))
    return [asdict(own) for own in made]


def seen_together(scores: Sequence[Score]) -> list[list[Score]]:
    """The scores of each set of teams that somebody is on, in their order."""
    teams: dict[int, set[int]] = {}
    members = Membership.objects.filter(team__in={score.run.team_id for score in scores if score.run.team_id})
    for user, team in members.values_list("user", "team"):
        teams.setdefault(user, set()).add(team)
    sets = sorted({tuple(sorted(own)) for own in teams.values()})
    return [[score for score in scores if score.run.team_id in own] for own in sets]


def told(ranking: Ranking) -> Progress:
    """What writes the progress where the page reads it."""
    steps = set[int]()

    def tell(done: int, total: int) -> None:
        step = done * STEPS // total
        if step not in steps:
            steps.add(step)
            Ranking.objects.filter(pk=ranking.pk).update(done=done, total=total)

    return tell


def compared(kind: Kind, scenario: str, measure: str, scores: Sequence[Score], ensemble: Joined) -> dict[str, Any]:
    """The ensemble as it is stored, with the p of its difference from the best run, None where there is no test."""
    sign = 1 if BY_NAME[measure].higher_is_better else -1
    defined = [score for score in scores if score.figures[measure] is not None]
    best = sorted(defined, key=lambda score: -sign * score.figures[measure])[:1]
    tables = [*(bytes(score.table) for score in best), ensemble.table]
    counts, _ = tested(kind, scenario, measure, tables, LEAST_SAMPLES)
    own = {name: value for name, value in asdict(ensemble).items() if name != "table"}
    return own | {"p": (counts[0] + 1) / (LEAST_SAMPLES + 1) if counts else None}


def tested(
    kind: Kind, scenario: str, measure: str, tables: Sequence[bytes], samples: int, progress: Progress | None = None
) -> tuple[list[int], str]:
    """The counts of all pairs of tables as scores have them, or why there are none."""
    if not scenario_of(scenario).compared:
        return [], "Here every run is scored over articles of its own, so no test compares them: by the figures alone."
    if len(tables) < 2:
        return [], ""
    rng = np.random.default_rng(SEED)
    try:
        if kind == Kind.CLASSIFICATION:
            counts = call_counts(list(map(unpack_calls, tables)), measure, samples, rng, progress)
        elif kind == Kind.PASSAGE:
            counts = passage_counts(list(map(unpack_passages, tables)), measure, samples, rng, progress)
        else:
            figure = measure.replace("_", ".", 1)
            counts = list_counts(list(map(unpack_lists, tables)), figure, samples, rng, progress)
    except ValueError as error:
        return [], f"{error} Runs stand by their figures alone."
    return counts.tolist(), ""

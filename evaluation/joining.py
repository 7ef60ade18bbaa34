"""The ensemble of the best runs of a board, which shows what they know together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from annotations.kinds import Finding, Kind
from evaluation.accessions import tables_for
from evaluation.analyses.board_scores import InScenario, of_calls, of_lists, of_mentions, of_passages
from evaluation.analyses.ensemble import call_ensemble, ensemble
from evaluation.articles import articles_of
from evaluation.measures.classification import Judgement, in_list_order
from evaluation.measures.columns import CallColumns
from evaluation.measures.finding_figures import Keys, Sides, mention_sides, sides_of
from evaluation.measures.passages import Pair
from evaluation.measures.registry import BY_NAME
from evaluation.mentions.alternatives import accepted_by
from evaluation.models import Phase, Score, Task
from evaluation.scoring import Said, answers_of, by_name, by_names, judged, judgements, right_of, submitted

BEST, VOTES = 3, 2
Named = Mapping[str, Sequence[Finding]]


@dataclass(frozen=True, slots=True)
class Joined:
    """Runs of different teams joined by votes, and what they score together.

    runs: ids; intervals: {measure: (low, high)}; table: as that of a score, by which it is compared with runs.
    """

    runs: Sequence[int]
    votes: int
    figures: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    articles: int
    answered: int
    table: bytes


def joined(task: Task, phase: Phase, scores: Sequence[Score]) -> dict[str, Joined]:
    """The ensemble by scenario; empty when runs of fewer than two teams are scored."""
    best = best_of_teams(scores, task.primary)
    if len(best) < VOTES:
        return {}
    kind, gold = Kind(task.kind), best[0].gold
    right = right_of(gold, kind).findings
    names = {article: name for article, name in by_name(articles_of(phase)) if article in right}
    said = [answers_of(score.run.producer_id, kind).findings for score in best]
    runs = [score.run_id for score in best]
    if kind == Kind.PASSAGE:
        made = of_passages(judged(gold, names), joined_passages([submitted(names, own) for own in said]))
        return {own.scenario: of_scenario(own, runs) for own in made if not own.absent}
    if kind == Kind.MENTION:
        sides = joined_mentions(by_names(names, right), [by_names(names, own) for own in said])
        made = of_mentions(sides, accepted_by(gold, names))
        return {own.scenario: of_scenario(own, runs) for own in made if not own.absent}
    figures = of_joined_calls if kind == Kind.CLASSIFICATION else of_joined_lists
    return {own.scenario: of_scenario(own, runs) for own in figures(kind, names, right, said) if not own.absent}


def best_of_teams(scores: Sequence[Score], measure: str) -> list[Score]:
    """The best run of each team, of the best BEST teams; equal ones by their ids."""
    sign = -1 if BY_NAME[measure].higher_is_better else 1
    order = sorted(scores, key=lambda score: (sign * score.figures[measure], score.run_id))
    of_team: dict[int | None, Score] = {}
    for score in order:
        of_team.setdefault(score.run.team_id, score)
    return list(of_team.values())[:BEST]


def of_scenario(own: InScenario, runs: Sequence[int]) -> Joined:
    intervals = {name: (interval.low, interval.high) for name, interval in own.intervals.items()}
    return Joined(runs, VOTES, dict(own.values), intervals, own.articles, own.answered, own.table)


def of_joined_lists(kind: Kind, names: Mapping[int, str], right: Said, said: Sequence[Said]) -> list[InScenario]:
    """Everything that so many runs report, in every scenario."""
    keys: dict[str, Keys] = {name: frozenset(finding.key for finding in right[pk]) for pk, name in names.items()}
    sides = [sides_of(keys, by_names(names, own)) for own in said]
    together = Sides(sides[0].gold, ensemble([own.run for own in sides], VOTES))
    return of_lists(together, tables_for(kind, together, {str(key[0]) for own in keys.values() for key in own}))


def joined_mentions(right: Named, said: Sequence[Named]) -> Sides:
    """The places of genes that so many runs report."""
    sides = [mention_sides(right, own) for own in said]
    return Sides(sides[0].gold, ensemble([own.run for own in sides], VOTES))


def of_joined_calls(kind: Kind, names: Mapping[int, str], right: Said, said: Sequence[Said]) -> list[InScenario]:
    """Relevant is what so many runs call relevant."""
    gold = {name: any(finding.relevant for finding in right[article]) for article, name in names.items()}
    together = call_ensemble([columns_of(list(judgements(names, own))) for own in said], VOTES)
    ranks = [None] * len(together) if together.rank is None else together.rank.tolist()
    calls = zip(together.article, together.relevant.tolist(), ranks, strict=True)
    return of_calls(gold, [Judgement(article, relevant, rank) for article, relevant, rank in calls])


def joined_passages(runs: Sequence[Mapping[Pair, Sequence[str]]]) -> dict[Pair, list[str]]:
    """The passages of each pair that so many runs submit, by votes, then by their mean place, then by their text."""
    places: dict[Pair, dict[str, list[int]]] = {}
    for run in runs:
        for pair, passages in run.items():
            for place, passage in enumerate(passages):
                places.setdefault(pair, {}).setdefault(passage, []).append(place)
    return {pair: elected(own) for pair, own in places.items()}


def elected(places: Mapping[str, Sequence[int]]) -> list[str]:
    """Those with enough votes, {passage: its place in each list}."""
    kept = [(-len(at), fmean(at), passage) for passage, at in places.items() if len(at) >= VOTES]
    return [passage for _, _, passage in sorted(kept)]


def columns_of(calls: Sequence[Judgement]) -> CallColumns:
    """Calls as columns; a call without a confidence has 0, which counts in no mean."""
    listed = in_list_order(calls)
    return CallColumns(
        [call.article for call in listed],
        np.array([call.relevant for call in listed], dtype=np.bool_),
        confidence=np.array([call.confidence or 0.0 for call in listed], dtype=np.float64),
    )

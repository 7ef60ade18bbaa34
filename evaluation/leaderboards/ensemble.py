"""The ensemble of the best runs of a leaderboard: the annotations that several of them report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from annotations.schema import AnnotationData, Kind
from evaluation.analyses.ensemble import combine_call_runs_by_votes, combine_list_runs_by_votes
from evaluation.analyses.scores.leaderboard_scores import (
    RunScenarioScore,
    score_calls_in_official_scenario,
    score_mentions_in_scenarios,
    score_or_explain_lists_in_every_scenario,
    score_passages_in_official_scenario,
)
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.models import Phase, Task
from evaluation.gold.alternatives import find_accepted_spans_unsealing
from evaluation.measures.classification.article_calls import ArticleCall, sort_calls_most_likely_relevant_first
from evaluation.measures.columns import CallColumns, GoldRunColumns
from evaluation.measures.items.split_annotations import vote_on_items
from evaluation.measures.leaderboard_figures import (
    ItemKeys,
    build_gene_or_untyped_mention_columns,
    build_list_columns_in_gold_databases,
)
from evaluation.measures.lists.list_rows import build_list_rows
from evaluation.measures.open_tasks import choose_compared_form
from evaluation.measures.passages import PassagePair
from evaluation.measures.registry import MEASURES_BY_NAME
from evaluation.scoring.accession_tables import load_accession_tables
from evaluation.scoring.answers import (
    AnnotationsByArticle,
    load_open_or_sealed_gold_annotations,
    load_task_annotations,
)
from evaluation.scoring.models import Score
from evaluation.scoring.scenario_scores import (
    index_annotations_by_name,
    iter_first_call_per_article,
    list_optional_figure_names,
    load_passage_verdicts,
    rank_passages_by_article_and_pair,
    score_with_settings,
    sort_articles_by_name,
)

MAX_ENSEMBLE_RUNS, MIN_ENSEMBLE_VOTES = 3, 2
AnnotationsByName = Mapping[str, Sequence[AnnotationData]]


@dataclass(frozen=True, slots=True)
class EnsembleScore:
    """The score of an ensemble in one scenario.

    runs: ids of its runs; votes: how many of them have to report an annotation; figures: {measure: value}; intervals:
    {measure: (low, high)}; articles, answered: numbers; table: as Score.table, for tests against runs.
    """

    runs: Sequence[int]
    votes: int
    figures: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    articles: int
    answered: int
    table: bytes


def score_best_teams_vote_ensemble_by_scenario(
    task: Task, phase: Phase, candidate_scores: Sequence[Score]
) -> dict[str, EnsembleScore]:
    """The ensemble of the best runs of different teams, {scenario: score}; empty for fewer than two teams."""
    best = _select_best_run_per_team(candidate_scores, task.primary)
    if len(best) < MIN_ENSEMBLE_VOTES:
        return {}
    kind, gold = Kind(task.kind), best[0].gold
    gold_annotations = load_open_or_sealed_gold_annotations(gold, kind).by_article
    sorted_names = sort_articles_by_name(list_unexcluded_article_names(phase))
    names = {article: name for article, name in sorted_names if article in gold_annotations}
    predictions = [load_task_annotations(score.run.producer_id, task).by_article for score in best]
    runs = [score.run_id for score in best]
    if (settings := task.get_settings()) is not None:
        named_gold = index_annotations_by_name(names, gold_annotations)
        named_runs = [index_annotations_by_name(names, run) for run in predictions]
        form = choose_compared_form(kind, settings)
        voted = vote_on_items(None if form == "label" else form, named_runs, named_gold, settings, MIN_ENSEMBLE_VOTES)
        scored = score_with_settings(kind, settings, named_gold, voted)
    elif kind == Kind.PASSAGE:
        passages = _build_passage_ensemble([rank_passages_by_article_and_pair(names, run) for run in predictions])
        scored = score_passages_in_official_scenario(load_passage_verdicts(gold, names), passages)
    elif kind == Kind.MENTION:
        columns = _build_mention_ensemble(
            index_annotations_by_name(names, gold_annotations),
            [index_annotations_by_name(names, run) for run in predictions],
        )
        scored = score_mentions_in_scenarios(columns, find_accepted_spans_unsealing(gold, names))
    elif kind == Kind.CLASSIFICATION:
        scored = _score_class_ensemble(names, gold_annotations, predictions, list_optional_figure_names(task))
    else:
        scored = _score_list_ensemble(kind, names, gold_annotations, predictions, list_optional_figure_names(task))
    return {one.scenario: _build_ensemble_score(one, runs) for one in scored if not one.absent}


def _select_best_run_per_team(scores: Sequence[Score], measure: str) -> list[Score]:
    """The best run of each of the best MAX_ENSEMBLE_RUNS teams; of equal runs the oldest."""
    sign = -1 if MEASURES_BY_NAME[measure].higher_is_better else 1
    # A score that was computed before the task chose this measure is about to be replaced.
    scored = [score for score in scores if score.figures.get(measure) is not None]
    order = sorted(scored, key=lambda score: (sign * score.figures[measure], score.run_id))
    best: dict[int | None, Score] = {}
    for score in order:
        best.setdefault(score.run.team_id, score)
    return list(best.values())[:MAX_ENSEMBLE_RUNS]


def _build_ensemble_score(scored: RunScenarioScore, runs: Sequence[int]) -> EnsembleScore:
    """runs: ids of the runs of the ensemble."""
    intervals = {name: (interval.low, interval.high) for name, interval in scored.intervals.items()}
    return EnsembleScore(
        runs, MIN_ENSEMBLE_VOTES, dict(scored.values), intervals, scored.articles, scored.answered, scored.table
    )


def _score_list_ensemble(
    kind: Kind,
    names: Mapping[int, str],
    gold: AnnotationsByArticle,
    predictions: Sequence[AnnotationsByArticle],
    optional_figures: Sequence[str],
) -> list[RunScenarioScore]:
    """The items that enough runs report, scored in every scenario. names: {article id: name}."""
    keys: dict[str, ItemKeys] = {name: frozenset(one.key for one in gold[pk]) for pk, name in names.items()}
    columns = [
        build_list_columns_in_gold_databases(keys, build_list_rows(index_annotations_by_name(names, run)))
        for run in predictions
    ]
    ensemble = GoldRunColumns(
        columns[0].gold, combine_list_runs_by_votes([one.run for one in columns], MIN_ENSEMBLE_VOTES)
    )
    databases = {str(key[0]) for in_article in keys.values() for key in in_article}
    return score_or_explain_lists_in_every_scenario(
        ensemble, load_accession_tables(kind, ensemble, databases), optional_figures=optional_figures
    )


def _build_mention_ensemble(gold: AnnotationsByName, predictions: Sequence[AnnotationsByName]) -> GoldRunColumns:
    """The spans of genes that enough runs report, with the gold standard."""
    columns = [build_gene_or_untyped_mention_columns(gold, run) for run in predictions]
    return GoldRunColumns(columns[0].gold, combine_list_runs_by_votes([one.run for one in columns], MIN_ENSEMBLE_VOTES))


def _score_class_ensemble(
    names: Mapping[int, str],
    gold: AnnotationsByArticle,
    predictions: Sequence[AnnotationsByArticle],
    optional_figures: Sequence[str],
) -> list[RunScenarioScore]:
    """An article is relevant if enough runs call it relevant. names: {article id: name}."""
    gold_classes = {name: any(one.relevant for one in gold[article]) for article, name in names.items()}
    runs = [_build_call_columns(list(iter_first_call_per_article(names, run))) for run in predictions]
    ensemble = combine_call_runs_by_votes(runs, MIN_ENSEMBLE_VOTES)
    ranks = [None] * len(ensemble) if ensemble.rank is None else ensemble.rank.tolist()
    calls = zip(ensemble.article, ensemble.relevant.tolist(), ranks, strict=True)
    return score_calls_in_official_scenario(
        gold_classes,
        [ArticleCall(article, relevant, rank) for article, relevant, rank in calls],
        optional_figures=optional_figures,
    )


def _build_passage_ensemble(runs: Sequence[Mapping[PassagePair, Sequence[str]]]) -> dict[PassagePair, list[str]]:
    """The passages of each pair that enough runs submit, sorted by votes, mean position and text."""
    positions: dict[PassagePair, dict[str, list[int]]] = {}
    for run in runs:
        for pair, passages in run.items():
            for position, passage in enumerate(passages):
                positions.setdefault(pair, {}).setdefault(passage, []).append(position)
    return {pair: _rank_passages_by_votes(of_pair) for pair, of_pair in positions.items()}


def _rank_passages_by_votes(positions: Mapping[str, Sequence[int]]) -> list[str]:
    """The passages with enough votes, best first. positions: {passage: its position in each run that submits it}."""
    order = [(-len(at), fmean(at), passage) for passage, at in positions.items() if len(at) >= MIN_ENSEMBLE_VOTES]
    return [passage for _, _, passage in sorted(order)]


def _build_call_columns(calls: Sequence[ArticleCall]) -> CallColumns:
    """Classifications as columns, sorted; without a confidence it is 0, which is left out of means."""
    ordered = sort_calls_most_likely_relevant_first(calls)
    return CallColumns(
        [call.article for call in ordered],
        np.array([call.relevant for call in ordered], dtype=np.bool_),
        confidence=np.array([call.confidence or 0.0 for call in ordered], dtype=np.float64),
    )

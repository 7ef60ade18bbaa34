"""The leaderboard scores of one run of a task with settings: items in every scenario, schemes of mentions, labels."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from annotations.entity_types import fold_type_spelling
from evaluation.analyses.scores.leaderboard_scores import (
    BOOTSTRAP_SAMPLES,
    BOOTSTRAP_SEED,
    NO_GOLD_ITEMS,
    RunScenarioScore,
    score_each_scenario_with_bootstrap_intervals,
)
from evaluation.analyses.significance.confidence_intervals import ConfidenceInterval
from evaluation.analyses.significance.count_tests import bootstrap_count_intervals
from evaluation.analyses.tables.count_tables import (
    LABEL_FIGURES,
    CountTable,
    build_label_table,
    build_scheme_table,
    compute_count_figures,
)
from evaluation.analyses.tables.packing import pack_count_table
from evaluation.measures.columns import MentionItem
from evaluation.measures.items.article_columns import AnnotationsByArticle, ItemConfidences
from evaluation.measures.items.labels import count_labels
from evaluation.measures.items.task_columns import (
    ItemForm,
    build_item_columns,
    build_item_scenario,
    group_items_by_article,
    select_each_type,
)
from evaluation.measures.leaderboard_figures import (
    LeaderboardFigures,
    compute_f1_precision_recall_without_curve,
    compute_micro_and_gold_only_macro_figures,
)
from evaluation.measures.leaderboard_scenarios import (
    ANSWERED_SCENARIO,
    LONGEST_SCENARIO_NAME,
    MAX_TYPE_SCENARIOS,
    OFFICIAL_SCENARIO,
    PARTIAL_SPAN_MATCHES,
    type_scenario_name,
)
from evaluation.measures.lists.ranking import RankedHits
from evaluation.measures.lists.scenarios import EvaluatedRun, iter_scenario_matches_and_hits, match_run_and_mark_hits
from evaluation.measures.mentions.schemes import (
    MENTION_SCHEMES,
    MentionScheme,
    count_mentions_of_all_articles_by_scheme,
)
from evaluation.measures.run_figures import compute_micro_figures
from evaluation.measures.task_settings import LabelSet, TaskSettings

SCHEME_FIGURES = ("f1", "precision", "recall")
COUNTS = ("tp", "fp", "fn")


def score_items_in_scenarios(
    form: ItemForm,
    gold: AnnotationsByArticle,
    run: AnnotationsByArticle,
    settings: TaskSettings,
    samples: int = BOOTSTRAP_SAMPLES,
    seed: int = BOOTSTRAP_SEED,
) -> list[RunScenarioScore]:
    """Scores over all articles, over those that the run answered, and of each type; gold, run: {article: annotations}.

    Mentions and links have a scenario for each way in which spans match in part, and mentions the figures of the
    schemes, such as ner_strict_f1.
    """
    if not build_item_columns(form, gold, {}, settings).gold.item.codes.size:
        return [RunScenarioScore(OFFICIAL_SCENARIO, absent=NO_GOLD_ITEMS)]
    scores = score_each_scenario_with_bootstrap_intervals(
        _iter_evaluations(form, gold, run, settings),
        _compute_unordered_figures if form in ("mention", "link") else _compute_list_figures,
        samples,
        seed,
    )
    if form != "mention":
        return scores
    values, intervals = _score_by_each_scheme(gold, run, settings, samples, seed)
    return [
        replace(score, values={**score.values, **values}, intervals={**score.intervals, **intervals})
        if score.scenario == OFFICIAL_SCENARIO
        else score
        for score in scores
    ]


def _iter_evaluations(
    form: ItemForm, gold: AnnotationsByArticle, run: AnnotationsByArticle, settings: TaskSettings
) -> Iterator[tuple[str, EvaluatedRun]]:
    official = build_item_scenario(form, settings)
    scenarios = {OFFICIAL_SCENARIO: official, ANSWERED_SCENARIO: replace(official, answered_only=True)}
    if form in ("mention", "link"):
        scenarios |= {how: replace(official, spans=how) for how in PARTIAL_SPAN_MATCHES}
    columns = build_item_columns(form, gold, run, settings)
    yield from zip(
        scenarios, iter_scenario_matches_and_hits(columns.gold, columns.run, list(scenarios.values())), strict=True
    )
    for name, chosen in _select_type_scenarios(form, gold, settings).items():
        columns = build_item_columns(form, gold, run, chosen)
        yield name, match_run_and_mark_hits(columns.gold, columns.run, official)


def _select_type_scenarios(
    form: ItemForm, gold: AnnotationsByArticle, settings: TaskSettings
) -> dict[str, TaskSettings]:
    """{scenario: settings} of the most frequent types, {} for a gold standard of one type."""
    selected = select_each_type(form, gold, settings)
    normalize = fold_type_spelling if form == "relation" else settings.normalize_type
    scenarios = {type_scenario_name(normalize(name)): chosen for name, chosen in selected.items()}
    stored = {name: chosen for name, chosen in scenarios.items() if len(name) <= LONGEST_SCENARIO_NAME}
    return dict(list(stored.items())[:MAX_TYPE_SCENARIOS]) if len(selected) > 1 else {}


def _compute_unordered_figures(ranked: RankedHits) -> LeaderboardFigures:
    return _add_counts(compute_f1_precision_recall_without_curve(ranked), ranked)


def _compute_list_figures(ranked: RankedHits) -> LeaderboardFigures:
    return _add_counts(compute_micro_and_gold_only_macro_figures(ranked), ranked)


def _add_counts(figures: LeaderboardFigures, ranked: RankedHits) -> LeaderboardFigures:
    micro = compute_micro_figures(ranked)
    return replace(figures, values={**figures.values, **{f"micro_{name}": getattr(micro, name) for name in COUNTS}})


def _score_by_each_scheme(
    gold: AnnotationsByArticle, run: AnnotationsByArticle, settings: TaskSettings, samples: int, seed: int
) -> tuple[dict[str, float], dict[str, ConfidenceInterval]]:
    """{figure: value} and {figure: interval} of all schemes."""
    values: dict[str, float] = {}
    intervals: dict[str, ConfidenceInterval] = {}
    figures = [f"micro.{name}" for name in SCHEME_FIGURES]
    for scheme in MENTION_SCHEMES:
        table = build_mention_scheme_table(gold, run, settings, scheme)
        named = {figure: f"ner_{scheme}_{name}" for figure, name in zip(figures, SCHEME_FIGURES, strict=True)}
        values |= {named[figure]: value for figure, value in compute_count_figures(table, figures).items()}
        found = bootstrap_count_intervals(table, samples, np.random.default_rng(seed), figures=figures)
        intervals |= {named[figure]: interval for figure, interval in found.items()}
    return values, intervals


def build_mention_scheme_table(
    gold: AnnotationsByArticle, run: AnnotationsByArticle, settings: TaskSettings, scheme: MentionScheme
) -> CountTable:
    """The table of the mentions of a run by a scheme, over the articles of the gold standard."""
    gold_mentions, run_mentions = (
        {article: _keep_mentions(items) for article, items in items_by_article.items()}
        for items_by_article in (
            group_items_by_article("mention", gold, settings, gold),
            group_items_by_article("mention", run, settings, gold),
        )
    )
    return build_scheme_table(count_mentions_of_all_articles_by_scheme(gold_mentions, run_mentions, scheme))


def _keep_mentions(items: ItemConfidences) -> list[MentionItem]:
    return [item for item in items if isinstance(item, MentionItem)]


def score_labels_in_official_scenario(
    gold: AnnotationsByArticle,
    run: AnnotationsByArticle,
    label_set: LabelSet | None,
    samples: int = BOOTSTRAP_SAMPLES,
    seed: int = BOOTSTRAP_SEED,
) -> list[RunScenarioScore]:
    """The only scenario of labels: every article of the gold standard counts; gold, run: {article: annotations}."""
    labels = count_labels(gold, run, label_set)
    if not labels.counts[..., -1].any():
        return [RunScenarioScore(OFFICIAL_SCENARIO, absent=NO_GOLD_ITEMS)]
    table = build_label_table(labels)
    names = {figure: name_label_measure(figure) for figure in LABEL_FIGURES}
    intervals = bootstrap_count_intervals(table, samples, np.random.default_rng(seed))
    return [
        RunScenarioScore(
            OFFICIAL_SCENARIO,
            {names[figure]: value for figure, value in compute_count_figures(table).items()},
            {names[figure]: interval for figure, interval in intervals.items()},
            (),
            pack_count_table(table),
            len(labels.articles),
            sum(bool(run.get(article)) for article in labels.articles),
        )
    ]


def name_label_measure(figure: str) -> str:
    """The name in the registry of one of LABEL_FIGURES: label_micro_f1 for micro.f1."""
    return f"label_{figure.replace('.', '_')}" if "." in figure else figure

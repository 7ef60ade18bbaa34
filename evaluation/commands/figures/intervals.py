"""Bootstrap confidence intervals of the figures of a run, for --bootstrap and compare."""

from argparse import Namespace
from collections.abc import Mapping

import numpy as np

from annotations.formats.tsv.result_table import ResultTable
from evaluation.analyses.organism_figures import group_evaluations_by_gold_organism
from evaluation.analyses.significance.confidence_intervals import (
    ConfidenceInterval,
    bootstrap_95_percent_list_intervals,
    bootstrap_call_intervals_over_defined_samples,
)
from evaluation.analyses.significance.count_tests import bootstrap_count_intervals
from evaluation.analyses.significance.further_intervals import (
    bootstrap_further_call_intervals,
    bootstrap_further_list_intervals,
)
from evaluation.analyses.significance.passage_tests import bootstrap_passage_intervals
from evaluation.analyses.tables.call_tables import CallTable, build_call_table
from evaluation.analyses.tables.list_tables import RANKED_LIST_FIGURES
from evaluation.commands.figures.open_scores import (
    build_open_count_table,
    evaluate_open_table,
    list_count_figures,
)
from evaluation.commands.figures.run_scores import (
    ORDER_DEPENDENT_FIGURES,
    build_call_list_of_run,
    build_scored_lists_of_evaluated,
    build_scoring_scenario,
    convert_tables_applying_interactors_option,
)
from evaluation.commands.files.scoring_maps import ScoringMaps
from evaluation.commands.files.table_columns import (
    convert_gold_labels,
    convert_run_calls,
    convert_verdict_table,
    rank_distinct_passages_of_each_pair,
)
from evaluation.commands.options.open_task import ITEM_TASKS, LABEL_TASKS
from evaluation.commands.options.task import PASSAGE_TASKS, is_ranked_task
from evaluation.commands.options.values import DEFAULT_SEED
from evaluation.measures.classification.article_calls import UnreportedPolicy
from evaluation.measures.classification.further_figures import FURTHER_CALL_FIGURES
from evaluation.measures.columns import Floats
from evaluation.measures.lists.further_figures import FURTHER_LIST_FIGURES
from evaluation.measures.lists.ranking import RankedHits
from evaluation.measures.lists.scenarios import EvaluatedRun, match_run_and_mark_hits
from evaluation.measures.passages import build_passage_count_table_by_article


def build_sample_generator(options: Namespace) -> np.random.Generator:
    """A random generator with the seed of --seed; use a new one for each run, so that all have the same samples."""
    return np.random.default_rng(DEFAULT_SEED if options.seed is None else options.seed)


def compute_bootstrap_intervals_of_run(
    options: Namespace, run: ResultTable, gold: ResultTable, maps: ScoringMaps
) -> Mapping[str, ConfidenceInterval]:
    """{figure, such as macro.f1: interval} from --bootstrap samples; {} without documents."""
    if options.task == "act":
        intervals = bootstrap_call_intervals_over_defined_samples(
            build_call_table_of_run(options, run, gold), options.bootstrap, build_sample_generator(options)
        )
        return intervals | _compute_further_call_intervals(options, run, gold)
    if options.task in PASSAGE_TASKS:
        return bootstrap_passage_intervals(
            count_run_passages_per_article(options, run, gold), options.bootstrap, build_sample_generator(options)
        )
    if options.task in ITEM_TASKS | LABEL_TASKS:
        return _compute_open_intervals(options, run, gold, maps)
    evaluated = evaluate_run_in_scenario_of_options(options, run, gold, maps)
    return {
        **_compute_list_intervals(options, evaluated.ranked),
        **_compute_further_intervals_of_lists(options, evaluated),
    }


def _compute_open_intervals(
    options: Namespace, run: ResultTable, gold: ResultTable, maps: ScoringMaps
) -> Mapping[str, ConfidenceInterval]:
    table = build_open_count_table(options, run, gold, maps)
    if table is None:
        return _compute_list_intervals(options, evaluate_open_table(options, run, gold, maps).ranked)
    rng, figures = build_sample_generator(options), list_count_figures(options)
    return bootstrap_count_intervals(table, options.bootstrap, rng, figures=figures) if len(table.values) else {}


def _compute_further_call_intervals(
    options: Namespace, run: ResultTable, gold: ResultTable
) -> dict[str, ConfidenceInterval]:
    """{figure: interval} of --further, {} without it."""
    if not getattr(options, "further", False):
        return {}
    calls = build_call_list_of_run(options, run, gold)
    return bootstrap_further_call_intervals(
        calls, FURTHER_CALL_FIGURES, options.bootstrap, build_sample_generator(options)
    )


def _compute_further_intervals_of_lists(options: Namespace, evaluated: EvaluatedRun) -> dict[str, ConfidenceInterval]:
    """{further.figure: interval} of --further, {} without it or without documents."""
    if not getattr(options, "further", False) or not evaluated.ranked.articles:
        return {}
    intervals = bootstrap_further_list_intervals(
        build_scored_lists_of_evaluated(evaluated),
        evaluated.ranked.gold > 0,
        FURTHER_LIST_FIGURES,
        options.bootstrap,
        build_sample_generator(options),
    )
    return {f"further.{name}": interval for name, interval in intervals.items()}


def compute_bootstrap_intervals_by_organism(
    options: Namespace, run: ResultTable, gold: ResultTable, maps: ScoringMaps
) -> Mapping[str, Mapping[str, ConfidenceInterval]]:
    """{organism: {figure: interval}}, each from samples of all documents, like the intervals of the run."""
    gold_columns, lists = convert_tables_applying_interactors_option(options, run, gold)
    parts = group_evaluations_by_gold_organism(
        gold_columns, lists, maps.organisms or {}, build_scoring_scenario(options, maps)
    )
    return {
        organism: {
            **_compute_list_intervals(options, evaluated.ranked),
            **_compute_further_intervals_of_lists(options, evaluated),
        }
        for organism, evaluated in parts.items()
    }


def _compute_list_intervals(options: Namespace, ranked: RankedHits) -> Mapping[str, ConfidenceInterval]:
    """{figure: interval} of ranked lists; {} without documents."""
    if not ranked.articles:
        return {}
    names = [name for name in RANKED_LIST_FIGURES if is_ranked_task(options) or name not in ORDER_DEPENDENT_FIGURES]
    return bootstrap_95_percent_list_intervals(
        [ranked], options.bootstrap, build_sample_generator(options), options.beta or 1.0, names
    )[0]


def compute_ranked_hits_of_run(
    options: Namespace, run: ResultTable, gold: ResultTable, maps: ScoringMaps
) -> RankedHits:
    """The hits in the lists of a run, in the scenario of the options."""
    return evaluate_run_in_scenario_of_options(options, run, gold, maps).ranked


def evaluate_run_in_scenario_of_options(
    options: Namespace, run: ResultTable, gold: ResultTable, maps: ScoringMaps
) -> EvaluatedRun:
    gold_columns, lists = convert_tables_applying_interactors_option(options, run, gold)
    return match_run_and_mark_hits(gold_columns, lists, build_scoring_scenario(options, maps))


def count_run_passages_per_article(options: Namespace, run: ResultTable, gold: ResultTable) -> Floats:
    """The table of an ISS run: what each judged article adds to its figures."""
    return build_passage_count_table_by_article(
        convert_verdict_table(gold), rank_distinct_passages_of_each_pair(run, options.order)
    )


def build_call_table_of_run(options: Namespace, run: ResultTable, gold: ResultTable) -> CallTable:
    """The table of an ACT run: what each article adds to its figures."""
    unreported: UnreportedPolicy = options.unreported or "ignore"
    return build_call_table(
        convert_gold_labels(gold), convert_run_calls(run), order=options.order, unreported=unreported
    )

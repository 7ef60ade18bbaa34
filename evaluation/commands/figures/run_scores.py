"""The figures of one run in the scenario of the options."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from annotations.formats.tsv.result_table import ResultTable
from evaluation.analyses.organism_figures import compute_figures_per_gold_organism, group_evaluations_by_gold_organism
from evaluation.analyses.tables.call_tables import build_call_table
from evaluation.commands.files.scoring_maps import ScoringMaps
from evaluation.commands.files.table_columns import (
    convert_gold_labels,
    convert_gold_table,
    convert_run_calls,
    convert_run_table,
    convert_verdict_table,
    rank_distinct_passages_of_each_pair,
)
from evaluation.commands.options.open_task import (
    ITEM_TASKS,
    LABEL_TASKS,
    build_task_settings,
    choose_item_form_of_task,
)
from evaluation.measures.classification.article_calls import UnreportedPolicy
from evaluation.measures.classification.further_figures import (
    FURTHER_CALL_FIGURES,
    RankedCalls,
    build_call_list_of_columns,
    compute_further_call_figures,
)
from evaluation.measures.columns import GoldColumns, RunColumns
from evaluation.measures.items.task_columns import build_item_scenario
from evaluation.measures.leaderboard_scenarios import PARTIAL_SPAN_MATCHES
from evaluation.measures.lists.further_figures import (
    FURTHER_LIST_FIGURES,
    ScoredLists,
    build_scored_lists,
    compute_further_list_figures,
)
from evaluation.measures.lists.interactors import (
    convert_gold_pairs_to_interactors,
    convert_pairs_to_interactors_by_best_pair,
)
from evaluation.measures.lists.scenarios import (
    EvaluatedRun,
    ScoringScenario,
    iter_scenario_matches_and_hits,
    match_run_and_mark_hits,
)
from evaluation.measures.mentions.schemes import MentionScheme
from evaluation.measures.mentions.spans import SpanMatch
from evaluation.measures.passages import compute_passage_figures
from evaluation.measures.run_figures import (
    ListFigures,
    compute_act_figures,
    compute_evaluated_figures,
    compute_list_figures,
    compute_micro_figures,
)

FigureValue = float | int | None
# Figures that need ranked results, which mentions are not.
ORDER_DEPENDENT_FIGURES = (
    *("micro.ap", "micro.fap", "micro.auc_ipr"),
    *("macro.ap", "macro.fap", "macro.auc_ipr", "macro.auc_ipr_sd"),
)
# The figures that sort runs and are tested by default.
LEADING_FIGURES = {
    **{"act": "mcc", "imt": "micro.f1", "gm": "micro.f1", "iss": "mrr"},
    **dict.fromkeys((*ITEM_TASKS, *LABEL_TASKS), "micro.f1"),
}
# Figures in the order of a report; for lists and mentions by average, micro and macro.
NamedFigures = Mapping[str, FigureValue] | Mapping[str, Mapping[str, FigureValue]]
NamedIntervals = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class RunScore:
    """The score of one run. documents: those evaluated; answered: of these, those with results; results: counted ones.

    undefined: figures that are 0/0 and given as 0, such as macro.f1; empty_lists: documents without a counted result,
    whose precision, 0/0, enters means as 0, None without means; reasons: {figure: why it is None}; organisms:
    {organism: figures}; intervals: {figure: low and high}, with the names of undefined; organism_intervals: {organism:
    intervals}; spans: {how mentions match: figures}; schemes: {scheme: figures}; types: {type: figures}.
    """

    documents: int
    answered: int
    results: int
    unknown_documents: Sequence[str]
    figures: NamedFigures
    undefined: Sequence[str] = ()
    empty_lists: int | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    organisms: Mapping[str, NamedFigures] = field(default_factory=dict)
    intervals: NamedIntervals = field(default_factory=dict)
    organism_intervals: Mapping[str, NamedIntervals] = field(default_factory=dict)
    spans: Mapping[SpanMatch, Mapping[str, FigureValue]] = field(default_factory=dict)
    schemes: Mapping[MentionScheme, Mapping[str, FigureValue]] = field(default_factory=dict)
    types: Mapping[str, Mapping[str, FigureValue]] = field(default_factory=dict)


def choose_leading_figure(task: str) -> str:
    """The figure that usually ranks runs of this task, such as macro.f1."""
    return LEADING_FIGURES.get(task, "macro.f1")


def score_run_table(options: Namespace, run: ResultTable, gold: ResultTable, maps: ScoringMaps) -> RunScore:
    """Score a run. The options must be checked, and the run must have the column of --order."""
    if options.task == "act":
        return _score_call_table(options, run, gold)
    if options.task == "iss":
        return _score_passage_table(options, run, gold)
    if options.task == "gm":
        return _score_mention_table(options, run, gold, maps)
    return _score_list_table(options, run, gold, maps)


def _score_call_table(options: Namespace, run: ResultTable, gold: ResultTable) -> RunScore:
    unreported: UnreportedPolicy = options.unreported or "ignore"
    evaluation = compute_act_figures(
        convert_gold_labels(gold), convert_run_calls(run), order=options.order, unreported=unreported
    )
    further = (
        compute_further_call_figures(build_call_list_of_run(options, run, gold), FURTHER_CALL_FIGURES)
        if getattr(options, "further", False)
        else {}
    )
    return RunScore(
        evaluation.documents,
        evaluation.answered,
        evaluation.results,
        evaluation.unknown_documents,
        asdict(evaluation.figures) | further,
        evaluation.undefined,
        reasons=evaluation.reasons,
    )


def build_call_list_of_run(options: Namespace, run: ResultTable, gold: ResultTable) -> RankedCalls:
    """The list of an ACT run, with the counts of each article as in the figures of the options."""
    labels, calls = convert_gold_labels(gold), convert_run_calls(run)
    counts = build_call_table(labels, calls, order=options.order, unreported=options.unreported or "ignore").counts
    return build_call_list_of_columns(labels, calls, counts, options.order)


def build_scored_lists_of_evaluated(evaluated: EvaluatedRun) -> ScoredLists:
    return build_scored_lists(evaluated.ranked, evaluated.lists.confidence)


def _score_passage_table(options: Namespace, run: ResultTable, gold: ResultTable) -> RunScore:
    figures = asdict(
        compute_passage_figures(convert_verdict_table(gold), rank_distinct_passages_of_each_pair(run, options.order))
    )
    judged = frozenset(gold.article.names)
    unknown = [name for name in run.article.names if name not in judged]
    undefined = figures.pop("undefined")
    answered = len(run.article.names) - len(unknown)
    return RunScore(len(judged), answered, len(run), unknown, figures, undefined)


def _score_list_table(options: Namespace, run: ResultTable, gold: ResultTable, maps: ScoringMaps) -> RunScore:
    gold_columns, lists = convert_tables_applying_interactors_option(options, run, gold)
    scenario = build_scoring_scenario(options, maps)
    figures = compute_list_figures(gold_columns, lists, scenario)
    organisms: dict[str, Mapping[str, Mapping[str, FigureValue]]] = {}
    if options.per_organism:
        organisms = {**_compute_figures_per_organism(gold_columns, lists, scenario, maps)}
    if options.per_organism and getattr(options, "further", False):
        further_by_organism = _compute_further_figures_per_organism(gold_columns, lists, scenario, maps)
        organisms = {name: {**values, "further": further_by_organism[name]} for name, values in organisms.items()}
    further = (
        {
            "further": compute_further_list_figures(
                build_scored_lists_of_evaluated(match_run_and_mark_hits(gold_columns, lists, scenario)),
                FURTHER_LIST_FIGURES,
            )
        }
        if getattr(options, "further", False)
        else {}
    )
    return RunScore(
        figures.documents,
        figures.answered,
        figures.results,
        figures.unknown_documents,
        {**combine_micro_and_macro(figures), **further},
        figures.undefined,
        figures.empty_lists,
        organisms=organisms,
    )


def _score_mention_table(options: Namespace, run: ResultTable, gold: ResultTable, maps: ScoringMaps) -> RunScore:
    """Score mentions over all documents of the gold standard, also those without a gene; mentions have no order."""
    gold_columns, run_columns = convert_gold_table(gold), convert_run_table(run)
    scenario = build_scoring_scenario(options, maps)
    evaluated = match_run_and_mark_hits(gold_columns, run_columns, scenario)
    all_figures = compute_evaluated_figures(evaluated, scenario.beta)
    figures = clear_order_dependent_figures(combine_micro_and_macro(all_figures))
    return RunScore(
        all_figures.documents,
        all_figures.answered,
        all_figures.results,
        all_figures.unknown_documents,
        figures,
        [name for name in all_figures.undefined if name not in ORDER_DEPENDENT_FIGURES],
        all_figures.empty_lists,
        dict.fromkeys(ORDER_DEPENDENT_FIGURES, "no ranking"),
        spans=_compute_span_figures(gold_columns, run_columns, replace(scenario, alternatives=None)),
    )


def _compute_span_figures(
    gold: GoldColumns, run: RunColumns, scenario: ScoringScenario
) -> dict[SpanMatch, dict[str, FigureValue]]:
    """{how mentions match: micro figures} for partial matches."""
    scenarios = [replace(scenario, spans=how) for how in PARTIAL_SPAN_MATCHES]
    tables = iter_scenario_matches_and_hits(gold, run, scenarios)
    micros = (asdict(compute_micro_figures(table.ranked, scenario.beta)) for table in tables)
    return {
        how: {name: value for name, value in micro.items() if f"micro.{name}" not in ORDER_DEPENDENT_FIGURES}
        for how, micro in zip(PARTIAL_SPAN_MATCHES, micros, strict=True)
    }


def convert_tables_applying_interactors_option(
    options: Namespace, run: ResultTable, gold: ResultTable
) -> tuple[GoldColumns, RunColumns]:
    """The columns of gold standard and run; pairs are converted to interactors with --interactors."""
    gold_columns, lists = convert_gold_table(gold), convert_run_table(run)
    if options.interactors:
        return convert_gold_pairs_to_interactors(gold_columns), convert_pairs_to_interactors_by_best_pair(
            lists, options.order
        )
    return gold_columns, lists


def clear_order_dependent_figures(
    figures: Mapping[str, Mapping[str, FigureValue]],
) -> Mapping[str, Mapping[str, FigureValue]]:
    """The figures with None for those that need ranked results."""
    return {
        average: {
            name: None if f"{average}.{name}" in ORDER_DEPENDENT_FIGURES else value for name, value in values.items()
        }
        for average, values in figures.items()
    }


def combine_micro_and_macro(figures: ListFigures) -> Mapping[str, Mapping[str, FigureValue]]:
    return {"micro": asdict(figures.micro), "macro": asdict(figures.macro)}


def _compute_figures_per_organism(
    gold: GoldColumns, lists: RunColumns, scenario: ScoringScenario, maps: ScoringMaps
) -> Mapping[str, Mapping[str, Mapping[str, FigureValue]]]:
    """{organism: figures}."""
    parts = compute_figures_per_gold_organism(gold, lists, maps.organisms or {}, scenario)
    return {part.organism: combine_micro_and_macro(part.figures) for part in parts}


def _compute_further_figures_per_organism(
    gold: GoldColumns, lists: RunColumns, scenario: ScoringScenario, maps: ScoringMaps
) -> dict[str, dict[str, float]]:
    """{organism: figures} of --further."""
    parts = group_evaluations_by_gold_organism(gold, lists, maps.organisms or {}, scenario)
    return {
        organism: compute_further_list_figures(build_scored_lists_of_evaluated(evaluated), FURTHER_LIST_FIGURES)
        for organism, evaluated in parts.items()
    }


def build_scoring_scenario(options: Namespace, maps: ScoringMaps) -> ScoringScenario:
    """The scenario of the options; a profile only decides whether unanswered documents are left out."""
    side = options.swissprot.side if options.swissprot else None
    return ScoringScenario(
        order=options.order,
        cutoff_rank=options.cutoff_rank or None,
        min_confidence=options.min_confidence,
        answered_only=excludes_unanswered(options),
        homonyms=maps.homonyms,
        organisms=maps.organisms,
        swissprot_gold=maps.swissprot if side == "gold" else None,
        swissprot_results=maps.swissprot if side == "results" else None,
        beta=options.beta or 1.0,
        spans=choose_span_match(options),
        alternatives=maps.alternatives,
        empty_documents=True,
    )


def choose_span_match(options: Namespace) -> SpanMatch:
    """How mentions match by the options."""
    if options.task in ITEM_TASKS:
        return build_item_scenario(choose_item_form_of_task(options), build_task_settings(options)).spans
    spans: SpanMatch = options.spans or "exact"
    return spans


def excludes_unanswered(options: Namespace) -> bool:
    return bool(options.answered_only or (options.profile == "bc25" and not options.all_documents))

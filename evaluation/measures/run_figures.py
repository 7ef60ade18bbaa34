"""All figures of a run: of ranked lists in one scenario, and of an article classification.

The names of the figures are those of the command's JSON.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.measures import confusion_counts
from evaluation.measures.classification.article_calls import (
    UnreportedPolicy,
    count_call_columns,
    mark_gold_relevance_of_sorted_known_calls,
)
from evaluation.measures.columns import CallColumns, GoldColumns, RunColumns
from evaluation.measures.confusion_counts import ConfusionCounts
from evaluation.measures.curves.precision_recall import (
    PrecisionRecallCurve,
    compute_precision_recall_curve,
    interpolated_area,
    precision_at_full_recall,
    trapezium_area_from_precision_one,
)
from evaluation.measures.list_order import ListOrder
from evaluation.measures.lists.ranking import (
    RankedHits,
    average_article_figures_with_mean_curve_ap,
    compute_f_ap_and_auc_ipr_per_article,
    compute_micro_averages,
    population_deviation,
    select_articles_with_gold_items,
)
from evaluation.measures.lists.scenarios import DEFAULT_SCENARIO, EvaluatedRun, ScoringScenario, match_run_and_mark_hits


@dataclass(frozen=True, slots=True)
class MicroFigures:
    """Figures from counts over all documents; f1 and fap are F_b and FAP_b of the scenario's beta."""

    tp: int
    fp: int
    fn: int
    precision: float
    recall: float
    f1: float
    ap: float
    fap: float
    auc_ipr: float


@dataclass(frozen=True, slots=True)
class MacroFigures:
    """Means over documents, with the standard deviation of the population; ap is that of the mean curve."""

    documents: int
    precision: float
    precision_sd: float
    recall: float
    recall_sd: float
    f1: float
    f1_sd: float
    ap: float
    fap: float
    auc_ipr: float
    auc_ipr_sd: float


@dataclass(frozen=True, slots=True)
class ListFigures:
    """All figures of one run in one scenario.

    documents: those evaluated, with and without gold items; answered: documents with a result after mapping and
    filters, before the cuts; results: items counted, after all steps; unknown_documents: names of the run's documents
    that are not in the gold standard, in the run's order; undefined: names ("micro.precision") of figures that are 0/0
    and given as 0; empty_lists: documents without a counted result: their precision is 0/0 and enters the means as 0.
    """

    micro: MicroFigures
    macro: MacroFigures
    documents: int
    answered: int
    results: int
    unknown_documents: Sequence[str] = ()
    undefined: Sequence[str] = ()
    empty_lists: int = 0


@dataclass(frozen=True, slots=True)
class ActFigures:
    """All figures of an article classification. precision_at_full_recall is None when full recall is not reached."""

    tp: int
    fp: int
    fn: int
    tn: int
    sensitivity: float
    specificity: float
    accuracy: float
    mcc: float
    auc_pr: float
    auc_ipr: float
    precision_at_full_recall: float | None


@dataclass(frozen=True, slots=True)
class ActEvaluation:
    """The figures of an article classification, and what they were computed from.

    documents: articles of the gold standard; answered: of these, those with a call; results: all articles with a call;
    unknown_documents: articles with a call that are not in the gold standard; undefined: names of figures that are 0/0
    and given as 0; reasons: {figure: why it is None}.
    """

    figures: ActFigures
    documents: int
    answered: int
    results: int
    unknown_documents: Sequence[str] = ()
    undefined: Sequence[str] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)


def compute_list_figures(
    gold: GoldColumns, run: RunColumns, scenario: ScoringScenario = DEFAULT_SCENARIO
) -> ListFigures:
    """All figures of a run of ranked lists (INT, IMT, IPT, GN, TX) in one scenario; 0/0 is 0, as in the library.

    ValueError when the scenario's order needs a column that the run does not have, or a gold accession has no organism.
    """
    return compute_evaluated_figures(match_run_and_mark_hits(gold, run, scenario), scenario.beta)


def compute_evaluated_figures(evaluated: EvaluatedRun, beta: float = 1.0) -> ListFigures:
    """All figures of an evaluated run; beta: that of F and FAP."""
    ranked = evaluated.ranked
    totals, means = (
        compute_micro_figures(ranked, beta),
        compute_macro_figures(select_articles_with_gold_items(ranked), beta),
    )
    return ListFigures(
        totals,
        means,
        len(evaluated.gold_items.documents),
        evaluated.answered,
        len(evaluated.lists),
        evaluated.unknown_documents,
        _name_undefined_list_figures(totals, means),
        int((ranked.lengths == 0).sum()),
    )


def compute_micro_figures(ranked: RankedHits, beta: float = 1.0) -> MicroFigures:
    """The figures from counts over all documents."""
    averages, tp = compute_micro_averages(ranked, beta), int(ranked.hit_counts.sum())
    return MicroFigures(
        tp=tp,
        fp=len(ranked.hits) - tp,
        fn=int(ranked.gold.sum()) - tp,
        precision=averages.precision,
        recall=averages.recall,
        f1=averages.f1,
        ap=averages.ap,
        fap=averages.fap,
        auc_ipr=averages.auc_ipr,
    )


def compute_macro_figures(ranked: RankedHits, beta: float = 1.0) -> MacroFigures:
    """The means over documents and the standard deviations of the population."""
    figures = compute_f_ap_and_auc_ipr_per_article(ranked, beta)
    means = average_article_figures_with_mean_curve_ap(figures, ranked, beta)
    return MacroFigures(
        documents=ranked.articles,
        precision=means.precision,
        precision_sd=population_deviation(figures.precision),
        recall=means.recall,
        recall_sd=population_deviation(figures.recall),
        f1=means.f1,
        f1_sd=population_deviation(figures.f1),
        ap=means.ap,
        fap=means.fap,
        auc_ipr=means.auc_ipr,
        auc_ipr_sd=population_deviation(figures.auc_ipr),
    )


def _name_undefined_list_figures(totals: MicroFigures, means: MacroFigures) -> list[str]:
    """The names of the figures that are 0/0: micro figures without items, macro figures without documents."""
    no_gold_item, no_result = totals.tp + totals.fn == 0, totals.tp + totals.fp == 0
    no_document = means.documents == 0
    return _name_true_conditions(
        {
            "micro.precision": no_result,
            "micro.recall": no_gold_item,
            "micro.f1": totals.precision + totals.recall == 0,
            "micro.ap": no_gold_item,
            "micro.fap": totals.f1 + totals.ap == 0,
            "micro.auc_ipr": no_gold_item,
            "macro.precision": no_document,
            "macro.recall": no_document,
            "macro.f1": no_document,
            "macro.ap": no_document,
            "macro.fap": means.f1 + means.ap == 0,
            "macro.auc_ipr": no_document,
        }
    )


def compute_act_figures(
    gold: Mapping[str, bool],
    calls: CallColumns,
    *,
    order: ListOrder | None = None,
    unreported: UnreportedPolicy = "ignore",
) -> ActEvaluation:
    """All figures of an article classification; gold is {article: relevant}; 0/0 is 0, as in the library.

    order: the column that sorts the calls of a class, by default the first of rank, confidence and line that they have.
    unreported: whether an article without a call counts nowhere (the library) or as a negative call; in either case it
    is not in the ranking. ValueError when the order needs a column that the calls do not have.
    """
    is_known = [article in gold for article in calls.article]
    table = count_call_columns(gold, calls, unreported)
    curve = compute_precision_recall_curve(
        mark_gold_relevance_of_sorted_known_calls(gold, calls, order), sum(gold.values())
    )
    best = precision_at_full_recall(curve)
    reason = {} if best is not None else {"precision_at_full_recall": "full recall is not reached"}
    return ActEvaluation(
        _build_act_figures(table, curve, best),
        documents=len(gold),
        answered=sum(is_known),
        results=len(calls),
        unknown_documents=[article for article, known in zip(calls.article, is_known, strict=True) if not known],
        undefined=_name_undefined_call_figures(table, sum(gold.values())),
        reasons=reason,
    )


def _build_act_figures(table: ConfusionCounts, curve: PrecisionRecallCurve, best: float | None) -> ActFigures:
    return ActFigures(
        tp=table.tp,
        fp=table.fp,
        fn=table.fn,
        tn=table.tn,
        sensitivity=confusion_counts.sensitivity(table),
        specificity=confusion_counts.specificity(table),
        accuracy=confusion_counts.accuracy(table),
        mcc=confusion_counts.mcc(table),
        auc_pr=trapezium_area_from_precision_one(curve),
        auc_ipr=interpolated_area(curve),
        precision_at_full_recall=best,
    )


def _name_undefined_call_figures(table: ConfusionCounts, positives: int) -> list[str]:
    """The names of the figures that are 0/0: a marginal sum is 0, or the gold standard has no positive article."""
    relevant, other = table.tp + table.fn, table.tn + table.fp
    return _name_true_conditions(
        {
            "sensitivity": relevant == 0,
            "specificity": other == 0,
            "accuracy": table.total == 0,
            "mcc": 0 in (relevant, other, table.tp + table.fp, table.tn + table.fn),
            "auc_pr": positives == 0,
            "auc_ipr": positives == 0,
        }
    )


def _name_true_conditions(conditions: Mapping[str, bool]) -> list[str]:
    return [name for name, is_true in conditions.items() if is_true]

"""All the figures of a run: of ranked lists in one scenario, and of an article classification.

The names of the figures are those of the command's JSON.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evaluation.measures import counts
from evaluation.measures.classification import Unreported, called, list_hits
from evaluation.measures.columns import CallColumns, GoldColumns, RunColumns
from evaluation.measures.counts import Counts
from evaluation.measures.curves import Curve, pr_curve, precision_at_full_recall, step_area, trapezium_area
from evaluation.measures.order import Order
from evaluation.measures.ranking import RankedHits, deviation, macro_of, micro, per_article, with_right_items
from evaluation.measures.scenarios import PLAIN, Evaluated, Scenario, evaluated, evaluated_in


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

    documents: those evaluated, with and without right items; answered: documents with a result after mapping and
    filters, before the cuts; results: items counted, after all steps; unknown_documents: names of the run's documents
    that the gold standard does not know, in the run's order; undefined: names ("micro.precision") of figures that are
    0/0 and given as 0; empty_lists: documents of which no result is counted: their own precision is 0/0 and enters the
    means as 0.
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
    """answered: known articles reported; results: all articles reported; reasons: {figure: why it is None}."""

    figures: ActFigures
    documents: int
    answered: int
    results: int
    unknown_documents: Sequence[str] = ()
    undefined: Sequence[str] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)


def list_figures(gold: GoldColumns, run: RunColumns, scenario: Scenario = PLAIN) -> ListFigures:
    """All figures of a run of ranked lists (INT, IMT, IPT, GN, TX) in one scenario; 0/0 is 0, as in the library.

    ValueError when the scenario's order needs a column that the run has not, or a gold accession has no organism.
    """
    return figures_of(evaluated(gold, run, scenario), scenario.beta)


def list_figures_in(gold: GoldColumns, run: RunColumns, scenarios: Sequence[Scenario]) -> list[ListFigures]:
    """As list_figures, in each of the scenarios; faster, because what they have in common is done once."""
    tables = zip(scenarios, evaluated_in(gold, run, scenarios), strict=True)
    return [figures_of(table, scenario.beta) for scenario, table in tables]


def figures_of(table: Evaluated, beta: float = 1.0) -> ListFigures:
    """All figures of what was counted."""
    ranked = table.ranked
    totals, means = micro_figures(ranked, beta), macro_figures(with_right_items(ranked), beta)
    return ListFigures(
        totals,
        means,
        len(table.right.documents),
        table.answered,
        len(table.lists),
        table.unknown,
        undefined_of_lists(totals, means),
        int((ranked.lengths == 0).sum()),
    )


def micro_figures(ranked: RankedHits, beta: float = 1.0) -> MicroFigures:
    """The figures from counts over all documents."""
    own, tp = micro(ranked, beta), int(ranked.found.sum())
    return MicroFigures(
        tp=tp,
        fp=len(ranked.hits) - tp,
        fn=int(ranked.gold.sum()) - tp,
        precision=own.precision,
        recall=own.recall,
        f1=own.f1,
        ap=own.ap,
        fap=own.fap,
        auc_ipr=own.auc_ipr,
    )


def macro_figures(ranked: RankedHits, beta: float = 1.0) -> MacroFigures:
    """The means over documents and the standard deviations of the population."""
    own = per_article(ranked, beta)
    means = macro_of(own, ranked, beta)
    return MacroFigures(
        documents=ranked.articles,
        precision=means.precision,
        precision_sd=deviation(own.precision),
        recall=means.recall,
        recall_sd=deviation(own.recall),
        f1=means.f1,
        f1_sd=deviation(own.f1),
        ap=means.ap,
        fap=means.fap,
        auc_ipr=means.auc_ipr,
        auc_ipr_sd=deviation(own.auc_ipr),
    )


def undefined_of_lists(totals: MicroFigures, means: MacroFigures) -> list[str]:
    """The figures that are 0/0: of totals those over nothing, of means those over no document."""
    nothing_right, nothing_reported = totals.tp + totals.fn == 0, totals.tp + totals.fp == 0
    no_document = means.documents == 0
    return named(
        {
            "micro.precision": nothing_reported,
            "micro.recall": nothing_right,
            "micro.f1": totals.precision + totals.recall == 0,
            "micro.ap": nothing_right,
            "micro.fap": totals.f1 + totals.ap == 0,
            "micro.auc_ipr": nothing_right,
            "macro.precision": no_document,
            "macro.recall": no_document,
            "macro.f1": no_document,
            "macro.ap": no_document,
            "macro.fap": means.f1 + means.ap == 0,
            "macro.auc_ipr": no_document,
        }
    )


def act_figures(
    gold: Mapping[str, bool],
    calls: CallColumns,
    *,
    order: Order | None = None,
    unreported: Unreported = "ignore",
) -> ActEvaluation:
    """All figures of an article classification; gold is {article: relevant}; 0/0 is 0, as in the library.

    order: what puts the calls of a class in order, by default the first of rank, confidence and line that they have.
    unreported: whether an article without a call counts nowhere (the library) or as a negative call; its place in the
    ranking stays empty either way. ValueError when the order needs a column that the calls have not.
    """
    known = [article in gold for article in calls.article]
    table = called(gold, calls, unreported)
    curve = pr_curve(list_hits(gold, calls, order), sum(gold.values()))
    best = precision_at_full_recall(curve)
    reason = {} if best is not None else {"precision_at_full_recall": "full recall is not reached"}
    return ActEvaluation(
        of_counts_and_curve(table, curve, best),
        documents=len(gold),
        answered=sum(known),
        results=len(calls),
        unknown_documents=[article for article, told in zip(calls.article, known, strict=True) if not told],
        undefined=undefined_of_calls(table, sum(gold.values())),
        reasons=reason,
    )


def of_counts_and_curve(table: Counts, curve: Curve, best: float | None) -> ActFigures:
    return ActFigures(
        tp=table.tp,
        fp=table.fp,
        fn=table.fn,
        tn=table.tn,
        sensitivity=counts.sensitivity(table),
        specificity=counts.specificity(table),
        accuracy=counts.accuracy(table),
        mcc=counts.mcc(table),
        auc_pr=trapezium_area(curve),
        auc_ipr=step_area(curve),
        precision_at_full_recall=best,
    )


def undefined_of_calls(table: Counts, positives: int) -> list[str]:
    """The figures that are 0/0: a margin of the table of counts is empty, or gold has no positive article."""
    relevant, other = table.tp + table.fn, table.tn + table.fp
    return named(
        {
            "sensitivity": relevant == 0,
            "specificity": other == 0,
            "accuracy": table.total == 0,
            "mcc": 0 in (relevant, other, table.tp + table.fp, table.tn + table.fn),
            "auc_pr": positives == 0,
            "auc_ipr": positives == 0,
        }
    )


def named(conditions: Mapping[str, bool]) -> list[str]:
    return [name for name, true in conditions.items() if true]

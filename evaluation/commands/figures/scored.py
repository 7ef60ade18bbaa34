"""The figures of one run in the scenario that the options ask for."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from annotations.formats.runs_tsv import Table
from evaluation.analyses.organisms import figures_by_organism
from evaluation.commands.files.columns import gold_classes, gold_columns, run_calls, run_columns, submitted, verdicts
from evaluation.commands.files.maps import Maps
from evaluation.measures.board_scenarios import IN_PART
from evaluation.measures.classification import Unreported
from evaluation.measures.columns import GoldColumns, RunColumns
from evaluation.measures.interactors import gold_interactors, run_interactors
from evaluation.measures.passages import passage_figures
from evaluation.measures.run_figures import ListFigures, act_figures, figures_of, list_figures, micro_figures
from evaluation.measures.scenarios import Scenario, evaluated, evaluated_in
from evaluation.measures.spans import SpanMatch

Figure = float | int | None
# Figures that need an order of what is reported, which mentions have not.
OF_RANKING = (
    *("micro.ap", "micro.fap", "micro.auc_ipr"),
    *("macro.ap", "macro.fap", "macro.auc_ipr", "macro.auc_ipr_sd"),
)
# What runs are put in order by, and tested for unless asked otherwise.
LEADING = {"act": "mcc", "imt": "micro.f1", "gm": "micro.f1", "iss": "mrr"}
# Names of figures in the order of a report: of act and iss the figures, of lists micro and macro with theirs.
Figures = Mapping[str, Figure] | Mapping[str, Mapping[str, Figure]]
Intervals = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Scored:
    """What is said of one run; documents: those evaluated; answered: those of them with results; results: counted.

    undefined: figures that are 0/0 and given as 0; empty_lists: documents of which no result is counted, whose own
    precision is 0/0 and enters means as 0, None where there are no means; reasons: {figure: why it is None}; organisms:
    {organism: figures}; intervals: {figure: low and high}, figures named as in undefined; organism_intervals:
    {organism: intervals}; spans: {way in which mentions match: figures}.
    """

    documents: int
    answered: int
    results: int
    unknown_documents: Sequence[str]
    figures: Figures
    undefined: Sequence[str] = ()
    empty_lists: int | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    organisms: Mapping[str, Figures] = field(default_factory=dict)
    intervals: Intervals = field(default_factory=dict)
    organism_intervals: Mapping[str, Intervals] = field(default_factory=dict)
    spans: Mapping[SpanMatch, Mapping[str, Figure]] = field(default_factory=dict)


def leading(task: str) -> str:
    """The figure that the field ranks runs of this task by, named as in `undefined`."""
    return LEADING.get(task, "macro.f1")


def score(options: Namespace, run: Table, gold: Table, maps: Maps) -> Scored:
    """The figures of the run. The options must go together and the run must have the column that it is ordered by."""
    if options.task == "act":
        return score_calls(options, run, gold)
    if options.task == "iss":
        return score_passages(options, run, gold)
    if options.task == "gm":
        return score_mentions(options, run, gold, maps)
    return score_lists(options, run, gold, maps)


def score_calls(options: Namespace, run: Table, gold: Table) -> Scored:
    unreported: Unreported = options.unreported or "ignore"
    own = act_figures(gold_classes(gold), run_calls(run), order=options.order, unreported=unreported)
    return Scored(
        own.documents,
        own.answered,
        own.results,
        own.unknown_documents,
        asdict(own.figures),
        own.undefined,
        reasons=own.reasons,
    )


def score_passages(options: Namespace, run: Table, gold: Table) -> Scored:
    own = asdict(passage_figures(verdicts(gold), submitted(run, options.order)))
    judged = frozenset(gold.article.names)
    unknown = [name for name in run.article.names if name not in judged]
    undefined = own.pop("undefined")
    answered = len(run.article.names) - len(unknown)
    return Scored(len(judged), answered, len(run), unknown, own, undefined)


def score_lists(options: Namespace, run: Table, gold: Table, maps: Maps) -> Scored:
    right, lists = sides(options, run, gold)
    scenario = scenario_of(options, maps)
    own = list_figures(right, lists, scenario)
    return Scored(
        own.documents,
        own.answered,
        own.results,
        own.unknown_documents,
        both(own),
        own.undefined,
        own.empty_lists,
        organisms=organisms(right, lists, scenario, maps) if options.per_organism else {},
    )


def score_mentions(options: Namespace, run: Table, gold: Table, maps: Maps) -> Scored:
    """Documents are all of the gold standard, those without a gene, too; mentions have no order."""
    right, found = gold_columns(gold), run_columns(run)
    scenario = scenario_of(options, maps)
    table = evaluated(right, found, scenario)
    own = figures_of(table, scenario.beta)
    figures = {
        average: {name: None if f"{average}.{name}" in OF_RANKING else value for name, value in values.items()}
        for average, values in both(own).items()
    }
    return Scored(
        own.documents,
        own.answered,
        own.results,
        own.unknown_documents,
        figures,
        [name for name in own.undefined if name not in OF_RANKING],
        own.empty_lists,
        dict.fromkeys(OF_RANKING, "no ranking"),
        spans=span_figures(right, found, replace(scenario, alternatives=None)),
    )


def span_figures(right: GoldColumns, found: RunColumns, scenario: Scenario) -> dict[SpanMatch, dict[str, Figure]]:
    """{way: figures from counts over all documents} of mentions that match at less than both ends."""
    scenarios = [replace(scenario, spans=how) for how in IN_PART]
    tables = evaluated_in(right, found, scenarios)
    micros = (asdict(micro_figures(table.ranked, scenario.beta)) for table in tables)
    return {
        how: {name: value for name, value in micro.items() if f"micro.{name}" not in OF_RANKING}
        for how, micro in zip(IN_PART, micros, strict=True)
    }


def sides(options: Namespace, run: Table, gold: Table) -> tuple[GoldColumns, RunColumns]:
    """Gold standard and run, of pairs as interactors if so asked."""
    right, lists = gold_columns(gold), run_columns(run)
    if options.interactors:
        return gold_interactors(right), run_interactors(lists, options.order)
    return right, lists


def both(own: ListFigures) -> Mapping[str, Mapping[str, Figure]]:
    return {"micro": asdict(own.micro), "macro": asdict(own.macro)}


def organisms(
    right: GoldColumns, lists: RunColumns, scenario: Scenario, maps: Maps
) -> Mapping[str, Mapping[str, Mapping[str, Figure]]]:
    """The figures of each organism by itself."""
    parts = figures_by_organism(right, lists, maps.organisms or {}, scenario)
    return {part.organism: both(part.figures) for part in parts}


def scenario_of(options: Namespace, maps: Maps) -> Scenario:
    """The scenario that the options ask for; a profile only says whether unanswered documents stay."""
    side = options.swissprot.side if options.swissprot else None
    return Scenario(
        order=options.order,
        cutoff_rank=options.cutoff_rank or None,
        min_confidence=options.min_confidence,
        answered_only=leaves_out(options),
        homonyms=maps.homonyms,
        organisms=maps.organisms,
        swissprot_gold=maps.swissprot if side == "gold" else None,
        swissprot_results=maps.swissprot if side == "results" else None,
        beta=options.beta or 1.0,
        spans=options.spans or "exact",
        alternatives=maps.alternatives,
        empty_documents=True,
    )


def leaves_out(options: Namespace) -> bool:
    """Whether unanswered documents are left out."""
    return bool(options.answered_only or (options.profile == "bc25" and not options.all_documents))

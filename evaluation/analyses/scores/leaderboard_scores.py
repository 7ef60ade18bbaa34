"""The leaderboard scores of one run: its figures and their confidence intervals in every scenario of its kind."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from annotations.schema import Span
from evaluation.analyses.significance.confidence_intervals import (
    ConfidenceInterval,
    bootstrap_95_percent_list_intervals,
    bootstrap_call_intervals_over_defined_samples,
)
from evaluation.analyses.significance.further_intervals import (
    bootstrap_further_call_intervals,
    bootstrap_further_list_intervals,
)
from evaluation.analyses.significance.passage_tests import bootstrap_passage_intervals
from evaluation.analyses.tables.call_tables import CallTable
from evaluation.analyses.tables.packing import pack_call_table_counts, pack_passage_table, pack_ranked_hits
from evaluation.measures.classification.article_calls import ArticleCall, sort_calls_most_likely_relevant_first
from evaluation.measures.classification.further_figures import build_call_list, compute_further_call_figures
from evaluation.measures.columns import GoldRunColumns
from evaluation.measures.leaderboard_figures import (
    LeaderboardFigures,
    compute_call_figures_unreported_negative,
    compute_f1_precision_recall_without_curve,
    compute_micro_and_gold_only_macro_figures,
)
from evaluation.measures.leaderboard_scenarios import (
    ANSWERED_SCENARIO,
    EXACT_SCENARIO,
    MAX_ORGANISM_SCENARIOS,
    OFFICIAL_SCENARIO,
    ORGANISM_FILTERED_ANSWERED_SCENARIO,
    ORGANISM_FILTERED_SCENARIO,
    PARTIAL_SPAN_MATCHES,
    SWISSPROT_SCENARIO,
    organism_scenario_name,
)
from evaluation.measures.lists.accession_mapping import list_accessions_of_identifier_or_pair
from evaluation.measures.lists.further_figures import (
    ScoredLists,
    build_scored_lists,
    compute_further_list_figures,
)
from evaluation.measures.lists.matching import mark_gold_items_in_ranked_lists
from evaluation.measures.lists.organisms import split_by_gold_organism_largest_first
from evaluation.measures.lists.ranking import RankedHits
from evaluation.measures.lists.scenarios import EvaluatedRun, ScoringScenario, iter_scenario_matches_and_hits
from evaluation.measures.passages import (
    PassagesByPair,
    VerdictsByPair,
    build_passage_count_table_by_article,
    compute_passage_figures,
)

BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED = 1_000, 1


@dataclass(frozen=True, slots=True)
class RunScenarioScore:
    """The scores of a run in one scenario; absent: why there are none.

    intervals: {figure: 95 % bootstrap interval}; table: packed by evaluation/analyses/tables/packing.py; articles,
    answered: number of evaluated articles, and of those with a result.
    """

    scenario: str
    values: Mapping[str, float | int] = field(default_factory=dict)
    intervals: Mapping[str, ConfidenceInterval] = field(default_factory=dict)
    curve: Sequence[tuple[float, float]] = ()
    table: bytes = b""
    articles: int = 0
    answered: int = 0
    absent: str = ""


@dataclass(frozen=True, slots=True)
class ScenarioHits:
    """The hits of a run in a scenario; answered: number of articles with a result.

    scored_lists: the lists with their scores, None if no figure needs them.
    """

    name: str
    ranked: RankedHits
    answered: int
    scored_lists: ScoredLists | None = None


@dataclass(frozen=True, slots=True)
class AccessionTables:
    """organisms: {accession: taxon}; swissprot: accessions in Swiss-Prot; None when there is no such table.

    missing_table_reasons: {scenario that needs a missing table: why it is missing}.
    """

    organisms: Mapping[str, str] | None = None
    swissprot: Collection[str] | None = None
    missing_table_reasons: Mapping[str, str] = field(default_factory=dict)


def score_calls_in_official_scenario(
    gold: Mapping[str, bool],
    calls: Sequence[ArticleCall],
    samples: int = BOOTSTRAP_SAMPLES,
    seed: int = BOOTSTRAP_SEED,
    *,
    optional_figures: Sequence[str] = (),
) -> list[RunScenarioScore]:
    """The only scenario of an article classification: every article counts, without a call as a negative one.

    optional_figures: those of FURTHER_CALL_FIGURES to compute, too.
    """
    if not gold:
        return [RunScenarioScore(OFFICIAL_SCENARIO, absent=NO_GOLD_ITEMS)]
    figures, table = compute_call_figures_unreported_negative(gold, calls), _build_call_table_from_calls(gold, calls)
    intervals = bootstrap_call_intervals_over_defined_samples(table, samples, np.random.default_rng(seed))
    shown_intervals = {name: interval for name, interval in intervals.items() if name in figures.values}
    further = build_call_list(gold, calls, table.counts) if optional_figures else None
    further_values = compute_further_call_figures(further, optional_figures) if further else {}
    further_intervals = (
        bootstrap_further_call_intervals(further, optional_figures, samples, np.random.default_rng(seed))
        if further
        else {}
    )
    return [
        RunScenarioScore(
            OFFICIAL_SCENARIO,
            {**figures.values, **further_values},
            shown_intervals | further_intervals,
            figures.curve,
            pack_call_table_counts(table),
            len(gold),
            table.listed,
        )
    ]


def _build_call_table_from_calls(gold: Mapping[str, bool], calls: Sequence[ArticleCall]) -> CallTable:
    """The table of counts of a run in which only some calls may have ranks or confidences."""
    indexes = {article: index for index, article in enumerate(gold)}
    listed = [call for call in sort_calls_most_likely_relevant_first(calls) if call.article in indexes]
    listed_indexes = np.array([indexes[call.article] for call in listed], dtype=np.int64)
    relevant = np.array(list(gold.values()), dtype=np.bool_)
    positive, reported = np.zeros(len(gold), dtype=np.bool_), np.zeros(len(gold), dtype=np.bool_)
    positive[[indexes[call.article] for call in listed if call.relevant]] = True
    reported[listed_indexes] = True
    cells = [positive & relevant, positive & ~relevant, ~positive & relevant, ~positive & ~relevant]
    order = np.concatenate([listed_indexes, np.flatnonzero(~reported)])
    return CallTable(np.column_stack(cells).astype(np.float64), order, len(listed_indexes), relevant)


# {field of PassageFigures: name of the measure in evaluation/measures/registry.py}
PASSAGE_MEASURES = {
    "mrr": "passage_mrr",
    "relevant_share": "relevant_share",
    "submitted": "passages_submitted",
    "relevant": "passages_relevant",
}


def score_passages_in_official_scenario(
    verdicts_by_pair: VerdictsByPair,
    passages_by_pair: PassagesByPair,
    samples: int = BOOTSTRAP_SAMPLES,
    seed: int = BOOTSTRAP_SEED,
) -> list[RunScenarioScore]:
    """The only scenario of evidence passages: every judged pair counts, also those without a submitted passage."""
    if not verdicts_by_pair:
        return [RunScenarioScore(OFFICIAL_SCENARIO, absent=NO_GOLD_ITEMS)]
    table, figures = (
        build_passage_count_table_by_article(verdicts_by_pair, passages_by_pair),
        compute_passage_figures(verdicts_by_pair, passages_by_pair),
    )
    intervals = bootstrap_passage_intervals(table, samples, np.random.default_rng(seed))
    values = {name: getattr(figures, field_name) for field_name, name in PASSAGE_MEASURES.items()}
    shown_intervals = {name: intervals[field_name] for field_name, name in PASSAGE_MEASURES.items()}
    answered = len({pair[0] for pair, passages in passages_by_pair.items() if passages and pair in verdicts_by_pair})
    return [
        RunScenarioScore(
            OFFICIAL_SCENARIO, values, shown_intervals, (), pack_passage_table(table), len(table), answered
        )
    ]


NO_GOLD_ITEMS = "No article that counts has a gold item."


def score_or_explain_lists_in_every_scenario(
    columns: GoldRunColumns,
    tables: AccessionTables,
    samples: int = BOOTSTRAP_SAMPLES,
    seed: int = BOOTSTRAP_SEED,
    *,
    optional_figures: Sequence[str] = (),
) -> list[RunScenarioScore]:
    """Scores in every scenario of ranked lists; those without their table have only the reason.

    optional_figures: those of FURTHER_LIST_FIGURES to compute, too.
    """
    scored = score_each_scenario_with_bootstrap_intervals(
        _iter_list_scenario_evaluations(columns, tables),
        compute_micro_and_gold_only_macro_figures,
        samples,
        seed,
        optional_figures,
    )
    return [*scored, *(RunScenarioScore(name, absent=reason) for name, reason in tables.missing_table_reasons.items())]


def score_mentions_in_scenarios(
    columns: GoldRunColumns,
    accepted_alternatives: Mapping[str, Collection[Span]] | None,
    samples: int = BOOTSTRAP_SAMPLES,
    seed: int = BOOTSTRAP_SEED,
) -> list[RunScenarioScore]:
    """Scores in every scenario of mentions. All articles of the gold standard count, also those without a gene.

    accepted_alternatives: {article: spans that count for the genes that they overlap}, as in BioCreative II, or None.
    """
    all_documents = ScoringScenario(empty_documents=True)
    official = replace(all_documents, alternatives=accepted_alternatives)
    scenarios = {OFFICIAL_SCENARIO: official, ANSWERED_SCENARIO: replace(official, answered_only=True)}
    if accepted_alternatives is not None:
        scenarios[EXACT_SCENARIO] = all_documents
    scenarios |= {how: replace(all_documents, spans=how) for how in PARTIAL_SPAN_MATCHES}
    tables = zip(
        scenarios, iter_scenario_matches_and_hits(columns.gold, columns.run, list(scenarios.values())), strict=True
    )
    return score_each_scenario_with_bootstrap_intervals(
        tables, compute_f1_precision_recall_without_curve, samples, seed
    )


def _iter_list_scenario_evaluations(
    columns: GoldRunColumns, tables: AccessionTables
) -> Iterator[tuple[str, EvaluatedRun]]:
    """(scenario name, evaluated run) of each scenario of ranked lists that the tables allow."""
    scenarios = {OFFICIAL_SCENARIO: ScoringScenario(), ANSWERED_SCENARIO: ScoringScenario(answered_only=True)}
    if tables.organisms is not None:
        scenarios[ORGANISM_FILTERED_SCENARIO] = ScoringScenario(organisms=tables.organisms)
        scenarios[ORGANISM_FILTERED_ANSWERED_SCENARIO] = ScoringScenario(organisms=tables.organisms, answered_only=True)
    if tables.swissprot is not None:
        scenarios[SWISSPROT_SCENARIO] = ScoringScenario(swissprot_gold=tables.swissprot)
    for name, evaluated in zip(
        scenarios, iter_scenario_matches_and_hits(columns.gold, columns.run, list(scenarios.values())), strict=True
    ):
        yield name, evaluated
        if name == ORGANISM_FILTERED_SCENARIO and tables.organisms is not None:
            yield from _iter_organism_evaluations(evaluated, tables.organisms)


def _iter_organism_evaluations(
    evaluated: EvaluatedRun, organisms: Mapping[str, str]
) -> Iterator[tuple[str, EvaluatedRun]]:
    """(scenario name, evaluated run) of the organisms with the most gold items; all articles count."""
    for part in split_by_gold_organism_largest_first(evaluated.gold_items, evaluated.lists, organisms)[
        :MAX_ORGANISM_SCENARIOS
    ]:
        answered = len(np.unique(part.lists.document))
        ranked = mark_gold_items_in_ranked_lists(part.gold_items, part.lists)
        yield organism_scenario_name(part.organism), EvaluatedRun(ranked, part.gold_items, part.lists, answered, ())


def score_each_scenario_with_bootstrap_intervals(
    named_evaluations: Iterable[tuple[str, EvaluatedRun]],
    compute_figures: Callable[[RankedHits], LeaderboardFigures],
    samples: int,
    seed: int,
    optional_figures: Sequence[str] = (),
) -> list[RunScenarioScore]:
    """Figures and intervals of evaluated runs, (scenario name, evaluated run), in their order."""
    # Keep only the hits, so that only one scenario's lists are in memory at a time.
    scenario_hits = [
        ScenarioHits(
            name,
            evaluated.ranked,
            evaluated.answered,
            build_scored_lists(evaluated.ranked, evaluated.lists.confidence) if optional_figures else None,
        )
        for name, evaluated in named_evaluations
    ]
    by_size: dict[int, list[ScenarioHits]] = {}
    for hits in scenario_hits:
        by_size.setdefault(hits.ranked.articles, []).append(hits)
    scored = {
        score.scenario: score
        for group in by_size.values()
        for score in _score_scenarios_of_equal_size(group, compute_figures, samples, seed, optional_figures)
    }
    return [scored[hits.name] for hits in scenario_hits]


def _score_scenarios_of_equal_size(
    scenario_hits: Sequence[ScenarioHits],
    compute_figures: Callable[[RankedHits], LeaderboardFigures],
    samples: int,
    seed: int,
    optional_figures: Sequence[str],
) -> Iterator[RunScenarioScore]:
    """Score scenarios with the same number of articles, for which the bootstrap samples are drawn once."""
    if not scenario_hits[0].ranked.articles:
        yield from (RunScenarioScore(hits.name, absent=NO_GOLD_ITEMS) for hits in scenario_hits)
        return
    figures = [compute_figures(hits.ranked) for hits in scenario_hits]
    names = [name.replace("_", ".", 1) for name in figures[0].values]
    tables = [pack_ranked_hits(hits.ranked) for hits in scenario_hits]
    # Many runs have the same hits in several scenarios: those that answer every article, for example.
    distinct = {table: hits.ranked for table, hits in zip(tables, scenario_hits, strict=True)}
    intervals = bootstrap_95_percent_list_intervals(
        list(distinct.values()), samples, np.random.default_rng(seed), figure_names=names
    )
    intervals_by_table = dict(zip(distinct, intervals, strict=True))
    for hits, run_figures, table in zip(scenario_hits, figures, tables, strict=True):
        named_intervals = dict(zip(run_figures.values, intervals_by_table[table].values(), strict=True))
        further_values: Mapping[str, float] = {}
        if hits.scored_lists is not None:
            further_values = compute_further_list_figures(hits.scored_lists, optional_figures)
            named_intervals |= bootstrap_further_list_intervals(
                hits.scored_lists, hits.ranked.gold > 0, optional_figures, samples, np.random.default_rng(seed)
            )
        yield RunScenarioScore(
            hits.name,
            {**run_figures.values, **further_values},
            named_intervals,
            run_figures.curve,
            table,
            hits.ranked.articles,
            hits.answered,
        )


def collect_gold_and_run_accessions(columns: GoldRunColumns) -> tuple[set[str], set[str]]:
    """All accessions of the gold standard, and all of the run."""
    gold_names, run_names = columns.gold.item.names, columns.run.item.names
    return {accession for item in gold_names for accession in list_accessions_of_identifier_or_pair(item)}, {
        accession for item in run_names for accession in list_accessions_of_identifier_or_pair(item)
    }

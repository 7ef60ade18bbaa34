"""All that a leaderboard says of one run: its figures and their intervals in every scenario of its kind."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evaluation.analyses.call_tables import CallTable
from evaluation.analyses.packed import pack_calls, pack_lists, pack_passages
from evaluation.analyses.passages import passage_intervals
from evaluation.analyses.resampling import Interval, call_intervals, list_intervals
from evaluation.measures.board_scenarios import (
    ANSWERED,
    EXACT,
    FILTERED,
    FILTERED_ANSWERED,
    IN_PART,
    MOST_ORGANISMS,
    OFFICIAL,
    SWISSPROT,
    of_organism,
)
from evaluation.measures.by_organism import by_organism
from evaluation.measures.classification import Judgement, in_list_order
from evaluation.measures.finding_figures import Figures, Sides, of_classification, of_ranked, of_unordered
from evaluation.measures.lists import counted
from evaluation.measures.mapping import accessions
from evaluation.measures.passages import Judged, Submitted, passage_counts, passage_figures
from evaluation.measures.ranking import RankedHits
from evaluation.measures.scenarios import Evaluated, Scenario, evaluated_in
from evaluation.measures.spans import Span

SAMPLES, SEED = 1_000, 1


@dataclass(frozen=True, slots=True)
class InScenario:
    """What one scenario has of a run; absent: why there is nothing.

    intervals: 95 % of bootstrap samples, by the names of the figures; table: as evaluation/analyses/packed.py packs it;
    articles, answered: those evaluated, and those of them with a result.
    """

    scenario: str
    values: Mapping[str, float | int] = field(default_factory=dict)
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    curve: Sequence[tuple[float, float]] = ()
    table: bytes = b""
    articles: int = 0
    answered: int = 0
    absent: str = ""


@dataclass(frozen=True, slots=True)
class Counted:
    """What is right of a run in a scenario; answered: articles with a result."""

    name: str
    ranked: RankedHits
    answered: int


@dataclass(frozen=True, slots=True)
class Tables:
    """What is known of accessions: {accession: taxon}, and those of Swiss-Prot; None where it does not matter.

    without: why there is no table of organisms or of Swiss-Prot, by the name of the scenario that needs it.
    """

    organisms: Mapping[str, str] | None = None
    swissprot: Collection[str] | None = None
    without: Mapping[str, str] = field(default_factory=dict)


def of_calls(
    gold: Mapping[str, bool], judgements: Sequence[Judgement], samples: int = SAMPLES, seed: int = SEED
) -> list[InScenario]:
    """The one scenario of an article classification: every article counts, one without a call as a negative one."""
    if not gold:
        return [InScenario(OFFICIAL, absent=NOTHING)]
    own, table = of_classification(gold, judgements), table_of(gold, judgements)
    drawn = call_intervals(table, samples, np.random.default_rng(seed))
    kept = {name: interval for name, interval in drawn.items() if name in own.values}
    return [InScenario(OFFICIAL, own.values, kept, own.curve, pack_calls(table), len(gold), table.listed)]


def table_of(gold: Mapping[str, bool], judgements: Sequence[Judgement]) -> CallTable:
    """The table of counts of a run in which ranks and confidences may be missing here and there."""
    numbers = {article: number for number, article in enumerate(gold)}
    listed = [own for own in in_list_order(judgements) if own.article in numbers]
    placed = np.array([numbers[own.article] for own in listed], dtype=np.int64)
    relevant = np.array(list(gold.values()), dtype=np.bool_)
    positive, reported = np.zeros(len(gold), dtype=np.bool_), np.zeros(len(gold), dtype=np.bool_)
    positive[[numbers[own.article] for own in listed if own.relevant]] = True
    reported[placed] = True
    cells = [positive & relevant, positive & ~relevant, ~positive & relevant, ~positive & ~relevant]
    order = np.concatenate([placed, np.flatnonzero(~reported)])
    return CallTable(np.column_stack(cells).astype(np.float64), order, len(placed), relevant)


# What the measures of passages are called among all measures, by the names of PassageFigures.
OF_PASSAGES = {
    "mrr": "passage_mrr",
    "relevant_share": "relevant_share",
    "submitted": "passages_submitted",
    "relevant": "passages_relevant",
}


def of_passages(judged: Judged, submitted: Submitted, samples: int = SAMPLES, seed: int = SEED) -> list[InScenario]:
    """The one scenario of evidence passages: every judged pair counts, of one without a passage nothing was found."""
    if not judged:
        return [InScenario(OFFICIAL, absent=NOTHING)]
    table, own = passage_counts(judged, submitted), passage_figures(judged, submitted)
    drawn = passage_intervals(table, samples, np.random.default_rng(seed))
    values = {name: getattr(own, figure) for figure, name in OF_PASSAGES.items()}
    kept = {name: drawn[figure] for figure, name in OF_PASSAGES.items()}
    answered = len({pair[0] for pair, passages in submitted.items() if passages and pair in judged})
    return [InScenario(OFFICIAL, values, kept, (), pack_passages(table), len(table), answered)]


NOTHING = "No article that counts has anything to find in it."


def of_lists(sides: Sides, tables: Tables, samples: int = SAMPLES, seed: int = SEED) -> list[InScenario]:
    """Every scenario of ranked lists for which tables has what it needs; the others with the reason."""
    scored = in_scenarios(evaluated_by_name(sides, tables), of_ranked, samples, seed)
    return [*scored, *(InScenario(name, absent=reason) for name, reason in tables.without.items())]


def of_mentions(
    sides: Sides, accepted: Mapping[str, Collection[Span]] | None, samples: int = SAMPLES, seed: int = SEED
) -> list[InScenario]:
    """Every scenario of mentions; accepted: {article: places that count for genes that they overlap}, as in BioCreative
    II, where there are any. All articles of the gold standard count, those without a gene, too."""
    whole = Scenario(empty_documents=True)
    official = replace(whole, alternatives=accepted)
    scenarios = {OFFICIAL: official, ANSWERED: replace(official, answered_only=True)}
    if accepted is not None:
        scenarios[EXACT] = whole
    scenarios |= {how: replace(whole, spans=how) for how in IN_PART}
    tables = zip(scenarios, evaluated_in(sides.gold, sides.run, list(scenarios.values())), strict=True)
    return in_scenarios(tables, of_unordered, samples, seed)


def evaluated_by_name(sides: Sides, tables: Tables) -> Iterator[tuple[str, Evaluated]]:
    """What is scored in each scenario."""
    scenarios = {OFFICIAL: Scenario(), ANSWERED: Scenario(answered_only=True)}
    if tables.organisms is not None:
        scenarios[FILTERED] = Scenario(organisms=tables.organisms)
        scenarios[FILTERED_ANSWERED] = Scenario(organisms=tables.organisms, answered_only=True)
    if tables.swissprot is not None:
        scenarios[SWISSPROT] = Scenario(swissprot_gold=tables.swissprot)
    for name, table in zip(scenarios, evaluated_in(sides.gold, sides.run, list(scenarios.values())), strict=True):
        yield name, table
        if name == FILTERED and tables.organisms is not None:
            yield from of_organisms(table, tables.organisms)


def of_organisms(whole: Evaluated, organisms: Mapping[str, str]) -> Iterator[tuple[str, Evaluated]]:
    """The organisms with most right items; all articles count, what is found in one without is a false alarm."""
    for part in by_organism(whole.right, whole.lists, organisms)[:MOST_ORGANISMS]:
        answered = len(np.unique(part.lists.document))
        ranked = counted(part.right, part.lists)
        yield of_organism(part.organism), Evaluated(ranked, part.right, part.lists, answered, ())


def in_scenarios(
    tables: Iterable[tuple[str, Evaluated]], figures_of: Callable[[RankedHits], Figures], samples: int, seed: int
) -> list[InScenario]:
    """Figures and intervals of what is right in lists, by the names of the scenarios."""
    # Without the lists themselves, so that those of one scenario at a time take memory.
    counted_in = [Counted(name, table.ranked, table.answered) for name, table in tables]
    alike: dict[int, list[Counted]] = {}
    for own in counted_in:
        alike.setdefault(own.ranked.articles, []).append(own)
    scored = {own.scenario: own for some in alike.values() for own in together(some, figures_of, samples, seed)}
    return [scored[own.name] for own in counted_in]


def together(
    alike: Sequence[Counted], figures_of: Callable[[RankedHits], Figures], samples: int, seed: int
) -> Iterator[InScenario]:
    """Scenarios over so many articles each: their samples are the same, and are drawn once."""
    if not alike[0].ranked.articles:
        yield from (InScenario(own.name, absent=NOTHING) for own in alike)
        return
    figures = [figures_of(own.ranked) for own in alike]
    names = [figure.replace("_", ".", 1) for figure in figures[0].values]
    drawn = list_intervals([own.ranked for own in alike], samples, np.random.default_rng(seed), names=names)
    for own, said, by_name in zip(alike, figures, drawn, strict=True):
        kept, table = dict(zip(said.values, by_name.values(), strict=True)), pack_lists(own.ranked)
        yield InScenario(own.name, said.values, kept, said.curve, table, own.ranked.articles, own.answered)


def accessions_of(sides: Sides) -> tuple[set[str], set[str]]:
    """All accessions that the gold standard names, and all that the run names."""
    right, said = sides.gold.item.names, sides.run.item.names
    return {own for item in right for own in accessions(item)}, {own for item in said for own in accessions(item)}

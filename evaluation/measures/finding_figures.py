"""The figures of a leaderboard, from what the database has of a run and a gold standard: BioCreative library 3.2.

There an article without any right item cannot be in the gold standard of a ranked kind, so what a run says of it costs
nothing. An article that a run leaves unanswered counts as found nothing in a ranked kind and as a negative call in a
classification, whose ranking curve keeps missing positives in the recall and otherwise stays the library's.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter

import numpy as np

from annotations.formats.text_results import GENE_TYPES, counts_as
from annotations.kinds import Finding
from evaluation.measures import classification, counts, ranking
from evaluation.measures.classification import Judgement
from evaluation.measures.columns import Coded, GoldColumns, Item, RunColumns, coded
from evaluation.measures.curves import corners, thinned, trapezium_area
from evaluation.measures.order import unsureness
from evaluation.measures.ranking import RankedHits
from evaluation.measures.scenarios import evaluated
from evaluation.measures.spans import Span

Keys = frozenset[tuple[object, ...]]
# What there is, macro and micro, of answers that have no order, as mentions.
UNORDERED = ("f1", "precision", "recall")


@dataclass(frozen=True, slots=True)
class Figures:
    """values: by the names of evaluation/measures/registry.py; curve: (recall, precision) points in list order."""

    values: Mapping[str, float | int]
    curve: Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Sides:
    """A gold standard and a run of ranked lists as columns; articles in the order of the gold standard."""

    gold: GoldColumns
    run: RunColumns


def of_classification(gold: Mapping[str, bool], judgements: Sequence[Judgement]) -> Figures:
    """Figures of calls on articles: gold is {article: relevant}, an article without a judgement a negative call."""
    table = classification.count(judgements, gold, unreported="negative")
    curve = classification.curve(judgements, gold)
    values = {
        "mcc": counts.mcc(table),
        "auc_pr": trapezium_area(curve),
        "sensitivity": counts.sensitivity(table),
        "specificity": counts.specificity(table),
        "accuracy": counts.accuracy(table),
    }
    return Figures(values | asdict(table), thinned(corners(curve)))


def of_lists(gold: Mapping[str, Keys], answers: Mapping[str, Iterable[Finding]]) -> Figures:
    """Figures of ranked lists: gold is {article: keys of its right items}, answers {article: findings in any order}.

    Only findings in a database that the gold standard uses count; articles without right items are left out.
    """
    sides = sides_of(gold, answers)
    return of_ranked(evaluated(sides.gold, sides.run).ranked)


def of_ranked(ranked: RankedHits) -> Figures:
    """Figures of what is right in ranked lists; the means are over the articles with right items."""
    averages = {"macro": ranking.macro(ranking.with_right_items(ranked)), "micro": ranking.micro(ranked)}
    values = {f"{way}_{name}": value for way, figures in averages.items() for name, value in asdict(figures).items()}
    return Figures(values, thinned(corners(ranking.micro_curve(ranked))))


def of_unordered(ranked: RankedHits) -> Figures:
    """Those of of_ranked that need no order of what is reported."""
    own = of_ranked(ranked).values
    return Figures({name: value for name, value in own.items() if name.partition("_")[2] in UNORDERED}, ())


def sides_of(gold: Mapping[str, Keys], answers: Mapping[str, Iterable[Finding]]) -> Sides:
    """The columns of what of_lists takes. Items are named without their database where the gold standard uses one."""
    databases = {key[0] for keys in gold.values() for key in keys}
    several = len(databases) > 1
    right = [(article, item_of(key, several)) for article, keys in gold.items() for key in sorted(keys, key=str)]
    known = {article: answers[article] for article in gold if article in answers}
    rows = [
        (article, item_of(key, several), place, confidence)
        for article, findings in known.items()
        for place, (key, confidence) in enumerate(list_of(findings, databases).items(), 1)
    ]
    return Sides(GoldColumns(*columns_of(list(gold), right)), run_of(list(known), rows))


def mention_sides(gold: Mapping[str, Iterable[Finding]], answers: Mapping[str, Iterable[Finding]]) -> Sides:
    """The columns of mentions of genes, which have no order: {article: findings} of both sides."""
    known = {article: answers[article] for article in gold if article in answers}
    right, said = ([(name, span) for name, own in side.items() for span in genes_in(own)] for side in (gold, known))
    return Sides(GoldColumns(*columns_of(list(gold), right)), RunColumns(*columns_of(list(known), said)))


def genes_in(findings: Iterable[Finding]) -> list[Span]:
    """The distinct places of mentions, in the order of the text; those that have another type than a gene do not
    count."""
    genes = filter(may_be_gene, findings)
    return sorted({Span(own.start, own.end) for own in genes if own.start is not None and own.end is not None})


def may_be_gene(finding: Finding) -> bool:
    """Whether a mention counts; a finding of another kind has no type, and counts."""
    return not finding.type or counts_as(finding.type, GENE_TYPES)


def columns_of(articles: Sequence[str], rows: Sequence[tuple[str, Item]]) -> tuple[Coded[str], Coded[Item]]:
    """A column of articles, those without a row too, and one of items."""
    numbers = {article: number for number, article in enumerate(articles)}
    document = np.fromiter((numbers[row[0]] for row in rows), dtype=np.int64, count=len(rows))
    return Coded(articles, document), coded(map(itemgetter(1), rows))


def run_of(articles: Sequence[str], rows: Sequence[tuple[str, Item, int, float | None]]) -> RunColumns:
    """The rows of a run; confidence is kept only where every row has one, as it cuts lists only then."""
    document, item = columns_of(articles, [row[:2] for row in rows])
    sure = [row[3] for row in rows]
    confidence = np.array(sure, dtype=np.float64) if sure and None not in sure else None
    return RunColumns(document, item, np.array([row[2] for row in rows], dtype=np.int64), confidence)


def item_of(key: tuple[object, ...], several: bool) -> Item:
    """What a key is called: an identifier, or the two of a pair; after its database where there are several."""
    names = [f"{key[0]}:{part}" if several else str(part) for part in key[1:]]
    return names[0] if len(names) == 1 else (names[0], names[1])


def list_of(findings: Iterable[Finding], databases: set[object]) -> dict[tuple[object, ...], float | None]:
    """The items of one article's list with their confidence, in list order: by rank, else confidence, then identifier.

    An item that stands in the list twice counts once, where it is placed best.
    """
    counted = [finding for finding in findings if finding.database in databases]
    order = sorted(counted, key=lambda own: (*unsureness(own), own.database, own.identifier, own.partner))
    listed: dict[tuple[object, ...], float | None] = {}
    for finding in order:
        listed.setdefault(finding.key, finding.confidence)
    return listed

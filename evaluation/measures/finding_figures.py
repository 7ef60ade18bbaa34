"""The figures of a leaderboard, from what the database has of a run and a gold standard: BioCreative library 3.2.

There an article without any right item cannot be in the gold standard of a ranked kind, so what a run says of it costs
nothing. An article that a run leaves unanswered counts as found nothing in a ranked kind and as a negative call in a
classification, whose ranking curve keeps missing positives in the recall and otherwise stays the library's.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from annotations.kinds import Finding
from evaluation.measures import classification, counts, ranking
from evaluation.measures.classification import Judgement
from evaluation.measures.curves import corners, trapezium_area
from evaluation.measures.order import unsureness

Keys = frozenset[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class Figures:
    """values: by the names of evaluation/measures/registry.py; curve: (recall, precision) points in list order."""

    values: Mapping[str, float | int]
    curve: Sequence[tuple[float, float]]


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
    return Figures(values | asdict(table), corners(curve))


def of_lists(gold: Mapping[str, Keys], answers: Mapping[str, Iterable[Finding]]) -> Figures:
    """Figures of ranked lists: gold is {article: keys of its right items}, answers {article: findings in any order}.

    Only findings in a database that the gold standard uses count; articles without right items are left out.
    """
    asked = {article: keys for article, keys in gold.items() if keys}
    databases = {key[0] for keys in asked.values() for key in keys}
    lists = [hits(answers.get(article, ()), keys, databases) for article, keys in asked.items()]
    ranked = ranking.ranked_hits(lists, [len(keys) for keys in asked.values()])
    averages = {"macro": ranking.macro(ranked), "micro": ranking.micro(ranked)}
    values = {f"{way}_{name}": value for way, figures in averages.items() for name, value in asdict(figures).items()}
    return Figures(values, corners(ranking.micro_curve(ranked)))


def hits(findings: Iterable[Finding], right: Keys, databases: set[object]) -> list[bool]:
    """Whether each item of one article's list is right, in list order: by rank, else confidence, then identifier.

    An item that stands in the list twice counts once, where it is placed best.
    """
    counted = [finding for finding in findings if finding.database in databases]
    order = sorted(counted, key=lambda finding: (*unsureness(finding), finding.database, finding.identifier))
    return [key in right for key in dict.fromkeys(finding.key for finding in order)]

"""Evidence passages (ISS), judged by pooling: the share that is relevant, and the mean reciprocal rank of the best.

Source: BioCreative II, task ISS.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.measures.columns import Floats
from evaluation.measures.confusion_counts import divide_or_undefined

# An article and the two interactors, sorted.
PassagePair = tuple[str, str, str]
# The counts of each article: submitted passages of judged pairs, relevant ones, ones without a verdict, pairs that have
# a best passage, and the sum of their reciprocal ranks.
PASSAGE_COUNT_COLUMNS = ("submitted", "relevant", "unjudged", "pairs", "reciprocal")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A curator's verdict on one passage."""

    relevant: bool
    best: bool


VerdictsByPair = Mapping[PassagePair, Mapping[str, Verdict]]
PassagesByPair = Mapping[PassagePair, Sequence[str]]


@dataclass(frozen=True, slots=True)
class PassageFigures:
    """submitted: passages of judged pairs; relevant: how many are; mrr: over the `pairs` that have a best passage.

    unjudged: submitted passages without a verdict, which count as not relevant; unknown: passages of pairs that were
    not judged, which count nowhere; undefined: names of figures that are 0/0.
    """

    submitted: int
    relevant: int
    relevant_share: float
    pairs: int
    mrr: float
    unjudged: int
    unknown: int
    undefined: Sequence[str] = ()


def build_passage_count_table_by_article(verdicts_by_pair: VerdictsByPair, passages_by_pair: PassagesByPair) -> Floats:
    """float [judged articles, PASSAGE_COUNT_COLUMNS]: what each article adds to the figures of a run.

    verdicts_by_pair is {pair: {passage: verdict}}, passages_by_pair {pair: passages, best first}. A pair for which the
    run finds no best passage, or submits none, has reciprocal rank 0.
    """
    rows = {article: row for row, article in enumerate(dict.fromkeys(pair[0] for pair in verdicts_by_pair))}
    table = np.zeros((len(rows), len(PASSAGE_COUNT_COLUMNS)))
    for pair, verdicts in verdicts_by_pair.items():
        table[rows[pair[0]]] += _count_pair_passages(passages_by_pair.get(pair, ()), verdicts)
    return table


def _count_pair_passages(passages: Sequence[str], verdicts: Mapping[str, Verdict]) -> tuple[float, ...]:
    """The PASSAGE_COUNT_COLUMNS of one pair."""
    passage_verdicts = [verdicts.get(passage) for passage in passages]
    relevant = sum(verdict is not None and verdict.relevant for verdict in passage_verdicts)
    has_best = any(verdict.best for verdict in verdicts.values())
    return (
        len(passage_verdicts),
        relevant,
        passage_verdicts.count(None),
        has_best,
        _best_passage_reciprocal_rank(passages, verdicts),
    )


def compute_passage_figures(
    verdicts_by_pair: VerdictsByPair, passages_by_pair: PassagesByPair, undefined: float = 0.0
) -> PassageFigures:
    """Figures of one run; arguments as in build_passage_count_table_by_article; 0/0 is `undefined`."""
    totals = build_passage_count_table_by_article(verdicts_by_pair, passages_by_pair).sum(axis=0).tolist()
    submitted_count, relevant, unjudged, pairs = map(int, totals[:-1])
    return PassageFigures(
        submitted=submitted_count,
        relevant=relevant,
        relevant_share=divide_or_undefined(relevant, submitted_count, undefined),
        pairs=pairs,
        mrr=divide_or_undefined(totals[-1], pairs, undefined),
        unjudged=unjudged,
        unknown=sum(len(passages) for pair, passages in passages_by_pair.items() if pair not in verdicts_by_pair),
        undefined=[
            name for name, denominator in (("relevant_share", submitted_count), ("mrr", pairs)) if not denominator
        ],
    )


def _best_passage_reciprocal_rank(passages: Sequence[str], verdicts: Mapping[str, Verdict]) -> float:
    """1 over the rank of the first best passage, 0 without one."""
    for rank, passage in enumerate(passages, 1):
        if passage in verdicts and verdicts[passage].best:
            return 1 / rank
    return 0.0

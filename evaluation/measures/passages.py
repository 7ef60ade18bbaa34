"""Evidence passages (ISS), judged by pooling: the share that is relevant, and the mean reciprocal rank of the best.

Source: BioCreative II, task ISS.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.measures.columns import Floats
from evaluation.measures.counts import ratio

# An article and the two interactors, sorted.
Pair = tuple[str, str, str]
# What is counted of each article: passages of judged pairs submitted, those relevant, those without a verdict, pairs
# that have a best passage, and the sum of their reciprocal ranks.
COUNTED = ("submitted", "relevant", "unjudged", "pairs", "reciprocal")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the curator said of one passage."""

    relevant: bool
    best: bool


Judged = Mapping[Pair, Mapping[str, Verdict]]
Submitted = Mapping[Pair, Sequence[str]]


@dataclass(frozen=True, slots=True)
class PassageFigures:
    """submitted passages of judged pairs, those relevant, their share; mrr over the pairs that have a best passage.

    unjudged: submitted passages without a verdict, which count as not relevant; unknown: passages of pairs that nobody
    judged, which count nowhere.
    """

    submitted: int
    relevant: int
    relevant_share: float
    pairs: int
    mrr: float
    unjudged: int
    unknown: int
    undefined: Sequence[str] = ()


def passage_counts(judged: Judged, submitted: Submitted) -> Floats:
    """float [judged articles, COUNTED]: what each article adds to the figures of a run.

    judged is {pair: {passage: verdict}}, submitted {pair: passages, best first}. A pair for which the run finds no best
    passage, or submits none, has reciprocal rank 0.
    """
    numbers = {article: number for number, article in enumerate(dict.fromkeys(pair[0] for pair in judged))}
    table = np.zeros((len(numbers), len(COUNTED)))
    for pair, verdicts in judged.items():
        table[numbers[pair[0]]] += pair_counts(submitted.get(pair, ()), verdicts)
    return table


def pair_counts(passages: Sequence[str], verdicts: Mapping[str, Verdict]) -> tuple[float, ...]:
    """COUNTED of one pair."""
    own = [verdicts.get(passage) for passage in passages]
    relevant = sum(verdict is not None and verdict.relevant for verdict in own)
    with_best = any(verdict.best for verdict in verdicts.values())
    return len(own), relevant, own.count(None), with_best, reciprocal_rank(passages, verdicts)


def passage_figures(judged: Judged, submitted: Submitted, undefined: float = 0.0) -> PassageFigures:
    """Figures of one run, from what passage_counts takes; 0/0 is `undefined`."""
    totals = passage_counts(judged, submitted).sum(axis=0).tolist()
    given, relevant, unjudged, pairs = map(int, totals[:-1])
    return PassageFigures(
        submitted=given,
        relevant=relevant,
        relevant_share=ratio(relevant, given, undefined),
        pairs=pairs,
        mrr=ratio(totals[-1], pairs, undefined),
        unjudged=unjudged,
        unknown=sum(len(passages) for pair, passages in submitted.items() if pair not in judged),
        undefined=[name for name, of in (("relevant_share", given), ("mrr", pairs)) if not of],
    )


def reciprocal_rank(passages: Sequence[str], verdicts: Mapping[str, Verdict]) -> float:
    """1 over the place of the first best passage, 0 without one."""
    for place, passage in enumerate(passages, 1):
        if passage in verdicts and verdicts[passage].best:
            return 1 / place
    return 0.0

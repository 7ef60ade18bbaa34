"""Evidence passages (ISS), judged by pooling: the share that is relevant, and the mean reciprocal rank of the best.

Source: BioCreative II, task ISS.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluation.measures.counts import ratio

# An article and the two interactors, sorted.
Pair = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the curator said of one passage."""

    relevant: bool
    best: bool


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


def passage_figures(
    judged: Mapping[Pair, Mapping[str, Verdict]], submitted: Mapping[Pair, Sequence[str]], undefined: float = 0.0
) -> PassageFigures:
    """Figures of one run: judged is {pair: {passage: verdict}}, submitted {pair: passages, best first}.

    A pair for which the run finds no best passage, or submits none, has reciprocal rank 0.
    """
    lists = {pair: submitted.get(pair, ()) for pair in judged}
    verdicts = [judged[pair].get(passage) for pair, passages in lists.items() for passage in passages]
    relevant = sum(verdict is not None and verdict.relevant for verdict in verdicts)
    with_best = [pair for pair, own in judged.items() if any(verdict.best for verdict in own.values())]
    total = sum(reciprocal_rank(lists[pair], judged[pair]) for pair in with_best)
    return PassageFigures(
        submitted=len(verdicts),
        relevant=relevant,
        relevant_share=ratio(relevant, len(verdicts), undefined),
        pairs=len(with_best),
        mrr=ratio(total, len(with_best), undefined),
        unjudged=verdicts.count(None),
        unknown=sum(len(passages) for pair, passages in submitted.items() if pair not in judged),
        undefined=[name for name, of in (("relevant_share", verdicts), ("mrr", with_best)) if not of],
    )


def reciprocal_rank(passages: Sequence[str], verdicts: Mapping[str, Verdict]) -> float:
    """1 over the place of the first best passage, 0 without one."""
    for place, passage in enumerate(passages, 1):
        if passage in verdicts and verdicts[passage].best:
            return 1 / place
    return 0.0

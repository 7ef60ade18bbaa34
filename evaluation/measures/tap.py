"""Threshold average precision, TAP-k: average precision up to a threshold on the score, and what is there at its end.

Source: Carroll et al. (2010); details of ties, weights and padding as in the program of its authors and the module
TAP-k 1.0. The variant of the thesis, which cuts every list at its own k-th error, is `tap_per_list`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# Weights are summed in floating point; a quantile missed by less than this part of it counts as reached.
SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What was retrieved for one query, best first: hits and scores [records]; relevant: how many records there are."""

    query: str
    relevant: int
    hits: Sequence[bool]
    scores: Sequence[float]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class TapK:
    """k errors, the threshold E_k (None when fewer than half of the queries have k errors), the mean and each query."""

    k: int
    e_k: float | None
    tap_k: float
    queries: Mapping[str, float]


class TapError(ValueError):
    """Retrieval lists that cannot be scored: what is wrong with them, and how to mend it."""

    def __init__(self, wrong: str, mend: str) -> None:
        super().__init__(f"{wrong}; {mend}.")
        self.wrong, self.mend = wrong, mend


def is_ascending(lists: Sequence[Retrieval]) -> bool:
    """Whether the smallest score is the best, found from the lists after checking all of them.

    TapError for no list, more relevant records than the query has, scores out of order, or no two different scores.
    """
    if not lists:
        raise TapError("there is no retrieval list", "give one block for each query")
    found = {direction for retrieval in lists for direction in directions(retrieval)}
    if len(found) > 1:
        raise TapError("the lists disagree whether high or low scores are best", "sort every list best first")
    if not found:
        raise TapError(
            "no list has two different scores, so nothing tells whether high or low ones are best",
            "give a list with different scores",
        )
    return found.pop()


def directions(retrieval: Retrieval) -> set[bool]:
    """Whether the scores rise (True) or fall (False); neither when they are all equal."""
    marked = sum(retrieval.hits)
    if marked > retrieval.relevant:
        raise TapError(
            f"query {retrieval.query} has {marked} records marked relevant but says that only {retrieval.relevant} are",
            "correct the number or the marks",
        )
    steps = zip(retrieval.scores, retrieval.scores[1:], strict=False)
    found = {before < after for before, after in steps if before != after}
    if len(found) > 1:
        raise TapError(f"the scores of query {retrieval.query} rise and fall", "sort its records best first")
    return found


def threshold(lists: Sequence[Retrieval], k: int, *, ascending: bool) -> float | None:
    """E_k: the first score, from strict to loose, at which half of the total weight has k errors; None: there is none.

    A query with fewer than k errors never reaches it but counts in the total. For an even number of equal weights this
    is the lower of the two middle thresholds.
    """
    reached = [(score, own.weight) for own in lists if (score := error_score(own, k)) is not None]
    reached.sort(reverse=not ascending)
    half, weight = 0.5 * sum(own.weight for own in lists) * (1.0 - SLACK), 0.0
    for score, own_weight in reached:
        weight += own_weight
        if weight >= half:
            return score
    return None


def error_score(retrieval: Retrieval, k: int) -> float | None:
    """The score of the k-th irrelevant record, None when there are fewer."""
    wrong = [score for hit, score in zip(retrieval.hits, retrieval.scores, strict=True) if not hit]
    return wrong[k - 1] if len(wrong) >= k else None


def tap(hits: Sequence[bool], relevant: int, *, padded: bool = False) -> float:
    """TAP of what is retrieved up to the threshold: (precisions at the relevant + precision at the last) / (T + 1).

    hits: best first; relevant: T. 0 when nothing is retrieved; with T = 0 it is 1 / (retrieved + 1). padded: the list
    goes on with irrelevant records for ever, so that the precision at its last is 0.
    """
    if not relevant:
        return 1.0 / (len(hits) + 1)
    found, total = 0, 0.0
    for place, hit in enumerate(hits, 1):
        if hit:
            found += 1
            total += found / place
    if hits and not padded:
        total += found / len(hits)
    return total / (relevant + 1)


def tap_k(lists: Sequence[Retrieval], k: int, *, ascending: bool, pad: bool = False) -> TapK:
    """TAP-k with the threshold common to all queries, E_k; what is tied with it is retrieved, too.

    Without an E_k, pad scores the whole lists as padded with irrelevant records; else TapError.
    """
    e_k = threshold(lists, k, ascending=ascending)
    if e_k is None:
        if not pad:
            raise TapError(f"fewer than half of the lists have {k} errors", "choose a smaller k, or pad the lists")
        return averaged(lists, k, None, [tap(own.hits, own.relevant, padded=True) for own in lists])
    sign = 1 if ascending else -1
    kept = [sum(sign * score <= sign * e_k for score in own.scores) for own in lists]
    taps = [tap(own.hits[:number], own.relevant) for own, number in zip(lists, kept, strict=True)]
    return averaged(lists, k, e_k, taps)


def tap_per_list(lists: Sequence[Retrieval], k: int) -> TapK:
    """The variant of the thesis: each list is cut at its own k-th error, or at its end; it has no common threshold."""
    return averaged(lists, k, None, [tap(own.hits[: own_end(own.hits, k)], own.relevant) for own in lists])


def own_end(hits: Sequence[bool], k: int) -> int:
    """How many records there are up to and with the k-th error, all when there are fewer errors."""
    wrong = [place for place, hit in enumerate(hits, 1) if not hit]
    return wrong[k - 1] if len(wrong) >= k else len(hits)


def averaged(lists: Sequence[Retrieval], k: int, e_k: float | None, taps: Sequence[float]) -> TapK:
    weighted = sum(own.weight * value for own, value in zip(lists, taps, strict=True))
    queries = {own.query: value for own, value in zip(lists, taps, strict=True)}
    return TapK(k, e_k, weighted / sum(own.weight for own in lists), queries)

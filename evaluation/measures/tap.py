"""Threshold average precision (TAP-k): average precision up to a score threshold, with the precision at its end.

Source: Carroll et al. (2010); ties, weights and padding as in the authors' program and the module TAP-k 1.0.
`compute_tap_at_own_kth_error` is the variant of the thesis, which cuts every list at its own k-th error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# Weights are summed in floating point; a quantile missed by less than this fraction of it counts as reached.
WEIGHT_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class QueryRetrieval:
    """The records retrieved for a query, best first: hits, scores [records]; relevant: number of relevant records."""

    query: str
    relevant: int
    hits: Sequence[bool]
    scores: Sequence[float]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class TapK:
    """TAP-k of some queries: e_k is the threshold E_k, None when fewer than half of the queries have k errors.

    tap_k: the weighted mean; queries: {query: its TAP}.
    """

    k: int
    e_k: float | None
    tap_k: float
    queries: Mapping[str, float]


class TapError(ValueError):
    """Retrieval lists cannot be scored. wrong: what is wrong with them; fix: how to correct them."""

    def __init__(self, wrong: str, fix: str) -> None:
        super().__init__(f"{wrong}; {fix}.")
        self.wrong, self.fix = wrong, fix


def check_lists_and_detect_ascending_scores(lists: Sequence[QueryRetrieval]) -> bool:
    """Whether the smallest score is the best; checks all lists.

    False if it does not matter, because there is one list, or all scores are equal. TapError for no list, more relevant
    records than the query has, unsorted scores, or several lists without two different scores of which the scores
    differ between lists.
    """
    if not lists:
        raise TapError("there is no retrieval list", "add one block for each query")
    directions = {direction for retrieval in lists for direction in _find_score_directions(retrieval)}
    if len(directions) > 1:
        raise TapError(
            "some lists have the highest scores first and others the lowest",
            "sort every list with the best score first",
        )
    if not directions and len({score for retrieval in lists for score in retrieval.scores}) > 1:
        raise TapError(
            "no list has two different scores, so it is unknown whether high or low scores are best",
            "add a list with different scores",
        )
    return bool(directions) and directions.pop()


def check_each_list(lists: Sequence[QueryRetrieval]) -> None:
    """Check lists that are cut each on its own, so that the direction of their scores does not matter.

    TapError for no list, more relevant records than the query has, or unsorted scores.
    """
    if not lists:
        raise TapError("there is no retrieval list", "add one block for each query")
    for retrieval in lists:
        _find_score_directions(retrieval)


def _find_score_directions(retrieval: QueryRetrieval) -> set[bool]:
    """{True} for rising scores, {False} for falling ones, empty when all are equal. TapError for wrong lists."""
    marked = sum(retrieval.hits)
    if marked > retrieval.relevant:
        raise TapError(
            f"query {retrieval.query} marks {marked} records as relevant but declares {retrieval.relevant}",
            "correct the number or the marks",
        )
    steps = zip(retrieval.scores, retrieval.scores[1:], strict=False)
    directions = {before < after for before, after in steps if before != after}
    if len(directions) > 1:
        raise TapError(
            f"the scores of query {retrieval.query} both rise and fall", "sort its records with the best score first"
        )
    return directions


def find_tap_threshold_of_half_weight(
    lists: Sequence[QueryRetrieval], k: int, *, smallest_is_best: bool
) -> float | None:
    """E_k: the strictest score at which queries of half of the total weight have k errors; None when there is none.

    A query with fewer than k errors never reaches k but counts in the total. For an even number of equal weights, E_k
    is the stricter of the two middle thresholds.
    """
    reached = [
        (score, retrieval.weight) for retrieval in lists if (score := _find_kth_error_score(retrieval, k)) is not None
    ]
    reached.sort(reverse=not smallest_is_best)
    half, weight = 0.5 * sum(retrieval.weight for retrieval in lists) * (1.0 - WEIGHT_TOLERANCE), 0.0
    for score, query_weight in reached:
        weight += query_weight
        if weight >= half:
            return score
    return None


def _find_kth_error_score(retrieval: QueryRetrieval, k: int) -> float | None:
    """The score of the k-th irrelevant record; None when there are fewer."""
    error_scores = [score for hit, score in zip(retrieval.hits, retrieval.scores, strict=True) if not hit]
    return error_scores[k - 1] if len(error_scores) >= k else None


def threshold_average_precision(hits: Sequence[bool], relevant_count: int, *, is_list_endless: bool = False) -> float:
    """TAP of the records up to the threshold: (precisions at relevant records + precision at the last) / (T + 1).

    hits: best first; relevant_count: T. 0 when nothing is retrieved; 1 / (retrieved + 1) for T = 0. is_list_endless:
    the list continues with irrelevant records without end, so that its last precision is 0.
    """
    if not relevant_count:
        return 1.0 / (len(hits) + 1)
    hits_so_far, total = 0, 0.0
    for position, hit in enumerate(hits, 1):
        if hit:
            hits_so_far += 1
            total += hits_so_far / position
    if hits and not is_list_endless:
        total += hits_so_far / len(hits)
    return total / (relevant_count + 1)


def compute_tap_k(
    lists: Sequence[QueryRetrieval], k: int, *, smallest_is_best: bool, pad_if_too_few_errors: bool = False
) -> TapK:
    """TAP-k with one threshold for all queries, E_k; records tied with it are retrieved, too.

    Without an E_k, `pad_if_too_few_errors` scores whole lists as padded with irrelevant records; otherwise TapError.
    """
    e_k = find_tap_threshold_of_half_weight(lists, k, smallest_is_best=smallest_is_best)
    if e_k is None:
        if not pad_if_too_few_errors:
            raise TapError(f"fewer than half of the lists have {k} errors", "choose a smaller k or pad the lists")
        return _average_taps(
            lists,
            k,
            None,
            [
                threshold_average_precision(retrieval.hits, retrieval.relevant, is_list_endless=True)
                for retrieval in lists
            ],
        )
    sign = 1 if smallest_is_best else -1
    retrieved_counts = [sum(sign * score <= sign * e_k for score in retrieval.scores) for retrieval in lists]
    taps = [
        threshold_average_precision(retrieval.hits[:number], retrieval.relevant)
        for retrieval, number in zip(lists, retrieved_counts, strict=True)
    ]
    return _average_taps(lists, k, e_k, taps)


def compute_tap_at_own_kth_error(lists: Sequence[QueryRetrieval], k: int) -> TapK:
    """TAP-k in the variant of the thesis: each list is cut at its own k-th error, or at its end; e_k is None."""
    return _average_taps(
        lists,
        k,
        None,
        [
            threshold_average_precision(retrieval.hits[: _kth_error_position(retrieval.hits, k)], retrieval.relevant)
            for retrieval in lists
        ],
    )


def _kth_error_position(hits: Sequence[bool], k: int) -> int:
    """The number of records up to and including the k-th error; all records when there are fewer errors."""
    error_positions = [position for position, hit in enumerate(hits, 1) if not hit]
    return error_positions[k - 1] if len(error_positions) >= k else len(hits)


def _average_taps(lists: Sequence[QueryRetrieval], k: int, e_k: float | None, taps: Sequence[float]) -> TapK:
    weighted = sum(retrieval.weight * value for retrieval, value in zip(lists, taps, strict=True))
    queries = {retrieval.query: value for retrieval, value in zip(lists, taps, strict=True)}
    return TapK(k, e_k, weighted / sum(retrieval.weight for retrieval in lists), queries)

"""TAP-k of retrieval lists for several k, with the lines of a plot."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.measures.tap import (
    QueryRetrieval,
    TapError,
    TapK,
    check_each_list,
    check_lists_and_detect_ascending_scores,
    compute_tap_at_own_kth_error,
    compute_tap_k,
)

# The plot shows TAP-k for k from 1 to this.
PLOTTED_K = 20
TapPoints = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class TapReport:
    """taps: TAP-k with a common threshold for each k; per_list: the variant that cuts each list at its own k-th error.

    taps is empty, and `refusal` says why, if the lists have no common threshold. common_points, per_list_points:
    (k, TAP-k) of the plot, only where there is a threshold.
    """

    taps: Sequence[TapK]
    per_list: Sequence[TapK]
    common_points: TapPoints
    per_list_points: TapPoints
    refusal: str = ""


def build_tap_report(lists: Sequence[QueryRetrieval], ks: Sequence[int], *, pad: bool) -> TapReport:
    """The figures of all lists. TapError for lists that cannot be scored in either way.

    pad: whether whole lists are used where fewer than half of them have k errors.
    """
    check_each_list(lists)
    taps: list[TapK] = []
    refusal = ""
    common: dict[int, TapK] = {}
    try:
        ascending = check_lists_and_detect_ascending_scores(lists)
        common = _compute_taps_with_threshold(lists, range(1, PLOTTED_K + 1), ascending=ascending)
        taps = [compute_tap_k(lists, k, smallest_is_best=ascending, pad_if_too_few_errors=pad) for k in ks]
    except TapError as error:
        refusal = str(error)
    own = {k: compute_tap_at_own_kth_error(lists, k) for k in {*ks, *range(1, PLOTTED_K + 1)}}
    return TapReport(
        taps,
        [own[k] for k in ks],
        [(float(k), tap.tap_k) for k, tap in common.items()],
        [(float(k), own[k].tap_k) for k in range(1, PLOTTED_K + 1)],
        refusal,
    )


def _compute_taps_with_threshold(
    lists: Sequence[QueryRetrieval], ks: Sequence[int], *, ascending: bool
) -> dict[int, TapK]:
    """{k: TAP-k} of the k for which enough lists have k errors."""
    taps: dict[int, TapK] = {}
    for k in ks:
        try:
            taps[k] = compute_tap_k(lists, k, smallest_is_best=ascending)
        except TapError:
            break
    return taps

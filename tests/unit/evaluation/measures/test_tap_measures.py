"""TAP-k as the module TAP-k computes it, and the thesis' variant beside it."""

from dataclasses import replace

import pytest
import tapk
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluation.measures.tap import (
    QueryRetrieval,
    TapError,
    check_each_list,
    check_lists_and_detect_ascending_scores,
    compute_tap_at_own_kth_error,
    compute_tap_k,
    find_tap_threshold_of_half_weight,
    threshold_average_precision,
)
from tests.reference import thresholds


def retrieval(word, relevant=None, scores=None, weight=1.0, query="q"):
    hits = [letter == "T" for letter in word]
    scores = scores or [float(len(word) - n) for n in range(len(word))]
    return QueryRetrieval(query, sum(hits) if relevant is None else relevant, hits, scores, weight)


def iter_list_lines(lists):
    for own in lists:
        yield f"{own.query} {own.weight!r}"
        yield str(own.relevant)
        yield from (f"{int(hit)} {score!r}" for hit, score in zip(own.hits, own.scores, strict=True))
        yield ""


@st.composite
def some_lists(draw):
    lists = []
    ascending = draw(st.booleans())
    for number in range(draw(st.integers(1, 5))):
        hits = draw(st.lists(st.booleans(), max_size=8))
        scores = draw(st.lists(st.integers(0, 9), min_size=len(hits), max_size=len(hits)))
        scores = [float(score) for score in sorted(scores, reverse=not ascending)]
        weight = draw(st.sampled_from([1.0, 1.0, 0.5, 2.5]))
        lists.append(QueryRetrieval(f"q{number}", sum(hits) + draw(st.integers(0, 2)), hits, scores, weight))
    return lists


@settings(max_examples=200, deadline=None)
@given(some_lists(), st.integers(1, 4), st.booleans())
def test_it_agrees_with_the_module_of_that_name(lists, k, pad):
    # The module asks for the direction of the scores even where it does not matter.
    assume(any(len(set(retrieval.scores)) > 1 for retrieval in lists))
    ascending = check_lists_and_detect_ascending_scores(lists)
    try:
        ours = compute_tap_k(lists, k, smallest_is_best=ascending, pad_if_too_few_errors=pad)
    except TapError:
        with pytest.raises(tapk.InputError):
            tapk.tapk([iter_list_lines(lists)], k=k, p=pad)
        return
    theirs = tapk.tapk([iter_list_lines(lists)], k=k, p=pad)
    assert ours.tap_k == pytest.approx(theirs.tap, abs=1e-15)
    assert ours.e_k == (None if theirs.e0 != theirs.e0 else theirs.e0)
    assert list(ours.queries.values()) == pytest.approx([query.tap for query in theirs.queries], abs=1e-15)


def test_it_adds_the_precision_at_the_last_record():
    assert threshold_average_precision([True, False], 1) == (1 + 1 / 2) / 2
    assert threshold_average_precision([True, True], 2) == 1
    assert threshold_average_precision([False, True, False], 2) == pytest.approx((1 / 2 + 1 / 3) / 3)
    assert threshold_average_precision([], 2) == 0
    assert (threshold_average_precision([], 0), threshold_average_precision([False], 0)) == (1, 0.5)
    assert threshold_average_precision([True, False], 1, is_list_endless=True) == 0.5


def test_it_takes_the_lower_of_two_middle_thresholds():
    lists = [retrieval("FT", scores=[9.0, 1.0]), retrieval("FT", scores=[5.0, 1.0], query="r")]
    assert find_tap_threshold_of_half_weight(lists, 1, smallest_is_best=False) == 9.0


def test_it_keeps_what_is_tied_with_the_threshold():
    only = retrieval("TFFT", scores=[9.0, 5.0, 5.0, 5.0])
    assert compute_tap_k([only], 1, smallest_is_best=False).tap_k == pytest.approx((1 + 2 / 4 + 2 / 4) / 3)


def test_it_does_not_depend_on_k_when_padded():
    lists = [retrieval("TFT"), retrieval("T", query="r")]
    padded = [compute_tap_k(lists, k, smallest_is_best=False, pad_if_too_few_errors=True) for k in (5, 10, 20)]
    assert {own.tap_k for own in padded} == {padded[0].tap_k}
    assert {own.e_k for own in padded} == {None}
    with pytest.raises(TapError, match="fewer than half of the lists have 5 errors"):
        compute_tap_k(lists, 5, smallest_is_best=False)


def test_it_cuts_each_list_at_its_own_error_in_the_variant_of_the_thesis():
    lists = [retrieval("TFTF"), retrieval("FFT", query="r")]
    own = compute_tap_at_own_kth_error(lists, 1)
    assert own.queries == {"q": pytest.approx((1 + 1 / 2) / 3), "r": 0}
    assert own.tap_k == pytest.approx(0.25)
    assert compute_tap_at_own_kth_error(lists, 9).queries["q"] == pytest.approx((1 + 2 / 3 + 1 / 2) / 3)


@given(some_lists(), st.integers(1, 4))
def test_it_stays_between_0_and_1(lists, k):
    assume(lists)
    assert 0 <= compute_tap_at_own_kth_error(lists, k).tap_k <= 1


def test_it_refuses_lists_that_make_no_sense():
    with pytest.raises(TapError, match="no retrieval list"):
        check_lists_and_detect_ascending_scores([])
    with pytest.raises(TapError, match="marks 2 records as relevant but declares 1"):
        check_lists_and_detect_ascending_scores([retrieval("TT", relevant=1)])
    with pytest.raises(TapError, match="both rise and fall"):
        check_lists_and_detect_ascending_scores([retrieval("TTT", scores=[1.0, 3.0, 2.0])])
    with pytest.raises(TapError, match="highest scores first and others the lowest"):
        check_lists_and_detect_ascending_scores(
            [retrieval("TT", scores=[1.0, 2.0]), retrieval("TT", scores=[2.0, 1.0])]
        )
    with pytest.raises(TapError, match="two different scores"):
        check_lists_and_detect_ascending_scores([retrieval("TF", scores=[1.0, 1.0]), retrieval("F", scores=[2.0])])


def test_it_needs_no_direction_of_scores_within_one_list_or_if_all_are_equal():
    """Everything tied is retrieved: TF of one relevant record has (1 + 1/2) / 2 at its first error."""
    for lists in ([retrieval("TF", scores=[1.0, 1.0])], [retrieval("TF", scores=[1.0, 1.0])] * 2):
        assert not check_lists_and_detect_ascending_scores(lists)
        assert compute_tap_k(lists, 1, smallest_is_best=False).tap_k == 0.75
        assert compute_tap_k(lists, 1, smallest_is_best=True).tap_k == 0.75
    check_each_list([retrieval("TF", scores=[1.0, 2.0]), retrieval("TF", scores=[2.0, 1.0]), retrieval("F")])
    with pytest.raises(TapError, match="both rise and fall"):
        check_each_list([retrieval("TTT", scores=[1.0, 3.0, 2.0])])


@given(some_lists(), st.integers(1, 4), st.randoms())
def test_it_agrees_with_the_slow_version_in_any_order_of_queries(lists, k, rng):
    try:
        ascending = check_lists_and_detect_ascending_scores(lists)
    except TapError:
        assume(False)
    lists = [replace(own, weight=1.0) for own in rng.sample(lists, len(lists))]
    end = find_tap_threshold_of_half_weight(lists, k, smallest_is_best=ascending)
    assert end == thresholds.threshold(lists, k, ascending)
    if end is not None:
        ours = compute_tap_k(lists, k, smallest_is_best=ascending).tap_k
        assert ours == pytest.approx(thresholds.tap_k(lists, k, ascending), abs=1e-12)
    assert compute_tap_at_own_kth_error(lists, k).tap_k == pytest.approx(thresholds.tap_per_list(lists, k), abs=1e-12)

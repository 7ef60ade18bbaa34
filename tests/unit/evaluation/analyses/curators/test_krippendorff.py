"""Krippendorff's alpha, compared with published values and with its definition."""

from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluation.analyses.curators.krippendorff import jaccard_distance, krippendorff_alpha, nominal_distance
from tests.reference import krippendorff as reference


def count_units(*coders):
    """Units by their values, of one text for each coder; a dot where there is no value."""
    return Counter(tuple(value for value in values if value != ".") for values in zip(*coders, strict=True))


def test_it_has_the_published_value_of_binary_data_by_two_observers():
    # Krippendorff 2011, section A.
    assert krippendorff_alpha(count_units("0100000010", "1110010000"), nominal_distance) == pytest.approx(
        0.095, abs=5e-4
    )


def test_it_has_the_published_value_of_nominal_data_by_two_observers():
    # Krippendorff 2011, section B.
    assert krippendorff_alpha(count_units("aabbdcccedda", "babbbccceddd"), nominal_distance) == pytest.approx(
        0.692, abs=5e-4
    )


def test_it_has_the_published_value_of_four_observers_with_missing_data():
    # Krippendorff 2011, section C.
    units = count_units("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    assert krippendorff_alpha(units, nominal_distance) == pytest.approx(0.743, abs=5e-4)


SETS = st.frozensets(st.sampled_from("abcd"))


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=12))
def test_it_is_that_of_the_definition_for_labels(units):
    assume(len({value for values in units if len(values) > 1 for value in values}) > 1)
    counted = Counter(tuple(values) for values in units)
    assert krippendorff_alpha(counted, nominal_distance) == pytest.approx(reference.alpha(units, nominal_distance))


@given(st.lists(st.lists(SETS, max_size=3), max_size=8))
def test_it_is_that_of_the_definition_for_sets(units):
    assume(len({value for values in units if len(values) > 1 for value in values}) > 1)
    counted = Counter(tuple(values) for values in units)
    assert krippendorff_alpha(counted, jaccard_distance) == pytest.approx(reference.alpha(units, jaccard_distance))


def test_it_is_one_for_perfect_and_negative_for_systematic_disagreement():
    assert krippendorff_alpha(count_units("aab", "aab"), nominal_distance) == 1
    assert krippendorff_alpha(count_units("ab", "ba"), nominal_distance) < 0


def test_it_is_undefined_without_anything_to_compare_and_with_a_single_value():
    assert krippendorff_alpha({}, nominal_distance, undefined=7) == 7
    assert krippendorff_alpha({("a",): 5}, nominal_distance, undefined=7) == 7
    assert krippendorff_alpha({("a", "a"): 5}, nominal_distance, undefined=7) == 7


def test_it_measures_how_different_sets_are():
    assert jaccard_distance({"a", "b"}, {"b", "c"}) == pytest.approx(2 / 3)
    assert jaccard_distance(set(), set()) == 0
    assert jaccard_distance({"a"}, set()) == 1

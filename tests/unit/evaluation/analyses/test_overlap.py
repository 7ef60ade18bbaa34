"""Overlap of producers, against sets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.analyses.overlap import (
    OverlapRegion,
    convert_relevant_calls_to_items,
    convert_relevant_gold_labels_to_items,
    count_items_by_producer_combination,
)
from tests.reference.columns import encode_calls, encode_gold, encode_run
from tests.reference.ensembles import exactly

SETS = [
    {("d1", "a"), ("d1", "b"), ("d2", "a")},
    {("d1", "a"), ("d2", "b"), ("d2", "a")},
    {("d1", "a"), ("d3", "z")},
]


def run(rows):
    return encode_run([(document, item, 1, None) for document, item in sorted(rows)])


def numbers(found):
    return {region.producers: region.items for region in found.regions}


def test_it_counts_what_each_set_of_producers_reports_alone():
    found = count_items_by_producer_combination([run(rows) for rows in SETS])
    assert numbers(found) == {(0,): 1, (1,): 1, (2,): 1, (0, 1): 1, (0, 1, 2): 1}
    assert found.intersect_producers([0, 1]) == OverlapRegion((0, 1), 2)
    assert found.intersect_producers([2]) == OverlapRegion((2,), 2)
    assert found.missed is None


def test_it_lays_them_over_gold():
    found = count_items_by_producer_combination(
        [run(rows) for rows in SETS], encode_gold({"d1": ["a", "c"], "d2": ["b"]})
    )
    assert {region.producers: (region.items, region.right) for region in found.regions} == {
        (0,): (1, 0),
        (1,): (1, 1),
        (0, 1): (1, 0),
        (0, 1, 2): (1, 1),
    }
    assert found.missed == 1
    assert found.intersect_producers([1]) == OverlapRegion((1,), 3, 2)


SET = st.sets(st.tuples(st.sampled_from(["d1", "d2"]), st.sampled_from("abc")))


@given(st.lists(SET, min_size=2, max_size=5))
def test_it_counts_as_sets_do(sets):
    found = count_items_by_producer_combination([run(rows) for rows in sets])
    assert numbers(found) == exactly(sets)
    assert sum(region.items for region in found.regions) == len(set.union(*sets))


def test_it_takes_the_gold_standard_as_a_producer():
    found = count_items_by_producer_combination([run(SETS[0]), encode_gold({"d1": ["a"], "d9": ["q"]})])
    assert numbers(found) == {(0,): 2, (1,): 1, (0, 1): 1}


def test_it_lays_classifications_over_each_other():
    first = convert_relevant_calls_to_items(
        encode_calls([("a", True, None, None), ("b", True, None, None), ("c", False, None, None)])
    )
    second = convert_relevant_calls_to_items(encode_calls([("a", True, None, None), ("c", True, None, None)]))
    found = count_items_by_producer_combination(
        [first, second], convert_relevant_gold_labels_to_items({"a": True, "b": False, "c": True, "d": True})
    )
    assert {region.producers: (region.items, region.right) for region in found.regions} == {
        (0, 1): (1, 1),
        (0,): (1, 0),
        (1,): (1, 1),
    }
    assert found.missed == 1


def test_it_needs_two_producers():
    with pytest.raises(ValueError, match="two or more producers"):
        count_items_by_producer_combination([run(SETS[0])])

"""Names looked up among other names: from either side, some at a time; and names of two sides, none held twice."""

import numpy as np
import pytest

from evaluation.measures.columns import CodedColumn
from evaluation.measures.lists import matching


@pytest.mark.parametrize("at_once", [1, 2, 100])
@pytest.mark.parametrize(
    ("names", "others"),
    [
        ("", ""),
        ("", "ab"),
        ("ab", ""),
        ("abc", "cxa"),
        ("abcdef", "fa"),
        ("ca", "abcdef"),
        ("xy", "abc"),
    ],
)
def test_it_finds_names_among_others(names, others, at_once, monkeypatch):
    monkeypatch.setattr(matching, "NAMES_AT_ONCE", at_once)
    assert matching.locate_each_name_or_minus_one(names, others).tolist() == [others.find(name) for name in names]


def test_it_numbers_the_names_of_both_sides_once():
    names, numbers = matching.combine_item_names_and_recode_rows(
        ["b", "x"], CodedColumn(["a", "b", "c"], np.array([2, 1, 0, 1]))
    )
    assert (list(names), numbers.tolist()) == (["b", "x", "a", "c"], [3, 0, 2, 0])
    assert (len(names), names[0], names[2], names[-1], names[1:3]) == (4, "b", "a", "c", ["x", "a"])
    with pytest.raises(IndexError):
        names[4]

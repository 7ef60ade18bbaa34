"""Names numbered in little memory: packed in batches, found again by their hash, told apart when hashes are equal."""

import numpy as np
import pytest

from annotations.formats.tsv.columns import NameColumnBuilder
from annotations.formats.tsv.names import NameNumbers, PackedNames

NAMES_IN_ORDER = ["b", "a", "b", "cc", "a", "", "é", "cc", "x\udcffy", "d", "a", "", "x\udcffy", "e", "é"]
DISTINCT = list(dict.fromkeys(NAMES_IN_ORDER))


def same(_: str) -> int:
    return -7


@pytest.mark.parametrize("hash_of", [hash, len, same])
@pytest.mark.parametrize("at_once", [0, 1, 2, 3, 100])
@pytest.mark.parametrize("rows", [1, 2, 4, 15])
def test_it_numbers_names_by_their_first_rows_however_often_they_are_packed(at_once, hash_of, rows):
    column = NameColumnBuilder(NameNumbers(at_once, hash_of))
    for start in range(0, len(NAMES_IN_ORDER), rows):
        column.add(NAMES_IN_ORDER[start : start + rows])
    named = column.column()
    assert list(named.names) == DISTINCT
    assert named.codes.tolist() == [DISTINCT.index(name) for name in NAMES_IN_ORDER]
    assert named.codes.dtype == np.int64


@pytest.mark.parametrize("at_once", [1, 100])
def test_it_shares_names_between_columns(at_once):
    names = NameNumbers(at_once)
    first, second = NameColumnBuilder(names), NameColumnBuilder(names)
    for left, right in (("a", "b"), ("b", "c"), ("d", "a"), ("c", "c")):
        first.add([left])
        second.add([right])
    one, other = first.column(), second.column()
    assert [one.names[code] for code in one.codes] == ["a", "b", "d", "c"]
    assert [other.names[code] for code in other.codes] == ["b", "c", "a", "c"]
    assert list(one.names) == list(other.names) == ["a", "b", "c", "d"]


def test_it_is_a_sequence():
    names = PackedNames()
    names.extend(["one", "", "three"])
    names.extend(["four"])
    assert (len(names), names[0], names[1], names[-1], names[1:]) == (4, "one", "", "four", ["", "three", "four"])
    assert "three" in names
    assert list(names) == ["one", "", "three", "four"]
    assert list(PackedNames()) == []
    with pytest.raises(IndexError):
        names[4]

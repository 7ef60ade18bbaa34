"""Retrieval lists for TAP-k: read as the module TAP-k reads them, with every fault at once."""

from io import BytesIO

import pytest
import tapk

from annotations.formats.errors import RefusedFileError
from annotations.formats.tap.reader import RetrievalList, read_tap_lists

TWO = "q1 2.5\n3\n1 0.9\n0 0.8\n\n\n  q2\n0\r\n0 7\n"


def faults(text):
    with pytest.raises(RefusedFileError) as refused:
        read_tap_lists(BytesIO(text.encode()), "lists")
    return [(fault.line, fault.rule) for fault in refused.value.faults]


def test_it_reads_blocks_between_blank_lines():
    assert read_tap_lists(BytesIO(TWO.encode()), "lists") == [
        RetrievalList("q1", 2.5, 3, [True, False], [0.9, 0.8]),
        RetrievalList("q2", 1.0, 0, [False], [7.0]),
    ]


def test_it_reads_what_the_module_of_that_name_reads():
    theirs = tapk.tapk([TWO.split("\n")], k=1, p=True)
    assert [query.query for query in theirs.queries] == ["q1", "q2"]


def test_a_list_may_be_empty():
    assert read_tap_lists(BytesIO(b"q\n2\n"), "lists") == [RetrievalList("q", 1.0, 2, [], [])]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [(0, "R627")]),
        ("q x\n1\n1 2\n", [(1, "R621")]),
        ("q 0\n1\n1 2\n", [(1, "R621")]),
        ("q inf\n1\n1 2\n", [(1, "R621")]),
        ("q 1 x\n1\n1 2\n", [(1, "R621")]),
        ("q\n", [(1, "R622")]),
        ("q\n-1\n0 2\n", [(2, "R622")]),
        ("q\n1.0\n0 2\n", [(2, "R622")]),
        ("q\n1\n2 0.5\n1\n1 x\n1 nan\n", [(3, "R623"), (4, "R623"), (5, "R623"), (6, "R623")]),
        ("q 1e308\n1\n\np inf\n1\n", [(1, "R621"), (4, "R621")]),
        ("q\n1\n1 1e400\n0 -inf\n", [(3, "R623"), (4, "R623")]),
        ("q\n1\n\nq\n1\n", [(4, "R624")]),
        ("q\n1\n1 3\n1 2\n", [(2, "R625")]),
        ("q\n1\n1 3\n0 2\n0 4\n", [(1, "R626")]),
        ("\ufeffq\n1\n", [(1, "R601")]),
        ("q 0\nx\n2 1\n\np\n", [(1, "R621"), (2, "R622"), (3, "R623"), (5, "R622")]),
    ],
)
def test_it_tells_every_fault(text, found):
    assert faults(text) == found

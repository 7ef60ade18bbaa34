"""Times of runs from a file."""

from io import BytesIO

import pytest

from annotations.formats.errors import RefusedFileError
from annotations.formats.tsv.time_reader import read_seconds_by_run_name


def test_it_reads_the_seconds_of_each_run():
    assert read_seconds_by_run_name(BytesIO(b"a\t1.5\nb\t2\na\t3e1\n"), "times") == {"a": [1.5, 30.0], "b": [2.0]}


def test_it_tells_every_fault():
    lines = ["a", "a\t0", "a\t-1", "a\tnan", "a\tinf", "a\tfast", "a\t1_0", "a\t٣", "a\t2"]
    with pytest.raises(RefusedFileError) as refused:
        read_seconds_by_run_name(BytesIO("\n".join(lines[1:]).encode()), "times")
    assert [str(fault).split(" ")[:2] for fault in refused.value.faults] == [
        [f"times:{line}:3:", "R620"] for line in range(1, 8)
    ]
    with pytest.raises(RefusedFileError, match="times:1:1: R620 columns: 1"):
        read_seconds_by_run_name(BytesIO(lines[0].encode()), "times")

"""Large clean files are split by pyarrow; any file gives the same results or faults as split line by line."""

from io import BytesIO
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotations.formats.errors import RefusedFileError
from annotations.formats.tsv import clean_lines, column_blocks
from annotations.formats.tsv.clean_lines import split_clean_lines
from annotations.formats.tsv.result_reader import BC3_RULES, BC25_RULES, LIBRARY_RULES, read_tsv_gold, read_tsv_run

TASKS = ("act", "int", "ipt", "iss", "labels")
RULES = (LIBRARY_RULES, BC25_RULES, BC3_RULES)
ARTICLES = tuple(f"d{number}".encode() for number in range(4))
RANKS = tuple(f"{number}".encode() for number in range(1, 9))
CONFIDENCES = (b"0.5", b"1", b"1e-5", b".25", b"0.1")
# Values that a program may take for something else: nothing, a number, a quote, the end of a line, other text.
ODD_VALUES = (
    *(b"", b" ", b"  x", b"x ", b"\v1", b"1\f", b"a b", b"a\rb", b"\0", b"\xff", b"\xed\xa0\x80", b"\xc3\xa9"),
    *(b'"', b'"a', b'a"b"', b"'x'", b"\\", b"\\N", b"NULL", b"NA", b"nan", b"#N/A", b"null", b"inf", b"true"),
    *(b"+1", b"01", b" 1", b"0x1", b"1_0", b"0", b"-1", b"1e400", b"1e-400", b"9" * 30, b"1.", b"1,5", b"-"),
    b"\xef\xbb\xbfd1",
)
LINE_ENDS = (b"\n", b"\n", b"\n", b"\r\n", b"\r", b" \n", b"\t\n", b"\n\n", b"\n\xef\xbb\xbf", b"\r\r\n")
VALUES = st.sampled_from(ARTICLES + RANKS + CONFIDENCES) | st.sampled_from(ODD_VALUES)
CLEAN_LINES = st.tuples(
    *map(st.sampled_from, (ARTICLES, (b"P1", b"P2", b"P3"), RANKS, CONFIDENCES)),
).map(b"\t".join)
ODD_LINES = (st.tuples(*[VALUES] * 4) | st.lists(VALUES, max_size=6)).map(b"\t".join)
LINES = st.tuples(CLEAN_LINES | ODD_LINES, st.just(b"\n") | st.sampled_from(LINE_ENDS)).map(b"".join)
CLEAN_FILES = st.lists(CLEAN_LINES, min_size=1, max_size=30).map(lambda lines: b"\n".join(lines) + b"\n")
FILES = st.lists(LINES, max_size=30).map(b"".join) | CLEAN_FILES


def read_outcome(content, read, least_bytes):
    """What the reader makes of the file: its rows, values and warnings, or its faults.

    least_bytes: how small a block pyarrow may split; blocks have about 40 bytes.
    """
    with (
        patch.object(clean_lines, "LEAST_BYTES", least_bytes),
        patch.object(column_blocks, "CODED_BLOCK_BYTES", 40),
        patch.object(column_blocks, "LINE_BLOCK_BYTES", 20),
    ):
        try:
            table = read(BytesIO(content))
        except RefusedFileError as refusal:
            return [str(fault) for fault in refusal.faults]
    names = [[column.names[code] for code in column.codes] for column in (table.article, table.item) if column]
    values = [None if each is None else each.tolist() for each in (table.relevant, table.best, table.rank)]
    confidences = None if table.confidence is None else table.confidence.tobytes()
    return names, list(table.article.names), values, confidences, [str(warning) for warning in table.warnings]


def compare_outcomes(content, read):
    assert read_outcome(content, read, 1) == read_outcome(content, read, clean_lines.MOST_BYTES + 1)


@given(FILES, st.sampled_from(TASKS), st.sampled_from(RULES), st.sampled_from([None, ("rank",), ("confidence",)]))
@example(b"d1\tP1\t1\t0.5\nd1\tP2\t" + b"9" * 30 + b"\t0.5\n", "int", LIBRARY_RULES, None)
@example(b"d1\tP1\t1\t0.5\td\nd1\tP2\t2\t0.5\n", "int", LIBRARY_RULES, None)
def test_a_run_gives_the_same_rows_or_faults(content, task, rules, columns):
    compare_outcomes(
        content,
        lambda stream: read_tsv_run(
            stream, task, "run", rules=rules, expected_extra_columns=columns, repeat_checked_articles={"d1", "d2"}
        ),
    )


@given(FILES, st.sampled_from(TASKS))
def test_a_gold_standard_gives_the_same_rows_or_faults(content, task):
    compare_outcomes(content, lambda stream: read_tsv_gold(stream, task, "gold"))


@given(CLEAN_FILES)
def test_it_splits_clean_lines(content):
    with patch.object(clean_lines, "LEAST_BYTES", 1):
        columns = split_clean_lines(content, 4)
    assert columns is not None
    rows = [line.split("\t") for line in content.decode().splitlines()]
    assert [[column.values[code] for code in column.codes] for column in columns] == list(
        map(list, zip(*rows, strict=True))
    )
    for column in columns:
        assert column.codes.dtype == np.int32
        assert list(column.values) == list(dict.fromkeys(column.values[code] for code in column.codes))


@pytest.mark.parametrize(
    "content",
    [
        *(b"a\tb\n\na\tb\n", b"a\n", b"a\tb\tc\n", b"a\t\n", b"\tb\n", b" a\tb\n", b"a\tb \n", b"\n", b"\na\tb\n"),
        *(
            b"a\tb\v\n",
            b"a\tb\r",
            b"a\rb\tc\n",
            b"a\tb\r\r\n",
            b"\xef\xbb\xbfa\tb\n",
            b"a\t\xff\n",
            b"a\t\xed\xa0\x80\n",
        ),
        *(b"a\tb\n" * 20, b""),
    ],
)
def test_it_leaves_other_blocks_to_its_caller(content):
    with patch.object(clean_lines, "LEAST_BYTES", 1), patch.object(clean_lines, "MOST_BYTES", 50):
        assert split_clean_lines(content, 2) is None


@pytest.mark.parametrize("content", [b'"a\t"\n', b"a\tb\r\n", b"a\tNULL\n", b"a\tb c\n", b"a\t\0\n", b"a\tb"])
def test_it_gives_quotes_and_words_no_meaning(content):
    with patch.object(clean_lines, "LEAST_BYTES", 1):
        columns = split_clean_lines(content, 2)
    assert columns is not None
    assert [column.values for column in columns] == [[value] for value in content.decode().rstrip("\r\n").split("\t")]


def test_it_reads_small_files_without_pyarrow():
    assert split_clean_lines(b"a\tb\n", 2) is None

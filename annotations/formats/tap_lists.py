"""Retrieval lists for TAP-k: blocks with blank lines between, each a query with or without weight, how many relevant
records there are, and the records, best first: 1 or 0 and a score. This is the format of the module TAP-k.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import BinaryIO

from annotations.formats.errors import RefusedFileError
from annotations.formats.tsv_faults import Notes
from annotations.formats.tsv_lines import has_byte_order_mark

Lines = Sequence[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class RetrievalList:
    """query and its weight, above 0; relevant: how many records are; hits and scores [records], best first."""

    query: str
    weight: float
    relevant: int
    hits: Sequence[bool]
    scores: Sequence[float]


def read_lists(stream: BinaryIO, source: str) -> list[RetrievalList]:
    """All lists of a seekable stream. RefusedFileError with all faults (R601, R621 to R627)."""
    faults = Notes()
    if has_byte_order_mark(stream):
        faults.add("R601", 1, 0, "the file begins with a byte order mark - save it as UTF-8 without one")
    lines = enumerate(stream.read().decode("utf-8-sig", "surrogateescape").split("\n"), 1)
    lists: list[RetrievalList] = []
    first: dict[str, int] = {}
    for block in in_blocks(lines):
        own = read_block(block, faults)
        line = first.setdefault(own.query, block[0][0])
        if line != block[0][0]:
            faults.add("R624", block[0][0], 0, f"this query has a list in line {line} already - keep one of the two")
        lists.append(own)
    if not lists:
        faults.add("R627", 0, 0, "the file has no list - write one for each query, with blank lines between")
    if faults:
        raise RefusedFileError(faults.told(stream, source))
    return lists


def in_blocks(lines: Iterator[tuple[int, str]]) -> Iterator[Lines]:
    """The numbered lines, trimmed, in blocks between blank lines."""
    block: list[tuple[int, str]] = []
    for number, line in lines:
        if text := line.strip():
            block.append((number, text))
        elif block:
            yield block
            block = []
    if block:
        yield block


def read_block(block: Lines, faults: Notes) -> RetrievalList:
    """One list; what is wrong is noted and stands in for."""
    (line, head), rest = block[0], block[1:]
    parts = head.split()
    query, weight = parts[0], number(parts[1]) if len(parts) > 1 else 1.0
    if len(parts) > 2:
        faults.add("R621", line, 0, f"columns: {len(parts)} - write the query and, if it has one, its weight")
    elif not (isfinite(weight) and weight > 0):
        faults.add("R621", line, 0, "the weight of the query is not a number above 0 - mend it or leave it out")
    relevant = whole_number(rest[0][1]) if rest else None
    if relevant is None:
        mend = "write a whole number from 0 in the line below the query"
        faults.add("R622", rest[0][0] if rest else line, 0, f"there is no number of relevant records - {mend}")
    records = [record for own in rest[1:] if (record := read_record(*own, faults)) is not None]
    marked = sum(hit for hit, _ in records)
    if relevant is not None and marked > relevant:
        said = f"{marked} records are marked relevant, but only {relevant} are said to be"
        faults.add("R625", rest[0][0], 0, f"{said} - correct the number or the marks")
    scores = [score for _, score in records]
    if scores not in (sorted(scores), sorted(scores, reverse=True)):
        faults.add("R626", line, 0, "the scores of this query rise and fall - sort its records best first")
    return RetrievalList(query, weight, relevant or 0, [hit for hit, _ in records], scores)


def read_record(line: int, text: str, faults: Notes) -> tuple[bool, float] | None:
    parts = text.split()
    score = number(parts[1]) if len(parts) > 1 else float("nan")
    if parts[0] not in ("0", "1") or isnan(score):
        faults.add("R623", line, 0, "this is not a record - write 1 or 0, a space, and the score as a number")
        return None
    return parts[0] == "1", score


def number(text: str) -> float:
    """The number that is written there, not a number if it is none."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def whole_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None

"""Reads retrieval lists for TAP-k in the format of the TAP-k module.

Lists are separated by blank lines. Each has a line with the query and optionally its weight, a line with the number of
relevant records, and a line per record, best first: 1 or 0 and a score.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import BinaryIO

from annotations.formats.errors import RefusedFileError
from annotations.formats.tsv.faults import FieldFaults
from annotations.formats.tsv.lines import has_byte_order_mark

NumberedLines = Sequence[tuple[int, str]]
# Sums of larger weights might not be finite.
LARGEST_WEIGHT = 1_000_000_000


@dataclass(frozen=True, slots=True)
class RetrievalList:
    """A query and its weight, above 0; relevant: number of relevant records; hits and scores: [records], best first."""

    query: str
    weight: float
    relevant: int
    hits: Sequence[bool]
    scores: Sequence[float]


def read_tap_lists(stream: BinaryIO, source: str) -> list[RetrievalList]:
    """All lists of a seekable stream. RefusedFileError with all faults (R601, R621 to R627)."""
    faults = FieldFaults()
    if has_byte_order_mark(stream):
        faults.add("R601", 1, 0, "the file begins with a byte order mark - save it as UTF-8 without one")
    lines = enumerate(stream.read().decode("utf-8-sig", "surrogateescape").split("\n"), 1)
    lists: list[RetrievalList] = []
    first_lines: dict[str, int] = {}
    for block in _iter_blank_separated_blocks(lines):
        retrieval_list = _parse_tap_list(block, faults)
        first_line = first_lines.setdefault(retrieval_list.query, block[0][0])
        if first_line != block[0][0]:
            faults.add(
                "R624", block[0][0], 0, f"this query already has a list in line {first_line} - keep one of the two"
            )
        lists.append(retrieval_list)
    if not lists:
        faults.add("R627", 0, 0, "the file has no list - write one for each query, separated by blank lines")
    if faults:
        raise RefusedFileError(faults.list_faults(stream, source))
    return lists


def _iter_blank_separated_blocks(lines: Iterator[tuple[int, str]]) -> Iterator[NumberedLines]:
    """The numbered lines, trimmed, in blocks separated by blank lines."""
    block: list[tuple[int, str]] = []
    for number, line in lines:
        if text := line.strip():
            block.append((number, text))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _parse_tap_list(block: NumberedLines, faults: FieldFaults) -> RetrievalList:
    """One list; invalid values are noted as faults and replaced by placeholders."""
    (line, head), other_lines = block[0], block[1:]
    parts = head.split()
    query, weight = parts[0], _parse_number_or_nan(parts[1]) if len(parts) > 1 else 1.0
    if len(parts) > 2:
        faults.add("R621", line, 0, f"columns: {len(parts)} - write the query and, if it has one, its weight")
    elif not 0 < weight <= LARGEST_WEIGHT:
        problem = f"the weight of the query is not a number above 0 and at most {LARGEST_WEIGHT:,}"
        faults.add("R621", line, 0, f"{problem} - correct or omit it")
    relevant = _parse_relevant_count(other_lines[0][1]) if other_lines else None
    if relevant is None:
        fix = "write a whole number from 0 in the line below the query"
        faults.add(
            "R622", other_lines[0][0] if other_lines else line, 0, f"there is no number of relevant records - {fix}"
        )
    records = [
        record for numbered_line in other_lines[1:] if (record := _parse_tap_record(*numbered_line, faults)) is not None
    ]
    marked_count = sum(hit for hit, _ in records)
    if relevant is not None and marked_count > relevant:
        problem = f"{marked_count} records are marked as relevant, but the list declares only {relevant}"
        faults.add("R625", other_lines[0][0], 0, f"{problem} - correct the number or the marks")
    scores = [score for _, score in records]
    if scores not in (sorted(scores), sorted(scores, reverse=True)):
        faults.add("R626", line, 0, "the scores of this query rise and fall - sort its records best first")
    return RetrievalList(query, weight, relevant or 0, [hit for hit, _ in records], scores)


def _parse_tap_record(line: int, text: str, faults: FieldFaults) -> tuple[bool, float] | None:
    parts = text.split()
    score = _parse_number_or_nan(parts[1]) if len(parts) > 1 else float("nan")
    if parts[0] not in ("0", "1") or not isfinite(score):
        faults.add("R623", line, 0, "this is not a record - write 1 or 0, a space, and the score as a finite number")
        return None
    return parts[0] == "1", score


def _parse_number_or_nan(text: str) -> float:
    """The number, NaN if the text is not a number."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _parse_relevant_count(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None

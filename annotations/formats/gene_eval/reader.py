"""Reads gene mentions in the format of BioCreative II (GENE.eval, ALTGENE.eval and runs): `sentence|start end|text`.

start and end count the characters, without white space, that precede the first and the last character of the mention in
its sentence. The text is for readers only and may be empty. Source: README.GM of the corpus and its program alt_eval,
which identifies a mention by its position only.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Literal, NamedTuple

import numpy as np

from annotations.formats.tsv.column_reader import ColumnReader
from annotations.formats.tsv.columns import Booleans, NameColumn, NameColumnBuilder
from annotations.formats.tsv.content import compute_joint_row_codes
from annotations.formats.tsv.lines import LineLayout, has_byte_order_mark, iter_blocks_of_stripped_lines
from annotations.formats.tsv.names import NameNumbers
from annotations.formats.tsv.result_table import ResultTable

BAR_LAYOUT = LineLayout(loose=False, rule="R691", separator_label="separated by bars", separator="|")
SENTENCE_FIELD, SPAN_FIELD = 0, 1
SPAN_NUMBERS = re.compile(r"(0|[1-9][0-9]{0,8}) (0|[1-9][0-9]{0,8})")
GeneFileRole = Literal["run", "gold"]


class MentionSpan(NamedTuple):
    """The position of a mention in its sentence, 0 <= start < end, without counting white space; end is exclusive."""

    start: int
    end: int


# Placeholder for an invalid position until the file is rejected.
INVALID_SPAN = MentionSpan(0, 0)


def read_distinct_gene_mentions(stream: BinaryIO, source: str, role: GeneFileRole = "run") -> ResultTable:
    """The mentions in a seekable stream; items are MentionSpan, source is the file's name in faults and warnings.

    A repeated mention counts once and causes a warning (R694). RefusedFileError with all faults (R601, R602, R604, R691
    to R693, and R610 for an empty gold standard).
    """
    reader, sentence, span = _read_sentence_and_span_columns(stream, source)
    all_rows = np.arange(len(sentence))
    message = "this mention of the sentence is already in line {line} and counts once - remove one of the two"
    repeated_rows = reader.note_repeats(
        "R694", compute_joint_row_codes(sentence, span), all_rows, SPAN_FIELD, message, reader.warnings
    )
    if role == "gold" and not len(sentence) and not reader.faults:
        reader.faults.add(
            "R610", 0, 0, "the gold standard is empty - write one line per mention: sentence|start end|text"
        )
    warnings, rows = reader.finish(), np.setdiff1d(all_rows, repeated_rows)
    return ResultTable(
        NameColumn(sentence.names, sentence.codes[rows]), NameColumn(span.names, span.codes[rows]), warnings=warnings
    )


def read_alternative_spans_by_sentence(stream: BinaryIO, source: str) -> Mapping[str, frozenset[MentionSpan]]:
    """{sentence: spans accepted instead of the genes}; a span may be repeated with different texts.

    RefusedFileError with all faults (R601, R602, R604, R691 to R693).
    """
    reader, sentence, span = _read_sentence_and_span_columns(stream, source)
    reader.finish()
    sentences, spans_by_sentence = list(sentence.names), defaultdict[str, set[MentionSpan]](set)
    for sentence_code, span_code in zip(sentence.codes.tolist(), span.codes.tolist(), strict=True):
        spans_by_sentence[sentences[sentence_code]].add(span.names[span_code])
    return {sentence_code: frozenset(span_code) for sentence_code, span_code in spans_by_sentence.items()}


def iter_mentions_of_valid_gene_file(stream: BinaryIO) -> Iterator[tuple[str, MentionSpan, str]]:
    """Sentence, span and text of each mention in a stream without faults."""
    stream.seek(0)
    for lines in iter_blocks_of_stripped_lines(stream):
        for sentence, positions, *text in (line.split("|", 2) for line in lines):
            start, last = positions.split(" ")
            yield sentence, MentionSpan(int(start), int(last) + 1), "".join(text)


def _read_sentence_and_span_columns(stream: BinaryIO, source: str) -> tuple[ColumnReader, NameColumn, NameColumn]:
    """The reader, with the faults noted so far, and the columns of sentences and of spans."""
    reader = ColumnReader(stream, source, BAR_LAYOUT)
    sentence_builder, span_builder = NameColumnBuilder(NameNumbers()), NameColumnBuilder(NameNumbers())
    _fill_sentence_and_span_columns(reader, sentence_builder, span_builder)
    sentence, span = sentence_builder.column(), span_builder.column()
    reader.note_name_faults(sentence, SENTENCE_FIELD, "sentence")
    return reader, sentence, _parse_span_column(reader, span)


def _fill_sentence_and_span_columns(
    reader: ColumnReader, sentences: NameColumnBuilder, spans: NameColumnBuilder
) -> None:
    """Read the lines, noting those without a position."""
    if has_byte_order_mark(reader.stream):
        reader.faults.add("R601", 1, 0, "the file begins with a byte order mark - save it as UTF-8 without one")
    reader.stream.seek(0)
    lines_before = 0
    for lines in iter_blocks_of_stripped_lines(reader.stream):
        rows = [line.split("|", 2) for line in lines]
        for line, row in enumerate(rows, lines_before + 1):
            if len(row) < 2:
                _note_line_without_span(reader, line, row)
        lines_before += len(lines)
        sentences.add([row[SENTENCE_FIELD] for row in rows if len(row) > 1])
        spans.add([row[SPAN_FIELD] for row in rows if len(row) > 1])


def _note_line_without_span(reader: ColumnReader, line: int, row: list[str]) -> None:
    reader.skipped.append(line)
    if row == [""]:
        reader.faults.add("R602", line, 0, "the line is blank - remove it")
    else:
        reader.faults.add(BAR_LAYOUT.rule, line, 0, "the line has no bar - write sentence|start end|text")


def _parse_span_column(reader: ColumnReader, span: NameColumn) -> NameColumn:
    """The column with a MentionSpan in place of each name; notes invalid positions."""
    matches = [SPAN_NUMBERS.fullmatch(name) for name in span.names]
    reader.note_rows(
        "R692",
        _mark_rows([match is None for match in matches], span),
        SPAN_FIELD,
        "{} is not a position - write two whole numbers from 0 separated by one space",
    )
    positions = [(int(match[1]), int(match[2])) if match else None for match in matches]
    reader.note_rows(
        "R693",
        _mark_rows([position is not None and position[1] < position[0] for position in positions], span),
        SPAN_FIELD,
        "{} ends before it begins - write the position of the first character, then that of the last",
    )
    return NameColumn(
        [MentionSpan(position[0], position[1] + 1) if position else INVALID_SPAN for position in positions], span.codes
    )


def _mark_rows(marked: list[bool], column: NameColumn) -> Booleans:
    """bool [rows]: whether the name of each row is marked; marked: [names]."""
    return np.array(marked, dtype=np.bool_)[column.codes]

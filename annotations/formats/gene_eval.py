"""Gene mentions as BioCreative II writes them (GENE.eval, ALTGENE.eval and runs): `sentence|start end|text`.

start is how many characters that are not white space stand in the sentence before the mention, end how many stand
before its last character; so end + 1 is where the mention is over. The text is for people and may be empty. Source: the
README.GM of the corpus and its program alt_eval, which take a mention by its place alone.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import BinaryIO, Literal, NamedTuple

import numpy as np

from annotations.formats.runs_tsv import Table
from annotations.formats.tsv_columns import Booleans, Codes, Named
from annotations.formats.tsv_content import together
from annotations.formats.tsv_lines import Layout, has_byte_order_mark, text_lines
from annotations.formats.tsv_names import Names
from annotations.formats.tsv_reading import Reading

BARS = Layout(loose=False, rule="R691", between="a bar between", separator="|")
SENTENCE, PLACE = 0, 1
WHOLE_NUMBERS = re.compile(r"(0|[1-9][0-9]{0,8}) (0|[1-9][0-9]{0,8})")
Role = Literal["run", "gold"]


class Place(NamedTuple):
    """Where a mention stands in its sentence, 0 <= start < end, without the white space; end is exclusive."""

    start: int
    end: int


# What stands for a place that is none until the file is refused.
NOWHERE = Place(0, 0)


def read_genes(stream: BinaryIO, source: str, role: Role = "run") -> Table:
    """The mentions in a seekable stream, items are Places; source is its name in faults and warnings.

    A mention that stands twice counts once, which is warned of (R694). RefusedFileError with all faults (R601, R602,
    R604, R691 to R693, and R610 for an empty gold standard).
    """
    reading, sentence, place = read(stream, source)
    own = np.arange(len(sentence))
    said = "this mention of the sentence is in line {line} already and counts once - remove one of the two"
    again = reading.note_repeats("R694", together(sentence, place), own, PLACE, said, reading.warnings)
    if role == "gold" and not len(sentence) and not reading.faults:
        reading.faults.add("R610", 0, 0, "the gold standard is empty - write one line each: sentence|start end|text")
    warnings, rows = reading.finish(), np.setdiff1d(own, again)
    return Table(Named(sentence.names, sentence.codes[rows]), Named(place.names, place.codes[rows]), warnings=warnings)


def read_alternatives(stream: BinaryIO, source: str) -> Mapping[str, frozenset[Place]]:
    """{sentence: what is accepted there in place of genes}; a place may stand twice, with different texts.

    RefusedFileError with all faults (R601, R602, R604, R691 to R693).
    """
    reading, sentence, place = read(stream, source)
    reading.finish()
    names, accepted = list(sentence.names), defaultdict[str, set[Place]](set)
    for name, own in zip(sentence.codes.tolist(), place.codes.tolist(), strict=True):
        accepted[names[name]].add(place.names[own])
    return {name: frozenset(own) for name, own in accepted.items()}


def texts(stream: BinaryIO) -> Iterator[tuple[str, Place, str]]:
    """Sentence, place and text of each mention in a stream that has no fault."""
    stream.seek(0)
    for lines in text_lines(stream):
        for sentence, place, *text in (line.split("|", 2) for line in lines):
            start, last = place.split(" ")
            yield sentence, Place(int(start), int(last) + 1), "".join(text)


def read(stream: BinaryIO, source: str) -> tuple[Reading, Named, Named]:
    """Sentences and places, row by row, with their faults noted."""
    reading = Reading(stream, source, BARS)
    sentences, places = Codes(Names()), Codes(Names())
    fill(reading, sentences, places)
    sentence, place = sentences.column(), places.column()
    reading.check_names(sentence, SENTENCE, "sentence")
    return reading, sentence, checked_places(reading, place)


def fill(reading: Reading, sentences: Codes, places: Codes) -> None:
    """Read the lines, noting those without a place."""
    if has_byte_order_mark(reading.stream):
        reading.faults.add("R601", 1, 0, "the file begins with a byte order mark - save it as UTF-8 without one")
    reading.stream.seek(0)
    before = 0
    for lines in text_lines(reading.stream):
        rows = [line.split("|", 2) for line in lines]
        for line, row in enumerate(rows, before + 1):
            if len(row) < 2:
                note_odd(reading, line, row)
        before += len(lines)
        sentences.add([row[SENTENCE] for row in rows if len(row) > 1])
        places.add([row[PLACE] for row in rows if len(row) > 1])


def note_odd(reading: Reading, line: int, row: list[str]) -> None:
    reading.skipped.append(line)
    if row == [""]:
        reading.faults.add("R602", line, 0, "the line is blank - remove it")
    else:
        reading.faults.add(BARS.rule, line, 0, "the line has no bar - write sentence|start end|text")


def checked_places(reading: Reading, place: Named) -> Named:
    """The column with Places for names."""
    found = [WHOLE_NUMBERS.fullmatch(name) for name in place.names]
    reading.note(
        "R692",
        rows_of([match is None for match in found], place),
        PLACE,
        "{} is not a place - write two whole numbers from 0 with one space between",
    )
    ends = [(int(match[1]), int(match[2])) if match else None for match in found]
    reading.note(
        "R693",
        rows_of([own is not None and own[1] < own[0] for own in ends], place),
        PLACE,
        "{} ends before it begins - write first where the first character stands, then where the last one does",
    )
    return Named([Place(own[0], own[1] + 1) if own else NOWHERE for own in ends], place.codes)


def rows_of(marked: list[bool], column: Named) -> Booleans:
    """bool [rows]: whether the name of the row is marked: [names]."""
    return np.array(marked, dtype=np.bool_)[column.codes]

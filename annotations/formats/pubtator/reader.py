"""Reads PubTator: `ID|t|title`, `ID|a|abstract`, then a line for each mention and relation, separated by tabs.

Mentions: `ID, start, end, text, type, identifiers`; relations: `ID, type, identifier, identifier[, novelty]`. Positions
count code points over title, one separator and abstract; the end is exclusive. As in real files, texts and identifiers
may be missing, the whole text may be in one line, and blank lines are allowed anywhere. A number in the column after
the identifiers is the confidence; anything else there, and further columns, are left out.
Source: https://www.ncbi.nlm.nih.gov/research/pubtator/
"""

import re
from collections.abc import Iterator, Sequence
from sys import intern
from typing import BinaryIO

from annotations.formats.annotated_text.identifier_fields import split_distinct_identifiers_without_prefix
from annotations.formats.annotated_text.mention_collector import MentionCollector
from annotations.formats.annotated_text.mention_columns import NO_EXTRAS
from annotations.formats.annotated_text.mentions import (
    AnnotatedTextFile,
    InteractionPair,
    TextArgument,
    TextRelation,
)
from annotations.formats.bioc.declared_infons import parse_confidence_or_none
from annotations.formats.errors import quote_file_text
from annotations.formats.tsv.lines import BYTE_ORDER_MARK
from annotations.schema import Qualifier

TEXT_LINE = re.compile(r"([^|\t]*)\|([ta])\|(.*)", re.DOTALL)
# A line of an old Macintosh file, which has no line feeds.
LINE_AFTER_RETURN = re.compile(r"\r[^|\t\r]+(?:\|[ta]\||\t[0-9]+\t[0-9]+\t)")
NOVELTY = "novelty"
POSITION = re.compile(r"[0-9]{1,15}")
COUNT_BOTH = "count over title, one separator and abstract"
MENTION_LINE_COLUMNS = "ID, start, end, text, type and identifiers"


def read_pubtator_into_collector(stream: BinaryIO, collector: "PubTatorCollector") -> AnnotatedTextFile:
    """The content of a seekable stream of PubTator.

    RefusedFileError with all faults (R651 to R656, R658, R659).
    """
    for number, line in _iter_decoded_lines(stream, collector):
        collector.add_line(number, line)
    return collector.finish()


def _iter_decoded_lines(stream: BinaryIO, collector: MentionCollector) -> Iterator[tuple[int, str]]:
    """(number, text) of the lines without their ends; notes lines that are not UTF-8."""
    stream.seek(0)
    for number, line in enumerate(stream, 1):
        content = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        try:
            yield number, content.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            column = len(content[: error.start].decode()) + 1
            collector.faults.add("R651", number, column, "this byte is not UTF-8 - save the file as UTF-8 text")
            yield number, content.decode("utf-8", "replace").rstrip("\r\n")


class PubTatorCollector(MentionCollector):
    """Collects a file line by line.

    texts: {t or a: text} of the document `current`; notes: the last column of each relation, its novelty or confidence.
    """

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.current = ""
        self.text = ""
        self.texts: dict[str, str] = {}
        self.parts: set[tuple[str, str]] = set()
        self.notes: list[str] = []

    def add_line(self, number: int, line: str) -> None:
        """Collect a line, given without its end."""
        if "\r" in line and LINE_AFTER_RETURN.search(line):
            problem = "the lines end in carriage returns alone"
            self.faults.add("R652", number, line.index("\r") + 1, f"{problem} - end each with a line feed")
            return
        if "|" in line and (match := TEXT_LINE.fullmatch(line)):
            self.add_text(number, match[1].strip(), match[2], match[3])
        elif line.strip():
            self.add_fields(number, line.split("\t"))

    def add_text(self, number: int, document: str, part: str, text: str) -> None:
        self.enter_document(number, document)
        if (document, part) in self.parts:
            label = "title" if part == "t" else "abstract"
            self.faults.add("R658", number, 1, f"this document already has a {label} - keep one of the two")
        self.parts.add((document, part))
        self.texts[part] = text
        self.text = " ".join(self.texts[letter] for letter in "ta" if letter in self.texts)
        self.keep_text(document, [(0, self.text)])

    def enter_document(self, number: int, document: str) -> None:
        """Make a document the current one; it may continue after other documents."""
        if not document:
            self.faults.add("R653", number, 1, "the document's ID is empty - add it")
        elif document != self.current:
            self.documents.setdefault(document)
            self.current, self.text, self.texts = document, "", {}

    def add_fields(self, number: int, fields: Sequence[str]) -> None:
        if len(fields) in (4, 5) and not fields[1].lstrip("+- ")[:1].isdigit():
            self.enter_document(number, fields[0].strip())
            self.pairs.append(InteractionPair(self.current, fields[2].strip(), fields[3].strip(), fields[1], number))
            self.notes.append(intern(fields[4].strip()) if len(fields) > 4 else "")
        elif len(fields) < 5:
            fix = f"write {MENTION_LINE_COLUMNS} separated by tabs, or ID|t|title, or ID|a|abstract"
            self.faults.add("R652", number, 1, f"this is neither a text nor a mention nor a relation - {fix}")
        else:
            self.add_mention(number, fields)

    def iter_relations(self) -> Iterator[TextRelation]:
        for pair, note in zip(self.pairs, self.notes, strict=True):
            arguments = (TextArgument("", pair.a), TextArgument("", pair.b))
            confidence = parse_confidence_or_none(note)
            qualifiers = (Qualifier(NOVELTY, note),) if note and confidence is None else ()
            yield TextRelation(
                pair.document, pair.relation, arguments, pair.line, qualifiers=qualifiers, confidence=confidence
            )

    def add_mention(self, number: int, fields: Sequence[str]) -> None:
        document, mention_type = fields[0].strip(), fields[4].strip()
        if not (document and mention_type and POSITION.fullmatch(fields[1]) and POSITION.fullmatch(fields[2])):
            self.note_mention_faults(number, fields)
            return
        self.enter_document(number, document)
        start, end, text = int(fields[1]), int(fields[2]), fields[3]
        if self.check_mention_position(number, fields, start, end):
            given = fields[5].strip() if len(fields) > 5 else ""
            identifiers = split_distinct_identifiers_without_prefix(given)
            confidence = parse_confidence_or_none(fields[6]) if len(fields) > 6 else None
            for index, field in enumerate(fields[6 if confidence is None else 7 :], 7 if confidence is None else 8):
                if field.strip():
                    self.leave_out_attribute(document, f"column {index}", number)
            extras = NO_EXTRAS if confidence is None else ((), (), confidence, None)
            self.mentions.add(document, start, end, text, mention_type, identifiers, number, given, extras)

    def note_mention_faults(self, number: int, fields: Sequence[str]) -> None:
        """Note the faults in the columns of a mention."""
        self.enter_document(number, fields[0].strip())
        for index in (1, 2):
            if not POSITION.fullmatch(fields[index]):
                message = f"{quote_file_text(fields[index])} is not a position - write a whole number from 0"
                self.faults.add("R654", number, _compute_field_column(fields, index), message)
        if not fields[4].strip():
            self.faults.add(
                "R656", number, _compute_field_column(fields, 4), "the mention has no type - add one, such as Gene"
            )

    def check_mention_position(self, number: int, fields: Sequence[str], start: int, end: int) -> bool:
        """Whether the mention lies in the text of its document; any position does if the document has no text."""
        if end <= start:
            problem = f"the mention ends at {end}, but starts at {start}"
            fix = "write the position after its last character as the end"
            self.faults.add("R654", number, _compute_field_column(fields, 1), f"{problem} - {fix}")
            return False
        if not self.text.strip():
            return True
        if start >= len(self.text):
            problem = f"the mention starts at {start}, but the text has only {len(self.text)} characters"
            self.faults.add("R655", number, _compute_field_column(fields, 1), f"{problem} - {COUNT_BOTH}")
            return False
        if end > len(self.text):
            problem = f"the mention ends at {end}, but the text has only {len(self.text)} characters"
            self.warnings.add("R655", number, _compute_field_column(fields, 1), f"{problem} - {COUNT_BOTH}")
            return True
        self.check_mention_text(fields[3], self.text[start:end], number, _compute_field_column(fields, 1))
        return True


def _compute_field_column(fields: Sequence[str], index: int) -> int:
    """The column at which a field begins, in characters from 1."""
    return sum(len(field) + 1 for field in fields[:index]) + 1

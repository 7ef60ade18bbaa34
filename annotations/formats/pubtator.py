"""PubTator: `ID|t|title`, `ID|a|abstract`, then a line for each mention and relation, with tabs between.

Mentions: `ID, start, end, text, type, identifiers`; relations: `ID, type, identifier, identifier`. Positions count code
points over title, one separator and abstract; the end is exclusive. As real files do, texts may be absent, all text may
stand in one line, identifiers may be absent, further columns are no matter, and blank lines may stand anywhere.
Source: https://www.ncbi.nlm.nih.gov/research/pubtator/
"""

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from annotations.formats.identifiers import identifiers_of
from annotations.formats.mention_reading import MentionReading
from annotations.formats.mentions import InteractionPair, Mentions
from annotations.formats.tsv_faults import quoted
from annotations.formats.tsv_lines import BYTE_ORDER_MARK

TEXT = re.compile(r"([^|\t]*)\|([ta])\|(.*)", re.DOTALL)
NUMBER = re.compile(r"[0-9]{1,15}")
MENTION = "ID, start, end, text, type and identifiers"


def read_pubtator(stream: BinaryIO, source: str) -> Mentions:
    """All that a seekable stream holds; source is its name in faults and warnings.

    RefusedFileError with all faults (R651 to R656, R658, R659).
    """
    return fill_from_pubtator(stream, PubTatorReading(source))


def fill_from_pubtator(stream: BinaryIO, reading: "PubTatorReading") -> Mentions:
    """The same by a reading that takes more from each line."""
    for number, line in numbered_lines(stream, reading):
        reading.take(number, line)
    return reading.finish()


def numbered_lines(stream: BinaryIO, reading: MentionReading) -> Iterator[tuple[int, str]]:
    """The lines without their ends, from 1; one that is not UTF-8 is noted."""
    stream.seek(0)
    for number, raw in enumerate(stream, 1):
        content = raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw
        try:
            yield number, content.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            column = len(content[: error.start].decode()) + 1
            reading.faults.add("R651", number, column, "this byte is not UTF-8 - save the file as UTF-8 text")
            yield number, content.decode("utf-8", "replace").rstrip("\r\n")


class PubTatorReading(MentionReading):
    """A file, line by line. texts: {t or a: text} of the document `current`."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.current = ""
        self.text = ""
        self.texts: dict[str, str] = {}
        self.parts: set[tuple[str, str]] = set()

    def take(self, number: int, line: str) -> None:
        """One line, without its end."""
        if "|" in line and (found := TEXT.fullmatch(line)):
            self.take_text(number, found[1].strip(), found[2], found[3])
        elif line.strip():
            self.take_fields(number, line.split("\t"))

    def take_text(self, number: int, document: str, part: str, text: str) -> None:
        self.enter(number, document)
        if (document, part) in self.parts:
            what = "title" if part == "t" else "abstract"
            self.faults.add("R658", number, 1, f"this document has a {what} already - keep one of the two")
        self.parts.add((document, part))
        self.texts[part] = text
        self.text = " ".join(self.texts[own] for own in "ta" if own in self.texts)

    def enter(self, number: int, document: str) -> None:
        """Go to a document, which may have been left before."""
        if not document:
            self.faults.add("R653", number, 1, "the document's ID is empty - write it")
        elif document != self.current:
            self.documents.setdefault(document)
            self.current, self.text, self.texts = document, "", {}

    def take_fields(self, number: int, fields: Sequence[str]) -> None:
        if len(fields) in (4, 5) and not fields[1].lstrip("+- ")[:1].isdigit():
            self.enter(number, fields[0].strip())
            self.pairs.append(InteractionPair(self.current, fields[2].strip(), fields[3].strip(), fields[1], number))
        elif len(fields) < 5:
            wanted = f"write {MENTION} with tabs between, or ID|t|title, or ID|a|abstract"
            self.faults.add("R652", number, 1, f"this is neither text nor a mention nor a relation - {wanted}")
        else:
            self.take_mention(number, fields)

    def take_mention(self, number: int, fields: Sequence[str]) -> None:
        document, kind = fields[0].strip(), fields[4].strip()
        if not (document and kind and NUMBER.fullmatch(fields[1]) and NUMBER.fullmatch(fields[2])):
            self.note_faults(number, fields)
            return
        self.enter(number, document)
        start, end, text = int(fields[1]), int(fields[2]), fields[3]
        if self.stands(number, fields, start, end):
            identifiers = identifiers_of(fields[5]) if len(fields) > 5 else ()
            self.mentions.add(document, start, end, text, kind, identifiers, number)

    def note_faults(self, number: int, fields: Sequence[str]) -> None:
        """What is wrong with the columns of a mention."""
        self.enter(number, fields[0].strip())
        for place in (1, 2):
            if not NUMBER.fullmatch(fields[place]):
                said = f"{quoted(fields[place])} is not a position - write a whole number from 0"
                self.faults.add("R654", number, column(fields, place), said)
        if not fields[4].strip():
            self.faults.add("R656", number, column(fields, 4), "the mention has no type - write one, such as Gene")

    def stands(self, number: int, fields: Sequence[str], start: int, end: int) -> bool:
        """Whether the mention is in its text. A document without text has any place."""
        if end <= start:
            said = f"the mention ends at {end}, but starts at {start} - write the place after its last character"
            self.faults.add("R654", number, column(fields, 1), said)
            return False
        if not self.text.strip():
            return True
        if start >= len(self.text):
            said = f"the mention starts at {start}, but the text is {len(self.text)} long"
            mend = "count over title, one separator and abstract"
            self.faults.add("R655", number, column(fields, 1), f"{said} - {mend}")
            return False
        self.differs(fields[3], self.text[start:end], number, column(fields, 1))
        return True


def column(fields: Sequence[str], place: int) -> int:
    """Where a field begins, in characters from 1."""
    return sum(len(field) + 1 for field in fields[:place]) + 1

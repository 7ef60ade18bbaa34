"""BioC in XML, one document at a time. Nothing outside the file is read: no DTD, no entity, no network.

Source: BioC.dtd, Comeau et al. 2013, doi:10.1093/database/bat064.
"""

from collections.abc import Mapping
from typing import BinaryIO
from xml.parsers import expat

from annotations.formats.bioc_documents import Annotation, BiocReading, Document, Passage, Relation, plain
from annotations.formats.mentions import Mentions
from annotations.formats.tsv_faults import quoted

CHUNK = 1 << 16
INSIDE_TEXT = frozenset({"infon", "text", "annotation", "relation"})
# What each element may hold; those that are not here hold text, or nothing.
CHILDREN: Mapping[str, frozenset[str]] = {
    "": frozenset({"collection"}),
    "collection": frozenset({"source", "date", "key", "version", "encoding", "infon", "document"}),
    "document": frozenset({"id", "infon", "passage", "annotation", "relation"}),
    "passage": INSIDE_TEXT | {"offset", "sentence"},
    "sentence": INSIDE_TEXT | {"offset"},
    "annotation": frozenset({"infon", "location", "text"}),
    "relation": frozenset({"infon", "node"}),
}
Attributes = dict[str, str]


class RefusedEntityError(Exception):
    """The file declares an entity; nothing after it is read."""


def read_bioc_xml(stream: BinaryIO, source: str) -> Mentions:
    """All that a seekable stream holds; source is its name in faults and warnings.

    RefusedFileError with all faults up to the place where the XML is broken, if it is (R653 to R655, R658, R659, R661
    to R665).
    """
    return fill_from_xml(stream, BiocReading(source))


def fill_from_xml(stream: BinaryIO, reading: BiocReading) -> Mentions:
    """The same by a reading that takes more from each document."""
    parser = BiocParser(reading)
    stream.seek(0)
    try:
        while chunk := stream.read(CHUNK):
            parser.expat.Parse(chunk, False)
        parser.expat.Parse(b"", True)
    except expat.ExpatError as error:
        said = f"the XML is broken here, {expat.ErrorString(error.code)}"
        mend = "write it with a program that writes XML"
        reading.faults.add("R663", error.lineno, error.offset + 1, f"{said} - {mend}")
    except RefusedEntityError:
        said = "the file declares an entity - write the characters themselves"
        reading.faults.add("R664", *parser.place(), said)
    return reading.finish()


class BiocParser:
    """Builds documents from the events of expat. path: the open elements; skipped: how many of these are unknown."""

    def __init__(self, reading: BiocReading) -> None:
        self.reading = reading
        self.path = [""]
        self.skipped = 0
        self.letters: list[str] = []
        self.key = ""
        self.document = Document(0, 0)
        self.passages: list[Passage] = []
        self.expat = expat.ParserCreate()
        self.expat.buffer_text = True
        self.expat.StartElementHandler = self.start
        self.expat.EndElementHandler = self.end
        self.expat.CharacterDataHandler = self.letters.append
        self.expat.EntityDeclHandler = self.refuse
        self.expat.SkippedEntityHandler = self.skip_entity

    def place(self) -> tuple[int, int]:
        """Line and column, from 1."""
        return self.expat.CurrentLineNumber, self.expat.CurrentColumnNumber + 1

    def refuse(self, *declared: object) -> None:
        raise RefusedEntityError

    def skip_entity(self, name: str, *more: object) -> None:
        said = f"the file does not say what &{name}; is - write the character itself"
        self.reading.faults.add("R664", *self.place(), said)

    def start(self, name: str, attributes: Attributes) -> None:
        if self.skipped or name not in CHILDREN.get(self.path[-1], ()):
            if not self.skipped:
                within = f"in {self.path[-1]}" if self.path[-1] else "as the root, collection,"
                said = f"BioC has no element {quoted(name)} {within} - remove it, or mend its name"
                self.reading.faults.add("R665", *self.place(), said)
            self.skipped += 1
            return
        self.path.append(name)
        self.letters.clear()
        self.open(name, attributes)

    def open(self, name: str, attributes: Attributes) -> None:
        place = self.place()
        match name:
            case "document":
                self.document = Document(*place)
            case "passage" | "sentence":
                self.passages.append(Passage(*place, sentence=name == "sentence"))
                self.document.passages.append(self.passages[-1])
            case "annotation":
                self.document.annotations.append(Annotation(*place, id=attributes.get("id", "")))
            case "relation":
                self.document.relations.append(Relation(*place))
            case "location":
                where = (attributes.get("offset", ""), attributes.get("length", ""))
                self.document.annotations[-1].locations.append(where)
            case "node":
                self.document.relations[-1].nodes.append(attributes.get("refid", ""))
            case "infon":
                self.key = plain(attributes.get("key", ""))

    def end(self, name: str) -> None:
        if self.skipped:
            self.skipped -= 1
            return
        self.path.pop()
        match name:
            case "id" | "offset" | "infon" | "text":
                self.fill(name, "".join(self.letters))
            case "passage" | "sentence":
                self.passages.pop()
            case "document":
                self.reading.take(self.document)
                self.document = Document(0, 0)
        self.letters.clear()

    def fill(self, name: str, text: str) -> None:
        """Put the text of an element where it belongs."""
        holder = self.path[-1]
        if name == "id":
            self.document.id = text
        elif name == "offset":
            self.passages[-1].offset = text
        elif name == "text" and holder == "annotation":
            self.document.annotations[-1].text = text
        elif name == "text":
            self.passages[-1].text = text
        elif holder == "document":
            self.document.infons[self.key] = text
        elif holder == "annotation":
            self.document.annotations[-1].infons[self.key] = text
        elif holder == "relation":
            self.document.relations[-1].infons[self.key] = text
        elif self.passages:
            self.passages[-1].infons[self.key] = text

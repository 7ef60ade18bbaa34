"""Reads BioC in XML, one document at a time. Nothing outside the file is read: no DTD, no entity, no network.

Source: BioC.dtd, Comeau et al. 2013, doi:10.1093/database/bat064.
"""

from collections.abc import Mapping
from typing import BinaryIO
from xml.parsers import expat

from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.annotated_text.xml_encoding import refuse_unreadable_encoding
from annotations.formats.bioc.documents import (
    BiocAnnotation,
    BiocCollector,
    BiocDocument,
    BiocPassage,
    BiocRelation,
    normalize_infon_key,
)
from annotations.formats.errors import quote_file_text

BIOC_CHUNK = 1 << 16
INSIDE_TEXT = frozenset({"infon", "text", "annotation", "relation"})
# The children that each element may have; other elements have text only, or nothing.
BIOC_CHILDREN: Mapping[str, frozenset[str]] = {
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


def read_bioc_xml_into_collector(stream: BinaryIO, collector: BiocCollector) -> AnnotatedTextFile:
    """The content of a seekable stream of BioC XML.

    RefusedFileError with all faults, up to the first XML error if there is one (R653 to R655, R658, R659, R661 to
    R665).
    """
    parser = BiocXmlParser(collector)
    stream.seek(0)
    try:
        while chunk := stream.read(BIOC_CHUNK):
            parser.expat.Parse(chunk, False)
        parser.expat.Parse(b"", True)
    except expat.ExpatError as error:
        message = f"the XML is not well-formed here, {expat.ErrorString(error.code)}"
        fix = "write it with an XML library"
        collector.faults.add("R663", error.lineno, error.offset + 1, f"{message} - {fix}")
    except RefusedEntityError:
        message = "the file declares an entity - write the characters themselves"
        collector.faults.add("R664", *parser.current_position(), message)
    return collector.finish()


class BiocXmlParser:
    """Builds documents from the events of expat.

    path: the names of the open known elements; skipped: the number of open elements that are skipped.
    """

    def __init__(self, collector: BiocCollector) -> None:
        self.collector = collector
        self.path = [""]
        self.skipped = 0
        self.letters: list[str] = []
        self.key = self.name = ""
        self.document = BiocDocument(0, 0)
        self.passages: list[BiocPassage] = []
        self.expat = expat.ParserCreate()
        self.expat.buffer_text = True
        refuse_unreadable_encoding(self.expat)
        self.expat.StartElementHandler = self.start_element
        self.expat.EndElementHandler = self.end_element
        self.expat.CharacterDataHandler = self.letters.append
        self.expat.EntityDeclHandler = self.refuse_entity
        self.expat.SkippedEntityHandler = self.skip_entity

    def current_position(self) -> tuple[int, int]:
        """Line and column, from 1."""
        return self.expat.CurrentLineNumber, self.expat.CurrentColumnNumber + 1

    def refuse_entity(self, *declared: object) -> None:
        raise RefusedEntityError

    def skip_entity(self, name: str, *more: object) -> None:
        message = f"the entity &{name}; is not defined - write the character itself"
        self.collector.faults.add("R664", *self.current_position(), message)

    def start_element(self, name: str, attributes: Attributes) -> None:
        if self.skipped or name not in BIOC_CHILDREN.get(self.path[-1], ()):
            if not self.skipped:
                parent = f"in {self.path[-1]}" if self.path[-1] else "as the root, collection,"
                message = f"BioC has no element {quote_file_text(name)} {parent} - remove it, or correct its name"
                self.collector.faults.add("R665", *self.current_position(), message)
            self.skipped += 1
            return
        self.path.append(name)
        self.letters.clear()
        self.open_element(name, attributes)

    def open_element(self, name: str, attributes: Attributes) -> None:
        position = self.current_position()
        match name:
            case "document":
                self.document = BiocDocument(*position)
            case "passage" | "sentence":
                self.passages.append(BiocPassage(*position, sentence=name == "sentence"))
                self.document.passages.append(self.passages[-1])
            case "annotation":
                self.document.annotations.append(BiocAnnotation(*position, id=attributes.get("id", "")))
            case "relation":
                self.document.relations.append(BiocRelation(*position))
            case "location":
                location = (attributes.get("offset", ""), attributes.get("length", ""))
                self.document.annotations[-1].locations.append(location)
            case "node":
                self.document.relations[-1].nodes.append(attributes.get("refid", ""))
                self.document.relations[-1].roles.append(attributes.get("role", ""))
            case "infon":
                self.name = attributes.get("key", "")
                self.key = normalize_infon_key(self.name)

    def end_element(self, name: str) -> None:
        if self.skipped:
            self.skipped -= 1
            return
        self.path.pop()
        match name:
            case "id" | "offset" | "infon" | "text":
                self.store_text(name, "".join(self.letters))
            case "passage" | "sentence":
                self.passages.pop()
            case "document":
                self.collector.add_document(self.document)
                self.document = BiocDocument(0, 0)
        self.letters.clear()

    def store_text(self, name: str, text: str) -> None:
        """Store the text of an element in the object that it belongs to."""
        parent = self.path[-1]
        if name == "id":
            self.document.id = text
        elif name == "offset":
            self.passages[-1].offset = text
        elif name == "text" and parent == "annotation":
            self.document.annotations[-1].text = text
        elif name == "text":
            self.passages[-1].text = text
        elif parent == "document":
            self.document.infons[self.key] = text
        elif parent == "annotation":
            self.document.annotations[-1].infons[self.key] = text
        elif parent == "relation":
            self.document.relations[-1].infons[self.key] = text
            self.document.relations[-1].names[self.key] = self.name
        elif self.passages:
            self.passages[-1].infons[self.key] = text

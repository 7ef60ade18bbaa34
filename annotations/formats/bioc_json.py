"""BioC in JSON: a collection, a document, several of these one after the other or in a list, or an answer of PubTator.

Source: https://github.com/ncbi-nlp/BioC-JSON and the schema of https://github.com/bionlplab/bioc.
"""

from typing import BinaryIO

from annotations.formats.bioc_documents import Annotation, BiocReading, Document, Passage, Relation, plain
from annotations.formats.json_cursor import JsonCursor
from annotations.formats.json_reading import JsonWalk, members_of, read_json, text_of
from annotations.formats.mentions import Mentions

LISTS_OF_DOCUMENTS = frozenset({"documents", "PubTator3"})


def read_bioc_json(stream: BinaryIO, source: str) -> Mentions:
    """All that a seekable stream holds; source is its name in faults and warnings.

    RefusedFileError with all faults up to the place where the JSON is broken, if it is (R651, R653 to R655, R658, R659,
    R661, R662, R666, R667).
    """
    return fill_from_json(stream, BiocReading(source))


def fill_from_json(stream: BinaryIO, reading: BiocReading) -> Mentions:
    """The same by a reading that takes more from each document."""
    read_json(stream, reading, BiocWalk(reading).walk)
    return reading.finish()


class BiocWalk(JsonWalk):
    """Walks through the values of a file and gives each document to the reading."""

    reading: BiocReading

    def walk(self, cursor: JsonCursor) -> None:
        """A collection, a document or a list of these."""
        if cursor.next() == "[":
            self.each(cursor, self.document_or_collection)
        else:
            self.document_or_collection(cursor)

    def document_or_collection(self, cursor: JsonCursor) -> None:
        if not self.comes(cursor, "{", "an object"):
            return
        document = Document(*cursor.place())
        of_document = of_collection = False
        for key in self.members(cursor):
            if key in LISTS_OF_DOCUMENTS:
                of_collection = True
                self.each(cursor, self.document_or_collection)
            else:
                of_document |= key in ("passages", "id")
                self.member_of_document(cursor, document, key)
        if of_document and not of_collection:
            self.reading.take(document)
        elif not of_collection:
            said = "there are neither documents nor passages here - write a collection or a document of BioC"
            self.reading.faults.add("R667", document.line, document.column, said)

    def member_of_document(self, cursor: JsonCursor, document: Document, key: str) -> None:
        if key in ("passages", "sentences"):
            self.each(cursor, lambda own: self.passage(own, document, key == "sentences"))
        elif key == "annotations":
            self.each(cursor, lambda own: self.annotation(own, document))
        elif key == "relations":
            self.each(cursor, lambda own: self.relation(own, document))
        elif key == "infons":
            document.infons = infons_of(self.object(cursor))
        elif key == "id":
            document.id = text_of(cursor.value())
        else:
            cursor.value()

    def passage(self, cursor: JsonCursor, document: Document, sentence: bool) -> None:
        own = Passage(*cursor.place(), sentence=sentence)
        document.passages.append(own)
        for key in self.members(cursor):
            if key == "offset":
                own.offset = cursor.value()
            elif key == "text":
                own.text = text_of(cursor.value())
            elif key == "infons":
                own.infons = infons_of(self.object(cursor))
            elif key in ("sentences", "annotations", "relations"):
                self.member_of_document(cursor, document, key)
            else:
                cursor.value()

    def annotation(self, cursor: JsonCursor, document: Document) -> None:
        own = Annotation(*cursor.place())
        document.annotations.append(own)
        values = self.object(cursor)
        own.id = text_of(values.get("id"))
        own.text = text_of(values["text"]) if values.get("text") is not None else None
        own.infons = infons_of(values.get("infons"))
        locations = values.get("locations")
        if isinstance(locations, list):
            parts = [members_of(part) for part in locations]
            own.locations = [(part.get("offset", ""), part.get("length", "")) for part in parts]

    def relation(self, cursor: JsonCursor, document: Document) -> None:
        own = Relation(*cursor.place())
        document.relations.append(own)
        values = self.object(cursor)
        own.infons = infons_of(values.get("infons"))
        nodes = values.get("nodes")
        if isinstance(nodes, list):
            own.nodes = [text_of(members_of(node).get("refid")) for node in nodes]


def infons_of(value: object) -> dict[str, str]:
    return {plain(key): text_of(own) for key, own in members_of(value).items()}

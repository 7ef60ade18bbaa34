"""Reads BioC in JSON: collections or documents, one after the other or in a list, and responses of PubTator.

Source: https://github.com/ncbi-nlp/BioC-JSON and the schema of https://github.com/bionlplab/bioc.
"""

from typing import BinaryIO

from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.bioc.documents import (
    BiocAnnotation,
    BiocCollector,
    BiocDocument,
    BiocPassage,
    BiocRelation,
    normalize_infon_key,
)
from annotations.formats.located_json.cursor import JsonCursor
from annotations.formats.located_json.walk import (
    JsonWalk,
    find_json_members_or_empty,
    format_text_or_number_else_empty,
    walk_json_values_noting_faults,
)

LISTS_OF_DOCUMENTS = frozenset({"documents", "PubTator3"})


def read_bioc_json_into_collector(stream: BinaryIO, collector: BiocCollector) -> AnnotatedTextFile:
    """The content of a seekable stream of BioC JSON.

    RefusedFileError with all faults, up to the first JSON error if there is one (R651, R653 to R655, R658, R659, R661,
    R662, R666, R667).
    """
    walk_json_values_noting_faults(stream, collector, BiocJsonWalk(collector).read_top_value)
    return collector.finish()


class BiocJsonWalk(JsonWalk):
    """Walks through the values of a file and passes each document to the collector."""

    collector: BiocCollector

    def read_top_value(self, cursor: JsonCursor) -> None:
        """A collection, a document or a list of these."""
        if cursor.peek_character() == "[":
            self.read_each(cursor, self.read_document_or_collection)
        else:
            self.read_document_or_collection(cursor)

    def read_document_or_collection(self, cursor: JsonCursor) -> None:
        if not self.check_value_type(cursor, "{", "an object"):
            return
        document = BiocDocument(*cursor.next_position())
        is_document = is_collection = False
        for key in self.iter_members(cursor):
            if key in LISTS_OF_DOCUMENTS:
                is_collection = True
                self.read_each(cursor, self.read_document_or_collection)
            else:
                is_document |= key in ("passages", "id")
                self.read_document_member(cursor, document, key)
        if is_document and not is_collection:
            self.collector.add_document(document)
        elif not is_collection:
            message = "there are neither documents nor passages here - write a BioC collection or document"
            self.collector.faults.add("R667", document.line, document.column, message)

    def read_document_member(self, cursor: JsonCursor, document: BiocDocument, key: str) -> None:
        if key in ("passages", "sentences"):
            self.read_each(
                cursor, lambda element_cursor: self.read_passage(element_cursor, document, key == "sentences")
            )
        elif key == "annotations":
            self.read_each(cursor, lambda element_cursor: self.read_annotation(element_cursor, document))
        elif key == "relations":
            self.read_each(cursor, lambda element_cursor: self.read_relation(element_cursor, document))
        elif key == "infons":
            document.infons = _parse_json_infons(self.read_object(cursor))
        elif key == "id":
            document.id = format_text_or_number_else_empty(cursor.read_value())
        else:
            cursor.read_value()

    def read_passage(self, cursor: JsonCursor, document: BiocDocument, is_sentence: bool) -> None:
        passage = BiocPassage(*cursor.next_position(), sentence=is_sentence)
        document.passages.append(passage)
        for key in self.iter_members(cursor):
            if key == "offset":
                passage.offset = cursor.read_value()
            elif key == "text":
                passage.text = format_text_or_number_else_empty(cursor.read_value())
            elif key == "infons":
                passage.infons = _parse_json_infons(self.read_object(cursor))
            elif key in ("sentences", "annotations", "relations"):
                self.read_document_member(cursor, document, key)
            else:
                cursor.read_value()

    def read_annotation(self, cursor: JsonCursor, document: BiocDocument) -> None:
        annotation = BiocAnnotation(*cursor.next_position())
        document.annotations.append(annotation)
        values = self.read_object(cursor)
        annotation.id = format_text_or_number_else_empty(values.get("id"))
        annotation.text = format_text_or_number_else_empty(values["text"]) if values.get("text") is not None else None
        annotation.infons = _parse_json_infons(values.get("infons"))
        locations = values.get("locations")
        if isinstance(locations, list):
            parts = [find_json_members_or_empty(part) for part in locations]
            annotation.locations = [(part.get("offset", ""), part.get("length", "")) for part in parts]

    def read_relation(self, cursor: JsonCursor, document: BiocDocument) -> None:
        relation = BiocRelation(*cursor.next_position())
        document.relations.append(relation)
        values = self.read_object(cursor)
        relation.infons = _parse_json_infons(values.get("infons"))
        relation.names = {normalize_infon_key(key): key for key in find_json_members_or_empty(values.get("infons"))}
        nodes = values.get("nodes")
        if isinstance(nodes, list):
            members = [find_json_members_or_empty(node) for node in nodes]
            relation.nodes = [format_text_or_number_else_empty(node.get("refid")) for node in members]
            relation.roles = [format_text_or_number_else_empty(node.get("role")) for node in members]


def _parse_json_infons(value: object) -> dict[str, str]:
    return {
        normalize_infon_key(key): format_text_or_number_else_empty(infon)
        for key, infon in find_json_members_or_empty(value).items()
    }

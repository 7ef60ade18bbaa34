"""Reads PubAnnotation: each document with its denotations is a JSON object; a file has one, several, or a list of them.

A denotation has a span, or several, and an object, which is its type (`Gene`), type and identifier (`Gene:7157`) or a
URL; attributes with a predicate such as `identifier` or `cui` hold identifiers, too. Blocks are read as denotations.
Positions count code points of the document's text. layers.py says what becomes of the rest.
Source: https://www.pubannotation.org/docs/annotation-format/
"""

import re
from typing import BinaryIO

from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.bioc.declared_infons import PRODUCER_INFON
from annotations.formats.bioc.documents import (
    BiocAnnotation,
    BiocCollector,
    BiocDocument,
    BiocPassage,
    parse_nonnegative_integer_or_none,
)
from annotations.formats.located_json.cursor import JsonCursor
from annotations.formats.located_json.walk import (
    JsonWalk,
    find_json_members_or_empty,
    format_text_or_number_else_empty,
    walk_json_values_noting_faults,
)
from annotations.formats.pubannotation.layers import (
    LayerAttribute,
    LayerRelation,
    PubAnnotationLayers,
    merge_layers,
    parse_span_location,
)
from annotations.identifiers.curies import parse_entry_url

DENOTATION_MEMBERS = frozenset({"id", "span", "obj"})
# Lists that are no annotations.
METADATA_LISTS = frozenset({"namespaces", "typesettings"})
TYPE_AND_IDENTIFIER = re.compile(r"([^:/]+):(?!//)(?=.)")
# Members of exports about the article, and the normalized keys that PubMed Central has for them in BioC.
METADATA_INFONS = {
    "pmcid": "articleidpmc",
    "doi": "articleiddoi",
    "journal": "journaltitle",
    "year": "year",
    "authors": "authors",
}


def read_pubannotation_into_collector(stream: BinaryIO, collector: BiocCollector) -> AnnotatedTextFile:
    """The content of a seekable stream of PubAnnotation.

    RefusedFileError with all faults, up to the first JSON error if there is one (R651, R654, R655, R658, R659, R661,
    R666, R667).
    """
    walk_json_values_noting_faults(stream, collector, PubAnnotationWalk(collector).read_top_value)
    return collector.finish()


class PubAnnotationWalk(JsonWalk):
    """Walks through the values of a file and passes each document to the collector."""

    collector: BiocCollector

    def read_top_value(self, cursor: JsonCursor) -> None:
        """A document or a list of them."""
        if cursor.peek_character() == "[":
            self.read_each(cursor, self.read_document)
        else:
            self.read_document(cursor)

    def read_document(self, cursor: JsonCursor) -> None:
        if not self.check_value_type(cursor, "{", "an object"):
            return
        document, layers, is_document = BiocDocument(*cursor.next_position()), PubAnnotationLayers(), False
        tracks: list[PubAnnotationLayers] = []
        for key in self.iter_members(cursor):
            is_document |= key in ("text", "denotations", "tracks", "sourceid")
            if key == "sourceid":
                document.id = format_text_or_number_else_empty(cursor.read_value())
            elif key == "text":
                document.passages.append(
                    BiocPassage(
                        *cursor.next_position(), offset=0, text=format_text_or_number_else_empty(cursor.read_value())
                    )
                )
            elif key == "divisions":
                self.read_each(cursor, lambda part: self.read_division(part, document))
            elif key == "tracks":
                self.read_each(cursor, lambda track: tracks.append(self.read_track(track)))
            elif key in METADATA_INFONS:
                document.infons[METADATA_INFONS[key]] = _format_metadata(cursor.read_value())
            else:
                self.read_layer(cursor, layers, key)
        for number, track in enumerate(tracks):
            merge_layers(document, track, layers, f"{number}/")
        merge_layers(document, layers, PubAnnotationLayers(), "")
        if is_document:
            self.collector.add_document(document)
        else:
            message = "there are neither text nor denotations here - write a PubAnnotation document"
            self.collector.faults.add("R667", document.line, document.column, message)

    def read_division(self, cursor: JsonCursor, document: BiocDocument) -> None:
        values = self.read_object(cursor)
        span = find_json_members_or_empty(values.get("span"))
        start, end = (
            parse_nonnegative_integer_or_none(span.get("begin", "")),
            parse_nonnegative_integer_or_none(span.get("end", "")),
        )
        if start is not None and end is not None:
            document.divisions.append((start, end, format_text_or_number_else_empty(values.get("label"))))

    def read_track(self, cursor: JsonCursor) -> PubAnnotationLayers:
        layers = PubAnnotationLayers()
        for key in self.iter_members(cursor):
            self.read_layer(cursor, layers, key)
        return layers

    def read_layer(self, cursor: JsonCursor, layers: PubAnnotationLayers, key: str) -> None:
        if key in ("denotations", "blocks"):
            self.read_each(cursor, lambda element_cursor: self.read_denotation(element_cursor, layers))
        elif key == "relations":
            self.read_each(cursor, lambda element_cursor: self.read_relation(element_cursor, layers))
        elif key == "attributes":
            self.read_each(cursor, lambda element_cursor: self.read_attribute(element_cursor, layers))
        elif key == "modifications":
            self.read_each(cursor, lambda element_cursor: self.read_modification(element_cursor, layers))
        elif key == PRODUCER_INFON:
            layers.producer_kind = format_text_or_number_else_empty(cursor.read_value())
        elif key == "kinds":
            kinds = cursor.read_value()
            layers.kinds = [each for each in kinds if isinstance(each, str)] if isinstance(kinds, list) else []
        else:
            self.skip_member(cursor, layers, key)

    def skip_member(self, cursor: JsonCursor, layers: PubAnnotationLayers, key: str) -> None:
        """Skip a member that no layer has; a list of objects, as layers are, is noted."""
        line, _ = cursor.next_position()
        value = cursor.read_value()
        if isinstance(value, list) and any(isinstance(each, dict) for each in value) and key not in METADATA_LISTS:
            layers.skipped.append((key, line))

    def read_denotation(self, cursor: JsonCursor, layers: PubAnnotationLayers) -> None:
        denotation = BiocAnnotation(*cursor.next_position())
        layers.denotations.append(denotation)
        values = self.read_object(cursor)
        denotation.id, object_text, span = (
            format_text_or_number_else_empty(values.get("id")),
            format_text_or_number_else_empty(values.get("obj")),
            values.get("span"),
        )
        for name in sorted(values.keys() - DENOTATION_MEMBERS):
            layers.note_further_member(name, denotation.line)
        match = TYPE_AND_IDENTIFIER.match(object_text)
        denotation.infons = {"type": match[1], "identifier": object_text} if match else {"type": object_text}
        if parse_entry_url(object_text):
            denotation.further_identifiers.append(object_text)
        denotation.locations = [
            parse_span_location(find_json_members_or_empty(part))
            for part in (span if isinstance(span, list) else [span])
        ]

    def read_relation(self, cursor: JsonCursor, layers: PubAnnotationLayers) -> None:
        relation = LayerRelation(*cursor.next_position())
        values = self.read_object(cursor)
        relation.id = format_text_or_number_else_empty(values.get("id"))
        relation.infons = {"type": format_text_or_number_else_empty(values.get("pred"))}
        relation.nodes = [
            format_text_or_number_else_empty(values.get("subj")),
            format_text_or_number_else_empty(values.get("obj")),
        ]
        relation.roles = ["", ""]
        relation.members = values
        layers.relations.append(relation)

    def read_attribute(self, cursor: JsonCursor, layers: PubAnnotationLayers) -> None:
        line, _ = cursor.next_position()
        values = self.read_object(cursor)
        subject, key = (format_text_or_number_else_empty(values.get(name)) for name in ("subj", "pred"))
        layers.attributes.append(LayerAttribute(subject, key, values.get("obj"), line))

    def read_modification(self, cursor: JsonCursor, layers: PubAnnotationLayers) -> None:
        line, _ = cursor.next_position()
        values = self.read_object(cursor)
        subject, key = (format_text_or_number_else_empty(values.get(name)) for name in ("obj", "pred"))
        layers.modifications.append(LayerAttribute(subject, key, True, line))


def _format_metadata(value: object) -> str:
    """A text or number as text, a list of names as BioC writes it."""
    names = [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
    return ", ".join(names) or format_text_or_number_else_empty(value)

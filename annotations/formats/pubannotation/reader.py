"""Reads PubAnnotation: each document with its denotations is a JSON object; a file has one, several, or a list of them.

A denotation has a span and an object, which is its type (`Gene`) or type and identifier (`Gene:7157`); attributes with
a predicate such as `identifier` or `cui` hold identifiers, too. Positions count code points of the document's text.
Source: https://www.pubannotation.org/docs/annotation-format/
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from annotations.formats.annotated_text.json_cursor import JsonCursor
from annotations.formats.annotated_text.json_walk import (
    JsonWalk,
    find_json_members_or_empty,
    format_text_or_number_else_empty,
    walk_json_values_noting_faults,
)
from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.bioc.documents import (
    BiocAnnotation,
    BiocCollector,
    BiocDocument,
    BiocPassage,
    BiocRelation,
    normalize_infon_key,
    parse_nonnegative_integer_or_none,
)

TYPE_AND_IDENTIFIER = re.compile(r"([^:/]+):(?!//)(?=.)")


def read_pubannotation_mentions_and_pairs(stream: BinaryIO, source: str) -> AnnotatedTextFile:
    """The content of a seekable stream; source is the file's name in faults and warnings.

    RefusedFileError with all faults, up to the first JSON error if there is one (R651, R654, R655, R658, R659, R661,
    R666, R667).
    """
    return read_pubannotation_into_collector(stream, BiocCollector(source))


def read_pubannotation_into_collector(stream: BinaryIO, collector: BiocCollector) -> AnnotatedTextFile:
    """The content of a seekable stream of PubAnnotation. Raises the same faults as
    read_pubannotation_mentions_and_pairs.
    """
    walk_json_values_noting_faults(stream, collector, PubAnnotationWalk(collector).read_top_value)
    return collector.finish()


@dataclass(slots=True)
class PubAnnotationLayers:
    """The annotations of a document, or of one of its tracks, which has its own IDs of denotations.

    attributes: (ID of the denotation, key, value).
    """

    denotations: list[BiocAnnotation] = field(default_factory=list)
    relations: list[BiocRelation] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)


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
                self.read_each(cursor, lambda track: self.read_track(track, document))
            else:
                self.read_layer(cursor, layers, key)
        _merge_layers(document, layers)
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

    def read_track(self, cursor: JsonCursor, document: BiocDocument) -> None:
        layers = PubAnnotationLayers()
        for key in self.iter_members(cursor):
            self.read_layer(cursor, layers, key)
        _prefix_denotation_ids(layers, f"{len(document.annotations)}/")
        _merge_layers(document, layers)

    def read_layer(self, cursor: JsonCursor, layers: PubAnnotationLayers, key: str) -> None:
        if key == "denotations":
            self.read_each(cursor, lambda element_cursor: self.read_denotation(element_cursor, layers))
        elif key == "relations":
            self.read_each(cursor, lambda element_cursor: self.read_relation(element_cursor, layers))
        elif key == "attributes":
            self.read_each(cursor, lambda element_cursor: self.read_attribute(element_cursor, layers))
        else:
            cursor.read_value()

    def read_denotation(self, cursor: JsonCursor, layers: PubAnnotationLayers) -> None:
        denotation = BiocAnnotation(*cursor.next_position())
        layers.denotations.append(denotation)
        values = self.read_object(cursor)
        denotation.id, object_text, span = (
            format_text_or_number_else_empty(values.get("id")),
            format_text_or_number_else_empty(values.get("obj")),
            values.get("span"),
        )
        match = TYPE_AND_IDENTIFIER.match(object_text)
        denotation.infons = {"type": match[1], "identifier": object_text} if match else {"type": object_text}
        denotation.locations = [
            _parse_span_location(find_json_members_or_empty(part))
            for part in (span if isinstance(span, list) else [span])
        ]

    def read_relation(self, cursor: JsonCursor, layers: PubAnnotationLayers) -> None:
        relation = BiocRelation(*cursor.next_position())
        layers.relations.append(relation)
        values = self.read_object(cursor)
        relation.infons = {"type": format_text_or_number_else_empty(values.get("pred"))}
        relation.nodes = [
            format_text_or_number_else_empty(values.get("subj")),
            format_text_or_number_else_empty(values.get("obj")),
        ]
        relation.roles = ["", ""]

    def read_attribute(self, cursor: JsonCursor, layers: PubAnnotationLayers) -> None:
        values = self.read_object(cursor)
        subject, key, value = (format_text_or_number_else_empty(values.get(name)) for name in ("subj", "pred", "obj"))
        layers.attributes.append((subject, key, value))


def _prefix_denotation_ids(layers: PubAnnotationLayers, prefix: str) -> None:
    """Make the IDs of a track's denotations unique. Other IDs that the track refers to belong to the document."""
    new_ids = {annotation.id: prefix + annotation.id for annotation in layers.denotations}
    for annotation in layers.denotations:
        annotation.id = new_ids[annotation.id]
    for relation in layers.relations:
        relation.nodes = [new_ids.get(node, node) for node in relation.nodes]
    layers.attributes = [(new_ids.get(subject, subject), key, value) for subject, key, value in layers.attributes]


def _merge_layers(document: BiocDocument, layers: PubAnnotationLayers) -> None:
    """Add the layers to the document, attributes as infons of their denotations."""
    denotations_by_id = {annotation.id: annotation for annotation in layers.denotations}
    for subject, key, value in layers.attributes:
        if subject in denotations_by_id:
            denotations_by_id[subject].infons.setdefault(normalize_infon_key(key), value)
    document.annotations += layers.denotations
    document.relations += layers.relations


def _parse_span_location(span: Mapping[str, object]) -> tuple[object, object]:
    """Offset and length of a span; begin and end unchanged if one of them is not a whole number."""
    begin, end = span.get("begin", ""), span.get("end", "")
    begin_number, end_number = parse_nonnegative_integer_or_none(begin), parse_nonnegative_integer_or_none(end)
    return begin, (end if begin_number is None or end_number is None else end_number - begin_number)

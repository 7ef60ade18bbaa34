"""PubAnnotation: a document with its denotations as one object of JSON; a file holds one, several, or a list of them.

A denotation has a span and an object, which is its type (`Gene`) or type and identifier (`Gene:7157`); attributes with
a predicate such as `identifier` or `cui` hold identifiers, too. Positions count code points of the document's text.
Source: https://www.pubannotation.org/docs/annotation-format/
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from annotations.formats.bioc_documents import (
    Annotation,
    BiocReading,
    Document,
    Passage,
    Relation,
    plain,
    whole_number,
)
from annotations.formats.json_cursor import JsonCursor
from annotations.formats.json_reading import JsonWalk, members_of, read_json, text_of
from annotations.formats.mentions import Mentions

TYPE_AND_IDENTIFIER = re.compile(r"([^:/]+):(?!//)(?=.)")


def read_pubannotation(stream: BinaryIO, source: str) -> Mentions:
    """All that a seekable stream holds; source is its name in faults and warnings.

    RefusedFileError with all faults up to the place where the JSON is broken, if it is (R651, R654, R655, R658, R659,
    R661, R666, R667).
    """
    return fill_from_pubannotation(stream, BiocReading(source))


def fill_from_pubannotation(stream: BinaryIO, reading: BiocReading) -> Mentions:
    """The same by a reading that takes more from each document."""
    read_json(stream, reading, PubAnnotationWalk(reading).walk)
    return reading.finish()


@dataclass(slots=True)
class Layers:
    """What one project, or nobody in particular, says of a document; ids of denotations are its own.

    attributes: id of the denotation, key, value.
    """

    denotations: list[Annotation] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)


class PubAnnotationWalk(JsonWalk):
    """Walks through the values of a file and gives each document to the reading."""

    reading: BiocReading

    def walk(self, cursor: JsonCursor) -> None:
        """A document or a list of them."""
        if cursor.next() == "[":
            self.each(cursor, self.document)
        else:
            self.document(cursor)

    def document(self, cursor: JsonCursor) -> None:
        if not self.comes(cursor, "{", "an object"):
            return
        document, own, known = Document(*cursor.place()), Layers(), False
        for key in self.members(cursor):
            known |= key in ("text", "denotations", "tracks", "sourceid")
            if key == "sourceid":
                document.id = text_of(cursor.value())
            elif key == "text":
                document.passages.append(Passage(*cursor.place(), offset=0, text=text_of(cursor.value())))
            elif key == "divisions":
                self.each(cursor, lambda part: self.division(part, document))
            elif key == "tracks":
                self.each(cursor, lambda track: self.track(track, document))
            else:
                self.layer(cursor, own, key)
        join(document, own)
        if known:
            self.reading.take(document)
        else:
            said = "there are neither text nor denotations here - write a document of PubAnnotation"
            self.reading.faults.add("R667", document.line, document.column, said)

    def division(self, cursor: JsonCursor, document: Document) -> None:
        values = self.object(cursor)
        span = members_of(values.get("span"))
        start, end = whole_number(span.get("begin", "")), whole_number(span.get("end", ""))
        if start is not None and end is not None:
            document.divisions.append((start, end, text_of(values.get("label"))))

    def track(self, cursor: JsonCursor, document: Document) -> None:
        own = Layers()
        for key in self.members(cursor):
            self.layer(cursor, own, key)
        keep_apart(own, f"{len(document.annotations)}/")
        join(document, own)

    def layer(self, cursor: JsonCursor, layers: Layers, key: str) -> None:
        if key == "denotations":
            self.each(cursor, lambda own: self.denotation(own, layers))
        elif key == "relations":
            self.each(cursor, lambda own: self.relation(own, layers))
        elif key == "attributes":
            self.each(cursor, lambda own: self.attribute(own, layers))
        else:
            cursor.value()

    def denotation(self, cursor: JsonCursor, layers: Layers) -> None:
        own = Annotation(*cursor.place())
        layers.denotations.append(own)
        values = self.object(cursor)
        own.id, said, span = text_of(values.get("id")), text_of(values.get("obj")), values.get("span")
        found = TYPE_AND_IDENTIFIER.match(said)
        own.infons = {"type": found[1], "identifier": said} if found else {"type": said}
        own.locations = [location(members_of(part)) for part in (span if isinstance(span, list) else [span])]

    def relation(self, cursor: JsonCursor, layers: Layers) -> None:
        own = Relation(*cursor.place())
        layers.relations.append(own)
        values = self.object(cursor)
        own.infons = {"type": text_of(values.get("pred"))}
        own.nodes = [text_of(values.get("subj")), text_of(values.get("obj"))]

    def attribute(self, cursor: JsonCursor, layers: Layers) -> None:
        values = self.object(cursor)
        subject, key, value = (text_of(values.get(name)) for name in ("subj", "pred", "obj"))
        layers.attributes.append((subject, key, value))


def keep_apart(own: Layers, mark: str) -> None:
    """Mark the ids of a track, which other tracks may use, too; others that it names are those of the document."""
    names = {annotation.id: mark + annotation.id for annotation in own.denotations}
    for annotation in own.denotations:
        annotation.id = names[annotation.id]
    for relation in own.relations:
        relation.nodes = [names.get(node, node) for node in relation.nodes]
    own.attributes = [(names.get(subject, subject), key, value) for subject, key, value in own.attributes]


def join(document: Document, own: Layers) -> None:
    """Put into the document what was said of it, attributes with the denotations that they belong to."""
    named = {annotation.id: annotation for annotation in own.denotations}
    for subject, key, value in own.attributes:
        if subject in named:
            named[subject].infons.setdefault(plain(key), value)
    document.annotations += own.denotations
    document.relations += own.relations


def location(span: Mapping[str, object]) -> tuple[object, object]:
    """Offset and length of a span; what is no number stays what it is."""
    begin, end = span.get("begin", ""), span.get("end", "")
    start, stop = whole_number(begin), whole_number(end)
    return begin, (end if start is None or stop is None else stop - start)

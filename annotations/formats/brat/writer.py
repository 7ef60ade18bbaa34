"""Writes brat: a zip archive with a text and standoff annotations for each article, and a configuration with all types.

`T` lines are mentions; one with a line break is written as fragments, as brat requires. `N` lines are their links.
Relations of two mentions are `R` lines, those of more are events (`E`), whose trigger is the first passage that is
evidence, or else the first argument. `A` lines are confidence, rank and qualifiers. Types keep letters, digits, `-`
and `_`. A note (`#`) holds the producer and all members of the annotation as JSON; what has no line of its own, such as
labels, is a note of the `Article`, which is the first line of text. Positions count code points.
Source: https://brat.nlplab.org/standoff.html
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    ExportedProducer,
    build_nonempty_export_members,
)
from annotations.formats.articles.article_record import build_article_record
from annotations.formats.brat.standoff import (
    ARTICLE_ID,
    ARTICLE_TYPE,
    NONBREAKING,
    NUMBERED_ROLE,
    build_attributes,
    clean_brat_type,
    format_references,
    split_spans_at_line_breaks,
)
from annotations.formats.zip.writer import ZipArchiveWriter
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, Span

# Characters that end a line for some programs, and that JSON need not escape.
JSON_LINE_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
# More values of an attribute are not listed in the configuration, which is kept in memory.
MOST_CONFIGURED_VALUES = 1000
ANY_TWO_ARGUMENTS = "Arg1:<ANY>, Arg2:<ANY>"
MentionKey = tuple[ExportedProducer, tuple[Span, ...], str, str, tuple[EntityId, ...]]


@dataclass(slots=True)
class BratConfiguration:
    """The types in all files of an archive. roles: of events, by their type; values: of attributes, by their name."""

    entities: dict[str, None] = field(default_factory=lambda: {ARTICLE_TYPE: None})
    relations: dict[str, None] = field(default_factory=dict)
    roles: dict[str, dict[str, None]] = field(default_factory=dict)
    values: dict[str, dict[str, None]] = field(default_factory=dict)

    def add_attribute(self, name: str, value: str) -> None:
        values = self.values.setdefault(name, {})
        if len(values) < MOST_CONFIGURED_VALUES:
            values[value] = None

    def format_file(self) -> str:
        """annotation.conf. Source: https://brat.nlplab.org/configuration.html"""
        sections = {
            "entities": list(self.entities),
            "relations": [f"{name}\t{ANY_TWO_ARGUMENTS}" for name in self.relations],
            "events": [
                f"{name}\t{', '.join(f'{role}*:<ANY>' for role in roles)}" for name, roles in self.roles.items()
            ],
            "attributes": [f"{name}\tArg:<ANY>{_format_values(values)}" for name, values in self.values.items()],
        }
        return "".join(f"[{name}]\n" + "".join(f"{line}\n" for line in lines) for name, lines in sections.items())


def _format_values(values: Iterable[str]) -> str:
    """The values of an attribute; none for one that is only true."""
    listed = "|".join(values)
    return "" if listed == "true" else f", Value:{listed}"


def write_brat_zip_archive(articles: Iterable[AnnotatedArticle]) -> Iterator[bytes]:
    """The archive in pieces; only the names of its files and the types are kept in memory."""
    archive, configuration = ZipArchiveWriter(), BratConfiguration()
    for article in articles:
        archive.add(article.id, "txt", article.text)
        archive.add(article.id, "ann", _StandoffBuilder(article, configuration).build_file())
        yield archive.take_bytes()
    archive.add("annotation", "conf", configuration.format_file())
    yield archive.finish()


class _StandoffBuilder:
    """Builds an .ann file; counts: the lines so far by the letters of their IDs."""

    def __init__(self, article: AnnotatedArticle, configuration: BratConfiguration) -> None:
        self.article, self.text, self.configuration = article, article.text, configuration
        self.lines: list[str] = []
        self.counts: Counter[str] = Counter()
        self.mention_ids: dict[MentionKey, str] = {}

    def build_file(self) -> str:
        # Stored texts are not blank, so there is a first line.
        first_line = NONBREAKING.search(self.text)
        start, end = first_line.span() if first_line else (0, 0)
        self.add_entity(ARTICLE_TYPE, [Span(start, end)])
        self.add_note(ARTICLE_ID, build_article_record(self.article))
        for producer, annotation in self.article.iter_annotations(Kind.MENTION):
            self.add_mention(producer, annotation)
        for result in self.article.results:
            if not result.annotations:
                fields = result.producer.export_fields() | {"kind": result.kind.value, "found": "nothing"}
                self.add_note(ARTICLE_ID, fields)
            elif result.kind is not Kind.MENTION:
                for annotation in result.annotations:
                    self.add_statement(result.producer, annotation)
        return "".join(f"{line}\n" for line in self.lines)

    def add_line(self, letter: str, content: str) -> str:
        """Add a line and return its ID."""
        self.counts[letter] += 1
        line_id = f"{letter}{self.counts[letter]}"
        self.lines.append(f"{line_id}\t{content}")
        return line_id

    def add_entity(self, type_name: str, fragments: Sequence[Span]) -> str:
        self.configuration.entities[type_name] = None
        return self.add_text_bound(type_name, fragments)

    def add_text_bound(self, type_name: str, fragments: Sequence[Span]) -> str:
        spans = ";".join(f"{start} {end}" for start, end in fragments)
        text = " ".join(self.text[start:end] for start, end in fragments)
        return self.add_line("T", f"{type_name} {spans}\t{text}")

    def add_note(self, subject: str, members: Mapping[str, object]) -> None:
        note = json.dumps(members, ensure_ascii=False).translate(JSON_LINE_BREAKS)
        self.add_line("#", f"AnnotatorNotes {subject}\t{note}")

    def add_annotation_note(self, subject: str, producer: ExportedProducer, annotation: AnnotationData) -> None:
        fields = producer.export_fields() | {"kind": annotation.kind.value}
        self.add_note(subject, {**fields, **build_nonempty_export_members(annotation)})

    def add_attributes(self, subject: str, annotation: AnnotationData) -> None:
        qualifiers = annotation.relation.qualifiers if annotation.relation else ()
        for name, value in build_attributes(annotation.confidence, annotation.rank, qualifiers).items():
            self.configuration.add_attribute(name, value)
            self.add_line("A", f"{name} {subject}" if value == "true" else f"{name} {subject} {value}")

    def add_mention(self, producer: ExportedProducer, annotation: AnnotationData) -> None:
        """Add a mention, as a note of the article if it consists only of line breaks."""
        subject = ARTICLE_ID
        if fragments := split_spans_at_line_breaks(annotation.parts, self.text):
            subject = self.add_entity(clean_brat_type(annotation.type), fragments)
            self.add_references(subject, annotation.identifiers, annotation.type, annotation.text)
            self.add_attributes(subject, annotation)
            key = (producer, annotation.parts, annotation.type, annotation.text, annotation.identifiers)
            self.mention_ids.setdefault(key, subject)
        self.add_annotation_note(subject, producer, annotation)

    def add_references(self, subject: str, identifiers: Sequence[EntityId], entity_type: str, text: str) -> None:
        entry = " ".join(text.split()) or "-"
        for curie in format_references(identifiers, entity_type):
            self.add_line("N", f"Reference {subject} {curie}\t{entry}")

    def add_statement(self, producer: ExportedProducer, annotation: AnnotationData) -> None:
        """Add an annotation that is not a mention: a relation of mentions as such, any other as a note."""
        subject = self.add_relation_or_event(producer, annotation)
        if subject:
            self.add_attributes(subject, annotation)
        self.add_annotation_note(subject or ARTICLE_ID, producer, annotation)

    def add_relation_or_event(self, producer: ExportedProducer, annotation: AnnotationData) -> str:
        """The ID of the line of a relation; empty if one of its arguments is no mention that brat can show."""
        if annotation.kind is not Kind.RELATION:
            return ""
        fragments = [split_spans_at_line_breaks(argument.spans, self.text) for argument in annotation.arguments]
        if not all(fragments):
            return ""
        ids = [
            self.find_or_add_argument(producer, argument, spans)
            for argument, spans in zip(annotation.arguments, fragments, strict=True)
        ]
        type_name = clean_brat_type(annotation.type, "Relation")
        if len(ids) == 2:
            self.configuration.relations[type_name] = None
            return self.add_line("R", f"{type_name} Arg1:{ids[0]} Arg2:{ids[1]}")
        evidence = split_spans_at_line_breaks(annotation.evidence[:1], self.text) or fragments[0][:1]
        trigger = self.add_text_bound(type_name, evidence)
        roles = _number_roles([clean_brat_type(each.role, NUMBERED_ROLE) for each in annotation.arguments])
        self.configuration.roles.setdefault(type_name, {}).update(
            dict.fromkeys(role.rstrip("0123456789") for role in roles)
        )
        arguments = " ".join(f"{role}:{line_id}" for role, line_id in zip(roles, ids, strict=True))
        return self.add_line("E", f"{type_name}:{trigger} {arguments}")

    def find_or_add_argument(
        self, producer: ExportedProducer, argument: RelationArgument, fragments: Sequence[Span]
    ) -> str:
        key = (producer, argument.spans, argument.type, argument.text, argument.identifiers)
        if key not in self.mention_ids:
            subject = self.add_entity(clean_brat_type(argument.type), fragments)
            self.add_references(subject, argument.identifiers, argument.type, argument.text)
            self.add_note(subject, producer.export_fields() | {"kind": "argument"})
            self.mention_ids[key] = subject
        return self.mention_ids[key]


def _number_roles(roles: Sequence[str]) -> list[str]:
    """Roles as brat numbers them: Theme, Theme2, Theme3."""
    counts: Counter[str] = Counter()
    numbered = []
    for role in roles:
        name = role.rstrip("0123456789") or NUMBERED_ROLE
        counts[name] += 1
        numbered.append(f"{name}{counts[name]}" if counts[name] > 1 else name)
    return numbered

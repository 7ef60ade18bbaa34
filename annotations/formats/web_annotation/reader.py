"""Reads pages of W3C Web Annotations that a BioCreative Meta-Server has exported, as JSON-LD or Turtle.

The annotation of an article has its text as body and its record as `article`; all others have `finding`. Annotations of
other programs have neither and are skipped with a warning: what they say of which text, only their sources know.
"""

import json
from collections.abc import Iterator
from typing import BinaryIO

from annotations.formats.annotated_text.declared_members import (
    InvalidMembersError,
    collect_declared_item,
    declares_annotation,
    parse_declared_annotation,
    parse_declared_kind,
)
from annotations.formats.annotated_text.mention_collector import MentionCollector
from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.articles.article_record import ArticleRecord, parse_article_record_or_none
from annotations.formats.bioc.declared_infons import KIND_INFON
from annotations.formats.errors import FormatError, RefusedFileError, quote_file_text
from annotations.formats.located_json.cursor import JsonCursor
from annotations.formats.located_json.walk import (
    JsonWalk,
    find_json_members_or_empty,
    walk_json_values_noting_faults,
)
from annotations.formats.web_annotation.annotations import (
    ANNOTATION_TERM,
    ARTICLE_TERM,
    FOUND_NOTHING_MEMBER,
    TERM_NAMESPACE,
)

INVALID_RECORD = "R668"
OTHER_ANNOTATION = "R675"
BROKEN_TURTLE = "R676"
TURTLE_TOO_LARGE = "R448"
# A file in Turtle is kept in memory as a graph, which takes some fifty times its size.
LARGEST_TURTLE = 8 * 1024 * 1024
RDF_VALUE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#value"
OA_BODY = "http://www.w3.org/ns/oa#hasBody"


class WebAnnotationCollector(MentionCollector):
    """Collects the annotations of a page; text_lengths: of the articles so far, by their IDs."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.text_lengths: dict[str, int] = {}

    def add_article(self, value: object, text: str, line: int, column: int) -> None:
        """Collect an article: its record and its text."""
        record = parse_article_record_or_none(value)
        if record is None:
            problem = "this is not the record of an article - export the article again"
            self.faults.add(INVALID_RECORD, line, column, problem)
            return
        document = self.register_document(record.id, line, column)
        self.text_lengths[document] = len(text)
        nothing = find_json_members_or_empty(value).get(FOUND_NOTHING_MEMBER)
        for members in filter(declares_annotation, nothing if isinstance(nothing, list) else ()):
            self.add_declared_annotation({**members, "article": document, "found": "nothing"}, line, column)
        self.keep_text(document, [(0, text)])
        self.add_source(document, text, record)

    def add_source(self, document: str, text: str, record: ArticleRecord) -> None:
        """Keep the text of an article, where it is needed."""

    def add_declared_annotation(self, value: object, line: int, column: int) -> None:
        """Collect an annotation."""
        members = find_json_members_or_empty(value)
        article = members.get("article")
        try:
            if not isinstance(article, str) or article not in self.text_lengths or KIND_INFON not in members:
                problem = f"no annotation before it has the text of the article {quote_file_text(str(article))}"
                raise InvalidMembersError(f"{problem} - export the page again")
            kind = parse_declared_kind(members)
            item = parse_declared_annotation(members, article, line, self.text_lengths[article])
        except InvalidMembersError as error:
            self.faults.add(INVALID_RECORD, line, column, str(error))
        else:
            collect_declared_item(self, kind, article, item)

    def finish(self) -> AnnotatedTextFile:
        """The content of the file. RefusedFileError with all faults, R675 if no annotation is one of an export."""
        if not self.documents and not self.faults:
            problem = "no annotation of the file has the text of an article, as those that this platform exports have"
            fix = "use BioC, PubAnnotation, PubTator or brat for annotations of other programs"
            self.faults.add(OTHER_ANNOTATION, 0, 0, f"{problem} - {fix}")
        return super().finish()

    def skip_annotation(self, line: int, column: int) -> None:
        problem = "the annotation has neither finding nor article, so it is skipped"
        self.warnings.add(OTHER_ANNOTATION, line, column, f"{problem} - only exports of this platform have them")


def read_web_annotation_into_collector(stream: BinaryIO, collector: WebAnnotationCollector) -> AnnotatedTextFile:
    """The content of a stream of JSON-LD.

    RefusedFileError with all faults, up to the first JSON error if there is one (R651, R658, R659, R666 to R668).
    """
    walk_json_values_noting_faults(stream, collector, _WebAnnotationWalk(collector).read_page)
    return collector.finish()


class _WebAnnotationWalk(JsonWalk):
    """Walks through the values of a file and passes each annotation to the collector."""

    collector: WebAnnotationCollector

    def read_page(self, cursor: JsonCursor) -> None:
        if cursor.peek_character() == "[":
            self.read_each(cursor, self.read_annotation)
            return
        for key in self.iter_members(cursor):
            if key == "items":
                self.read_each(cursor, self.read_annotation)
            else:
                cursor.read_value()

    def read_annotation(self, cursor: JsonCursor) -> None:
        position = cursor.next_position()
        values = self.read_object(cursor)
        if ARTICLE_TERM in values:
            text = find_json_members_or_empty(values.get("body")).get("value")
            self.collector.add_article(values[ARTICLE_TERM], text if isinstance(text, str) else "", *position)
        elif ANNOTATION_TERM in values:
            self.collector.add_declared_annotation(values[ANNOTATION_TERM], *position)
        elif values:
            self.collector.skip_annotation(*position)


def read_web_annotation_turtle_into_collector(stream: BinaryIO, collector: WebAnnotationCollector) -> AnnotatedTextFile:
    """The content of a stream of Turtle.

    RefusedFileError with all faults (R448, R651, R658, R659, R668, R676).
    """
    stream.seek(0)
    content = stream.read(LARGEST_TURTLE + 1)
    try:
        if len(content) > LARGEST_TURTLE:
            problem = f"the file is larger than {LARGEST_TURTLE // 1024**2} MiB"
            raise FormatError(collector.source, 0, 0, TURTLE_TOO_LARGE, f"{problem} - split it, or use JSON-LD")
        for term, value, text in _iter_turtle_statements(content, collector.source):
            if term == ARTICLE_TERM:
                collector.add_article(value, text, 0, 0)
            else:
                collector.add_declared_annotation(value, 0, 0)
    except FormatError as error:
        raise RefusedFileError([*collector.faults.list_faults(), error]) from None
    return collector.finish()


def _iter_turtle_statements(content: bytes, source: str) -> Iterator[tuple[str, object, str]]:
    """(term, JSON, text) of each annotation of an export, in the order of the page, articles with their text.

    FormatError if the file is no Turtle (R651, R676).
    """
    # Only who reads Turtle waits for the library.
    try:
        from rdflib import Graph, URIRef
        from rdflib.plugins.parsers.notation3 import BadSyntax
    except ModuleNotFoundError:
        message = "reading Turtle needs the Python package rdflib - install it, or use JSON-LD"
        raise FormatError(source, 0, 0, BROKEN_TURTLE, message) from None

    try:
        graph = Graph().parse(data=content.decode(), format="turtle")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(source, line, 1, "R651", "a byte is not UTF-8 - save the file as UTF-8 text") from None
    except BadSyntax as error:
        message = "the Turtle is not valid here - write it with an RDF library"
        raise FormatError(source, error.lines + 1, 1, BROKEN_TURTLE, message) from None
    except (ValueError, RecursionError, IndexError, AssertionError):
        message = "the file is not valid Turtle, or nested too deeply - write it with an RDF library"
        raise FormatError(source, 0, 0, BROKEN_TURTLE, message) from None
    heads = list(graph.objects(None, URIRef("http://www.w3.org/ns/activitystreams#items")))
    for head in heads:
        for item in graph.items(head):
            for term in (ARTICLE_TERM, ANNOTATION_TERM):
                for literal in graph.objects(item, URIRef(f"{TERM_NAMESPACE}{term}")):
                    bodies = graph.objects(item, URIRef(OA_BODY)) if term == ARTICLE_TERM else ()
                    texts = [str(text) for body in bodies for text in graph.objects(body, URIRef(RDF_VALUE))]
                    yield term, _parse_json_literal(str(literal), source), "".join(texts[:1])


def _parse_json_literal(text: str, source: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        problem = f"{quote_file_text(text)} is not JSON"
        raise FormatError(source, 0, 0, INVALID_RECORD, f"{problem} - export the page again") from None

"""Writes brat: a zip archive with a text and standoff annotations for each article, and a configuration with all types.

`T` lines are mentions; a mention with a line break is written as fragments, as brat requires. Types keep letters,
digits, `-` and `_`. Notes (`#`) hold the producer and all other fields as JSON; annotations of the whole article are
notes of the `Article`, which is the first line of text. Positions count code points.
Source: https://brat.nlplab.org/standoff.html
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from annotations.formats.articles.annotated_article import (
    AnnotatedArticle,
    ExportedProducer,
    ProducerResult,
    build_nonempty_export_fields,
)
from annotations.formats.zip.writer import ZipArchiveWriter
from annotations.schema import AnnotationData, Kind

ARTICLE_TYPE = "Article"
BRAT_DEFAULT_TYPE = "Mention"
NOT_IN_BRAT_TYPE = re.compile(r"[^A-Za-z0-9_-]+")
NONEMPTY_LINE = re.compile(r"[^\n]+")


def write_brat_zip_archive(articles: Iterable[AnnotatedArticle]) -> Iterator[bytes]:
    """The archive in pieces; only the names of its files and the types are kept in memory."""
    archive, types = ZipArchiveWriter(), dict.fromkeys((ARTICLE_TYPE,))
    for article in articles:
        types |= dict.fromkeys(_clean_brat_type(annotation) for _, annotation in article.iter_annotations(Kind.MENTION))
        archive.add(article.id, "txt", article.text)
        archive.add(article.id, "ann", "".join(f"{line}\n" for line in _iter_standoff_lines(article)))
        yield archive.take_bytes()
    archive.add("annotation", "conf", _format_brat_configuration(types))
    yield archive.finish()


def _format_brat_configuration(types: Iterable[str]) -> str:
    sections = {"entities": types, "relations": (), "events": (), "attributes": ()}
    return "".join(f"[{name}]\n" + "".join(f"{line}\n" for line in lines) for name, lines in sections.items())


def _iter_standoff_lines(article: AnnotatedArticle) -> Iterator[str]:
    """The lines of an .ann file, without their ends."""
    note_numbers = count(1)
    # Stored texts are not blank, so there is a first line.
    first_line = NONEMPTY_LINE.search(article.text)
    begin, end = first_line.span() if first_line else (0, 0)
    yield f"T1\t{ARTICLE_TYPE} {begin} {end}\t{article.text[begin:end]}"
    for number, (producer, annotation) in enumerate(article.iter_annotations(Kind.MENTION), 2):
        if line_spans := _split_mention_lines(annotation, article.text):
            yield _format_brat_mention(f"T{number}", annotation, article.text, line_spans)
            yield _format_brat_note(next(note_numbers), f"T{number}", producer, annotation)
    for result in article.results:
        yield from _iter_brat_notes(result, note_numbers)


def _split_mention_lines(annotation: AnnotationData, text: str) -> list[tuple[int, int]]:
    """(start, end) of the parts of a mention on each line; none if it consists only of line breaks."""
    return [match.span() for match in NONEMPTY_LINE.finditer(text, annotation.start or 0, annotation.end or 0)]


def _format_brat_mention(
    mention_id: str, annotation: AnnotationData, text: str, line_spans: Sequence[tuple[int, int]]
) -> str:
    spans = ";".join(f"{start} {end}" for start, end in line_spans)
    mention_text = " ".join(text[start:end] for start, end in line_spans)
    return f"{mention_id}\t{_clean_brat_type(annotation)} {spans}\t{mention_text}"


def _iter_brat_notes(result: ProducerResult, numbers: Iterator[int]) -> Iterator[str]:
    """Notes for annotations of the whole article, or for a result without annotations."""
    if not result.annotations:
        yield f"#{next(numbers)}\tAnnotatorNotes T1\t{_format_note_json(result.producer, result.kind)}"
    elif result.kind is not Kind.MENTION:
        for annotation in result.annotations:
            yield _format_brat_note(next(numbers), "T1", result.producer, annotation)


def _format_brat_note(number: int, subject: str, producer: ExportedProducer, annotation: AnnotationData) -> str:
    return f"#{number}\tAnnotatorNotes {subject}\t{_format_note_json(producer, annotation.kind, annotation)}"


def _format_note_json(producer: ExportedProducer, kind: Kind, annotation: AnnotationData | None = None) -> str:
    """The producer, the kind and the fields of the annotation as one line of JSON."""
    fields = producer.export_fields() | {"kind": kind.value}
    return json.dumps(
        fields | (dict(build_nonempty_export_fields(annotation)) if annotation else {"found": "nothing"}),
        ensure_ascii=False,
    )


def _clean_brat_type(annotation: AnnotationData) -> str:
    """The type of a mention, reduced to the characters that brat allows."""
    return NOT_IN_BRAT_TYPE.sub("_", annotation.type).strip("_") or BRAT_DEFAULT_TYPE

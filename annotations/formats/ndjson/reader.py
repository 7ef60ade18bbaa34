"""Reads the annotations in NDJSON, one JSON object a line, as both exports of a BioCreative Meta-Server write it.

A line with `results` is an article with all of its annotations, any other line is one annotation of the `article` that
it names. A line that names an article but no kind says that the file is about the article.
"""

from collections.abc import Mapping
from itertools import accumulate
from typing import BinaryIO

from annotations.formats.annotated_text.declared_members import (
    FOUND_MEMBER,
    FOUND_NOTHING,
    InvalidMembersError,
    Members,
    collect_declared_item,
    parse_declared_annotation,
    parse_declared_kind,
)
from annotations.formats.annotated_text.mention_collector import MentionCollector
from annotations.formats.annotated_text.mentions import AnnotatedTextFile
from annotations.formats.bioc.declared_infons import KIND_INFON, LARGEST_NUMBER
from annotations.formats.tsv.lines import BYTE_ORDER_MARK
from bcms.lib.json_input import JsonInputError, parse_bounded_json

INVALID_JSON, WRONG_VALUE, INVALID_MEMBERS = "R666", "R667", "R668"
ARTICLE_MEMBER = "article"


def read_ndjson_into_collector(stream: BinaryIO, collector: MentionCollector) -> AnnotatedTextFile:
    """The content of a seekable stream. RefusedFileError with all faults (R658, R659, R666 to R668)."""
    stream.seek(0)
    for number, line in enumerate(stream, 1):
        content = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        if content.strip():
            _collect_line(collector, content, number)
    return collector.finish()


def collect_annotation_members(collector: MentionCollector, members: Members, document: str, line: int) -> None:
    """Collect an annotation of a document whose text is not known. InvalidMembersError if it is not valid."""
    _collect_annotation(collector, members, document, line, LARGEST_NUMBER)


def _collect_line(collector: MentionCollector, content: bytes, line: int) -> None:
    try:
        members = parse_bounded_json(content)
    except JsonInputError as error:
        problem = str(error).rstrip(".")
        collector.faults.add(INVALID_JSON, line, 1, f"{problem} - write one JSON object in each line")
        return
    if not isinstance(members, dict):
        collector.faults.add(WRONG_VALUE, line, 1, "the line is not an object - write one JSON object in each line")
        return
    try:
        if "results" in members:
            _collect_article(collector, members, line)
        else:
            _collect_annotation_of_article(collector, members, line)
    except InvalidMembersError as error:
        collector.faults.add(INVALID_MEMBERS, line, 1, str(error))


def _collect_article(collector: MentionCollector, members: Members, line: int) -> None:
    name = members.get("id")
    if not isinstance(name, str):
        raise InvalidMembersError("the article has no id - write its PMID as a text")
    document = collector.register_document(name, line, 1)
    passages = _list_objects(members, "passages")
    texts = [text for each in passages if isinstance(text := each.get("text"), str)]
    starts = [*accumulate((len(text) + 1 for text in texts), initial=0)]
    text_length = starts[-1] - 1 if texts else LARGEST_NUMBER
    collector.keep_text(document, zip(starts, texts, strict=False))
    for result in _list_objects(members, "results"):
        kind = result.get(KIND_INFON)
        found = _list_objects(result, "annotations") or [{FOUND_MEMBER: FOUND_NOTHING}]
        for annotation in found:
            _collect_annotation(collector, {**annotation, KIND_INFON: kind}, document, line, text_length)


def _collect_annotation_of_article(collector: MentionCollector, members: Members, line: int) -> None:
    document = members.get(ARTICLE_MEMBER)
    if not isinstance(document, str) or not document.strip():
        raise InvalidMembersError("there is no article - write its PMID as a text")
    document = document.strip()
    collector.documents.setdefault(document)
    if KIND_INFON in members:
        collect_annotation_members(collector, members, document, line)


def _collect_annotation(
    collector: MentionCollector, members: Members, document: str, line: int, text_length: int
) -> None:
    kind = parse_declared_kind(members)
    item = parse_declared_annotation(members, document, line, text_length)
    collect_declared_item(collector, kind, document, item)


def _list_objects(members: Members, name: str) -> list[Mapping[str, object]]:
    value = members.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InvalidMembersError(f"{name} is not a list of objects - write one")
    return value

"""Reads the notes of an .ann file: exports hold annotations in them, with all their members as JSON."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from annotations.formats.annotated_text.declared_members import declares_annotation
from annotations.formats.articles.article_record import ArticleRecord, parse_article_record_or_none
from annotations.formats.bioc.declared_infons import ARGUMENT_KIND, KIND_INFON
from annotations.formats.brat.lines import AttachedLine

Members = dict[str, Any]


@dataclass(slots=True)
class DocumentRecords:
    """What notes of exports say: the article, and annotations with their lines, by the ID that the note belongs to.

    article_id: the ID of the text-bound annotation for the article; arguments: those of text-bound annotations that
    only relations refer to; other_notes: lines of notes that say nothing of this.
    """

    article: ArticleRecord | None = None
    article_id: str = ""
    annotations: dict[str, list[tuple[Members, int]]] = field(default_factory=lambda: defaultdict(list))
    arguments: set[str] = field(default_factory=set)
    other_notes: list[int] = field(default_factory=list)


def read_notes(notes: Sequence[AttachedLine]) -> DocumentRecords:
    """What the notes of a file say."""
    records = DocumentRecords()
    for note in notes:
        members = _parse_note_or_none(note.value)
        if record := parse_article_record_or_none(members):
            records.article, records.article_id = record, note.target
        elif members is None or not declares_annotation(members):
            records.other_notes.append(note.line)
        elif members[KIND_INFON] == ARGUMENT_KIND:
            records.arguments.add(note.target)
        else:
            records.annotations[note.target].append((members, note.line))
    return records


def _parse_note_or_none(text: str) -> Members | None:
    """The JSON object that a note is; None for any other text."""
    if not text.startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None

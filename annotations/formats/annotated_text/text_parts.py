"""The parts of an article's text with their offsets in a file, and their positions in the canonical text."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from annotations.formats.articles.parsed_article import HEADING, LONGEST_TYPE, TextPassage
from annotations.formats.bioc.documents import BiocPassage, normalize_infon_key, parse_nonnegative_integer_or_none

TITLE_TYPES = frozenset({"title", "front", "articletitle", "doctitle"})
# PubMed Central names headings title_1, abstract_title_1 and so on.
HEADING_TYPE = re.compile(r"(abstract_)?title_\w+|heading|caption_title")
# Sentences of a passage are separated by spaces; a sentence after a larger gap begins a new part.
WIDEST_GAP = 100


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a text: its offset in the file's count of code points, its type and its characters."""

    offset: int
    type: str
    text: str

    @property
    def end(self) -> int:
        return self.offset + len(self.text)


class CanonicalText:
    """The canonical text built from parts; starts: the start of each part in it, in code points."""

    def __init__(self, passages: tuple[TextPassage, ...], parts: Sequence[TextPart], starts: Sequence[int]) -> None:
        self.passages = passages
        pairs = sorted(zip(parts, starts, strict=True), key=lambda pair: pair[0].offset)
        self.parts = [part for part, _ in pairs]
        self.starts = [start for _, start in pairs]
        self.offsets = [part.offset for part in self.parts]

    def find_span(self, start: int, end: int) -> tuple[int, int] | None:
        """The position in the canonical text of a span in the file's count; None if its start is in no part.

        An end between parts becomes the end of the part before it.
        """
        first, last = self.find_part(start), self.find_part(end - 1)
        if first is None or last is None or start > self.parts[first].end:
            return None
        begin = self.starts[first] + start - self.offsets[first]
        stop = self.starts[last] + min(end, self.parts[last].end) - self.offsets[last]
        return (begin, stop) if stop > begin else None

    def find_part(self, position: int) -> int | None:
        """The index of the last part that begins at or before the position, None if there is none."""
        number = bisect_right(self.offsets, position) - 1
        return number if number >= 0 else None


def build_parts_merging_sentences_skipping_invalid(passages: Sequence[BiocPassage]) -> list[TextPart]:
    """The parts of a BioC document: its passages, or their sentences where a passage has no text itself."""
    parts: list[TextPart] = []
    passage_type, takes_sentences, continues = "", False, False
    for passage in passages:
        if not passage.sentence:
            passage_type, takes_sentences, continues = _normalize_passage_type(passage), not passage.text, False
        offset = parse_nonnegative_integer_or_none(passage.offset)
        if not passage.text or offset is None or (passage.sentence and not takes_sentences):
            continue
        before = parts.pop() if continues and _is_continuation(parts[-1], offset) else None
        text = before.text.ljust(offset - before.offset) + passage.text if before else passage.text
        parts.append(TextPart(before.offset if before else offset, passage_type, text))
        continues = takes_sentences
    return list(_iter_typed_parts(parts))


def list_unchanged_passages_skipping_sentences_and_invalid(passages: Sequence[BiocPassage]) -> list[TextPart]:
    """All passages unchanged, including empty ones, without sentences."""
    offsets = (
        (parse_nonnegative_integer_or_none(passage.offset), passage) for passage in passages if not passage.sentence
    )
    return [
        TextPart(offset, passage.infons.get("type", "")[:LONGEST_TYPE], passage.text)
        for offset, passage in offsets
        if offset is not None
    ]


def is_covered_except_separating_newlines(text: str, divisions: Sequence[tuple[int, int, str]]) -> bool:
    """Whether the divisions, (start, end, type), cover the text except for one newline between any two."""
    next_start = 0
    for start, end, _ in divisions:
        if start != next_start or end < start or (start and text[start - 1 : start] != "\n"):
            return False
        next_start = end + 1
    return next_start == len(text) + 1


def _is_continuation(part: TextPart, offset: int) -> bool:
    """Whether a sentence at this offset continues the part that contains the sentence before it."""
    return part.end <= offset <= part.end + WIDEST_GAP


def _normalize_passage_type(passage: BiocPassage) -> str:
    """title, abstract, heading, or the name of the section; empty if the file gives no type."""
    section, passage_type = (
        passage.infons.get("sectiontype", "").strip().lower(),
        passage.infons.get("type", "").strip().lower(),
    )
    if section == "abstract" or normalize_infon_key(passage_type) == "abstract":
        return "abstract"
    if section == "title" or normalize_infon_key(passage_type) in TITLE_TYPES:
        return "title"
    return HEADING if HEADING_TYPE.fullmatch(passage_type) else (section or passage_type)[:LONGEST_TYPE]


def _iter_typed_parts(parts: Sequence[TextPart]) -> Iterator[TextPart]:
    """The parts with default types where they have none: title, abstract, text. Later titles become headings."""
    for number, part in enumerate(parts):
        default_type = "title" if number == 0 and len(parts) > 1 else "text"
        part_type = part.type or ("abstract" if (number, len(parts)) == (1, 2) else default_type)
        yield TextPart(part.offset, HEADING if part_type == "title" and number else part_type, part.text)


class UnchangedCanonicalText(CanonicalText):
    """A canonical text taken unchanged from a file, including empty passages."""

    def find_span(self, start: int, end: int) -> tuple[int, int] | None:
        """The unchanged position, cut at the end of the text; None if nothing is left."""
        stop = min(end, self.parts[-1].end)
        return (start, stop) if stop > start else None


def build_canonical_text_unchanged_if_valid(parts: Sequence[TextPart]) -> CanonicalText:
    """The text of a file that declares its passages canonical.

    It is only taken unchanged if it begins with a title and has one newline between passages; otherwise it is built as
    for every other file.
    """
    passages = tuple(TextPassage(part.type, part.text) for part in parts)
    starts = list(accumulate((len(part.text) + 1 for part in parts[:-1]), initial=0))
    is_canonical = parts and parts[0].type == "title" and [part.offset for part in parts] == starts
    return (
        UnchangedCanonicalText(passages, parts, starts)
        if is_canonical
        else build_canonical_text_merging_abstract_parts(parts)
    )


def build_canonical_text_merging_abstract_parts(parts: Sequence[TextPart]) -> CanonicalText:
    """The canonical text: a title first, possibly empty; all parts of the abstract joined by one space."""
    kept = [part for part in parts if part.text]
    if not kept or kept[0].type != "title":
        kept.insert(0, TextPart(0, "title", ""))
    groups = [
        list(group)
        for key, group in groupby(enumerate(kept), lambda item: "" if item[1].type == "abstract" else item[0])
    ]
    passages = tuple(TextPassage(group[0][1].type, " ".join(part.text for _, part in group)) for group in groups)
    # Any two parts are separated by one character, a space or a newline.
    starts = list(accumulate((len(part.text) + 1 for part in kept[:-1]), initial=0))
    nonempty = [(part, start) for part, start in zip(kept, starts, strict=True) if part.text]
    return CanonicalText(passages, [part for part, _ in nonempty], [start for _, start in nonempty])

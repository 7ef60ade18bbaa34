"""The parts of an article's text as a file of annotated text places them, and where they are in the canonical text."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from annotations.formats.bioc_documents import Passage as BiocPassage
from annotations.formats.bioc_documents import plain, whole_number
from annotations.formats.pubmed import Passage
from annotations.formats.read_article import HEADING, LONGEST_TYPE

TITLES = frozenset({"title", "front", "articletitle", "doctitle"})
# PubMed Central calls headings title_1, abstract_title_1 and so on.
HEADINGS = re.compile(r"(abstract_)?title_\w+|heading|caption_title")
# Between the sentences of a passage stand blanks; who leaves more room than this begins a part of its own.
WIDEST_GAP = 100


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of text: where it starts by the file's count, what it is, and its characters."""

    offset: int
    type: str
    text: str

    @property
    def end(self) -> int:
        return self.offset + len(self.text)


class Placed:
    """The canonical text of parts. starts: where each part starts in it, in code points."""

    def __init__(self, passages: tuple[Passage, ...], parts: Sequence[Part], starts: Sequence[int]) -> None:
        self.passages = passages
        pairs = sorted(zip(parts, starts, strict=True), key=lambda pair: pair[0].offset)
        self.parts = [part for part, _ in pairs]
        self.starts = [start for _, start in pairs]
        self.offsets = [part.offset for part in self.parts]

    def at(self, start: int, end: int) -> tuple[int, int] | None:
        """Where the stretch from start to end by the file's count is in the canonical text; None where its beginning
        is in no part. An end that is in none is that of the part before it."""
        first, last = self.part(start), self.part(end - 1)
        if first is None or last is None or start > self.parts[first].end:
            return None
        begin = self.starts[first] + start - self.offsets[first]
        stop = self.starts[last] + min(end, self.parts[last].end) - self.offsets[last]
        return (begin, stop) if stop > begin else None

    def part(self, position: int) -> int | None:
        """The number of the part that begins at or before the position, None where none does."""
        number = bisect_right(self.offsets, position) - 1
        return number if number >= 0 else None


def parts_of(passages: Sequence[BiocPassage]) -> list[Part]:
    """The parts of a BioC document: passages, with the text of their sentences where they have none of their own."""
    parts: list[Part] = []
    kind, of_sentences, within = "", False, False
    for passage in passages:
        if not passage.sentence:
            kind, of_sentences, within = type_of(passage), not passage.text, False
        offset = whole_number(passage.offset)
        if not passage.text or offset is None or (passage.sentence and not of_sentences):
            continue
        before = parts.pop() if within and continues(parts[-1], offset) else None
        text = before.text.ljust(offset - before.offset) + passage.text if before else passage.text
        parts.append(Part(before.offset if before else offset, kind, text))
        within = of_sentences
    return list(titled(parts))


def written_parts(passages: Sequence[BiocPassage]) -> list[Part]:
    """The passages as they are, empty ones too; sentences are none of them."""
    own = ((whole_number(passage.offset), passage) for passage in passages if not passage.sentence)
    return [
        Part(offset, passage.infons.get("type", "")[:LONGEST_TYPE], passage.text)
        for offset, passage in own
        if offset is not None
    ]


def divide(text: str, divisions: Sequence[tuple[int, int, str]]) -> bool:
    """Whether the divisions, start and end of each with its type, are all of the text but a newline between any two."""
    at = 0
    for start, end, _ in divisions:
        if start != at or end < start or (start and text[start - 1 : start] != "\n"):
            return False
        at = end + 1
    return at == len(text) + 1


def continues(part: Part, offset: int) -> bool:
    """Whether a sentence at the offset goes on with the part, which has the sentence before it."""
    return part.end <= offset <= part.end + WIDEST_GAP


def type_of(passage: BiocPassage) -> str:
    """title, abstract, heading, or the name of the section; empty where the file does not say."""
    section, own = passage.infons.get("sectiontype", "").strip().lower(), passage.infons.get("type", "").strip().lower()
    if section == "abstract" or plain(own) == "abstract":
        return "abstract"
    if section == "title" or plain(own) in TITLES:
        return "title"
    return HEADING if HEADINGS.fullmatch(own) else (section or own)[:LONGEST_TYPE]


def titled(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts with types for those that have none: as PubMed orders them, title and abstract. One title is enough."""
    for number, part in enumerate(parts):
        first_of_more = "title" if number == 0 and len(parts) > 1 else "text"
        kind = part.type or ("abstract" if (number, len(parts)) == (1, 2) else first_of_more)
        yield Part(part.offset, HEADING if kind == "title" and number else kind, part.text)


class WholeText(Placed):
    """The canonical text as a file has it, empty passages too: nothing was joined or left out."""

    def at(self, start: int, end: int) -> tuple[int, int] | None:
        """The same place, unless the text has ended before."""
        stop = min(end, self.parts[-1].end)
        return (start, stop) if stop > start else None


def placed_as_written(parts: Sequence[Part]) -> Placed:
    """The canonical text of a file that says that its passages are those of a canonical text. If they are not, a title
    first and one newline between any two, as for every other file."""
    passages = tuple(Passage(part.type, part.text) for part in parts)
    starts = list(accumulate((len(part.text) + 1 for part in parts[:-1]), initial=0))
    whole = parts and parts[0].type == "title" and [part.offset for part in parts] == starts
    return WholeText(passages, parts, starts) if whole else placed(parts)


def placed(parts: Sequence[Part]) -> Placed:
    """The canonical text: a title first, if need be an empty one; all parts of the abstract joined by one space."""
    kept = [part for part in parts if part.text]
    if not kept or kept[0].type != "title":
        kept.insert(0, Part(0, "title", ""))
    runs = [
        list(run) for kind, run in groupby(enumerate(kept), lambda own: "" if own[1].type == "abstract" else own[0])
    ]
    passages = tuple(Passage(run[0][1].type, " ".join(part.text for _, part in run)) for run in runs)
    # One character stands between any two parts, a space or a newline.
    starts = list(accumulate((len(part.text) + 1 for part in kept[:-1]), initial=0))
    real = [(part, start) for part, start in zip(kept, starts, strict=True) if part.text]
    return Placed(passages, [part for part, _ in real], [start for _, start in real])

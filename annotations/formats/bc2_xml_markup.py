"""The markup of BioCreative II XML, piece by piece, each with its place, whether it is well-formed or not.

The submissions of that challenge are "xml-like" by its own words: several roots in one file, tags never closed, < and &
as they stood in the article. A parser of XML ends at the first of these, and none tells columns; this reader only cuts
the file into tags and text, so that all faults can be told. It knows no entities but those that XML itself has and
nothing outside the file: a document type ends the reading. Memory is that of one block, whatever the file holds.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import BinaryIO

from annotations.formats.tsv_lines import BYTE_ORDER_MARK

BLOCK = 1 << 16
LONGEST_TAG = 1000
TAG = re.compile(r"<(/?)([A-Za-z_:][^\s/<>]*)[^<>]*>")
# A reference may go on in the next block; the longest name that HTML has is shorter.
BROKEN_OFF = re.compile(r"&[^;&<\s]{0,40}\Z")
DECLARED = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
ENCODINGS = {"utf-8": "utf-8", "ascii": "utf-8", "iso8859-1": "cp1252", "cp1252": "cp1252", "iso8859-15": "iso8859-15"}


class Kind(Enum):
    """What a piece of markup is. STRAY: a < that begins nothing; ENDLESS: a comment or the like without an end."""

    OPENING = auto()
    CLOSING = auto()
    EMPTY = auto()
    TEXT = auto()
    LITERAL = auto()
    STRAY = auto()
    DOCTYPE = auto()
    ENDLESS = auto()


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something stands: line and column, which counts characters, from 1."""

    line: int
    column: int

    def after(self, text: str) -> "Place":
        """The place behind this text."""
        lines = text.count("\n")
        if lines:
            return Place(self.line + lines, len(text) - text.rindex("\n"))
        return Place(self.line, self.column + len(text))


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of markup: of tags the text is the name, of LITERAL what a CDATA section holds, perhaps in parts."""

    kind: Kind
    text: str
    place: Place


def declared_encoding(stream: BinaryIO) -> str | None:
    """Which encoding the file is to be read in by its declaration, UTF-8 without one; None for one that is not read.

    The stream is rewound. What calls itself ISO-8859-1 is read as Windows-1252, as on the web.
    """
    stream.seek(0)
    declared = DECLARED.match(stream.read(1000).removeprefix(BYTE_ORDER_MARK))
    stream.seek(0)
    try:
        return ENCODINGS.get(codecs.lookup(declared[1].decode()).name) if declared else "utf-8"
    except LookupError:
        return None


def tokens(stream: BinaryIO, encoding: str) -> Iterator[Token]:
    """All markup of a stream that stands at its start; bytes that are no text of the encoding become surrogates."""
    decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
    cutter = Cutter()
    if (start := stream.read(len(BYTE_ORDER_MARK))) != BYTE_ORDER_MARK:
        yield from cutter.cut(decoder.decode(start), last=False)
    while block := stream.read(BLOCK):
        yield from cutter.cut(decoder.decode(block), last=False)
    yield from cutter.cut(decoder.decode(b"", final=True), last=True)


class Cutter:
    """Cuts text that comes in blocks; what may go on in the next block is kept till then."""

    def __init__(self) -> None:
        self.rest = ""
        self.place = Place(1, 1)
        self.section = ""
        self.opened = self.place

    def cut(self, block: str, *, last: bool) -> Iterator[Token]:
        """The pieces that end in this block."""
        text, self.rest = self.rest + block, ""
        at = 0
        while at < len(text):
            piece, token = self.piece(text, at, last=last)
            if not piece:
                break
            at += len(piece)
            self.place = self.place.after(piece)
            if token is not None:
                yield token
        self.rest = text[at:]
        if last and self.section:
            yield Token(Kind.ENDLESS, self.section, self.opened)

    def piece(self, text: str, at: int, *, last: bool) -> tuple[str, Token | None]:
        """The piece that begins here, and what it is if it says anything; an empty piece if it may go on."""
        if self.section:
            return self.within(text, at, last=last)
        if text[at] != "<":
            return self.plain(text, at, last=last)
        if tag := TAG.match(text, at):
            kind = Kind.CLOSING if tag[1] else Kind.EMPTY if tag[0].endswith("/>") else Kind.OPENING
            return tag[0], Token(kind, tag[2], self.place)
        if text.startswith(("<!", "<?"), at):
            return self.section_at(text, at, last=last)
        begun = not last and len(text) - at < LONGEST_TAG and "<" not in text[at + 1 :] and ">" not in text[at:]
        return ("", None) if begun else ("<", Token(Kind.STRAY, "<", self.place))

    def section_at(self, text: str, at: int, *, last: bool) -> tuple[str, Token | None]:
        for start in ENDS:
            if text.startswith(start, at):
                self.section, self.opened = start, self.place
                return start, None
        begun = not last and any(start.startswith(text[at:]) for start in ENDS)
        return ("", None) if begun else ("<!", Token(Kind.DOCTYPE, "<!", self.place))

    def plain(self, text: str, at: int, *, last: bool) -> tuple[str, Token | None]:
        end = text.find("<", at)
        piece = text[at:] if end < 0 else text[at:end]
        if end < 0 and not last and (broken := BROKEN_OFF.search(piece)):
            piece = piece[: broken.start()]
        return piece, Token(Kind.TEXT, piece, self.place)

    def within(self, text: str, at: int, *, last: bool) -> tuple[str, Token | None]:
        """What a comment, an instruction or a CDATA section holds, or its end."""
        mark = ENDS[self.section]
        literal = self.section == "<![CDATA["
        end = text.find(mark, at)
        if end == at:
            self.section = ""
            return mark, None
        keep = 0 if last else len(mark) - 1
        piece = text[at:end] if end > 0 else text[at : max(at, len(text) - keep)]
        return piece, Token(Kind.LITERAL, piece, self.place) if literal else None

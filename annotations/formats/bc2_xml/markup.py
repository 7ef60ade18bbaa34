"""Splits BioCreative II XML into tags and text with their positions, whether it is well-formed or not.

The organizers of that challenge call its submissions "xml-like": files have several roots, unclosed tags, and unescaped
< and &. An XML parser stops at the first of these, while this tokenizer lets all faults be reported. Nothing outside
the file is read, and reading ends at a document type. Memory is limited to one block, whatever the size of the file.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import BinaryIO

from annotations.formats.tsv.lines import BYTE_ORDER_MARK

MARKUP_BLOCK_BYTES = 1 << 16
LONGEST_TAG = 1000
MARKUP_TAG = re.compile(r"<(/?)([A-Za-z_:][^\s/<>]*)[^<>]*>")
# A reference may continue in the next block; the longest HTML name is shorter than 40 characters.
UNFINISHED_REFERENCE = re.compile(r"&[^;&<\s]{0,40}\Z")
DECLARED_XML_ENCODING = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})[\"']")
SECTION_ENDS = {"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}
ENCODINGS = {"utf-8": "utf-8", "ascii": "utf-8", "iso8859-1": "cp1252", "cp1252": "cp1252", "iso8859-15": "iso8859-15"}


class TokenKind(Enum):
    """The kind of a token. STRAY: a < that begins no tag; ENDLESS: a comment or other section without an end."""

    OPENING = auto()
    CLOSING = auto()
    EMPTY = auto()
    TEXT = auto()
    LITERAL = auto()
    STRAY = auto()
    DOCTYPE = auto()
    ENDLESS = auto()


@dataclass(frozen=True, slots=True, order=True)
class TextPosition:
    """Line and column, in characters, both from 1."""

    line: int
    column: int

    def advance(self, text: str) -> "TextPosition":
        """The position after a text that begins here."""
        lines = text.count("\n")
        if lines:
            return TextPosition(self.line + lines, len(text) - text.rindex("\n"))
        return TextPosition(self.line, self.column + len(text))


@dataclass(frozen=True, slots=True)
class MarkupToken:
    """A token. text: the name of a tag, or the text, which may be split into several tokens."""

    kind: TokenKind
    text: str
    position: TextPosition


def find_supported_encoding_default_utf8(stream: BinaryIO) -> str | None:
    """The encoding that the file declares, by default UTF-8; None if it is not supported. The stream is rewound.

    ISO-8859-1 is read as Windows-1252, as on the web.
    """
    stream.seek(0)
    declared = DECLARED_XML_ENCODING.match(stream.read(1000).removeprefix(BYTE_ORDER_MARK))
    stream.seek(0)
    try:
        return ENCODINGS.get(codecs.lookup(declared[1].decode()).name) if declared else "utf-8"
    except LookupError:
        return None


def iter_markup_tokens_keeping_invalid_bytes(stream: BinaryIO, encoding: str) -> Iterator[MarkupToken]:
    """The tokens of a stream that is at its start; bytes that are invalid in the encoding become surrogates."""
    decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
    tokenizer = MarkupTokenizer()
    if (start := stream.read(len(BYTE_ORDER_MARK))) != BYTE_ORDER_MARK:
        yield from tokenizer.iter_tokens(decoder.decode(start), last=False)
    while block := stream.read(MARKUP_BLOCK_BYTES):
        yield from tokenizer.iter_tokens(decoder.decode(block), last=False)
    yield from tokenizer.iter_tokens(decoder.decode(b"", final=True), last=True)


class MarkupTokenizer:
    """Splits text that comes in blocks; what may continue in the next block is kept until then."""

    def __init__(self) -> None:
        self.rest = ""
        self.position = TextPosition(1, 1)
        self.section = ""
        self.section_start = self.position

    def iter_tokens(self, block: str, *, last: bool) -> Iterator[MarkupToken]:
        """The tokens that end in this block."""
        text, self.rest = self.rest + block, ""
        offset = 0
        while offset < len(text):
            piece, token = self.next_piece(text, offset, last=last)
            if not piece:
                break
            offset += len(piece)
            self.position = self.position.advance(piece)
            if token is not None:
                yield token
        self.rest = text[offset:]
        if last and self.section:
            yield MarkupToken(TokenKind.ENDLESS, self.section, self.section_start)

    def next_piece(self, text: str, offset: int, *, last: bool) -> tuple[str, MarkupToken | None]:
        """The piece of text that begins here, with its token if it has one; an empty piece if it may continue."""
        if self.section:
            return self.take_section(text, offset, last=last)
        if text[offset] != "<":
            return self.take_text(text, offset, last=last)
        if tag := MARKUP_TAG.match(text, offset):
            kind = TokenKind.CLOSING if tag[1] else TokenKind.EMPTY if tag[0].endswith("/>") else TokenKind.OPENING
            return tag[0], MarkupToken(kind, tag[2], self.position)
        if text.startswith(("<!", "<?"), offset):
            return self.start_section(text, offset, last=last)
        is_unfinished = (
            not last and len(text) - offset < LONGEST_TAG and "<" not in text[offset + 1 :] and ">" not in text[offset:]
        )
        return ("", None) if is_unfinished else ("<", MarkupToken(TokenKind.STRAY, "<", self.position))

    def start_section(self, text: str, offset: int, *, last: bool) -> tuple[str, MarkupToken | None]:
        for opening in SECTION_ENDS:
            if text.startswith(opening, offset):
                self.section, self.section_start = opening, self.position
                return opening, None
        is_unfinished = not last and any(opening.startswith(text[offset:]) for opening in SECTION_ENDS)
        return ("", None) if is_unfinished else ("<!", MarkupToken(TokenKind.DOCTYPE, "<!", self.position))

    def take_text(self, text: str, offset: int, *, last: bool) -> tuple[str, MarkupToken | None]:
        end = text.find("<", offset)
        piece = text[offset:] if end < 0 else text[offset:end]
        if end < 0 and not last and (broken := UNFINISHED_REFERENCE.search(piece)):
            piece = piece[: broken.start()]
        return piece, MarkupToken(TokenKind.TEXT, piece, self.position)

    def take_section(self, text: str, offset: int, *, last: bool) -> tuple[str, MarkupToken | None]:
        """The content of a comment, processing instruction or CDATA section, or its end."""
        section_end = SECTION_ENDS[self.section]
        is_cdata = self.section == "<![CDATA["
        end = text.find(section_end, offset)
        if end == offset:
            self.section = ""
            return section_end, None
        kept_length = 0 if last else len(section_end) - 1
        piece = text[offset:end] if end > 0 else text[offset : max(offset, len(text) - kept_length)]
        return piece, MarkupToken(TokenKind.LITERAL, piece, self.position) if is_cdata else None

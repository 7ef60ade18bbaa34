"""An article written in Word (DOCX, Office Open XML): title, headings, paragraphs and tables in their order.

Text that was deleted while changes were tracked is left out, text that was inserted is in. Notes, headers and comments
are no part of the text. The sizes that the archive declares are looked at before anything is unpacked.
Source: ECMA-376.
"""

import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from docx import Document
from docx.exceptions import PythonDocxError
from docx.opc.exceptions import PackageNotFoundError
from lxml import etree

from annotations.formats.errors import FormatError
from annotations.formats.pubmed import Passage
from annotations.formats.read_article import HEADING, LONGEST_TYPE, Name, ReadArticle, ReadFile, checked, with_title

BROKEN = "R451"
TOO_LARGE = "R452"
ENCRYPTED = "R453"

# What python-docx raises for archives whose parts are not what they should be.
BROKEN_PARTS = (
    *(BadZipFile, PackageNotFoundError, KeyError, ValueError, etree.XMLSyntaxError, NotImplementedError),
    *(AttributeError, TypeError, IndexError, PythonDocxError, EOFError, zlib.error),
)
MOST_UNPACKED = 200 * 1024 * 1024
MOST_PARTS = 5000
MAIN_PART = "word/document.xml"
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
LEFT_OUT = frozenset({f"{WORD}del", f"{WORD}moveFrom", FALLBACK, f"{WORD}instrText", f"{WORD}delText"})
SIGNS = {f"{WORD}tab": "\t", f"{WORD}br": "\n", f"{WORD}cr": "\n", f"{WORD}noBreakHyphen": "\u2011"}
TEXTS = frozenset({f"{WORD}t", f"{MATH}t"})


def read_docx(content: bytes, source: str) -> ReadFile:
    """One article. FormatError: no DOCX or a broken one (R451), larger than a text can be (R452), with a password
    (R453), or not to be stored (R447 to R449)."""
    _check_archive(content, source)
    try:
        document = Document(BytesIO(content))
        styles = {style.style_id: (style.name or "").lower() for style in document.styles}
        blocks = list(_blocks(document.element.body, styles))
    except BROKEN_PARTS as error:
        raise _broken(source, str(error)) from None
    return ReadFile([checked(ReadArticle(Name(), _passages(blocks)), source)])


def _check_archive(content: bytes, source: str) -> None:
    try:
        with ZipFile(BytesIO(content)) as archive:
            parts = archive.infolist()
    except (BadZipFile, NotImplementedError, ValueError) as error:
        raise _broken(source, str(error)) from None
    if any(part.flag_bits & 1 for part in parts):
        raise FormatError(source, 0, 0, ENCRYPTED, "the file has a password - save it without one")
    size = sum(part.file_size for part in parts)
    if size > MOST_UNPACKED or len(parts) > MOST_PARTS:
        said = f"the file unpacks to {size:,} bytes in {len(parts):,} parts"
        raise FormatError(source, 0, 0, TOO_LARGE, f"{said} - save the text alone, without pictures, as DOCX or text")
    if MAIN_PART not in {part.filename for part in parts}:
        raise FormatError(source, 0, 0, BROKEN, "this archive is no document of Word - save the article as DOCX")


def _broken(source: str, said: str) -> FormatError:
    shown = "".join(c if c.isprintable() else "\ufffd" for c in said)[:200]
    return FormatError(source, 0, 0, BROKEN, f"the document is broken ({shown}) - open it in Word and save it anew")


def _blocks(body: Any, styles: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The style, in small letters, and the text of each paragraph that has text; a row of a table is a block of the
    style `table`, with what its cells hold."""
    for block in body.iter(f"{WORD}p", f"{WORD}tr"):
        around = {above.tag for above in block.iterancestors()}
        if around & LEFT_OUT or f"{WORD}tc" in around:
            continue
        in_table = block.tag == f"{WORD}tr"
        cells = block.iterchildren(f"{WORD}tc") if in_table else [block]
        text = "\t".join(_text(cell) for cell in cells)
        if text.strip():
            yield ("table" if in_table else _style(block, styles)), text


def _style(paragraph: Any, styles: dict[str, str]) -> str:
    found = paragraph.find(f"{WORD}pPr/{WORD}pStyle")
    return styles.get(found.get(f"{WORD}val"), "") if found is not None else ""


def _text(element: Any) -> str:
    """The characters of a paragraph or a cell, whose paragraphs have a line each."""
    letters: list[str] = []
    walk = etree.iterwalk(element, events=("start",))
    for _, own in walk:
        if own.tag in LEFT_OUT or (own.tag == f"{WORD}p" and own is not element and element.tag == f"{WORD}p"):
            walk.skip_subtree()
        elif own.tag in TEXTS:
            letters.append(own.text or "")
        elif own.tag in SIGNS and own.getparent().tag != f"{WORD}tabs":
            letters.append(SIGNS[own.tag])
        elif own.tag == f"{WORD}p" and letters:
            letters.append("\n")
    return "".join(letters)


def _passages(blocks: list[tuple[str, str]]) -> tuple[Passage, ...]:
    """The title is the first paragraph with its style, else the first of all; what is under Abstract is one passage."""
    at = next((number for number, (style, _) in enumerate(blocks) if style == "title"), 0)
    passages = [Passage("title", blocks[at][1])] if blocks else []
    section, abstract = "text", [""]
    for style, text in (*blocks[:at], *blocks[at + 1 :]):
        if style.startswith("heading") or text.strip().lower() == "abstract":
            passages += _joined(abstract)
            section = " ".join(text.split())[:LONGEST_TYPE]
            passages += [] if section.lower() == "abstract" else [Passage(HEADING, text)]
        elif section.lower() == "abstract":
            abstract.append(text)
        else:
            passages.append(Passage("table" if style == "table" else section, text))
    return with_title([*passages, *_joined(abstract)])


def _joined(abstract: list[str]) -> list[Passage]:
    """The abstract so far, which ends here."""
    text = " ".join(filter(None, abstract))
    abstract.clear()
    return [Passage("abstract", text)] if text else []

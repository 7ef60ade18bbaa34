"""Reads an article in Word format (DOCX, Office Open XML): title, headings, paragraphs and tables in document order.

Tracked deletions are omitted, tracked insertions are kept. Notes, headers and comments are not part of the text. The
sizes that the archive declares are checked before anything is unpacked. Source: ECMA-376.
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

from annotations.formats.articles.parsed_article import (
    HEADING,
    LONGEST_TYPE,
    ArticleFileContent,
    ArticleIds,
    ParsedArticle,
    TextPassage,
    check_article_size_and_characters,
    prepend_empty_title_if_missing,
)
from annotations.formats.errors import FormatError, replace_unprintable

BROKEN_DOCX = "R451"
NOT_WORD = (
    "this archive is not a Word document and has neither .ann files of brat nor .xmi files - unpack it, and send the "
    "files inside"
)
DOCX_TOO_LARGE = "R452"
DOCX_ENCRYPTED = "R453"

# What python-docx raises for archives with invalid parts.
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
LEFT_OUT_TAGS = frozenset({f"{WORD}del", f"{WORD}moveFrom", FALLBACK, f"{WORD}instrText", f"{WORD}delText"})
SIGN_CHARACTERS = {f"{WORD}tab": "\t", f"{WORD}br": "\n", f"{WORD}cr": "\n", f"{WORD}noBreakHyphen": "\u2011"}
TEXT_TAGS = frozenset({f"{WORD}t", f"{MATH}t"})


def read_docx(content: bytes, source: str) -> ArticleFileContent:
    """One article. FormatError: not DOCX or damaged (R451), too large (R452), with a password (R453), or not storable
    (R447 to R449)."""
    _check_docx_archive(content, source)
    try:
        document = Document(BytesIO(content))
        styles = {style.style_id: (style.name or "").lower() for style in document.styles}
        blocks = list(_iter_docx_blocks(document.element.body, styles))
    except BROKEN_PARTS as error:
        raise _make_broken_docx_fault(source, str(error)) from None
    return ArticleFileContent(
        [check_article_size_and_characters(ParsedArticle(ArticleIds(), _build_docx_passages(blocks)), source)]
    )


def _check_docx_archive(content: bytes, source: str) -> None:
    try:
        with ZipFile(BytesIO(content)) as archive:
            parts = archive.infolist()
    except (BadZipFile, NotImplementedError, ValueError) as error:
        raise _make_broken_docx_fault(source, str(error)) from None
    if any(part.flag_bits & 1 for part in parts):
        raise FormatError(source, 0, 0, DOCX_ENCRYPTED, "the file has a password - save it without one")
    size = sum(part.file_size for part in parts)
    if size > MOST_UNPACKED or len(parts) > MOST_PARTS:
        problem = f"the file unpacks to {size:,} bytes in {len(parts):,} parts"
        raise FormatError(
            source, 0, 0, DOCX_TOO_LARGE, f"{problem} - save only its text, without pictures, as DOCX or text"
        )
    if MAIN_PART not in {part.filename for part in parts}:
        raise FormatError(source, 0, 0, BROKEN_DOCX, NOT_WORD)


def _make_broken_docx_fault(source: str, problem: str) -> FormatError:
    return FormatError(
        source,
        0,
        0,
        BROKEN_DOCX,
        f"the document is damaged ({replace_unprintable(problem)[:200]}) - open it in Word and save it again",
    )


def _iter_docx_blocks(body: Any, styles: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The style, in lower case, and the text of each paragraph with text; a table row is one block of the style
    `table`, with the text of its cells separated by tabs."""
    for block in body.iter(f"{WORD}p", f"{WORD}tr"):
        ancestor_tags = {ancestor.tag for ancestor in block.iterancestors()}
        if ancestor_tags & LEFT_OUT_TAGS or f"{WORD}tc" in ancestor_tags:
            continue
        in_table = block.tag == f"{WORD}tr"
        cells = block.iterchildren(f"{WORD}tc") if in_table else [block]
        text = "\t".join(_extract_docx_text(cell) for cell in cells)
        if text.strip():
            yield ("table" if in_table else _find_paragraph_style(block, styles)), text


def _find_paragraph_style(paragraph: Any, styles: dict[str, str]) -> str:
    style = paragraph.find(f"{WORD}pPr/{WORD}pStyle")
    return styles.get(style.get(f"{WORD}val"), "") if style is not None else ""


def _extract_docx_text(element: Any) -> str:
    """The text of a paragraph, or of a cell with one line per paragraph."""
    letters: list[str] = []
    walk = etree.iterwalk(element, events=("start",))
    for _, node in walk:
        if node.tag in LEFT_OUT_TAGS or (node.tag == f"{WORD}p" and node is not element and element.tag == f"{WORD}p"):
            walk.skip_subtree()
        elif node.tag in TEXT_TAGS:
            letters.append(node.text or "")
        elif node.tag in SIGN_CHARACTERS and node.getparent().tag != f"{WORD}tabs":
            letters.append(SIGN_CHARACTERS[node.tag])
        elif node.tag == f"{WORD}p" and letters:
            letters.append("\n")
    return "".join(letters)


def _build_docx_passages(blocks: list[tuple[str, str]]) -> tuple[TextPassage, ...]:
    """The title is the first paragraph with the style Title, or else the first block; the abstract is one passage."""
    title_index = next((number for number, (style, _) in enumerate(blocks) if style == "title"), 0)
    passages = [TextPassage("title", blocks[title_index][1])] if blocks else []
    section, abstract = "text", [""]
    for style, text in (*blocks[:title_index], *blocks[title_index + 1 :]):
        if style.startswith("heading") or text.strip().lower() == "abstract":
            passages += _take_abstract_passage(abstract)
            section = " ".join(text.split())[:LONGEST_TYPE]
            passages += [] if section.lower() == "abstract" else [TextPassage(HEADING, text)]
        elif section.lower() == "abstract":
            abstract.append(text)
        else:
            passages.append(TextPassage("table" if style == "table" else section, text))
    return prepend_empty_title_if_missing([*passages, *_take_abstract_passage(abstract)])


def _take_abstract_passage(abstract: list[str]) -> list[TextPassage]:
    """The abstract as one passage, if it has text; empties the list."""
    text = " ".join(filter(None, abstract))
    abstract.clear()
    return [TextPassage("abstract", text)] if text else []

"""Which format a file of articles is in, by how it begins; names of files say nothing."""

import re
from enum import StrEnum
from typing import BinaryIO

from annotations.formats.citation_lists import list_said, root_said, table_said
from annotations.formats.errors import FormatError
from annotations.formats.sniffing import HEAD, PUBTATOR, ROOT, XML_ASIDES, Format, format_of, whole_lines
from annotations.formats.tsv_lines import BYTE_ORDER_MARK

UNKNOWN = "R450"
GZIP = b"\x1f\x8b"
JATS_ROOTS = frozenset({b"article", b"pmc-articleset", b"OAI-PMH", b"articles"})
PUBMED_ROOTS = frozenset({b"PubmedArticleSet", b"PubmedBookArticleSet", b"eFetchResult", b"ERROR"})
HTML = re.compile(rb"<!doctype\s+html\b", re.IGNORECASE)
HTML_ROOTS = frozenset({b"html", b"head", b"body", b"title", b"meta", b"main", b"section", b"div", b"h1", b"p"})
# What people have that is none of these, by the first bytes, and what to do with it.
OTHERS = (
    (b"\xd0\xcf\x11\xe0", "this is a document of an old Word, or one with a password - save it as DOCX without one"),
    (b"{\\rtf", "this is Rich Text - save it as DOCX"),
    (b"BZh", "this is packed by bzip2 - unpack it first"),
    (b"\xfd7zXZ", "this is packed by xz - unpack it first"),
    (b"7z\xbc\xaf", "this is packed by 7-Zip - unpack it first"),
    (b"\xff\xfe", "this is UTF-16 - save it as UTF-8"),
    (b"\xfe\xff", "this is UTF-16 - save it as UTF-8"),
    (b"%!PS", "this is PostScript - convert it to PDF"),
)


class ArticleFormat(StrEnum):
    """What articles can be read from."""

    PUBMED = "pubmed"
    JATS = "jats"
    BIOC_XML = "bioc-xml"
    BIOC_JSON = "bioc-json"
    PUBTATOR = "pubtator"
    PUBANNOTATION = "pubannotation"
    HTML = "html"
    PDF = "pdf"
    DOCX = "docx"
    TEXT = "text"


OF_ANNOTATED_TEXT = {
    ArticleFormat.BIOC_XML: Format.BIOC_XML,
    ArticleFormat.BIOC_JSON: Format.BIOC_JSON,
    ArticleFormat.PUBTATOR: Format.PUBTATOR,
    ArticleFormat.PUBANNOTATION: Format.PUBANNOTATION,
}


def article_format_of(stream: BinaryIO, source: str) -> ArticleFormat:
    """The format of a seekable stream that is not packed, which is rewound; what has the form of no other is text.

    FormatError (R450) for what is known to be no article, and for other binary files.
    """
    stream.seek(0)
    head = stream.read(HEAD)
    stream.seek(0)
    text = head.removeprefix(BYTE_ORDER_MARK).lstrip()
    if b"%PDF-" in head[:1024]:
        return ArticleFormat.PDF
    if head.startswith(b"PK\x03\x04"):
        return ArticleFormat.DOCX
    for start, message in OTHERS:
        if head.startswith(start):
            raise FormatError(source, 0, 0, UNKNOWN, message)
    if message := list_said(text.decode("utf-8", "replace")):
        raise FormatError(source, 1, 1, UNKNOWN, message)
    # A text may begin with "<5 % of cells".
    if re.match(rb"<[A-Za-z!?/]", text):
        return _of_markup(text, source)
    if text.startswith((b"{", b"[")) and re.match(rb"[{\[]\s*[\"{\[]", text):
        return ArticleFormat(format_of(stream).value)
    if any(map(PUBTATOR.fullmatch, whole_lines(text)[:1])):
        return ArticleFormat.PUBTATOR
    if b"\0" in head:
        message = "this is no text and in no format that is known here"
        raise FormatError(source, 0, 0, UNKNOWN, f"{message} - save the article as {', '.join(ArticleFormat)}")
    if message := table_said(text.decode("utf-8", "replace")):
        raise FormatError(source, 1, 1, UNKNOWN, message)
    return ArticleFormat.TEXT


def _of_markup(head: bytes, source: str) -> ArticleFormat:
    root = ROOT.search(XML_ASIDES.sub(b"", head))
    name = root[1].rpartition(b":")[2] if root else b""
    if HTML.search(head[:2048]) or name.lower() in HTML_ROOTS:
        return ArticleFormat.HTML
    if name in PUBMED_ROOTS:
        return ArticleFormat.PUBMED
    if name in JATS_ROOTS:
        in_page = name == b"article" and b"<front" not in head and b"<h1" in head
        return ArticleFormat.HTML if in_page else ArticleFormat.JATS
    if name in (b"collection", b"document"):
        return ArticleFormat.BIOC_XML
    if message := root_said(name.decode("utf-8", "replace")):
        raise FormatError(source, 1, 1, UNKNOWN, message)
    shown = "".join(c if c.isprintable() else "\ufffd" for c in name.decode("utf-8", "replace"))[:60]
    message = f"articles are not read from XML whose root is <{shown}>" if name else "this markup has no first element"
    raise FormatError(source, 1, 1, UNKNOWN, f"{message} - save the article as PubMed XML, JATS, BioC or text")

"""Detects the format of a file of articles from how the file begins, regardless of its name."""

import re
from enum import StrEnum
from typing import BinaryIO

from annotations.formats.articles.reference_lists import (
    explain_if_reference_list,
    explain_if_reference_list_root,
    explain_if_table,
)
from annotations.formats.errors import FormatError, replace_unprintable
from annotations.formats.result_sniffing import (
    PUBTATOR_LINE,
    SNIFFED_BYTES,
    XMI_ROOT_NAME,
    XML_NON_ELEMENTS,
    XML_ROOT,
    ResultFormat,
    is_web_annotation_turtle,
    sniff_archive_format_or_none,
    sniff_result_format_else_tsv,
    split_complete_nonblank_lines,
)
from annotations.formats.tsv.lines import BYTE_ORDER_MARK
from annotations.formats.zip.reader import ZIP_SIGNATURE

UNKNOWN_ARTICLE_FORMAT = "R450"
GZIP_SIGNATURE = b"\x1f\x8b"
JATS_ROOTS = frozenset({b"article", b"pmc-articleset", b"OAI-PMH", b"articles"})
PUBMED_ROOTS = frozenset({b"PubmedArticleSet", b"PubmedBookArticleSet", b"eFetchResult", b"ERROR"})
HTML_DOCTYPE = re.compile(rb"<!doctype\s+html\b", re.IGNORECASE)
HTML_ROOTS = frozenset({b"html", b"head", b"body", b"title", b"meta", b"main", b"section", b"div", b"h1", b"p"})
# The first bytes of files in other formats, and the message for each.
REFUSED_SIGNATURES = (
    (
        b"\xd0\xcf\x11\xe0",
        "this is a document of an old Word version or with a password - save it as DOCX without a password",
    ),
    (b"{\\rtf", "this is Rich Text - save it as DOCX"),
    (b"BZh", "this is compressed with bzip2 - decompress it first"),
    (b"\xfd7zXZ", "this is compressed with xz - decompress it first"),
    (b"7z\xbc\xaf", "this is compressed with 7-Zip - decompress it first"),
    (b"\xff\xfe", "this is UTF-16 - save it as UTF-8"),
    (b"\xfe\xff", "this is UTF-16 - save it as UTF-8"),
    (b"%!PS", "this is PostScript - convert it to PDF"),
)


class ArticleFormat(StrEnum):
    """The formats from which articles can be read."""

    PUBMED = "pubmed"
    JATS = "jats"
    BIOC_XML = "bioc-xml"
    BIOC_JSON = "bioc-json"
    PUBTATOR = "pubtator"
    PUBANNOTATION = "pubannotation"
    BRAT = "brat"
    XMI = "uima-xmi"
    WEB_ANNOTATION = "web-annotation"
    WEB_ANNOTATION_TURTLE = "web-annotation-turtle"
    HTML = "html"
    PDF = "pdf"
    DOCX = "docx"
    TEXT = "text"


ANNOTATED_ARTICLE_FORMATS = {
    ArticleFormat.BIOC_XML: ResultFormat.BIOC_XML,
    ArticleFormat.BIOC_JSON: ResultFormat.BIOC_JSON,
    ArticleFormat.PUBTATOR: ResultFormat.PUBTATOR,
    ArticleFormat.PUBANNOTATION: ResultFormat.PUBANNOTATION,
    ArticleFormat.BRAT: ResultFormat.BRAT,
    ArticleFormat.XMI: ResultFormat.XMI,
    ArticleFormat.WEB_ANNOTATION: ResultFormat.WEB_ANNOTATION,
    ArticleFormat.WEB_ANNOTATION_TURTLE: ResultFormat.WEB_ANNOTATION_TURTLE,
}


def sniff_format_else_text_refusing_non_articles(stream: BinaryIO, source: str) -> ArticleFormat:
    """The format of a seekable uncompressed stream, which is rewound; plain text if no other format matches.

    FormatError (R450) for files that are known not to be articles, and for other binary files.
    """
    stream.seek(0)
    head = stream.read(SNIFFED_BYTES)
    stream.seek(0)
    text = head.removeprefix(BYTE_ORDER_MARK).lstrip()
    if b"%PDF-" in head[:1024]:
        return ArticleFormat.PDF
    if head.startswith(ZIP_SIGNATURE):
        return _sniff_archive_format_else_docx(stream)
    for start, message in REFUSED_SIGNATURES:
        if head.startswith(start):
            raise FormatError(source, 0, 0, UNKNOWN_ARTICLE_FORMAT, message)
    if message := explain_if_reference_list(text.decode("utf-8", "replace")):
        raise FormatError(source, 1, 1, UNKNOWN_ARTICLE_FORMAT, message)
    # A text may begin with "<5 % of cells".
    if re.match(rb"<[A-Za-z!?/]", text):
        return _sniff_markup_format(text, source)
    if text.startswith((b"{", b"[")) and re.match(rb"[{\[]\s*[\"{\[]", text):
        return _sniff_json_format(stream, source)
    if is_web_annotation_turtle(text):
        return ArticleFormat.WEB_ANNOTATION_TURTLE
    if any(map(PUBTATOR_LINE.fullmatch, split_complete_nonblank_lines(text)[:1])):
        return ArticleFormat.PUBTATOR
    if b"\0" in head:
        message = "this is neither text nor in a supported format"
        raise FormatError(
            source, 0, 0, UNKNOWN_ARTICLE_FORMAT, f"{message} - save the article as {', '.join(ArticleFormat)}"
        )
    if message := explain_if_table(text.decode("utf-8", "replace")):
        raise FormatError(source, 1, 1, UNKNOWN_ARTICLE_FORMAT, message)
    return ArticleFormat.TEXT


def _sniff_json_format(stream: BinaryIO, source: str) -> ArticleFormat:
    result_format = sniff_result_format_else_tsv(stream)
    if result_format is ResultFormat.NDJSON:
        message = "articles are not read from NDJSON - export them as BioC JSON"
        raise FormatError(source, 0, 0, UNKNOWN_ARTICLE_FORMAT, message)
    return ArticleFormat(result_format.value)


def _sniff_archive_format_else_docx(stream: BinaryIO) -> ArticleFormat:
    """The format of a zip archive; DOCX for one that is cut off."""
    archive_format = sniff_archive_format_or_none(stream)
    return ArticleFormat(archive_format.value) if archive_format else ArticleFormat.DOCX


def _sniff_markup_format(head: bytes, source: str) -> ArticleFormat:
    root = XML_ROOT.search(XML_NON_ELEMENTS.sub(b"", head))
    name = root[1].rpartition(b":")[2] if root else b""
    if HTML_DOCTYPE.search(head[:2048]) or name.lower() in HTML_ROOTS:
        return ArticleFormat.HTML
    if name in PUBMED_ROOTS:
        return ArticleFormat.PUBMED
    if name in JATS_ROOTS:
        in_page = name == b"article" and b"<front" not in head and b"<h1" in head
        return ArticleFormat.HTML if in_page else ArticleFormat.JATS
    if name == XMI_ROOT_NAME:
        return ArticleFormat.XMI
    if name in (b"collection", b"document"):
        return ArticleFormat.BIOC_XML
    if message := explain_if_reference_list_root(name.decode("utf-8", "replace")):
        raise FormatError(source, 1, 1, UNKNOWN_ARTICLE_FORMAT, message)
    shown = replace_unprintable(name.decode("utf-8", "replace"))[:60]
    message = f"XML with the root <{shown}> is not supported" if name else "this markup has no root element"
    raise FormatError(
        source, 1, 1, UNKNOWN_ARTICLE_FORMAT, f"{message} - save the article as PubMed XML, JATS, BioC or text"
    )

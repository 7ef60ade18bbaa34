"""Reads an article in PDF: the text of its pages as PDFium extracts it, one passage per page.

PDF stores where characters are, not what they mean: columns and footers come in the order of the file, and tables lose
their structure. The title comes from the metadata of the file, or else is the first line. Words hyphenated at the end
of a line are joined. Source: ISO 32000; PDFium, https://pdfium.googlesource.com/pdfium/
"""

import re
from collections.abc import Iterator

from pypdfium2 import PdfDocument, PdfiumError

from annotations.formats.articles.parsed_article import (
    MOST_CHARACTERS,
    ArticleFileContent,
    ArticleIds,
    ParsedArticle,
    TextPassage,
    check_article_size_and_characters,
    prepend_empty_title_if_missing,
)
from annotations.formats.errors import FormatError

BROKEN_PDF = "R454"
PDF_PASSWORD = "R455"
PDF_TOO_LONG = "R456"
PDF_WITHOUT_TEXT = "R457"

MOST_PAGES = 2000
# PDFium marks a hyphen at the end of a line by one of these.
HYPHENATED = re.compile("[\x02\ufffe]\r?\n?")
# What programs write into the metadata instead of a title.
PLACEHOLDER_TITLE = re.compile(
    r"\s*(untitled.*|microsoft word.*|.*\.(docx?|pdf|tex|dvi|indd|qxd|qxp|rtf|odt|\d+)|[\W\d_]*)\s*", re.I
)


def read_pdf(content: bytes, source: str) -> ArticleFileContent:
    """One article. FormatError: damaged (R454), with a password (R455), too long (R456), without text, such as scanned
    pages (R457), or not storable (R447 to R449).

    Untrusted files are read in a process of their own: see annotations/articles/imports/sandbox.py.
    """
    try:
        document = PdfDocument(content)
        page_count = len(document)
        if page_count > MOST_PAGES:
            message = f"the file has {page_count:,} pages - split it: {MOST_PAGES:,} are allowed"
            raise FormatError(source, 0, 0, PDF_TOO_LONG, message)
        texts = list(_iter_page_texts(document, source))
        title = str(document.get_metadata_dict().get("Title", ""))
    except PdfiumError as error:
        raise _make_pdf_fault(error, source) from None
    if not any(text.strip() for text in texts):
        message = "the pages have no text; they may be scanned - run character recognition (OCR) on the file first"
        raise FormatError(source, 0, 0, PDF_WITHOUT_TEXT, message)
    return ArticleFileContent(
        [check_article_size_and_characters(ParsedArticle(ArticleIds(), _build_pdf_passages(texts, title)), source)]
    )


def _make_pdf_fault(error: PdfiumError, source: str) -> FormatError:
    if "password" in str(error).lower():
        return FormatError(source, 0, 0, PDF_PASSWORD, "the file has a password - save it without one")
    return FormatError(source, 0, 0, BROKEN_PDF, "the PDF is damaged - download it again, or print it to a new PDF")


def _iter_page_texts(document: PdfDocument, source: str) -> Iterator[str]:
    size = 0
    for page in document:
        text = page.get_textpage().get_text_bounded()
        size += len(text)
        if size > MOST_CHARACTERS:
            message = f"the file has more than {MOST_CHARACTERS:,} characters - split it"
            raise FormatError(source, 0, 0, PDF_TOO_LONG, message)
        # A character that the fonts of the file do not name is extracted as NUL.
        yield HYPHENATED.sub("", text).replace("\r\n", "\n").replace("\0", "\ufffd").strip()
        page.close()


def _build_pdf_passages(texts: list[str], title: str) -> tuple[TextPassage, ...]:
    pages = [(number, text) for number, text in enumerate(texts, 1) if text]
    if PLACEHOLDER_TITLE.fullmatch(title):
        number, text = pages[0]
        title, _, remaining_text = text.partition("\n")
        pages[0] = (number, remaining_text)
    return prepend_empty_title_if_missing(
        [TextPassage("title", title), *(TextPassage(f"page {number}", text) for number, text in pages if text)]
    )

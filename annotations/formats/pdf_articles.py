"""An article as PDF: the text of its pages, as PDFium finds it there, a passage for each page.

PDF says where letters stand, not what they are: columns and footers come in the order of the file, and a table is what
is left of it. The title is the one that the file gives, else the first line. Words that a hyphen breaks at the end of a
line are put together. Source: ISO 32000; PDFium, https://pdfium.googlesource.com/pdfium/
"""

import re
from collections.abc import Iterator

from pypdfium2 import PdfDocument, PdfiumError

from annotations.formats.errors import FormatError
from annotations.formats.pubmed import Passage
from annotations.formats.read_article import MOST_CHARACTERS, Name, ReadArticle, ReadFile, checked, with_title

BROKEN = "R454"
PASSWORD = "R455"
TOO_LONG = "R456"
NO_TEXT = "R457"

MOST_PAGES = 2000
# PDFium marks a hyphen at the end of a line by one of these.
HYPHENATED = re.compile("[\x02\ufffe]\r?\n?")
# What programs write where the title should be.
NO_TITLE = re.compile(
    r"\s*(untitled.*|microsoft word.*|.*\.(docx?|pdf|tex|dvi|indd|qxd|qxp|rtf|odt|\d+)|[\W\d_]*)\s*", re.I
)


def read_pdf(content: bytes, source: str) -> ReadFile:
    """One article. FormatError: broken (R454), with a password (R455), too many pages (R456), without text, such as
    scanned pages (R457), or not to be stored (R447 to R449). Not for use beside others: see annotations/apart.py."""
    try:
        document = PdfDocument(content)
        pages = len(document)
        if pages > MOST_PAGES:
            message = f"the file has {pages:,} pages - split it: {MOST_PAGES:,} are allowed"
            raise FormatError(source, 0, 0, TOO_LONG, message)
        texts = list(_texts(document, source))
        title = str(document.get_metadata_dict().get("Title", ""))
    except PdfiumError as error:
        raise _refused(error, source) from None
    if not any(text.strip() for text in texts):
        message = "the pages have no text; they may be scanned - run character recognition (OCR) on the file first"
        raise FormatError(source, 0, 0, NO_TEXT, message)
    return ReadFile([checked(ReadArticle(Name(), _passages(texts, title)), source)])


def _refused(error: PdfiumError, source: str) -> FormatError:
    if "password" in str(error).lower():
        return FormatError(source, 0, 0, PASSWORD, "the file has a password - save it without one")
    return FormatError(source, 0, 0, BROKEN, "the PDF is broken - fetch it again, or print it to a new PDF")


def _texts(document: PdfDocument, source: str) -> Iterator[str]:
    size = 0
    for page in document:
        text = page.get_textpage().get_text_bounded()
        size += len(text)
        if size > MOST_CHARACTERS:
            message = f"the file has more than {MOST_CHARACTERS:,} characters - split it"
            raise FormatError(source, 0, 0, TOO_LONG, message)
        # A letter that the file's fonts do not name comes as NUL.
        yield HYPHENATED.sub("", text).replace("\r\n", "\n").replace("\0", "\ufffd").strip()
        page.close()


def _passages(texts: list[str], title: str) -> tuple[Passage, ...]:
    pages = [(number, text) for number, text in enumerate(texts, 1) if text]
    if NO_TITLE.fullmatch(title):
        number, text = pages[0]
        title, _, rest = text.partition("\n")
        pages[0] = (number, rest)
    return with_title([Passage("title", title), *(Passage(f"page {n}", text) for n, text in pages if text)])

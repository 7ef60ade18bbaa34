"""Reading article files of any format within limits.

The size of every file is limited. Word and PDF files are read in a separate process with limits on time and memory.
PubMed XML is not read here but streamed (annotations/articles/imports/citation_import.py).
"""

import gzip
import zlib
from io import BytesIO
from typing import BinaryIO

from annotations.articles.imports.sandbox import read_pdf_or_docx_in_sandbox
from annotations.formats.annotated_text.article_reader import read_annotated_articles_skipping_textless
from annotations.formats.articles.article_sniffing import (
    ANNOTATED_ARTICLE_FORMATS,
    GZIP_SIGNATURE,
    ArticleFormat,
    sniff_format_else_text_refusing_non_articles,
)
from annotations.formats.articles.parsed_article import TOO_LARGE, ArticleFileContent
from annotations.formats.errors import FormatError
from annotations.formats.html.reader import read_html
from annotations.formats.jats.reader import read_jats_articles
from annotations.formats.plain.reader import read_plain
from annotations.formats.pubmed.reader import BROKEN_ARCHIVE
from annotations.formats.result_sniffing import SNIFFED_BYTES

MEGABYTE = 1024 * 1024
# The largest unpacked size of a file with many articles, and of a file with a single one.
LARGEST_COLLECTION = 512 * MEGABYTE
LARGEST_SINGLE_ARTICLE = 64 * MEGABYTE
READERS = {ArticleFormat.JATS: read_jats_articles, ArticleFormat.HTML: read_html, ArticleFormat.TEXT: read_plain}


def unpack_if_gzipped_within_limit(
    stream: BinaryIO, source: str, max_unpacked_bytes: int = LARGEST_COLLECTION
) -> BytesIO:
    """All bytes of a stream, unpacked if it is gzipped.

    Raises FormatError if the archive is damaged (R401) or the unpacked content has more than `max_unpacked_bytes` bytes
    (R448).
    """
    head = stream.read(2)
    stream.seek(0)
    content: BinaryIO = gzip.GzipFile(fileobj=stream) if head == GZIP_SIGNATURE else stream  # type: ignore[assignment]
    try:
        unpacked = content.read(max_unpacked_bytes + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise _damaged_archive_error(source, error) from None
    if len(unpacked) > max_unpacked_bytes:
        message = f"the file is larger than {max_unpacked_bytes // MEGABYTE} MiB - split it"
        raise FormatError(source, 0, 0, TOO_LARGE, message)
    return BytesIO(unpacked)


def sniff_article_format_unpacking_gzip(stream: BinaryIO, source: str) -> ArticleFormat:
    """The format of a seekable stream, gzipped or not, which is rewound. Raises FormatError if it is unknown (R450)."""
    stream.seek(0)
    gzipped = stream.read(2) == GZIP_SIGNATURE
    stream.seek(0)
    try:
        # read1 returns what can be unpacked before any damage.
        head = BytesIO(gzip.GzipFile(fileobj=stream).read1(SNIFFED_BYTES)) if gzipped else stream
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise _damaged_archive_error(source, error) from None
    article_format = sniff_format_else_text_refusing_non_articles(head, source)
    stream.seek(0)
    return article_format


def _damaged_archive_error(source: str, error: Exception) -> FormatError:
    message = f"the gzip archive is truncated or damaged ({error}) - download the file again"
    return FormatError(source, 0, 0, BROKEN_ARCHIVE, message)


def read_unpacked_non_pubmed_article_file(
    stream: BytesIO, source: str, article_format: ArticleFormat
) -> ArticleFileContent:
    """The articles of an unpacked file in any format except PubMed XML; source is its name in faults and warnings.

    Raises FormatError or RefusedFileError if the file cannot be read; then none of it should be stored.
    """
    if article_format in ANNOTATED_ARTICLE_FORMATS:
        return read_annotated_articles_skipping_textless(stream, source, ANNOTATED_ARTICLE_FORMATS[article_format])
    content = stream.getvalue()
    if len(content) > LARGEST_SINGLE_ARTICLE:
        message = f"the file is larger than {LARGEST_SINGLE_ARTICLE // MEGABYTE} MiB - split it, or remove its images"
        raise FormatError(source, 0, 0, TOO_LARGE, message)
    if article_format in (ArticleFormat.PDF, ArticleFormat.DOCX):
        return read_pdf_or_docx_in_sandbox(content, source, article_format)
    return READERS[article_format](content, source)

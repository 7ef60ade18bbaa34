"""Files of articles, in whatever format they come, read within bounds: of bytes, and for Word and PDF of time and
memory, too, in a process of their own.

PubMed's own XML is not read here but streamed: annotations/importing.py.
"""

import gzip
import zlib
from io import BytesIO
from typing import BinaryIO

from annotations.apart import read_apart
from annotations.formats.annotated_articles import read_annotated
from annotations.formats.article_sniffing import GZIP, OF_ANNOTATED_TEXT, ArticleFormat, article_format_of
from annotations.formats.errors import FormatError
from annotations.formats.html_articles import read_html
from annotations.formats.jats import read_jats
from annotations.formats.plain_articles import read_plain
from annotations.formats.pubmed import BROKEN_ARCHIVE
from annotations.formats.read_article import TOO_LARGE, ReadFile
from annotations.formats.sniffing import HEAD

MEGABYTE = 1024 * 1024
# Of a collection of many articles; of a file that holds one.
LARGEST = 512 * MEGABYTE
LARGEST_OF_ONE = 64 * MEGABYTE
READERS = {ArticleFormat.JATS: read_jats, ArticleFormat.HTML: read_html, ArticleFormat.TEXT: read_plain}


def unpacked(stream: BinaryIO, source: str, largest: int = LARGEST) -> BytesIO:
    """All bytes of a stream, unpacked if it is gzipped.

    FormatError when it is damaged (R401) or holds more than `largest` bytes (R448), however small it is packed.
    """
    head = stream.read(2)
    stream.seek(0)
    content: BinaryIO = gzip.GzipFile(fileobj=stream) if head == GZIP else stream  # type: ignore[assignment]
    try:
        read = content.read(largest + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise _damaged(source, error) from None
    if len(read) > largest:
        message = f"the file is larger than {largest // MEGABYTE} MiB - split it"
        raise FormatError(source, 0, 0, TOO_LARGE, message)
    return BytesIO(read)


def format_in(stream: BinaryIO, source: str) -> ArticleFormat:
    """The format of a seekable stream, gzipped or not, which is rewound. FormatError: none that is known (R450)."""
    stream.seek(0)
    zipped = stream.read(2) == GZIP
    stream.seek(0)
    try:
        # read1 gives what can be unpacked before a fault.
        head = BytesIO(gzip.GzipFile(fileobj=stream).read1(HEAD)) if zipped else stream
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise _damaged(source, error) from None
    found = article_format_of(head, source)
    stream.seek(0)
    return found


def _damaged(source: str, error: Exception) -> FormatError:
    message = f"the gzip archive is cut off or damaged ({error}) - fetch the file again"
    return FormatError(source, 0, 0, BROKEN_ARCHIVE, message)


def read_articles(stream: BytesIO, source: str, form: ArticleFormat) -> ReadFile:
    """The articles of a file that is unpacked, in any format but PubMed's; source is its name in faults and warnings.

    FormatError or RefusedFileError when it cannot be read; then nothing of it is to be stored.
    """
    if form in OF_ANNOTATED_TEXT:
        return read_annotated(stream, source, OF_ANNOTATED_TEXT[form])
    content = stream.getvalue()
    if len(content) > LARGEST_OF_ONE:
        message = f"the file is larger than {LARGEST_OF_ONE // MEGABYTE} MiB - split it, or leave out its pictures"
        raise FormatError(source, 0, 0, TOO_LARGE, message)
    if form in (ArticleFormat.PDF, ArticleFormat.DOCX):
        return read_apart(content, source, form)
    return READERS[form](content, source)

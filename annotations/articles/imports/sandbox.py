"""Read Word, PDF and Parquet files in a separate process, so that a malicious file cannot harm the site.

The process may use a minute of CPU time and 1 GiB of memory, and is given none of the site's settings or passwords. It
has to open files of its libraries while it reads, so code that takes it over could read what its account can.
"""

import json
import sys
from dataclasses import asdict
from io import BytesIO
from typing import Any

from annotations.formats.articles.article_sniffing import ArticleFormat
from annotations.formats.articles.parsed_article import ArticleFileContent, ArticleIds, ParsedArticle, TextPassage
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.result_sniffing import is_parquet
from bcms.lib.reader_process import EXIT_REFUSED, ReaderFailedError, restrict_process, run_reader

SANDBOX_LIMIT_EXCEEDED = "R458"
SECONDS = 60
MEMORY = 1024 * 1024 * 1024
# As large as an uploaded run may be.
LARGEST_NDJSON = 64 << 20
# JSON escapes quotes and letters beyond ASCII.
MOST_OUTPUT_BYTES = 4 * LARGEST_NDJSON
PARQUET = "parquet"
MODULE = "annotations.articles.imports.sandbox"


def read_pdf_or_docx_in_sandbox(content: bytes, source: str, article_format: ArticleFormat) -> ArticleFileContent:
    """Read one article from a PDF or DOCX file.

    Raises FormatError if the reader does, or if it exceeds a limit or crashes (R458).
    """
    reply = _read_in_sandbox(content, source, article_format.value, "save only its text as DOCX, PDF or text")
    passages = tuple(TextPassage(**passage) for passage in reply["passages"])
    return ArticleFileContent([ParsedArticle(ArticleIds(), passages)])


def convert_parquet_to_ndjson_in_sandbox(content: bytes, source: str) -> bytes:
    """The annotations in a Parquet file as lines of NDJSON; any other file unchanged.

    RefusedFileError if it is no export of annotations (R681), or exceeds a limit (R458, R681).
    """
    if not is_parquet(content):
        return content
    try:
        reply = _read_in_sandbox(content, source, PARQUET, "write it as NDJSON, or leave out other annotations")
    except FormatError as fault:
        raise RefusedFileError([fault]) from None
    lines: str = reply["lines"]
    return lines.encode()


def _read_in_sandbox(content: bytes, source: str, form: str, advice: str) -> dict[str, Any]:
    """What `main` replies about a file. FormatError if it refuses the file, exceeds a limit or crashes (R458)."""
    environment = {"OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
    try:
        answer = run_reader(MODULE, form, content, SECONDS, MOST_OUTPUT_BYTES, environment)
    except ReaderFailedError:
        raise _limit_exceeded_error(source, advice) from None
    reply: dict[str, Any] = json.loads(answer.output)
    if answer.refused:
        raise FormatError(source, reply["line"], reply["column"], reply["rule"], reply["message"])
    return reply


def _limit_exceeded_error(source: str, advice: str) -> FormatError:
    problem = f"reading the file takes more than {SECONDS} seconds or {MEMORY // 2**30} GiB, or crashes the reader"
    return FormatError(source, 0, 0, SANDBOX_LIMIT_EXCEEDED, f"{problem} - {advice}")


def _read_article(content: bytes, article_format: ArticleFormat) -> ParsedArticle:
    # The readers are large: import only the one that is needed.
    if article_format is ArticleFormat.PDF:
        from annotations.formats.pdf.reader import read_pdf

        return read_pdf(content, "").articles[0]
    from annotations.formats.docx.reader import read_docx

    return read_docx(content, "").articles[0]


def _convert_parquet(content: bytes) -> str:
    from annotations.formats.parquet.reader import RULE
    from annotations.formats.parquet.text_reader import iter_parquet_rows_as_ndjson

    lines, size = [], 0
    for line in iter_parquet_rows_as_ndjson(BytesIO(content), ""):
        lines.append(line)
        size += len(line)
        if size > LARGEST_NDJSON:
            problem = f"the annotations have more than {LARGEST_NDJSON >> 20} million characters as NDJSON"
            raise FormatError("", len(lines), 0, RULE, f"{problem} - leave out other annotations")
    return "".join(lines)


def _read_reply(content: bytes, form: str) -> dict[str, Any]:
    if form == PARQUET:
        return {"lines": _convert_parquet(content)}
    return {"passages": [asdict(passage) for passage in _read_article(content, ArticleFormat(form)).passages]}


def main() -> int:
    """The separate process: reads a file from standard input and writes its content as JSON to standard output."""
    restrict_process(SECONDS, MEMORY)
    reply: dict[str, Any]
    try:
        reply, status = _read_reply(sys.stdin.buffer.read(), sys.argv[1]), 0
    except FormatError as error:
        reply = {"line": error.line, "column": error.column, "rule": error.rule, "message": error.message}
        status = EXIT_REFUSED
    sys.stdout.write(json.dumps(reply))
    return status


if __name__ == "__main__":
    sys.exit(main())

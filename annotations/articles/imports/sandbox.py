"""Read Word and PDF files in a separate process, so that a malicious file cannot harm the site.

The process may use a minute of CPU time and 1 GiB of memory, and has no access to the site's settings or passwords.
"""

import json
import resource
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from annotations.formats.articles.article_sniffing import ArticleFormat
from annotations.formats.articles.parsed_article import ArticleFileContent, ArticleIds, ParsedArticle, TextPassage
from annotations.formats.errors import FormatError

SANDBOX_LIMIT_EXCEEDED = "R458"
SECONDS = 60
MEMORY = 1024 * 1024 * 1024
ROOT = Path(__file__).resolve().parents[3]
EXIT_REFUSED = 3


def read_pdf_or_docx_in_sandbox(content: bytes, source: str, article_format: ArticleFormat) -> ArticleFileContent:
    """Read one article from a PDF or DOCX file.

    Raises FormatError if the reader does, or if it exceeds a limit or crashes (R458).
    """
    command = [sys.executable, "-m", "annotations.articles.imports.sandbox", article_format.value]
    try:
        completed = subprocess.run(
            command,
            input=content,
            capture_output=True,
            timeout=2 * SECONDS,
            cwd=ROOT,
            env={"LC_ALL": "C.UTF-8"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _limit_exceeded_error(source) from None
    if completed.returncode not in (0, EXIT_REFUSED):
        raise _limit_exceeded_error(source)
    reply = json.loads(completed.stdout)
    if completed.returncode == EXIT_REFUSED:
        raise FormatError(source, reply["line"], reply["column"], reply["rule"], reply["message"])
    passages = tuple(TextPassage(**passage) for passage in reply["passages"])
    return ArticleFileContent([ParsedArticle(ArticleIds(), passages)])


def _limit_exceeded_error(source: str) -> FormatError:
    problem = f"reading the file takes more than {SECONDS} seconds or {MEMORY // 2**30} GiB, or crashes the reader"
    return FormatError(source, 0, 0, SANDBOX_LIMIT_EXCEEDED, f"{problem} - save only its text as DOCX, PDF or text")


def _limit_resources() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read_article(content: bytes, article_format: ArticleFormat) -> ParsedArticle:
    # The readers are large: import only the one that is needed.
    if article_format is ArticleFormat.PDF:
        from annotations.formats.pdf.reader import read_pdf

        return read_pdf(content, "").articles[0]
    from annotations.formats.docx.reader import read_docx

    return read_docx(content, "").articles[0]


def main() -> int:
    """The separate process: reads a file from standard input and writes its passages as JSON to standard output."""
    _limit_resources()
    reply: dict[str, Any]
    try:
        article = _read_article(sys.stdin.buffer.read(), ArticleFormat(sys.argv[1]))
    except FormatError as error:
        reply = {"line": error.line, "column": error.column, "rule": error.rule, "message": error.message}
        status = EXIT_REFUSED
    else:
        reply, status = {"passages": [asdict(passage) for passage in article.passages]}, 0
    sys.stdout.write(json.dumps(reply))
    return status


if __name__ == "__main__":
    sys.exit(main())

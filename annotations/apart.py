"""Word and PDF files are read in a process of their own, so that one that is made to hurt hurts nothing else.

The process has a minute of computing time, a gigabyte of memory, and neither the site's settings nor its passwords.
"""

import json
import resource
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from annotations.formats.article_sniffing import ArticleFormat
from annotations.formats.errors import FormatError
from annotations.formats.pubmed import Passage
from annotations.formats.read_article import Name, ReadArticle, ReadFile

GAVE_UP = "R458"
SECONDS = 60
MEMORY = 1024 * 1024 * 1024
ROOT = Path(__file__).resolve().parent.parent
REFUSED = 3


def read_apart(content: bytes, source: str, form: ArticleFormat) -> ReadFile:
    """One article from a PDF or a DOCX. FormatError as its reader raises it, or when there is no end of it (R458)."""
    command = [sys.executable, "-m", "annotations.apart", form.value]
    try:
        done = subprocess.run(
            command,
            input=content,
            capture_output=True,
            timeout=2 * SECONDS,
            cwd=ROOT,
            env={"LC_ALL": "C.UTF-8"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _given_up(source) from None
    if done.returncode not in (0, REFUSED):
        raise _given_up(source)
    told = json.loads(done.stdout)
    if done.returncode == REFUSED:
        raise FormatError(source, told["line"], told["column"], told["rule"], told["message"])
    passages = tuple(Passage(**passage) for passage in told["passages"])
    return ReadFile([ReadArticle(Name(), passages)])


def _given_up(source: str) -> FormatError:
    said = f"reading the file takes more than {SECONDS} seconds or {MEMORY // 2**30} GiB, or breaks the reader"
    return FormatError(source, 0, 0, GAVE_UP, f"{said} - save its text alone as DOCX, PDF or text")


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _article(content: bytes, form: ArticleFormat) -> ReadArticle:
    """Only the reader that is needed is loaded: they are large."""
    if form is ArticleFormat.PDF:
        from annotations.formats.pdf_articles import read_pdf

        return read_pdf(content, "").articles[0]
    from annotations.formats.docx_articles import read_docx

    return read_docx(content, "").articles[0]


def main() -> int:
    """The other process: a file at its entrance, the passages as JSON at its exit."""
    _limit()
    told: dict[str, Any]
    try:
        article = _article(sys.stdin.buffer.read(), ArticleFormat(sys.argv[1]))
    except FormatError as error:
        told = {"line": error.line, "column": error.column, "rule": error.rule, "message": error.message}
        status = REFUSED
    else:
        told, status = {"passages": [asdict(passage) for passage in article.passages]}, 0
    sys.stdout.write(json.dumps(told))
    return status


if __name__ == "__main__":
    sys.exit(main())

"""Make the findings of the silver standard once, into a folder: a file for each producer."""

import heapq
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from annotations.formats.pubmed.reader import Citation, read_citations
from annotations.schema import Kind
from bcms.demo.data_archives import DemoFiles
from servers.kit.articles import KitArticle
from tests.benchmarks.silver.producers import (
    ABSTRACTS,
    IDENTIFIERS,
    MENTIONS,
    VARIANTS,
    Annotators,
    Shares,
    said,
)

# What is written last.
LAST = "pmids.json"


def abstracts(archives: DemoFiles) -> Iterator[Citation]:
    """Every PMID with an abstract once, its first version."""
    seen = set()
    for path in (archives.newer, archives.older):
        with path.open("rb") as stream:
            for record in read_citations(stream, path.name):
                if isinstance(record, Citation) and record.abstract and record.pmid not in seen:
                    seen.add(record.pmid)
                    yield record


def make(archives: DemoFiles, folder: Path, number: int) -> None:
    """Choose the longest abstracts and write what each producer says of them, in shares of the whole."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = heapq.nlargest(number, abstracts(archives), key=lambda own: (len(own.text), own.pmid))
    letters, share = sum(len(own.text) for own in chosen), number / ABSTRACTS
    shares = {
        Kind.MENTION: Shares(round(MENTIONS * share), letters * sum(own.mentions for own in VARIANTS)),
        Kind.NORMALIZATION: Shares(round(IDENTIFIERS * share), letters * sum(own.identifiers for own in VARIANTS)),
    }
    annotators = Annotators(archives)
    with ExitStack() as stack:
        files = [stack.enter_context((folder / f"{own.slug}.jsonl").open("w", encoding="utf-8")) for own in VARIANTS]
        for citation in sorted(chosen, key=lambda own: own.pmid):
            article = KitArticle(
                str(citation.pmid), citation.pmid, citation.title, citation.abstract or "", citation.text
            )
            read = annotators.read(article)
            for variant, file in zip(VARIANTS, files, strict=True):
                file.write(json.dumps([citation.pmid, dict(said(variant, read, shares, annotators))]) + "\n")
    (folder / LAST).write_text(json.dumps(sorted(own.pmid for own in chosen)))


def made(folder: Path) -> bool:
    return (folder / LAST).is_file()

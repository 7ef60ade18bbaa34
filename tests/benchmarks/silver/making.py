"""Make the annotations of the silver standard once, into a folder: a file for each producer."""

import heapq
import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from annotations.formats.pubmed.reader import Citation
from annotations.schema import Kind
from bcms.demo.data_archives import DemoFiles
from servers.kit.articles import KitArticle
from tests.benchmarks.archives import iter_abstracts
from tests.benchmarks.silver.producers import (
    ABSTRACTS,
    IDENTIFIERS,
    MENTIONS,
    VARIANTS,
    Annotators,
    Shares,
    iter_annotation_rows,
)

# Written last.
LAST_FILE = "pmids.json"


def iter_distinct_abstracts(archives: DemoFiles) -> Iterator[Citation]:
    """Every PMID with an abstract once, its first version."""
    seen = set()
    for path in (archives.newer, archives.older):
        for citation in iter_abstracts(path):
            if citation.pmid not in seen:
                seen.add(citation.pmid)
                yield citation


def make_annotations(archives: DemoFiles, folder: Path, number: int) -> None:
    """Choose the longest abstracts and write each producer's annotations of them, in shares of the whole."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = heapq.nlargest(number, iter_distinct_abstracts(archives), key=lambda own: (len(own.text), own.pmid))
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
            found = annotators.annotate(article)
            for variant, file in zip(VARIANTS, files, strict=True):
                file.write(
                    json.dumps([citation.pmid, dict(iter_annotation_rows(variant, found, shares, annotators))]) + "\n"
                )
    (folder / LAST_FILE).write_text(json.dumps(sorted(own.pmid for own in chosen)))


def has_annotations(folder: Path) -> bool:
    return (folder / LAST_FILE).is_file()

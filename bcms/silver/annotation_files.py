"""The annotations of the silver standard, made once, into a folder: a file for each annotator."""

import heapq
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from annotations.formats.pubmed.reader import Citation, iter_citations_and_deletions
from annotations.schema import AnnotationData, Kind
from bcms.demo.data_archives import DemoFiles
from bcms.silver.variants import (
    ABSTRACTS,
    IDENTIFIERS,
    MENTIONS,
    VARIANTS,
    Shares,
    VariedAnnotators,
    iter_annotation_rows,
)
from servers.kit.articles import KitArticle

# Written last.
LAST_FILE = "pmids.json"


def iter_abstracts(path: Path) -> Iterator[Citation]:
    """The citations of a file that have an abstract."""
    with path.open("rb") as stream:
        for record in iter_citations_and_deletions(stream, path.name):
            if isinstance(record, Citation) and record.abstract:
                yield record


def iter_distinct_abstracts(archives: DemoFiles) -> Iterator[Citation]:
    """Every PMID with an abstract once, its first version."""
    seen = set()
    for path in (archives.newer, archives.older):
        for citation in iter_abstracts(path):
            if citation.pmid not in seen:
                seen.add(citation.pmid)
                yield citation


def write_annotation_files_unless_present(archives: DemoFiles, folder: Path, number: int) -> bool:
    """Choose the longest abstracts and write each annotator's annotations of them; False if the folder has them.

    With fewer than ABSTRACTS of them, each annotator makes a share of its annotations.
    """
    if (folder / LAST_FILE).is_file():
        return False
    folder.mkdir(parents=True, exist_ok=True)
    chosen = heapq.nlargest(number, iter_distinct_abstracts(archives), key=lambda each: (len(each.text), each.pmid))
    letters, share = sum(len(each.text) for each in chosen), number / ABSTRACTS
    shares = {
        Kind.MENTION: Shares(round(MENTIONS * share), letters * sum(each.mentions for each in VARIANTS)),
        Kind.NORMALIZATION: Shares(round(IDENTIFIERS * share), letters * sum(each.identifiers for each in VARIANTS)),
    }
    annotators = VariedAnnotators(archives)
    with ExitStack() as stack:
        files = [stack.enter_context(_get_path(folder, each.slug).open("w", encoding="utf-8")) for each in VARIANTS]
        for citation in sorted(chosen, key=lambda each: each.pmid):
            candidates = annotators.annotate(_make_kit_article(citation))
            for variant, file in zip(VARIANTS, files, strict=True):
                rows = dict(iter_annotation_rows(variant, candidates, shares, annotators))
                file.write(json.dumps([citation.pmid, rows]) + "\n")
    (folder / LAST_FILE).write_text(json.dumps(sorted(each.pmid for each in chosen)))
    return True


def _make_kit_article(citation: Citation) -> KitArticle:
    return KitArticle(str(citation.pmid), citation.pmid, citation.title, citation.abstract or "", citation.text)


def _get_path(folder: Path, slug: str) -> Path:
    return folder / f"{slug}.jsonl"


def read_pmids(folder: Path) -> set[int]:
    """The PMIDs of the annotated abstracts."""
    return set(json.loads((folder / LAST_FILE).read_text()))


def iter_file_rows(folder: Path, slug: str) -> Iterator[tuple[int, dict[str, list[Any]]]]:
    """Each article of an annotator's file: its PMID and {kind: rows}."""
    with _get_path(folder, slug).open(encoding="utf-8") as lines:
        for line in lines:
            pmid, by_kind = json.loads(line)
            yield pmid, by_kind


def parse_row(kind: Kind, row: Sequence[Any]) -> AnnotationData:
    """A row of a file as an annotation."""
    match kind:
        case Kind.MENTION:
            start, end, text, confidence = row
            return AnnotationData(kind, confidence, start=start, end=end, text=text, type="gene")
        case Kind.NORMALIZATION:
            database, identifier, taxon, confidence = row
            return AnnotationData(kind, confidence, database=database, identifier=identifier, taxon=taxon)
        case Kind.TAXON:
            return AnnotationData(kind, row[1], database="ncbitaxon", identifier=row[0])
        case _:
            return AnnotationData(kind, row[1], relevant=row[0])

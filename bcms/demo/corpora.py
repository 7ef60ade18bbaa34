"""Write the demo's corpora and gold standards: which articles, and what the indexers' headings say of them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from annotations.formats.pubmed import Citation, Deletion, read_citations
from annotations.registry.hgnc import read_genes
from annotations.registry.table_lines import TableLines
from bcms.demo.archives import Archives
from bcms.demo.cutting import Labelled, cut_halves, cut_reading
from bcms.demo.gene_names import GeneNames

# What is written last.
LAST = "reading.pmids"


def cut_corpora(archives: Archives, folder: Path) -> None:
    """Cut training, test and reading articles out of the archives; the same files every time.

    Into folder: `training.pmids`, `test.pmids`, `reading.pmids` (a PMID a line, in order); `training.tx.tsv`,
    `training.act.tsv`, `test.tx.tsv`, `test.act.tsv` (gold standards); `training.jsonl` (texts with their class, for
    the annotator that learns from them).
    """
    folder.mkdir(parents=True, exist_ok=True)
    halves = cut_halves(_records(archives.older))
    for name, part in (("training", halves.training), ("test", halves.test)):
        _write(folder / f"{name}.pmids", (str(article.citation.pmid) for article in part))
        _write(folder / f"{name}.tx.tsv", _taxa(part))
        _write(folder / f"{name}.act.tsv", (f"{a.citation.pmid}\t{int(a.relevant)}" for a in part))
    _write(folder / "training.jsonl", map(_example, halves.training))
    with archives.hgnc.open("rb") as stream:
        names = GeneNames(read_genes(TableLines(stream, archives.hgnc.name)))
    _write(folder / LAST, map(str, cut_reading(_records(archives.newer), names)))


def corpora_cut(folder: Path) -> bool:
    return (folder / LAST).is_file()


def _records(path: Path) -> Iterator[Citation | Deletion]:
    with path.open("rb") as stream:
        yield from read_citations(stream, path.name)


def _taxa(part: Sequence[Labelled]) -> Iterator[str]:
    return (f"{article.citation.pmid}\t{taxon}" for article in part for taxon in article.taxa)


def _example(article: Labelled) -> str:
    citation = article.citation
    example = {
        "id": str(citation.pmid),
        "title": citation.title,
        "abstract": citation.abstract,
        "relevant": article.relevant,
    }
    return json.dumps(example, ensure_ascii=False)


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

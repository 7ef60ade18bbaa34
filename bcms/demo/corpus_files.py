"""Write the demo's corpora, and their gold standards from MeSH headings."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from annotations.formats.pubmed.reader import Citation, Deletion, iter_citations_and_deletions
from annotations.identifiers.tables.hgnc import read_approved_hgnc_genes
from annotations.identifiers.tables.table_lines import FaultNotingTableLines
from bcms.demo.content import TASKS, DemoTask
from bcms.demo.corpus_selection import (
    IndexedCitation,
    select_gene_rich_reading_pmids,
    select_stratified_training_and_test_articles_by_hash,
)
from bcms.demo.data_archives import DemoFiles
from bcms.demo.gene_names import StrictGeneNames
from bcms.demo.mesh_headings import MeshHeadings, read_mesh_headings
from bcms.lib.private_files import make_private_folder, write_private_text
from evaluation.measures.task_settings import TaskSettings
from evaluation.runs.files.open_writer import iter_open_bioc_lines

# The file that is written last.
LAST_FILE = "reading.pmids"
ENTITY_TASKS = [task for task in TASKS if task.settings is not None]


def write_demo_corpora_and_gold_standards(demo_files: DemoFiles, folder: Path) -> None:
    """Select training, test and reading articles from the demo files; the result is always the same.

    Writes into folder: `training.pmids`, `test.pmids`, `reading.pmids` (a PMID a line, in order); `training.tx.tsv`,
    `training.act.tsv`, `training.dis.json`, `training.chem.json` and the same of the test (gold standards);
    `training.jsonl` (texts with their class, for the annotator that is trained on them).
    """
    headings = read_mesh_headings(demo_files.mesh)
    # The gold standards of the test are among them.
    make_private_folder(folder)
    split = select_stratified_training_and_test_articles_by_hash(_iter_records(demo_files.older))
    for name, part in (("training", split.training), ("test", split.test)):
        _write_lines(folder / f"{name}.pmids", (str(article.citation.pmid) for article in part))
        _write_lines(folder / f"{name}.tx.tsv", _format_taxa(part))
        _write_lines(folder / f"{name}.act.tsv", (f"{a.citation.pmid}\t{int(a.relevant)}" for a in part))
        for task in ENTITY_TASKS:
            write_private_text(folder / f"{name}.{task.gold_suffix}", "".join(_iter_entity_gold(task, part, headings)))
    _write_lines(folder / "training.jsonl", map(_format_training_example, split.training))
    with demo_files.hgnc.open("rb") as stream:
        names = StrictGeneNames(read_approved_hgnc_genes(FaultNotingTableLines(stream, demo_files.hgnc.name)))
    _write_lines(folder / LAST_FILE, map(str, select_gene_rich_reading_pmids(_iter_records(demo_files.newer), names)))


def has_last_demo_corpus_file(folder: Path) -> bool:
    return (folder / LAST_FILE).is_file()


def _iter_records(path: Path) -> Iterator[Citation | Deletion]:
    with path.open("rb") as stream:
        yield from iter_citations_and_deletions(stream, path.name)


def _format_taxa(part: Sequence[IndexedCitation]) -> Iterator[str]:
    return (f"{article.citation.pmid}\t{taxon}" for article in part for taxon in article.taxa)


def _iter_entity_gold(task: DemoTask, part: Sequence[IndexedCitation], headings: MeshHeadings) -> Iterator[str]:
    """The pieces of a gold standard in BioC, also with the articles that have no heading of the type."""
    settings = task.settings or TaskSettings()
    entities = {
        str(article.citation.pmid): [
            entity
            for entity_type in settings.entity_types
            for entity in headings.list_entities(article.citation.mesh, entity_type)
        ]
        for article in part
    }
    return iter_open_bioc_lines(task.kind, settings, entities)


def _format_training_example(article: IndexedCitation) -> str:
    citation = article.citation
    example = {
        "id": str(citation.pmid),
        "title": citation.title,
        "abstract": citation.abstract,
        "relevant": article.relevant,
    }
    return json.dumps(example, ensure_ascii=False)


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    write_private_text(path, "".join(f"{line}\n" for line in lines))

"""What the demo's corpora contain and how hard they are: python -m tests.benchmarks.demo_corpora [--archives FOLDER]

Selects them from the archives and prints the figures of the selection, and the MCC on the test articles of naive Bayes
trained on the training articles and of two keywords. The ratio compares with reading the citations alone.
"""

import tempfile
import time
from collections import Counter
from pathlib import Path

from annotations.identifiers.tables.hgnc import read_approved_hgnc_genes
from annotations.identifiers.tables.species import list_known_taxa_of_mesh_headings, list_species_of_bundled_table
from annotations.identifiers.tables.table_lines import FaultNotingTableLines
from bcms.demo.corpus_files import write_demo_corpora_and_gold_standards
from bcms.demo.corpus_selection import RELEVANT_HEADING, has_enough_mentions_and_distinct_genes
from bcms.demo.data_archives import DemoFiles
from bcms.demo.gene_names import StrictGeneNames
from bcms.silver.annotation_files import iter_abstracts
from evaluation.measures.confusion_counts import ConfusionCounts, mcc
from servers.kit.articles import KitArticle
from servers.reference.naive_bayes import NaiveBayesClassifier, parse_training_examples_refusing_small_classes
from tests.benchmarks.archives import get_archives
from tests.benchmarks.command_line import print_ratio, run_main


def count_outcomes(gold: dict[int, bool], predicted: dict[int, bool]) -> ConfusionCounts:
    pairs = Counter((predicted[pmid], relevant) for pmid, relevant in gold.items())
    return ConfusionCounts(pairs[True, True], pairs[True, False], pairs[False, True], pairs[False, False])


def print_selection(archives: DemoFiles, folder: Path) -> dict[int, str]:
    """Select the corpora into the folder and print figures of the archives; returns the older texts by PMID."""
    start = time.perf_counter()
    write_demo_corpora_and_gold_standards(archives, folder)
    selecting = time.perf_counter() - start
    start = time.perf_counter()
    older, newer = list(iter_abstracts(archives.older)), list(iter_abstracts(archives.newer))
    reading = time.perf_counter() - start
    print(f"selected in {selecting:.1f} s")
    print_ratio("selecting the corpora / reading the citations alone", selecting, reading)
    taxa = [list_known_taxa_of_mesh_headings(citation.mesh) for citation in older]
    species = len(list_species_of_bundled_table())
    print(f"{species} species; {len(older):,} older abstracts, {sum(map(bool, taxa)):,} with a species,")
    print(f"{sum(1 for own in taxa if own and own != [9606]):,} of them not only human;")
    print(f"{sum(RELEVANT_HEADING in citation.mesh for citation in older)} indexed with {RELEVANT_HEADING}")
    with archives.hgnc.open("rb") as table:
        names = StrictGeneNames(read_approved_hgnc_genes(FaultNotingTableLines(table, archives.hgnc.name)))
    suitable = {citation.pmid for citation in newer if has_enough_mentions_and_distinct_genes(citation.text, names)}
    print(f"{len(newer):,} newer abstracts, {len(suitable):,} with enough gene mentions")
    return {citation.pmid: citation.text for citation in older}


def print_difficulty(folder: Path, texts: dict[int, str]) -> None:
    lines = (line.split("\t") for line in (folder / "test.act.tsv").read_text().splitlines())
    gold = {int(pmid): label == "1" for pmid, label in lines}
    with (folder / "training.jsonl").open(encoding="utf-8") as examples:
        bayes = NaiveBayesClassifier(parse_training_examples_refusing_small_classes(examples))
    predicted = {pmid: bayes.annotate(KitArticle("", pmid, "", "", texts[pmid]))[0].relevant for pmid in gold}
    print(f"naive Bayes: MCC {mcc(count_outcomes(gold, predicted)) or 0:.3f}")
    for word in ("interact", "bind"):
        by_word = {pmid: word in texts[pmid].lower() for pmid in gold}
        print(f"{word}: MCC {mcc(count_outcomes(gold, by_word)) or 0:.3f}")


def main(archives: str = "") -> None:
    with tempfile.TemporaryDirectory(prefix="bcms-corpora-") as folder:
        texts = print_selection(get_archives(archives), Path(folder))
        print_difficulty(Path(folder), texts)


if __name__ == "__main__":
    run_main(main)

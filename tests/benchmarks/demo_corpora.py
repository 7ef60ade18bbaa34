"""What the demo's corpora hold and how hard they are: python -m tests.benchmarks.demo_corpora

Cuts them out of the kept archives and prints the figures of the cut, and the MCC on the test articles of naive Bayes
trained on the training articles and of two keywords.
"""

import tempfile
import time
from collections import Counter
from pathlib import Path

from annotations.formats.pubmed import Citation, read_citations
from annotations.registry.hgnc import read_genes
from annotations.registry.table_lines import TableLines
from annotations.registry.taxonomy import species, taxa_of_headings
from bcms.demo.archives import archive_files
from bcms.demo.corpora import cut_corpora
from bcms.demo.cutting import RELEVANT_HEADING, speaks_of_genes
from bcms.demo.gene_names import GeneNames
from evaluation.measures.counts import Counts, mcc
from servers.kit.articles import KitArticle
from servers.reference.bayes import NaiveBayesClassifier, read_examples


def abstracts(path):
    with path.open("rb") as stream:
        return [c for c in read_citations(stream, path.name) if isinstance(c, Citation) and c.abstract]


def count(gold, said):
    pairs = Counter((said[pmid], relevant) for pmid, relevant in gold.items())
    return Counts(pairs[True, True], pairs[True, False], pairs[False, True], pairs[False, False])


def main():
    archives = archive_files()
    folder = Path(tempfile.mkdtemp(prefix="bcms-corpora-"))
    begun = time.perf_counter()
    cut_corpora(archives, folder)
    print(f"cut into {folder} in {time.perf_counter() - begun:.1f} s")
    older, newer = abstracts(archives.older), abstracts(archives.newer)
    taxa = [taxa_of_headings(citation.mesh) for citation in older]
    print(f"{len(species())} species; {len(older):,} older abstracts, {sum(map(bool, taxa)):,} with a species,")
    print(f"{sum(1 for found in taxa if found and found != [9606]):,} of them not only human;")
    print(f"{sum(RELEVANT_HEADING in citation.mesh for citation in older)} indexed with {RELEVANT_HEADING}")
    with archives.hgnc.open("rb") as table:
        names = GeneNames(read_genes(TableLines(table, archives.hgnc.name)))
    worth = {citation.pmid for citation in newer if speaks_of_genes(citation.text, names)}
    print(f"{len(newer):,} newer abstracts, {len(worth):,} speak of genes")
    lines = (line.split("\t") for line in (folder / "test.act.tsv").read_text().splitlines())
    gold = {int(pmid): label == "1" for pmid, label in lines}
    texts = {citation.pmid: citation.text for citation in older}
    with (folder / "training.jsonl").open(encoding="utf-8") as examples:
        bayes = NaiveBayesClassifier(read_examples(examples))
    said = {pmid: bayes.annotate(KitArticle("", pmid, "", "", texts[pmid]))[0].relevant for pmid in gold}
    print(f"naive Bayes: MCC {mcc(count(gold, said)):.3f}")
    for word in ("interact", "bind"):
        print(f"{word}: MCC {mcc(count(gold, {pmid: word in texts[pmid].lower() for pmid in gold})):.3f}")


if __name__ == "__main__":
    main()

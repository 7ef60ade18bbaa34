"""BioCreative II gene mentions on the corpus itself, which is not part of the project."""

import gzip
from collections import defaultdict

import pytest

from evaluation.measures.bc2gm import gene_counts, gene_hits
from evaluation.measures.spans import Span
from tests.shared_data import shared


def mentions(name):
    found = defaultdict(list)
    with gzip.open(shared("corpora", "bc2gm", "train", name), "rt") as lines:
        for line in lines:
            sentence, place, _ = line.split("|", 2)
            start, end = map(int, place.split())
            if Span(start, end + 1) not in found[sentence]:
                found[sentence].append(Span(start, end + 1))
    return found


@pytest.mark.shared
def test_it_scores_the_gold_standard_as_perfect():
    genes = mentions("GENE.eval.gz")
    counts = gene_counts(genes, mentions("ALTGENE.eval.gz"), genes)
    assert (counts.tp, counts.fp, counts.fn) == (sum(map(len, genes.values())), 0, 0)


@pytest.mark.shared
def test_it_accepts_every_alternative_that_overlaps_a_gene():
    """49 of the 14,466 alternatives overlap no gene of their sentence: there is nothing they could stand for."""
    genes, accepted = mentions("GENE.eval.gz"), mentions("ALTGENE.eval.gz")
    alone = [(name, span) for name, spans in accepted.items() for span in spans]
    right = sum(gene_hits(genes[name], accepted[name], [span])[0] for name, span in alone)
    assert (len(alone), len(alone) - right) == (14_466, 49)

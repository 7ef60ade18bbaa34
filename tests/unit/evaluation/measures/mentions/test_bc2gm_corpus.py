"""BioCreative II gene mentions on the corpus itself, which is not part of the project."""

import gzip
from collections import defaultdict
from io import BytesIO

import pytest

from annotations.formats.gene_eval.reader import read_alternative_spans_by_sentence, read_distinct_gene_mentions
from annotations.schema import Span
from evaluation.measures.mentions.gene_mentions import count_gene_mentions, flag_each_found_gene_and_false_positive
from tests.reference import other_measures
from tests.shared_data import require_shared_path


def content(name):
    return gzip.decompress(require_shared_path("corpora", "bc2gm", "train", f"{name}.gz").read_bytes())


def mentions(name):
    table = read_distinct_gene_mentions(BytesIO(content(name)), name)
    found = defaultdict(list)
    for sentence, place in zip(table.article.codes.tolist(), table.item.codes.tolist(), strict=True):
        found[table.article.names[sentence]].append(Span(*table.item.names[place]))
    return found


@pytest.mark.shared
def test_it_reads_all_mentions():
    """18,265 genes in 7,676 sentences, none twice; 14,499 alternatives, of which 33 stand at a place that has one."""
    genes = read_distinct_gene_mentions(BytesIO(content("GENE.eval")), "GENE.eval", "gold")
    alternatives = read_distinct_gene_mentions(BytesIO(content("ALTGENE.eval")), "ALTGENE.eval")
    assert (len(genes), len(genes.article.names), len(genes.warnings)) == (18_265, 7_676, 0)
    assert (len(alternatives), len(alternatives.warnings)) == (14_466, 33)
    assert (
        sum(map(len, read_alternative_spans_by_sentence(BytesIO(content("ALTGENE.eval")), "ALTGENE.eval").values()))
        == 14_466
    )


@pytest.mark.shared
def test_its_places_hold_their_texts():
    """As the description of the corpus has it, but for one gene and three alternatives."""
    lines = (line.split(" ", 1) for line in content("train.in").decode().splitlines())
    sentences = {name: "".join(text.split()) for name, text in lines}
    for file, odd in (("GENE.eval", 1), ("ALTGENE.eval", 3)):
        rows = [line.split("|", 2) for line in content(file).decode().splitlines()]
        places = [
            read_distinct_gene_mentions(BytesIO("|".join(row).encode()), file).item.names[0] for row in rows[:200]
        ]
        assert all(
            sentences[row[0]][place.start : place.end] == "".join(row[2].split())
            for row, place in zip(rows, places, strict=False)
        )
        ends = [tuple(map(int, row[1].split())) for row in rows]
        wrong = [
            row
            for row, (start, last) in zip(rows, ends, strict=True)
            if sentences[row[0]][start : last + 1] != "".join(row[2].split())
        ]
        assert len(wrong) == odd


@pytest.mark.shared
def test_it_scores_the_gold_standard_as_perfect():
    genes = mentions("GENE.eval")
    counts = count_gene_mentions(genes, mentions("ALTGENE.eval"), genes)
    assert (counts.tp, counts.fp, counts.fn) == (18_265, 0, 0)


@pytest.mark.shared
def test_it_accepts_every_alternative_that_overlaps_a_gene():
    """49 of the 14,466 alternatives overlap no gene of their sentence: there is nothing they could stand for."""
    genes, accepted = mentions("GENE.eval"), mentions("ALTGENE.eval")
    alone = [
        flag_each_found_gene_and_false_positive(genes[name], accepted[name], [span])
        for name, spans in accepted.items()
        for span in spans
    ]
    assert (len(alone), alone.count([])) == (14_466, 49)
    assert not any(False in hits for hits in alone)


@pytest.mark.shared
def test_it_counts_the_whole_corpus_as_alt_eval_does():
    """A run of every second gene, of all alternatives of the others, and of genes that are a character too long."""
    genes, accepted = mentions("GENE.eval"), mentions("ALTGENE.eval")
    run = {
        name: list(
            dict.fromkeys([*genes[name][::2], *accepted[name][1::2], *(Span(a, b + 1) for a, b in genes[name][1::2])])
        )
        for name in genes.keys() | accepted.keys()
    }
    counts = count_gene_mentions(genes, accepted, run)
    slowly = [other_measures.gene_counts(*map(inclusive, (genes[n], accepted[n], run[n]))) for n in run]
    assert (counts.tp, counts.fp, counts.fn) == tuple(map(sum, zip(*slowly, strict=True)))


def inclusive(spans):
    return [(span.start, span.end - 1) for span in spans]

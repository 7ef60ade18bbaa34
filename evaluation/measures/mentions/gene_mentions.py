"""Gene mentions scored as in BioCreative II: a mention also counts when it is an accepted alternative of a gene.

Source: the description of the corpus and its program alt_eval. Spans are half-open (an end in the files is the last
character: add 1) and count the characters that are not white space. A gene is found by a mention with exactly its span,
or with exactly the span of an alternative that overlaps it. Each gene counts once; one mention may find several. A
mention that is neither a gene nor an alternative of the sentence is a false positive, also in a sentence without genes.
Accepted mentions that find no new gene count nowhere, so true and false positives may be fewer than mentions.
"""

from collections.abc import Collection, Mapping, Sequence

from evaluation.measures.counts import ConfusionCounts
from evaluation.measures.mentions.spans import Span, count_hits_and_misses, list_candidate_spans, sum_counts


def mark_gene_hits(genes: Sequence[Span], alternatives: Collection[Span], predicted: Sequence[Span]) -> list[bool]:
    """The hits of one sentence's predicted mentions, best first: True for each gene found, False for a false positive.

    A gene has the position of the first mention that finds it; the list may be longer or shorter than `predicted`. The
    spans of genes, and those of predicted, are distinct.
    """
    accepted, gene_indexes = frozenset(alternatives), {gene: index for index, gene in enumerate(genes)}
    found_genes: set[int] = set()
    hits: list[bool] = []
    for span, overlapping in zip(predicted, list_candidate_spans(genes, predicted, "overlap"), strict=True):
        if span not in gene_indexes and span not in accepted:
            hits.append(False)
            continue
        new_genes = set(overlapping if span in accepted else [gene_indexes[span]]) - found_genes
        found_genes |= new_genes
        hits += [True] * len(new_genes)
    return hits


def split_found_genes_and_false_positives(
    genes: Sequence[Span], alternatives: Collection[Span], predicted: Sequence[Span]
) -> tuple[frozenset[Span], frozenset[Span]]:
    """The genes that the predicted mentions of one sentence find, and the mentions that are false positives."""
    overlapping = zip(predicted, list_candidate_spans(genes, predicted, "overlap"), strict=True)
    by_alternative = {genes[index] for span, indexes in overlapping if span in alternatives for index in indexes}
    false_positives = frozenset(predicted) - frozenset(genes) - frozenset(alternatives)
    return frozenset(genes) & (frozenset(predicted) | by_alternative), false_positives


def count_gene_mentions(
    genes: Mapping[str, Sequence[Span]],
    alternatives: Mapping[str, Collection[Span]],
    predicted: Mapping[str, Sequence[Span]],
) -> ConfusionCounts:
    """Counts over all sentences that have a gene or a predicted mention; all {sentence: spans}."""
    sentences = genes.keys() | predicted.keys()
    triples = (
        (genes.get(sentence, ()), alternatives.get(sentence, ()), predicted.get(sentence, ())) for sentence in sentences
    )
    return sum_counts(count_hits_and_misses(mark_gene_hits(*triple), len(triple[0])) for triple in triples)

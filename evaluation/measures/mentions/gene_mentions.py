"""Gene mentions scored as in BioCreative II: a mention also counts when it is an accepted alternative of a gene.

Source: the description of the corpus and its program alt_eval. Spans are half-open (an end in the files is the last
character: add 1) and count the characters that are not white space. A gene is found by a mention with exactly its span,
or with exactly the span of an alternative that overlaps it. Each gene counts once; one mention may find several. A
mention that is neither a gene nor an alternative of the sentence is a false positive, also in a sentence without genes.
Accepted mentions that find no new gene count nowhere, so true and false positives may be fewer than mentions.
"""

from collections.abc import Collection, Mapping, Sequence

from annotations.schema import Span
from evaluation.measures.confusion_counts import ConfusionCounts
from evaluation.measures.mentions.spans import count_hits_and_misses, list_matching_gold_indexes, sum_counts


def flag_each_found_gene_and_false_positive(
    genes: Sequence[Span], alternatives: Collection[Span], predicted_best_first: Sequence[Span]
) -> list[bool]:
    """The hits of one sentence's predicted mentions, best first: True for each gene found, False for a false positive.

    A gene has the position of the first mention that finds it; the list may be longer or shorter than
    `predicted_best_first`. The spans of genes, and those of the predicted mentions, are distinct.
    """
    accepted, gene_indexes = frozenset(alternatives), {gene: index for index, gene in enumerate(genes)}
    found_genes: set[int] = set()
    hits: list[bool] = []
    for span, overlapping in zip(
        predicted_best_first, list_matching_gold_indexes(genes, predicted_best_first, "overlap"), strict=True
    ):
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
    overlapping = zip(predicted, list_matching_gold_indexes(genes, predicted, "overlap"), strict=True)
    by_alternative = {genes[index] for span, indexes in overlapping if span in alternatives for index in indexes}
    false_positives = frozenset(predicted) - frozenset(genes) - frozenset(alternatives)
    return frozenset(genes) & (frozenset(predicted) | by_alternative), false_positives


def count_gene_mentions(
    genes_by_sentence: Mapping[str, Sequence[Span]],
    alternatives_by_sentence: Mapping[str, Collection[Span]],
    predicted_by_sentence: Mapping[str, Sequence[Span]],
) -> ConfusionCounts:
    """Counts over all sentences that have a gene or a predicted mention; all {sentence: spans}."""
    sentences = genes_by_sentence.keys() | predicted_by_sentence.keys()
    triples = (
        (
            genes_by_sentence.get(sentence, ()),
            alternatives_by_sentence.get(sentence, ()),
            predicted_by_sentence.get(sentence, ()),
        )
        for sentence in sentences
    )
    return sum_counts(
        count_hits_and_misses(flag_each_found_gene_and_false_positive(*triple), len(triple[0])) for triple in triples
    )

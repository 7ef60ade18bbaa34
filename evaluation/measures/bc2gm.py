"""Gene mentions scored as in BioCreative II: a mention also counts when it is an accepted alternative of a gene.

Source: the corpus' own description. Spans are half-open (the files' end is their last character: add 1) and count the
characters that are not white space. An alternative belongs to the genes that it overlaps; each gene counts once, first
for a mention that is exactly it, then for one of its alternatives; every other mention is a false alarm, also in a
sentence without genes.
"""

from collections.abc import Collection, Mapping, Sequence

from evaluation.measures.counts import Counts
from evaluation.measures.spans import Span, candidates, counts_of, pairing, total


def gene_hits(genes: Sequence[Span], alternatives: Collection[Span], found: Sequence[Span]) -> list[bool]:
    """Whether each found mention of one sentence, best first, counts for a gene."""
    named = frozenset(genes)
    exact = {place for place, own in enumerate(found) if own in named and own not in found[:place]}
    missed = [gene for gene in genes if gene not in {found[place] for place in exact}]
    accepted = frozenset(alternatives)
    choices = [
        own if found[place] in accepted and place not in exact else []
        for place, own in enumerate(candidates(missed, found, "overlap"))
    ]
    paired = pairing(choices)
    return [place in exact or place in paired for place in range(len(found))]


def gene_counts(
    genes: Mapping[str, Sequence[Span]],
    alternatives: Mapping[str, Collection[Span]],
    found: Mapping[str, Sequence[Span]],
) -> Counts:
    """Counts over all sentences that have a gene or a found mention."""
    sentences = genes.keys() | found.keys()
    triples = ((genes.get(name, ()), alternatives.get(name, ()), found.get(name, ())) for name in sentences)
    return total(counts_of(gene_hits(*triple), len(triple[0])) for triple in triples)

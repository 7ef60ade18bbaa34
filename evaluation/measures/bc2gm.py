"""Gene mentions scored as in BioCreative II: a mention also counts when it is an accepted alternative of a gene.

Source: the corpus' own description and its program alt_eval. Spans are half-open (the files' end is their last
character: add 1) and count the characters that are not white space. A gene is found by a mention that is exactly it, or
exactly an alternative that overlaps it; each gene counts once, and one mention may find several genes. A mention that
is neither a gene nor any alternative of the sentence is a false alarm, also in a sentence without genes. Mentions that
are accepted but find nothing new count nowhere, so that true positives and false alarms may be fewer than mentions.
"""

from collections.abc import Collection, Mapping, Sequence

from evaluation.measures.counts import Counts
from evaluation.measures.spans import Span, candidates, counts_of, total


def gene_hits(genes: Sequence[Span], alternatives: Collection[Span], found: Sequence[Span]) -> list[bool]:
    """What the found mentions of one sentence, best first, add: True for each gene, False for each false alarm.

    A gene stands where its first mention does; its length is no longer that of `found`. genes and found are distinct.
    """
    accepted, place = frozenset(alternatives), {gene: number for number, gene in enumerate(genes)}
    counted: set[int] = set()
    hits: list[bool] = []
    for own, near in zip(found, candidates(genes, found, "overlap"), strict=True):
        if own not in place and own not in accepted:
            hits.append(False)
            continue
        new = set(near if own in accepted else [place[own]]) - counted
        counted |= new
        hits += [True] * len(new)
    return hits


def accounted(
    genes: Sequence[Span], alternatives: Collection[Span], found: Sequence[Span]
) -> tuple[frozenset[Span], frozenset[Span]]:
    """The genes that the found mentions of one sentence find, and the mentions that are false alarms."""
    near = zip(found, candidates(genes, found, "overlap"), strict=True)
    by_alternative = {genes[place] for own, places in near if own in alternatives for place in places}
    false = frozenset(found) - frozenset(genes) - frozenset(alternatives)
    return frozenset(genes) & (frozenset(found) | by_alternative), false


def gene_counts(
    genes: Mapping[str, Sequence[Span]],
    alternatives: Mapping[str, Collection[Span]],
    found: Mapping[str, Sequence[Span]],
) -> Counts:
    """Counts over all sentences that have a gene or a found mention."""
    sentences = genes.keys() | found.keys()
    triples = ((genes.get(name, ()), alternatives.get(name, ()), found.get(name, ())) for name in sentences)
    return total(counts_of(gene_hits(*triple), len(triple[0])) for triple in triples)

"""Mentions in the lists of a run: which of them are right, by one of the ways in which spans can match."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from evaluation.measures.bc2gm import gene_hits
from evaluation.measures.columns import Item
from evaluation.measures.lists import Lists, Right, codes_by_document
from evaluation.measures.ranking import RankedHits
from evaluation.measures.spans import Span, SpanMatch, span_hits


def counted_mentions(
    right: Right, lists: Lists, how: SpanMatch, alternatives: Mapping[str, Collection[Span]] | None = None
) -> RankedHits:
    """What is right in the lists, counted once; every item is a Span.

    alternatives: {document: spans accepted in place of genes} scores as BioCreative II did, and then `how` is exact and
    a list is that of gene_hits, which may be longer or shorter than what was reported.
    ValueError for an item that is no Span, or another way together with alternatives.
    """
    if alternatives is not None and how != "exact":
        raise ValueError("Accepted alternatives go with exact matching only; leave out one of the two.")
    genes, found = codes_by_document(right.document, right.item), codes_by_document(lists.document, lists.item)
    items = spans(lists.items)
    hits: list[bool] = []
    lengths = np.zeros(len(right.documents), dtype=np.int64)
    for document, codes in found.items():
        own, named = [items[code] for code in codes], [items[code] for code in genes.get(document, ())]
        if alternatives is None:
            marks = span_hits(named, own, how)
        else:
            marks = gene_hits(named, alternatives.get(right.documents[document], ()), own)
        lengths[document] = len(marks)
        hits += marks
    return RankedHits(np.array(hits, dtype=np.bool_), lengths, right.counts)


def spans(items: Sequence[Item]) -> list[Span]:
    found = [item for item in items if isinstance(item, Span)]
    if len(found) < len(items):
        raise ValueError("Only mentions can be matched as spans; give every item its start and end.")
    return found

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

    alternatives: {document: spans accepted in place of genes} scores as BioCreative II did, and then `how` is exact.
    ValueError for an item that is no Span, or another way together with alternatives.
    """
    if alternatives is not None and how != "exact":
        raise ValueError("Accepted alternatives go with exact matching only; leave out one of the two.")
    genes, found = codes_by_document(right.document, right.item), codes_by_document(lists.document, lists.item)
    hits: list[bool] = []
    for document, codes in found.items():
        own, named = spans(lists.items, codes), spans(lists.items, genes.get(document, ()))
        if alternatives is None:
            hits += span_hits(named, own, how)
        else:
            hits += gene_hits(named, alternatives.get(right.documents[document], ()), own)
    lengths = np.bincount(lists.document, minlength=len(right.documents))
    return RankedHits(np.array(hits, dtype=np.bool_), lengths, right.counts)


def spans(items: Sequence[Item], codes: Sequence[int]) -> list[Span]:
    found = [item for item in (items[code] for code in codes) if isinstance(item, Span)]
    if len(found) < len(codes):
        raise ValueError("Only mentions can be matched as spans; give every item its start and end.")
    return found

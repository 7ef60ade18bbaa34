"""Which mentions in the lists of a run are right, for each way in which spans can match."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from evaluation.measures.columns import Item
from evaluation.measures.lists.matching import GoldItems, RankedLists, group_codes_by_document
from evaluation.measures.lists.ranking import RankedHits
from evaluation.measures.mentions.gene_mentions import mark_gene_hits
from evaluation.measures.mentions.spans import Span, SpanMatch, mark_span_hits


def count_mention_hits(
    gold_items: GoldItems,
    lists: RankedLists,
    how: SpanMatch,
    alternatives: Mapping[str, Collection[Span]] | None = None,
) -> RankedHits:
    """The hits in the lists, each gold mention found once; every item is a Span.

    alternatives: {document: spans accepted instead of genes} scores as in BioCreative II: `how` must be exact, and each
    list is that of mark_gene_hits, which may be longer or shorter than the predictions.
    ValueError for an item that is not a Span, or for alternatives with another value of `how`.
    """
    if alternatives is not None and how != "exact":
        raise ValueError("Accepted alternatives work only with exact matching; choose one of the two.")
    gold_codes, predicted_codes = (
        group_codes_by_document(gold_items.document, gold_items.item),
        group_codes_by_document(lists.document, lists.item),
    )
    items = require_spans(lists.items)
    hits: list[bool] = []
    lengths = np.zeros(len(gold_items.documents), dtype=np.int64)
    for document, codes in predicted_codes.items():
        predicted, gold = [items[code] for code in codes], [items[code] for code in gold_codes.get(document, ())]
        if alternatives is None:
            marks = mark_span_hits(gold, predicted, how)
        else:
            marks = mark_gene_hits(gold, alternatives.get(gold_items.documents[document], ()), predicted)
        lengths[document] = len(marks)
        hits += marks
    return RankedHits(np.array(hits, dtype=np.bool_), lengths, gold_items.counts)


def require_spans(items: Sequence[Item]) -> list[Span]:
    spans = [item for item in items if isinstance(item, Span)]
    if len(spans) < len(items):
        raise ValueError("Only mentions can be matched as spans; give every item its start and end.")
    return spans

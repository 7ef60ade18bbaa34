"""Which mentions in the lists of a run are right, for each way in which spans can match."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from annotations.schema import Span
from evaluation.measures.columns import Item
from evaluation.measures.lists.matching import GoldItems, RankedLists, group_codes_by_document
from evaluation.measures.lists.ranking import RankedHits
from evaluation.measures.mentions.gene_mentions import flag_each_found_gene_and_false_positive
from evaluation.measures.mentions.spans import SpanMatch, mark_predicted_spans_paired_with_gold


def mark_mention_hits_in_lists(
    gold_items: GoldItems,
    lists: RankedLists,
    span_match: SpanMatch,
    exact_match_alternatives_by_document: Mapping[str, Collection[Span]] | None = None,
) -> RankedHits:
    """The hits in the lists, each gold mention found once; every item is a Span.

    exact_match_alternatives_by_document: {document: spans accepted instead of genes} scores as in BioCreative II:
    `span_match` must be exact, and each list is that of flag_each_found_gene_and_false_positive, which may be longer or
    shorter than the predictions. ValueError for an item that is not a Span, or for alternatives with another value of
    `span_match`.
    """
    if exact_match_alternatives_by_document is not None and span_match != "exact":
        raise ValueError("Accepted alternatives work only with exact matching; choose one of the two.")
    gold_codes, predicted_codes = (
        group_codes_by_document(gold_items.document, gold_items.item),
        group_codes_by_document(lists.document, lists.item),
    )
    items = _require_spans(lists.items)
    hits: list[bool] = []
    lengths = np.zeros(len(gold_items.documents), dtype=np.int64)
    for document, codes in predicted_codes.items():
        predicted, gold = [items[code] for code in codes], [items[code] for code in gold_codes.get(document, ())]
        if exact_match_alternatives_by_document is None:
            marks = mark_predicted_spans_paired_with_gold(gold, predicted, span_match)
        else:
            marks = flag_each_found_gene_and_false_positive(
                gold, exact_match_alternatives_by_document.get(gold_items.documents[document], ()), predicted
            )
        lengths[document] = len(marks)
        hits += marks
    return RankedHits(np.array(hits, dtype=np.bool_), lengths, gold_items.counts)


def _require_spans(items: Sequence[Item]) -> list[Span]:
    spans = [item for item in items if isinstance(item, Span)]
    if len(spans) < len(items):
        raise ValueError("Only mentions can be matched as spans; give every item its start and end.")
    return spans

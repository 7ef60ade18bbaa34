"""Which mentions in the lists of a run are right, for each way in which spans can match."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

import numpy as np

from annotations.schema import Span
from evaluation.measures.columns import Item, MentionItem
from evaluation.measures.lists.matching import GoldItems, RankedLists, group_codes_by_document
from evaluation.measures.lists.ranking import RankedHits
from evaluation.measures.mentions.gene_mentions import flag_each_found_gene_and_false_positive
from evaluation.measures.mentions.mention_items import mark_predicted_mentions_paired_with_gold
from evaluation.measures.mentions.spans import SpanMatch, mark_predicted_spans_paired_with_gold

MentionKind = TypeVar("MentionKind", Span, MentionItem)


def mark_mention_hits_in_lists(
    gold_items: GoldItems,
    lists: RankedLists,
    span_match: SpanMatch,
    exact_match_alternatives_by_document: Mapping[str, Collection[Span]] | None = None,
) -> RankedHits:
    """The hits in the lists, each gold mention found once; every item is a Span, or every item a MentionItem.

    exact_match_alternatives_by_document: {document: spans accepted instead of genes} scores as in BioCreative II:
    `span_match` must be exact, items are Spans, and each list is that of flag_each_found_gene_and_false_positive, which
    may be longer or shorter than the predictions. ValueError for other items, or for alternatives with another value of
    `span_match`.
    """
    if exact_match_alternatives_by_document is not None and span_match != "exact":
        raise ValueError("Accepted alternatives work only with exact matching; choose one of the two.")
    gold_codes, predicted_codes = (
        group_codes_by_document(gold_items.document, gold_items.item),
        group_codes_by_document(lists.document, lists.item),
    )
    mark = _choose_marking(lists.items, span_match, gold_items.documents, exact_match_alternatives_by_document)
    hits: list[bool] = []
    lengths = np.zeros(len(gold_items.documents), dtype=np.int64)
    for document, codes in predicted_codes.items():
        marks = mark(document, gold_codes.get(document, ()), codes)
        lengths[document] = len(marks)
        hits += marks
    return RankedHits(np.array(hits, dtype=np.bool_), lengths, gold_items.counts)


def _choose_marking(
    items: Sequence[Item],
    span_match: SpanMatch,
    documents: Sequence[str],
    alternatives_by_document: Mapping[str, Collection[Span]] | None,
) -> Callable[[int, Sequence[int], Sequence[int]], list[bool]]:
    """The function that marks the hits of a document: from its index, gold codes and codes of predictions."""
    if alternatives_by_document is None and any(isinstance(item, MentionItem) for item in items):
        mentions = _require_items_of_class(items, MentionItem)
        return lambda _, gold, predicted: mark_predicted_mentions_paired_with_gold(
            [mentions[code] for code in gold], [mentions[code] for code in predicted], span_match
        )
    spans = _require_items_of_class(items, Span)
    if alternatives_by_document is None:
        return lambda _, gold, predicted: mark_predicted_spans_paired_with_gold(
            [spans[code] for code in gold], [spans[code] for code in predicted], span_match
        )
    return lambda document, gold, predicted: flag_each_found_gene_and_false_positive(
        [spans[code] for code in gold],
        alternatives_by_document.get(documents[document], ()),
        [spans[code] for code in predicted],
    )


def _require_items_of_class(items: Sequence[Item], item_class: type[MentionKind]) -> list[MentionKind]:
    mentions = [item for item in items if isinstance(item, item_class)]
    if len(mentions) < len(items):
        raise ValueError("Only mentions can be matched as spans; give every item its start and end.")
    return mentions

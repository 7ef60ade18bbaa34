"""Mentions with names, their types or links: which match, paired one to one as in mentions/spans.py.

Names have to be equal. Mentions in several parts are the same if all parts are, overlap if any parts do, and start and
end where the first part starts and the last one ends.
"""

from collections import defaultdict
from collections.abc import Sequence

from evaluation.measures.columns import MentionItem
from evaluation.measures.mentions.spans import SpanMatch, list_matching_gold_indexes, pair_most_spans_one_to_one


def mark_predicted_mentions_paired_with_gold(
    gold: Sequence[MentionItem], predicted: Sequence[MentionItem], span_match: SpanMatch = "exact"
) -> list[bool]:
    """Whether each predicted mention, best first, is right; as many as possible at once, each gold one used once."""
    paired = pair_most_mentions_one_to_one(gold, predicted, span_match)
    return [number in paired for number in range(len(predicted))]


def pair_most_mentions_one_to_one(
    gold: Sequence[MentionItem], predicted: Sequence[MentionItem], span_match: SpanMatch
) -> dict[int, int]:
    """The largest one-to-one pairing of mentions with equal names, {predicted index: gold index}."""
    return pair_most_spans_one_to_one(
        [
            [index for index in indexes if gold[index].name == mention.name]
            for mention, indexes in zip(
                predicted, list_matching_mention_indexes(gold, predicted, span_match), strict=True
            )
        ]
    )


def list_matching_mention_indexes(
    gold: Sequence[MentionItem], predicted: Sequence[MentionItem], span_match: SpanMatch
) -> list[list[int]]:
    """[predicted][candidates]: the indexes of the gold mentions that each one matches, whatever their names."""
    if span_match == "exact":
        index_by_parts: defaultdict[object, list[int]] = defaultdict(list)
        for index, mention in enumerate(gold):
            index_by_parts[mention.parts].append(index)
        return [list(index_by_parts.get(mention.parts, ())) for mention in predicted]
    candidates = list_matching_gold_indexes(
        [mention.whole for mention in gold], [mention.whole for mention in predicted], span_match
    )
    if span_match != "overlap":
        return candidates
    return [
        [index for index in indexes if has_common_character(gold[index], mention)]
        for mention, indexes in zip(predicted, candidates, strict=True)
    ]


def has_common_character(first: MentionItem, second: MentionItem) -> bool:
    return any(a.start < b.end and b.start < a.end for a in first.parts for b in second.parts)

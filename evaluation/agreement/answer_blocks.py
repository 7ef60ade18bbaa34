"""Numbers of articles and items by sets of raters and by blocks of articles, from which intervals are computed.

The articles of a corpus are divided into at most MAX_BLOCKS blocks, so that a large corpus does not make more numbers.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.analyses.significance.agreement_intervals import MAX_BLOCKS, BlockPatterns
from evaluation.measures.columns import Booleans, Integers

# How the database packs the blocks of items.
PACKED_BLOCK = np.dtype(">i2")
NO_INTEGERS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class SetsByBlock:
    """Numbers by sets of raters and by block.

    answered, reported: int [sets], raters that answered the article and that report the item. set_of_row, block,
    number: int [rows], each with a number above 0.
    """

    answered: Integers
    reported: Integers
    set_of_row: Integers
    block: Integers
    number: Integers

    def mark_blocks(self, answered_sets: Collection[int]) -> Booleans:
        """bool [MAX_BLOCKS]: whether the block has articles that one of these sets of raters answered."""
        marked = np.zeros(MAX_BLOCKS, dtype=np.bool_)
        marked[self.block[np.isin(self.answered, list(answered_sets))[self.set_of_row]]] = True
        return marked


def count_blocks(sets: Iterable[tuple[int, int, bytes | memoryview]]) -> SetsByBlock:
    """sets: raters that answered, raters that report the item, and PACKED_BLOCK of each item."""
    answered, reported, blocks, numbers = [], [], [], []
    for raters, reporting, packed in sets:
        counts = np.bincount(np.frombuffer(packed, dtype=PACKED_BLOCK))
        answered.append(raters)
        reported.append(reporting)
        blocks.append(np.flatnonzero(counts))
        numbers.append(counts[blocks[-1]])
    return SetsByBlock(
        np.array(answered, dtype=np.int64),
        np.array(reported, dtype=np.int64),
        np.repeat(np.arange(len(blocks)), [len(each) for each in blocks]),
        np.concatenate([NO_INTEGERS, *blocks]),
        np.concatenate([NO_INTEGERS, *numbers]),
    )


def group_patterns_by_block(
    articles: SetsByBlock,
    items: SetsByBlock,
    raters: Sequence[int],
    answered_sets: Collection[int],
    *,
    only_reported: bool,
) -> BlockPatterns:
    """The items by which of these raters report them, in the blocks that have articles that count.

    answered_sets: of raters; only articles that such a set answered count. only_reported: without items that none of
    these raters reports.
    """
    reported = items.reported & sum(1 << rater for rater in raters)
    is_counted = np.isin(items.answered, list(answered_sets))
    if only_reported:
        is_counted &= reported != 0
    patterns, pattern_of_set = np.unique(reported, return_inverse=True)
    rows = is_counted[items.set_of_row]
    cells = items.block[rows] * len(patterns) + pattern_of_set[items.set_of_row[rows]]
    numbers = np.bincount(cells, items.number[rows], MAX_BLOCKS * len(patterns)).reshape(MAX_BLOCKS, len(patterns))
    labels = patterns[:, None] >> np.array(raters) & 1 == 1
    return BlockPatterns(labels, numbers[articles.mark_blocks(answered_sets)].astype(np.float64))

"""Numbers of articles and items by sets of raters and by blocks of articles, from which intervals are computed.

The articles of a corpus are divided into at most MAX_BLOCKS blocks, so that a large corpus does not make more rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.analyses.significance.agreement_intervals import BlockPatterns
from evaluation.measures.columns import Booleans, Integers

MAX_BLOCKS = 1_000
# A row as the database packs it: two integers of four bytes, the block and the number.
PACKED_ROW = np.dtype([("block", ">i4"), ("number", ">i4")])
PackedRows = Iterable[tuple[int, int, bytes | memoryview]]


@dataclass(frozen=True, slots=True, eq=False)
class SetsByBlock:
    """Numbers by sets of raters and by block.

    answered, reported: int [sets], raters that answered the article and that report the item; set_of_row, block, number:
    int [rows], each with a number above 0.
    """

    answered: Integers
    reported: Integers
    set_of_row: Integers
    block: Integers
    number: Integers

    def mark_blocks(self, raters: int) -> Booleans:
        """bool [MAX_BLOCKS]: whether the block has articles that all of these raters answered."""
        marked = np.zeros(MAX_BLOCKS, dtype=np.bool_)
        marked[self.block[(self.answered & raters == raters)[self.set_of_row]]] = True
        return marked


def unpack_rows(sets: PackedRows) -> SetsByBlock:
    """sets: raters that answered, raters that report the item, PACKED_ROW of each block."""
    listed = list(sets)
    rows = [np.frombuffer(packed, dtype=PACKED_ROW) for _, _, packed in listed]
    joined = np.concatenate(rows) if rows else np.empty(0, dtype=PACKED_ROW)
    return SetsByBlock(
        np.array([answered for answered, _, _ in listed], dtype=np.int64),
        np.array([reported for _, reported, _ in listed], dtype=np.int64),
        np.repeat(np.arange(len(listed)), [len(each) for each in rows]),
        joined["block"].astype(np.int64),
        joined["number"].astype(np.int64),
    )


def group_patterns_by_block(
    articles: SetsByBlock, items: SetsByBlock, raters: Sequence[int], *, only_reported: bool
) -> BlockPatterns:
    """The items in articles that all of these raters answered, in the blocks that have such articles.

    only_reported: without items that none of them reports.
    """
    chosen = sum(1 << rater for rater in raters)
    reported = items.reported & chosen
    is_counted = items.answered & chosen == chosen
    if only_reported:
        is_counted &= reported != 0
    patterns, pattern_of_set = np.unique(reported, return_inverse=True)
    rows = is_counted[items.set_of_row]
    cells = items.block[rows] * len(patterns) + pattern_of_set[items.set_of_row[rows]]
    numbers = np.bincount(cells, items.number[rows], MAX_BLOCKS * len(patterns)).reshape(MAX_BLOCKS, len(patterns))
    labels = patterns[:, None] >> np.array(raters) & 1 == 1
    return BlockPatterns(labels, numbers[articles.mark_blocks(chosen)])

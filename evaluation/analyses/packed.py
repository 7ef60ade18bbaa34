"""What is right in a run, item by item but without any name, as bytes that are kept beside its score.

From them runs are compared later without reading gold standard and answers again.
"""

import zlib

import numpy as np

from evaluation.analyses.call_tables import CallTable
from evaluation.measures.columns import Floats
from evaluation.measures.passages import COUNTED
from evaluation.measures.ranking import RankedHits

CELLS = 4
COUNTED_NOWHERE = CELLS


def pack_lists(ranked: RankedHits) -> bytes:
    """Ranked lists: lengths and numbers of right items of every article, and a bit for each item."""
    numbers = np.concatenate([[ranked.articles], ranked.lengths, ranked.gold]).astype("<i4")
    return zlib.compress(numbers.tobytes() + np.packbits(ranked.hits).tobytes())


def unpack_lists(packed: bytes) -> RankedHits:
    """What pack_lists packed."""
    content = zlib.decompress(packed)
    articles = int(np.frombuffer(content, "<i4", 1)[0])
    lengths, gold = np.frombuffer(content, "<i4", 2 * articles, 4).astype(np.int64).reshape(2, articles)
    bits = np.frombuffer(content, np.uint8, offset=4 * (1 + 2 * articles))
    return RankedHits(np.unpackbits(bits, count=int(lengths.sum())).astype(np.bool_), lengths, gold)


def pack_calls(table: CallTable) -> bytes:
    """An article classification: for every article which of tp, fp, fn and tn it counts as."""
    cell = np.where(table.counts.any(axis=1), table.counts.argmax(axis=1), COUNTED_NOWHERE)
    return zlib.compress(cell.astype(np.uint8).tobytes())


def unpack_calls(packed: bytes) -> Floats:
    """float [articles, 4]: the counts tp, fp, fn, tn of the table that pack_calls packed."""
    cell = np.frombuffer(zlib.decompress(packed), np.uint8)
    return np.eye(CELLS + 1, CELLS)[cell]


def pack_passages(table: Floats) -> bytes:
    """Evidence passages: what each judged article adds to the figures, as passage_counts."""
    return zlib.compress(table.astype("<f8").tobytes())


def unpack_passages(packed: bytes) -> Floats:
    """float [judged articles, COUNTED]: the table that pack_passages packed."""
    return np.frombuffer(zlib.decompress(packed), "<f8").reshape(-1, len(COUNTED))

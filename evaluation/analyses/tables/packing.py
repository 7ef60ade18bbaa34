"""The hits of a run, item by item but without names, packed into bytes that are stored with its score.

Runs are compared from these bytes, without reading the gold standard and the annotations again.
"""

import zlib

import numpy as np

from evaluation.analyses.tables.call_tables import CallTable
from evaluation.analyses.tables.count_tables import ARTICLE_COLUMNS, CountTable
from evaluation.measures.columns import Floats
from evaluation.measures.items.labels import CREDIT_COLUMNS
from evaluation.measures.lists.ranking import RankedHits
from evaluation.measures.passages import PASSAGE_COUNT_COLUMNS

CONFUSION_CELLS = 4
UNCOUNTED_CELL = CONFUSION_CELLS


def pack_ranked_hits(ranked: RankedHits) -> bytes:
    """Pack ranked lists: the length and the number of gold items of every article, and a bit for each item."""
    numbers = np.concatenate([[ranked.articles], ranked.lengths, ranked.gold]).astype("<i4")
    return zlib.compress(numbers.tobytes() + np.packbits(ranked.hits).tobytes())


def unpack_ranked_hits(packed: bytes) -> RankedHits:
    """Unpack the result of pack_ranked_hits."""
    content = zlib.decompress(packed)
    articles = int(np.frombuffer(content, "<i4", 1)[0])
    lengths, gold = np.frombuffer(content, "<i4", 2 * articles, 4).astype(np.int64).reshape(2, articles)
    bits = np.frombuffer(content, np.uint8, offset=4 * (1 + 2 * articles))
    return RankedHits(np.unpackbits(bits, count=int(lengths.sum())).astype(np.bool_), lengths, gold)


def pack_call_table_counts(table: CallTable) -> bytes:
    """Pack an article classification: for every article, which of tp, fp, fn and tn it counts as, if any."""
    cell = np.where(table.counts.any(axis=1), table.counts.argmax(axis=1), UNCOUNTED_CELL)
    return zlib.compress(cell.astype(np.uint8).tobytes())


def unpack_call_table_counts(packed: bytes) -> Floats:
    """float [articles, 4]: the counts tp, fp, fn, tn of the table that pack_call_table_counts packed."""
    cell = np.frombuffer(zlib.decompress(packed), np.uint8)
    return np.eye(CONFUSION_CELLS + 1, CONFUSION_CELLS)[cell]


def pack_passage_table(table: Floats) -> bytes:
    """Pack a table of evidence passages: float [judged articles, PASSAGE_COUNT_COLUMNS]."""
    return zlib.compress(table.astype("<f8").tobytes())


def unpack_passage_table(packed: bytes) -> Floats:
    """float [judged articles, PASSAGE_COUNT_COLUMNS]: the table that pack_passage_table packed."""
    return np.frombuffer(zlib.decompress(packed), "<f8").reshape(-1, len(PASSAGE_COUNT_COLUMNS))


def pack_count_table(table: CountTable) -> bytes:
    """Pack a table of labels, or of mentions that may be half correct: the number of groups, then the values."""
    return zlib.compress(np.array([table.groups], dtype="<i4").tobytes() + table.values.astype("<f8").tobytes())


def unpack_count_table(packed: bytes) -> CountTable:
    """Unpack the result of pack_count_table."""
    content = zlib.decompress(packed)
    groups = int(np.frombuffer(content, "<i4", 1)[0])
    columns = ARTICLE_COLUMNS + len(CREDIT_COLUMNS) * (groups + 1)
    return CountTable(np.frombuffer(content, "<f8", offset=4).reshape(-1, columns), groups)

"""Gold standards and runs as columns, from rows that a test can show."""

import numpy as np

from evaluation.measures.columns import CallColumns, GoldColumns, RunColumns, encode_column


def encode_gold(items):
    """items: {document: right items}."""
    rows = [(document, item) for document, own in items.items() for item in own]
    return GoldColumns(encode_column(document for document, _ in rows), encode_column(item for _, item in rows))


def encode_run(rows):
    """rows: (document, item, rank or None, confidence or None); all or none have a rank, and a confidence."""
    documents, items, ranks, confidences = zip(*rows, strict=True) if rows else ((), (), (), ())
    return RunColumns(
        encode_column(documents), encode_column(items), numbers(ranks, np.int64), numbers(confidences, np.float64)
    )


def encode_calls(rows):
    """rows: (article, relevant, rank or None, confidence or None)."""
    articles, relevant, ranks, confidences = zip(*rows, strict=True) if rows else ((), (), (), ())
    flags = np.array(relevant, dtype=np.bool_)
    return CallColumns(articles, flags, numbers(ranks, np.int64), numbers(confidences, np.float64))


def numbers(values, sort):
    return None if None in values else np.array(values, dtype=sort)

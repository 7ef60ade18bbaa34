"""What a run and a gold standard say of a phase's articles, as the columns that the analyses take."""

from collections.abc import Mapping, Sequence

import numpy as np

from annotations.kinds import Finding
from evaluation.measures.columns import Coded, GoldColumns, Item, RunColumns, coded

Said = Mapping[int, Sequence[Finding]]


def item_of(finding: Finding) -> Item:
    """What the analyses call a finding: its identifier, or of a pair both, sorted."""
    if not finding.partner:
        return finding.identifier
    first, second = sorted((finding.identifier, finding.partner))
    return first, second


def gold_columns(names: Mapping[int, str], right: Said) -> GoldColumns:
    """The right items of the articles named; articles without one are known, too."""
    rows = [(name, item_of(finding)) for article, name in names.items() for finding in right.get(article, ())]
    return GoldColumns(documents(list(names.values()), [name for name, _ in rows]), coded(item for _, item in rows))


def run_columns(names: Mapping[int, str], said: Said) -> RunColumns:
    """What a run says of the articles named. Where some results have a rank and others none, ranks do not count."""
    rows = [(name, finding) for article, name in names.items() for finding in said.get(article, ())]
    ranks = [finding.rank for _, finding in rows]
    confidences = [finding.confidence for _, finding in rows]
    return RunColumns(
        documents([name for article, name in names.items() if article in said], [name for name, _ in rows]),
        coded(item_of(finding) for _, finding in rows),
        None if not rows or None in ranks else np.array(ranks, dtype=np.int64),
        None if not rows or None in confidences else np.array(confidences, dtype=np.float64),
    )


def documents(known: Sequence[str], rows: Sequence[str]) -> Coded[str]:
    """The column of these rows; all that are known have a name in it."""
    number = {name: place for place, name in enumerate(known)}
    return Coded(known, np.fromiter(map(number.__getitem__, rows), dtype=np.int64, count=len(rows)))

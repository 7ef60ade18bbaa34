"""Tables of files as the columns that the measures take."""

from collections.abc import Sequence

import numpy as np

from annotations.formats.runs_tsv import Table
from annotations.formats.tsv_columns import Named
from bcms.lib.text import one_spaced
from evaluation.measures.columns import CallColumns, Coded, GoldColumns, RunColumns
from evaluation.measures.order import Order, best_order, chosen
from evaluation.measures.passages import Pair, Verdict


def gold_columns(gold: Table) -> GoldColumns:
    """A gold standard of lists."""
    return GoldColumns(column(gold.article), column(item_of(gold)))


def run_columns(run: Table) -> RunColumns:
    """A run of lists."""
    return RunColumns(column(run.article), column(item_of(run)), run.rank, run.confidence)


def gold_classes(gold: Table) -> dict[str, bool]:
    """{article: relevant} of a gold standard of ACT."""
    return dict(zip(articles(gold), relevant_of(gold).tolist(), strict=True))


def run_calls(run: Table) -> CallColumns:
    """A run of ACT."""
    return CallColumns(articles(run), relevant_of(run), run.rank, run.confidence)


def verdicts(judgements: Table) -> dict[Pair, dict[str, Verdict]]:
    """{article and pair: {passage: verdict}} of judgements of ISS."""
    if judgements.best is None:
        raise ValueError("Judgements say of each passage whether it is the best; read them with read_gold.")
    judged: dict[Pair, dict[str, Verdict]] = {}
    marks = zip(relevant_of(judgements).tolist(), judgements.best.tolist(), strict=True)
    for (pair, passage), (relevant, best) in zip(passages(judgements, range(len(judgements))), marks, strict=True):
        judged.setdefault(pair, {})[passage] = Verdict(relevant, best)
    return judged


def relevant_passages(judgements: Table) -> GoldColumns:
    """What judgements of ISS call relevant; an article without such a passage is there, too."""
    rows, every = np.flatnonzero(relevant_of(judgements)), gold_columns(judgements)
    return GoldColumns(
        Coded(every.document.names, every.document.codes[rows]), Coded(every.item.names, every.item.codes[rows])
    )


def submitted(run: Table, order: Order | None) -> dict[Pair, list[str]]:
    """{article and pair: passages, best first} of a run of ISS; those of equal confidence by their text.

    A passage that stands there twice, but for white space, counts where it is placed best.
    """
    unsure = chosen(run, order or best_order(run))
    names = item_of(run).names
    place = np.empty(len(names), dtype=np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    lists: dict[Pair, dict[str, None]] = {}
    for pair, passage in passages(run, np.lexsort((place[item_of(run).codes], unsure)).tolist()):
        lists.setdefault(pair, {})[passage] = None
    return {pair: list(own) for pair, own in lists.items()}


def passages(table: Table, rows: Sequence[int]) -> list[tuple[Pair, str]]:
    """Article and pair, and the passage with single spaces, of each of these rows."""
    names, item = articles(table), item_of(table)
    said = [(names[row], item.names[item.codes[row]]) for row in rows]
    return [((article, a, b), one_spaced(passage)) for article, (a, b, passage) in said]


def column(named: Named) -> Coded:
    return Coded(named.names, named.codes)


def articles(table: Table) -> Sequence[str]:
    """The article of each row."""
    names, codes = table.article.names, table.article.codes
    if np.array_equal(codes, np.arange(len(names))):
        return names
    return list(map(list(names).__getitem__, codes.tolist()))


def item_of(table: Table) -> Named:
    if table.item is None:
        raise ValueError("A table of classes has no items; read it as a table of its own task.")
    return table.item


def relevant_of(table: Table) -> np.ndarray:
    if table.relevant is None:
        raise ValueError("This table has no classes; read it as a table of its own task.")
    return table.relevant

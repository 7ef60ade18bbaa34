"""Conversion of tables read from files to the columns of evaluation/measures."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from annotations.formats.tsv.columns import NameColumn
from annotations.formats.tsv.result_table import ResultTable
from bcms.lib.text import collapse_white_space
from evaluation.measures.columns import Booleans, CallColumns, CodedColumn, GoldColumns, RunColumns
from evaluation.measures.list_order import (
    ListOrder,
    choose_rank_else_confidence_else_line,
    get_order_values_smallest_surest,
)
from evaluation.measures.passages import PassagePair, Verdict


def convert_gold_table(gold: ResultTable) -> GoldColumns:
    """The columns of a gold standard of items."""
    return GoldColumns(_convert_column(gold.article), _convert_column(_require_item_column(gold)))


def convert_run_table(run: ResultTable) -> RunColumns:
    """The columns of a run of items."""
    return RunColumns(
        _convert_column(run.article), _convert_column(_require_item_column(run)), run.rank, run.confidence
    )


def convert_gold_labels(gold: ResultTable) -> dict[str, bool]:
    """{article: relevant} of an ACT gold standard."""
    return dict(zip(list_article_of_each_row(gold), _require_label_column(gold).tolist(), strict=True))


def convert_run_calls(run: ResultTable) -> CallColumns:
    """The columns of an ACT run."""
    return CallColumns(list_article_of_each_row(run), _require_label_column(run), run.rank, run.confidence)


def convert_verdict_table(judgements: ResultTable) -> dict[PassagePair, dict[str, Verdict]]:
    """{(article, interactor, interactor): {passage: verdict}} of ISS judgements. ValueError for another table."""
    if judgements.best is None:
        raise ValueError("The table has no best passages; read ISS judgements as a gold standard.")
    verdicts: dict[PassagePair, dict[str, Verdict]] = {}
    marks = zip(_require_label_column(judgements).tolist(), judgements.best.tolist(), strict=True)
    for (pair, passage), (relevant, best) in zip(
        _list_pair_passages(judgements, range(len(judgements))), marks, strict=True
    ):
        verdicts.setdefault(pair, {})[passage] = Verdict(relevant, best)
    return verdicts


def select_relevant_passages_keeping_all_articles(judgements: ResultTable) -> GoldColumns:
    """The relevant passages of ISS judgements; articles without one are kept."""
    rows, all_passages = np.flatnonzero(_require_label_column(judgements)), convert_gold_table(judgements)
    return GoldColumns(
        CodedColumn(all_passages.document.names, all_passages.document.codes[rows]),
        CodedColumn(all_passages.item.names, all_passages.item.codes[rows]),
    )


def rank_distinct_passages_of_each_pair(
    run: ResultTable, order_or_best_available: ListOrder | None
) -> dict[PassagePair, list[str]]:
    """{(article, interactor, interactor): passages, best first} of an ISS run; ties are sorted by text.

    A passage that occurs twice, ignoring white space, counts once, at its best position.
    """
    order_values = get_order_values_smallest_surest(
        run, order_or_best_available or choose_rank_else_confidence_else_line(run)
    )
    names = _require_item_column(run).names
    text_order = np.empty(len(names), dtype=np.int64)
    text_order[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    lists: dict[PassagePair, dict[str, None]] = {}
    for pair, passage in _list_pair_passages(
        run, np.lexsort((text_order[_require_item_column(run).codes], order_values)).tolist()
    ):
        lists.setdefault(pair, {})[passage] = None
    return {pair: list(passages) for pair, passages in lists.items()}


def _list_pair_passages(table: ResultTable, rows: Sequence[int]) -> list[tuple[PassagePair, str]]:
    """((article, interactor, interactor), passage with single spaces) of each of these rows."""
    names, item = list_article_of_each_row(table), _require_item_column(table)
    items = [(names[row], item.names[item.codes[row]]) for row in rows]
    return [((article, a, b), collapse_white_space(passage)) for article, (a, b, passage) in items]


def _convert_column(column: NameColumn) -> CodedColumn[Any]:
    return CodedColumn(column.names, column.codes)


def list_article_of_each_row(table: ResultTable) -> Sequence[str]:
    """[rows]: the article of each row."""
    names, codes = table.article.names, table.article.codes
    if np.array_equal(codes, np.arange(len(names))):
        return names
    return list(map(list(names).__getitem__, codes.tolist()))


def _require_item_column(table: ResultTable) -> NameColumn:
    if table.item is None:
        raise ValueError("The table has no items; use it with the task act.")
    return table.item


def _require_label_column(table: ResultTable) -> Booleans:
    if table.relevant is None:
        raise ValueError("The table has no classes; use it with the task of its items.")
    return table.relevant

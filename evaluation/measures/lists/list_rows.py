"""Predictions of ranked lists as columns in any order, and the lists that are scored of them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np

from annotations.schema import AnnotationData
from evaluation.measures.columns import Booleans, CodedColumn, Floats, Integers, Item, RunColumns, encode_column

ItemKey = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class ListRows:
    """Annotations in databases, in any order. An article without a row has an empty list.

    rank, confidence: float [rows], NaN where there is none; partner: "" but for interaction pairs.
    """

    article: CodedColumn[str]
    rank: Floats
    confidence: Floats
    database: CodedColumn[str]
    identifier: CodedColumn[str]
    partner: CodedColumn[str]

    def __len__(self) -> int:
        return len(self.article)

    def compute_mean_confidence(self, databases: Collection[str]) -> float | None:
        """The mean confidence of the rows in these databases that have one; None without any."""
        confidences = self.confidence[_mark_rows(self.database, databases) & ~np.isnan(self.confidence)]
        return fsum(confidences.tolist()) / len(confidences) if len(confidences) else None

    def group_item_keys_by_article(self) -> dict[str, frozenset[ItemKey]]:
        """{article: keys of its annotations}; a key is that of AnnotationData."""
        keys: list[list[ItemKey]] = [[] for _ in self.article.names]
        columns = [[column.names[code] for code in column.codes.tolist()] for column in self.name_columns]
        of_pairs = any(self.partner.names)
        for article, database, *pair in zip(self.article.codes.tolist(), *columns, strict=True):
            keys[article].append((database, *(sorted(pair) if of_pairs else pair[:1])))
        return {name: frozenset(in_article) for name, in_article in zip(self.article.names, keys, strict=True)}

    @property
    def name_columns(self) -> tuple[CodedColumn[str], CodedColumn[str], CodedColumn[str]]:
        return self.database, self.identifier, self.partner


def build_list_rows(annotations_by_article: Mapping[str, Iterable[AnnotationData]]) -> ListRows:
    """The rows of {article: annotations in any order}."""
    rows = [
        (number, each.rank, each.confidence, each.database, each.identifier, each.partner)
        for number, annotations in enumerate(annotations_by_article.values())
        for each in annotations
    ]
    return encode_list_rows(list(annotations_by_article), *(zip(*rows, strict=True) if rows else ((),) * 6))


def encode_list_rows(
    articles: Sequence[str],
    article: Sequence[int],
    rank: Sequence[int | None],
    confidence: Sequence[float | None],
    *names: Sequence[str],
) -> ListRows:
    """article: [rows], indexes into articles; names: [rows] of databases, of identifiers and of partners."""
    database, identifier, partner = map(encode_column, names)
    return ListRows(
        CodedColumn(articles, np.array(article, dtype=np.int64)),
        np.array(rank, dtype=np.float64),
        np.array(confidence, dtype=np.float64),
        *(database, identifier, partner),
    )


def build_run_columns_surest_first(rows: ListRows, articles: Iterable[str], databases: Collection[str]) -> RunColumns:
    """The lists of these articles, in their order, of items in these databases: by rank, else by confidence, then by
    identifier.

    An item that occurs twice counts once, at its best position. Items are named without their database if there is only
    one. Rank: the position in the list; confidence: None unless every row has one.
    """
    numbers = {name: number for number, name in enumerate(rows.article.names)}
    known = [name for name in articles if name in numbers]
    place = np.full(len(numbers), -1, dtype=np.int64)
    place[[numbers[name] for name in known]] = np.arange(len(known))
    chosen = np.flatnonzero(_mark_rows(rows.article, known) & _mark_rows(rows.database, databases))
    document = place[rows.article.codes]
    ordered = chosen[np.lexsort([key[chosen] for key in (*_list_order_keys(rows), document)])]
    item = _encode_items(rows, ordered, several=len(databases) > 1)
    document = document[ordered]
    first = np.unique(document * max(len(item.names), 1) + item.codes, return_index=True)[1]
    first.sort()
    confidence, document = rows.confidence[ordered[first]], document[first]
    position: Integers = np.arange(1, len(first) + 1) - np.searchsorted(document, document)
    return RunColumns(
        CodedColumn(known, document),
        CodedColumn(item.names, item.codes[first]),
        position,
        # As only a confidence of every row can cut lists.
        confidence if len(first) and not np.isnan(confidence).any() else None,
    )


def _mark_rows(column: CodedColumn[str], names: Collection[str]) -> Booleans:
    chosen = set(names)
    marked: Booleans = np.fromiter((name in chosen for name in column.names), np.bool_, len(column.names))[column.codes]
    return marked


def _list_order_keys(rows: ListRows) -> list[Floats | Integers]:
    """[rows] each, the last key first: what sort_key_by_rank_else_confidence sorts by, then database, identifier and
    partner."""
    has_rank, has_confidence = ~np.isnan(rows.rank), ~np.isnan(rows.confidence)
    names = [_rank_by_name(column) for column in (rows.partner, rows.identifier, rows.database)]
    value = np.where(has_rank, rows.rank, np.where(has_confidence, -rows.confidence, 0.0))
    return [*names, value, np.where(has_rank, 0, np.where(has_confidence, 1, 2))]


def _rank_by_name(column: CodedColumn[str]) -> Integers:
    """int [rows]: smaller where the name is, as Python compares texts."""
    places = np.empty(len(column.names), dtype=np.int64)
    places[sorted(range(len(column.names)), key=column.names.__getitem__)] = np.arange(len(column.names))
    ranks: Integers = places[column.codes]
    return ranks


def _encode_items(rows: ListRows, chosen: Integers, *, several: bool) -> CodedColumn[Item]:
    """The items of the chosen rows, int indexes, as a column of as many rows."""
    columns = rows.name_columns
    keys = np.zeros(len(chosen), dtype=np.int64)
    for column in columns:
        keys = np.unique(keys * max(len(column.names), 1) + column.codes[chosen], return_inverse=True)[1]
    _, examples = np.unique(keys, return_index=True)
    parts = [[column.names[code] for code in column.codes[chosen[examples]].tolist()] for column in columns]
    of_pairs = any(rows.partner.names)
    names = encode_column(
        format_item_key((database, *(sorted(pair) if of_pairs else pair[:1])), several)
        for database, *pair in zip(*parts, strict=True)
    )
    return CodedColumn(names.names, names.codes[keys])


def format_item_key(key: ItemKey, several: bool) -> Item:
    """The name of an item: its identifier or the two of a pair, prefixed with the database when `several` are used."""
    names = [f"{key[0]}:{part}" if several else str(part) for part in key[1:]]
    return names[0] if len(names) == 1 else (names[0], names[1])

"""The annotations of a run or gold standard as the columns that the analyses take."""

from collections.abc import Mapping, Sequence

import numpy as np

from annotations.schema import AnnotationData
from evaluation.measures.columns import CodedColumn, GoldColumns, Item, LabelItem, RunColumns, encode_column
from evaluation.measures.items.labels import list_distinct_label_values
from evaluation.measures.task_settings import LabelSet

AnnotationsPerArticle = Mapping[int, Sequence[AnnotationData]]


def _get_item_key(annotation: AnnotationData) -> Item:
    """The item of an annotation: its identifier, or both identifiers of a pair, sorted."""
    if not annotation.partner:
        return annotation.identifier
    first, second = sorted((annotation.identifier, annotation.partner))
    return first, second


def build_gold_columns(
    name_by_article: Mapping[int, str], annotations_by_article: AnnotationsPerArticle
) -> GoldColumns:
    """Encode the gold items of these articles, given {key: name}; articles without an item are included."""
    rows = [
        (name, _get_item_key(annotation))
        for article, name in name_by_article.items()
        for annotation in annotations_by_article.get(article, ())
    ]
    return GoldColumns(
        _build_document_column(list(name_by_article.values()), [name for name, _ in rows]),
        encode_column(item for _, item in rows),
    )


def build_run_columns(name_by_article: Mapping[int, str], annotations_by_article: AnnotationsPerArticle) -> RunColumns:
    """Encode a run's items of these articles, given {key: name}.

    Ranks, and likewise confidences, are None unless every item has one.
    """
    rows = [
        (name, annotation)
        for article, name in name_by_article.items()
        for annotation in annotations_by_article.get(article, ())
    ]
    ranks = [annotation.rank for _, annotation in rows]
    confidences = [annotation.confidence for _, annotation in rows]
    return RunColumns(
        _build_document_column(
            [name for article, name in name_by_article.items() if article in annotations_by_article],
            [name for name, _ in rows],
        ),
        encode_column(_get_item_key(annotation) for _, annotation in rows),
        None if not rows or None in ranks else np.array(ranks, dtype=np.int64),
        None if not rows or None in confidences else np.array(confidences, dtype=np.float64),
    )


def build_label_columns(
    name_by_article: Mapping[int, str], annotations_by_article: AnnotationsPerArticle, label_set: LabelSet | None
) -> tuple[CodedColumn[str], CodedColumn[Item]]:
    """Encode the documents and the distinct labels of a set; articles without a label are included."""
    rows = [
        (name, LabelItem(value))
        for article, name in name_by_article.items()
        for value in list_distinct_label_values(annotations_by_article.get(article, ()), label_set)
    ]
    names = [name for article, name in name_by_article.items() if article in annotations_by_article]
    return _build_document_column(names, [name for name, _ in rows]), encode_column(item for _, item in rows)


def _build_document_column(names: Sequence[str], rows: Sequence[str]) -> CodedColumn[str]:
    """Encode rows of names; all names are in the column, also those without a row."""
    codes = {name: code for code, name in enumerate(names)}
    return CodedColumn(names, np.fromiter(map(codes.__getitem__, rows), dtype=np.int64, count=len(rows)))

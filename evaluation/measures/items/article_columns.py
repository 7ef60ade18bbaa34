"""Columns of a gold standard and a run from the items of each article."""

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TypeVar

import numpy as np

from annotations.schema import AnnotationData
from evaluation.measures.columns import CodedColumn, GoldColumns, GoldRunColumns, Item, RunColumns, encode_column

AnnotationsByArticle = Mapping[str, Sequence[AnnotationData]]
ArticleItems = TypeVar("ArticleItems")
# {item: confidence} of an article, the surest first.
ItemConfidences = Mapping[Item, float | None]


def build_ranked_item_columns(
    gold_items_by_article: Mapping[str, Iterable[Item]], run_items_by_article: Mapping[str, ItemConfidences]
) -> GoldRunColumns:
    """The columns of lists; articles of the run that are not in the gold standard are left out."""
    known_answers = _select_known_articles(run_items_by_article, gold_items_by_article)
    rows = [
        (article, item, position, confidence)
        for article, items in known_answers.items()
        for position, (item, confidence) in enumerate(items.items(), 1)
    ]
    document, item = _build_document_and_item_columns(list(known_answers), [row[:2] for row in rows])
    confidences = [row[3] for row in rows]
    # As only a confidence of every row can cut lists.
    confidence = np.array(confidences, dtype=np.float64) if confidences and None not in confidences else None
    rank = np.array([row[2] for row in rows], dtype=np.int64)
    return GoldRunColumns(build_gold_columns(gold_items_by_article), RunColumns(document, item, rank, confidence))


def build_unordered_item_columns(
    gold_items_by_article: Mapping[str, Iterable[Item]], run_items_by_article: Mapping[str, Iterable[Item]]
) -> GoldRunColumns:
    """The columns of items without an order; articles of the run that are not in the gold standard are left out."""
    known_answers = _select_known_articles(run_items_by_article, gold_items_by_article)
    rows = [(article, item) for article, items in known_answers.items() for item in items]
    return GoldRunColumns(
        build_gold_columns(gold_items_by_article),
        RunColumns(*_build_document_and_item_columns(list(known_answers), rows)),
    )


def _select_known_articles(
    answers: Mapping[str, ArticleItems], gold_items_by_article: Mapping[str, Iterable[Item]]
) -> dict[str, ArticleItems]:
    """The answers for articles of the gold standard, in its order."""
    return {article: answers[article] for article in gold_items_by_article if article in answers}


def build_gold_columns(gold_items_by_article: Mapping[str, Iterable[Item]]) -> GoldColumns:
    """The columns of {article: distinct items}."""
    rows = [(article, item) for article, items in gold_items_by_article.items() for item in items]
    return GoldColumns(*_build_document_and_item_columns(list(gold_items_by_article), rows))


def _build_document_and_item_columns(
    articles: Sequence[str], rows: Sequence[tuple[str, Item]]
) -> tuple[CodedColumn[str], CodedColumn[Item]]:
    """A column of articles, including those without a row, and a column of items."""
    numbers = {article: number for number, article in enumerate(articles)}
    document = np.fromiter((numbers[row[0]] for row in rows), dtype=np.int64, count=len(rows))
    return CodedColumn(articles, document), encode_column(map(itemgetter(1), rows))

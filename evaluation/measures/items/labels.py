"""The labels of articles: hits, predictions and gold labels of each value."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotations.entity_types import fold_type_spelling
from annotations.schema import AnnotationData
from evaluation.measures.columns import Floats
from evaluation.measures.items.article_columns import AnnotationsByArticle
from evaluation.measures.task_settings import LabelSet

# A hit, or a part of one; a prediction; a gold item.
CREDIT_COLUMNS = ("credit", "predicted", "gold")


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """values: those that count by themselves. counts: float [articles, values + 1, CREDIT_COLUMNS].

    The last value stands for all predicted values that are not among `values`.
    """

    articles: Sequence[str]
    values: Sequence[str]
    counts: Floats


def count_labels(gold: AnnotationsByArticle, run: AnnotationsByArticle, label_set: LabelSet | None) -> LabelCounts:
    """The labels of each article of the gold standard; gold and run: {article: annotations}.

    Values are those of the set or, if it has none, of the gold standard, sorted. Without a set, all labels count.
    """
    gold_values, run_values = (
        {article: list_distinct_label_values(annotations, label_set) for article, annotations in by_article.items()}
        for by_article in (gold, run)
    )
    return count_label_values(gold_values, run_values, label_set.values if label_set else ())


def count_label_values(
    gold: Mapping[str, Sequence[str]], run: Mapping[str, Sequence[str]], known_values: Sequence[str] = ()
) -> LabelCounts:
    """The distinct values of each article of the gold standard; known_values: () for those of the gold standard."""
    values = list(known_values) or sorted({value for own in gold.values() for value in own})
    column = {value: number for number, value in enumerate(values)}
    counts = np.zeros((len(gold), len(values) + 1, len(CREDIT_COLUMNS)))
    for row, article in enumerate(gold):
        for value in run.get(article, ()):
            counts[row, column.get(value, len(values)), :2] += (value in gold[article], 1)
        for value in gold[article]:
            counts[row, column.get(value, len(values)), 2] += 1
    return LabelCounts(list(gold), values, counts)


def list_distinct_label_values(annotations: Iterable[AnnotationData], label_set: LabelSet | None) -> list[str]:
    """The values of a set that an article has; without a set, of all sets, with their names if they have any."""
    labels = [annotation.label for annotation in annotations]
    wanted = fold_type_spelling(label_set.name) if label_set else ""
    if label_set is None:
        return list(dict.fromkeys(f"{label[0]}: {label[1]}" if label[0] else label[1] for label in labels if label))
    return list(dict.fromkeys(label[1] for label in labels if label and fold_type_spelling(label[0]) == wanted))

"""Interaction articles by multinomial naive Bayes on words (ACT), trained when the server starts."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from annotations.schema import AnnotationData, Kind
from servers.kit.articles import KitArticle

WORD = re.compile(r"[a-z][a-z-]+[a-z]")
FOLDS = 5
# A few hundred training articles never justify a probability of exactly 1.
HIGHEST_PROBABILITY = 0.999

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """One labelled article of the training set."""

    text: str
    relevant: bool


def parse_training_examples_refusing_small_classes(json_lines: Iterable[str]) -> list[TrainingExample]:
    """The training set from JSON lines {"id", "title", "abstract", "relevant"}.

    Raises ValueError for an invalid line, with its number, and for a class with too few articles.
    """
    examples = [
        _parse_training_example(number, line) for number, line in enumerate(json_lines, start=1) if line.strip()
    ]
    relevant = sum(example.relevant for example in examples)
    if min(relevant, len(examples) - relevant) < FOLDS:
        raise ValueError(f"The training set needs at least {FOLDS} relevant and {FOLDS} other articles.")
    return examples


def _parse_training_example(number: int, line: str) -> TrainingExample:
    try:
        article = json.loads(line)
        return TrainingExample(f"{article['title']}\n{article['abstract']}", bool(article["relevant"]))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"Line {number} of the training set is not a JSON object with title, abstract and relevant."
        ) from error


def _split_lowercase_words(text: str) -> list[str]:
    return WORD.findall(text.lower())


class WordModel:
    """Log odds of a text from those words that occur in two training articles or more, with add-one smoothing."""

    def __init__(self, texts: Sequence[list[str]], relevant: npt.NDArray[np.bool_]) -> None:
        document_frequency = Counter(word for text in texts for word in set(text))
        self.column = {
            word: number for number, word in enumerate(sorted(w for w, n in document_frequency.items() if n > 1))
        }
        counts = np.array([self.count_words(text) for text in texts])
        self.weights = _compute_log_shares(counts[relevant]) - _compute_log_shares(counts[~relevant])
        self.prior = float(np.log(relevant.sum() / (~relevant).sum()))

    def count_words(self, text: Iterable[str]) -> Vector:
        columns = [self.column[word] for word in text if word in self.column]
        return np.bincount(columns, minlength=len(self.column)).astype(np.float64)

    def log_odds(self, text: Iterable[str]) -> float:
        weights, column = self.weights, self.column
        return self.prior + float(sum(weights[column[word]] for word in text if word in column))


def _compute_log_shares(counts: Vector) -> Vector:
    """The log of each word's share of all words of one class, with add-one smoothing. counts: articles x words."""
    sums = counts.sum(axis=0) + 1.0
    log_shares: Vector = np.log(sums / sums.sum())
    return log_shares


class NaiveBayesClassifier:
    """Naive Bayes with calibrated probabilities: a logistic function of its log odds, fitted on held-out folds."""

    def __init__(self, examples: Sequence[TrainingExample]) -> None:
        texts = [_split_lowercase_words(example.text) for example in examples]
        relevant = np.array([example.relevant for example in examples])
        self.model = WordModel(texts, relevant)
        self.slope, self.offset = _fit_logistic(_compute_held_out_log_odds(texts, relevant), relevant)

    def annotate(self, article: KitArticle) -> list[AnnotationData]:
        """One classification; confidence is the probability of the stated class, above 0.5."""
        log_odds = self.slope * self.model.log_odds(_split_lowercase_words(article.text)) + self.offset
        probability = 1.0 / (1.0 + np.exp(-abs(log_odds)))
        return [
            AnnotationData(
                Kind.CLASSIFICATION,
                confidence=min(float(probability), HIGHEST_PROBABILITY),
                relevant=bool(log_odds > 0),
            )
        ]


def _compute_held_out_log_odds(texts: Sequence[list[str]], relevant: npt.NDArray[np.bool_]) -> Vector:
    """Each text's log odds by a model trained without its fold. Folds are stratified by class."""
    fold = np.empty(len(texts), dtype=int)
    for members in (np.flatnonzero(relevant), np.flatnonzero(~relevant)):
        fold[members] = np.arange(len(members)) % FOLDS
    odds = np.empty(len(texts))
    for number in range(FOLDS):
        held_out = fold == number
        model = WordModel([text for text, out in zip(texts, held_out, strict=True) if not out], relevant[~held_out])
        odds[held_out] = [model.log_odds(text) for text, out in zip(texts, held_out, strict=True) if out]
    return odds


def _fit_logistic(odds: Vector, relevant: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Slope a and offset b of the best fit 1 / (1 + exp(-(a * odds + b))): Platt scaling by Newton's method.

    As in Platt (1999), targets are slightly inside 0 and 1, so that separable data have a finite solution.
    """
    count = relevant.sum()
    target = np.where(relevant, (count + 1.0) / (count + 2.0), 1.0 / (len(relevant) - count + 2.0))
    scale = float(np.abs(odds).mean())
    features: Any = np.column_stack([odds / scale, np.ones(len(odds))])
    coefficients = np.zeros(2)
    for _ in range(25):
        probability = 1.0 / (1.0 + np.exp(-features @ coefficients))
        variance = probability * (1.0 - probability) + 1e-9
        hessian = features.T @ (features * variance[:, None])
        coefficients = coefficients + np.linalg.solve(hessian, features.T @ (target - probability))
    return float(coefficients[0]) / scale, float(coefficients[1])

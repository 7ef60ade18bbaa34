"""Interaction articles by multinomial naive Bayes on words (ACT), trained when the server starts."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from annotations.kinds import Finding, Kind
from servers.kit.articles import KitArticle

WORD = re.compile(r"[a-z][a-z-]+[a-z]")
FOLDS = 5
# A probability of 1 exactly is never earned on a few hundred articles.
SUREST = 0.999

Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """One labelled article of the training set."""

    text: str
    relevant: bool


def read_examples(lines: Iterable[str]) -> list[Example]:
    """The training set: one JSON object {"id", "title", "abstract", "relevant"} a line.

    Raises ValueError naming the line that is none, or saying that one of the two classes has too few articles to learn.
    """
    examples = [read_example(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    relevant = sum(example.relevant for example in examples)
    if min(relevant, len(examples) - relevant) < FOLDS:
        raise ValueError(f"The training set needs {FOLDS} relevant articles and as many others, or more.")
    return examples


def read_example(number: int, line: str) -> Example:
    try:
        article = json.loads(line)
        return Example(f"{article['title']}\n{article['abstract']}", bool(article["relevant"]))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"Line {number} of the training set is no article with title, abstract, relevant.") from error


def words(text: str) -> list[str]:
    return WORD.findall(text.lower())


class WordModel:
    """Log odds of a text from its words, those of two articles or more: add-one smoothing, priors as in training."""

    def __init__(self, texts: Sequence[list[str]], relevant: npt.NDArray[np.bool_]) -> None:
        spread = Counter(word for text in texts for word in set(text))
        self.column = {word: number for number, word in enumerate(sorted(w for w, n in spread.items() if n > 1))}
        counts = np.array([self.count(text) for text in texts])
        self.weights = log_share(counts[relevant]) - log_share(counts[~relevant])
        self.prior = float(np.log(relevant.sum() / (~relevant).sum()))

    def count(self, text: Iterable[str]) -> Vector:
        columns = [self.column[word] for word in text if word in self.column]
        return np.bincount(columns, minlength=len(self.column)).astype(np.float64)

    def log_odds(self, text: Iterable[str]) -> float:
        weights, column = self.weights, self.column
        return self.prior + float(sum(weights[column[word]] for word in text if word in column))


def log_share(counts: Vector) -> Vector:
    """Log of each word's share of one class' words, one added to each count. counts: articles x words."""
    sums = counts.sum(axis=0) + 1.0
    return np.log(sums / sums.sum())


class NaiveBayesClassifier:
    """Naive Bayes exaggerates, so its log odds are turned into a probability by a line fitted on held-out folds."""

    def __init__(self, examples: Sequence[Example]) -> None:
        texts = [words(example.text) for example in examples]
        relevant = np.array([example.relevant for example in examples])
        self.model = WordModel(texts, relevant)
        self.slope, self.offset = fit_logistic(held_out_log_odds(texts, relevant), relevant)

    def annotate(self, article: KitArticle) -> list[Finding]:
        """One classification with the probability of the class that it states, above 0.5."""
        log_odds = self.slope * self.model.log_odds(words(article.text)) + self.offset
        sureness = 1.0 / (1.0 + np.exp(-abs(log_odds)))
        return [Finding(Kind.CLASSIFICATION, confidence=min(float(sureness), SUREST), relevant=bool(log_odds > 0))]


def held_out_log_odds(texts: Sequence[list[str]], relevant: npt.NDArray[np.bool_]) -> Vector:
    """Each text's log odds by a model that has not seen it. Folds take turns within a class, so both are in each."""
    fold = np.empty(len(texts), dtype=int)
    for members in (np.flatnonzero(relevant), np.flatnonzero(~relevant)):
        fold[members] = np.arange(len(members)) % FOLDS
    odds = np.empty(len(texts))
    for number in range(FOLDS):
        held_out = fold == number
        model = WordModel([text for text, out in zip(texts, held_out, strict=True) if not out], relevant[~held_out])
        odds[held_out] = [model.log_odds(text) for text, out in zip(texts, held_out, strict=True) if out]
    return odds


def fit_logistic(odds: Vector, relevant: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Slope a and offset b that make 1 / (1 + exp(-(a odds + b))) most likely: Platt's scaling, by Newton's method.

    Targets are drawn in from 0 and 1 as Platt (1999) does, so that separable data have a finite answer.
    """
    count = relevant.sum()
    target = np.where(relevant, (count + 1.0) / (count + 2.0), 1.0 / (len(relevant) - count + 2.0))
    scale = float(np.abs(odds).mean())
    features: Any = np.column_stack([odds / scale, np.ones(len(odds))])
    line = np.zeros(2)
    for _ in range(25):
        probability = 1.0 / (1.0 + np.exp(-features @ line))
        spread = probability * (1.0 - probability) + 1e-9
        line = line + np.linalg.solve(features.T @ (features * spread[:, None]), features.T @ (target - probability))
    return float(line[0]) / scale, float(line[1])

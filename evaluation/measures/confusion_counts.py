"""Figures from counts of true and false positives and negatives.

Source: the definitions of the BioCreative evaluation library 3.2, where every 0/0 is 0. Here the argument `undefined`,
0 by default, gives the value of 0/0.
"""

from dataclasses import dataclass
from math import sqrt


@dataclass(frozen=True, slots=True)
class ConfusionCounts:
    """True and false positives and negatives: whole numbers, never averages. The counts of two sets can be added."""

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0

    def __add__(self, other: "ConfusionCounts") -> "ConfusionCounts":
        return ConfusionCounts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, self.tn + other.tn)

    @property
    def total(self) -> int:
        return self.tp + self.fp + self.fn + self.tn


def divide_or_undefined(part: float, whole: float, undefined: float = 0.0) -> float:
    """part / whole, and `undefined` when whole is 0."""
    return part / whole if whole else undefined


def precision(counts: ConfusionCounts, undefined: float = 0.0) -> float:
    """TP / (TP + FP) in [0, 1]; `undefined` when nothing was called positive."""
    return divide_or_undefined(counts.tp, counts.tp + counts.fp, undefined)


def recall(counts: ConfusionCounts, undefined: float = 0.0) -> float:
    """TP / (TP + FN) in [0, 1], also called sensitivity; `undefined` when nothing is positive."""
    return divide_or_undefined(counts.tp, counts.tp + counts.fn, undefined)


sensitivity = recall


def specificity(counts: ConfusionCounts, undefined: float = 0.0) -> float:
    """TN / (TN + FP) in [0, 1]; `undefined` when nothing is negative."""
    return divide_or_undefined(counts.tn, counts.tn + counts.fp, undefined)


def fall_out(counts: ConfusionCounts, undefined: float = 0.0) -> float:
    """FP / (TN + FP) in [0, 1], 1 - specificity; `undefined` when nothing is negative."""
    return divide_or_undefined(counts.fp, counts.tn + counts.fp, undefined)


def negative_precision(counts: ConfusionCounts, undefined: float = 0.0) -> float:
    """TN / (TN + FN) in [0, 1]; `undefined` when nothing was called negative."""
    return divide_or_undefined(counts.tn, counts.tn + counts.fn, undefined)


def accuracy(counts: ConfusionCounts, undefined: float = 0.0) -> float:
    """(TP + TN) / all in [0, 1]; `undefined` when nothing was counted."""
    return divide_or_undefined(counts.tp + counts.tn, counts.total, undefined)


def f_score(precision: float, recall: float, beta: float = 1.0, undefined: float = 0.0) -> float:
    """F_b = (1 + b^2) P R / (b^2 P + R) in [0, 1]; `undefined` when both are 0. beta > 0 weighs recall."""
    square = beta * beta
    return divide_or_undefined((1 + square) * precision * recall, square * precision + recall, undefined)


def mcc(counts: ConfusionCounts, undefined: float = 0.0) -> float:
    """Matthews' correlation coefficient in [-1, 1]; `undefined` when one of the four marginal sums is 0."""
    called, not_called = counts.tp + counts.fp, counts.tn + counts.fn
    positive, negative = counts.tp + counts.fn, counts.tn + counts.fp
    agreement = counts.tp * counts.tn - counts.fp * counts.fn
    return divide_or_undefined(agreement, sqrt(called * positive * negative * not_called), undefined)

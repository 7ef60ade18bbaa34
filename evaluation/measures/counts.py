"""Figures from counts of right and wrong decisions.

Source: the definitions of the BioCreative evaluation library 3.2. There
every 0/0 is 0; here what 0/0 means is the argument `undefined`, whose default is that 0.
"""

from dataclasses import dataclass
from math import sqrt


@dataclass(frozen=True, slots=True)
class Counts:
    """True and false positives and negatives: whole numbers, never averages. Counts of two sets add up."""

    tp: int = 0
    fp: int = 0
    fn: int = 0
    tn: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, self.tn + other.tn)

    @property
    def total(self) -> int:
        return self.tp + self.fp + self.fn + self.tn


def ratio(part: float, whole: float, undefined: float = 0.0) -> float:
    """part / whole, and `undefined` when whole is 0."""
    return part / whole if whole else undefined


def precision(counts: Counts, undefined: float = 0.0) -> float:
    """TP / (TP + FP) in [0, 1]; `undefined` when nothing was called positive."""
    return ratio(counts.tp, counts.tp + counts.fp, undefined)


def recall(counts: Counts, undefined: float = 0.0) -> float:
    """TP / (TP + FN) in [0, 1], also called sensitivity; `undefined` when nothing is positive."""
    return ratio(counts.tp, counts.tp + counts.fn, undefined)


sensitivity = recall


def specificity(counts: Counts, undefined: float = 0.0) -> float:
    """TN / (TN + FP) in [0, 1]; `undefined` when nothing is negative."""
    return ratio(counts.tn, counts.tn + counts.fp, undefined)


def fall_out(counts: Counts, undefined: float = 0.0) -> float:
    """FP / (TN + FP) in [0, 1], 1 - specificity; `undefined` when nothing is negative."""
    return ratio(counts.fp, counts.tn + counts.fp, undefined)


def negative_precision(counts: Counts, undefined: float = 0.0) -> float:
    """TN / (TN + FN) in [0, 1]; `undefined` when nothing was called negative."""
    return ratio(counts.tn, counts.tn + counts.fn, undefined)


def accuracy(counts: Counts, undefined: float = 0.0) -> float:
    """(TP + TN) / all in [0, 1]; `undefined` when nothing was counted."""
    return ratio(counts.tp + counts.tn, counts.total, undefined)


def f_of(precision: float, recall: float, beta: float = 1.0, undefined: float = 0.0) -> float:
    """F_b = (1 + b^2) P R / (b^2 P + R) in [0, 1]; `undefined` when both are 0. beta > 0 weighs recall."""
    square = beta * beta
    return ratio((1 + square) * precision * recall, square * precision + recall, undefined)


def f_measure(counts: Counts, beta: float = 1.0, undefined: float = 0.0) -> float:
    """F_b of the counts, (1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP), in [0, 1].

    `undefined` only when there is nothing to find and nothing was found; with misses or false alarms alone it is 0.
    """
    square = beta * beta
    found = (1 + square) * counts.tp
    return ratio(found, found + square * counts.fn + counts.fp, undefined)


def mcc(counts: Counts, undefined: float = 0.0) -> float:
    """Matthews' correlation coefficient in [-1, 1]; `undefined` when one of the four marginal sums is 0."""
    called, not_called = counts.tp + counts.fp, counts.tn + counts.fn
    positive, negative = counts.tp + counts.fn, counts.tn + counts.fp
    agreement = counts.tp * counts.tn - counts.fp * counts.fn
    return ratio(agreement, sqrt(called * positive * negative * not_called), undefined)

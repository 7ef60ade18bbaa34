"""Curves from a confidence to the share of such answers that is right, learned where it is known what is right.

Two are tried: isotonic regression by pooling adjacent violators (Zadrozny & Elkan 2002; Robertson, Wright & Dykstra
1988, chapter 1) and a sigmoid of the confidence with smoothed targets (Platt 1999; Newton's method as in Lin, Lin &
Weng 2007). Which one is used is decided by the Brier score of answers that the curve was not learned from, in five
folds of whole articles; the curve then learns from all. Where neither beats the raw confidences, or there are too few
answers to learn from, there is none.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evaluation.measures.columns import Booleans, Floats, Integers

FOLDS = 5
# With fewer answers, or fewer of them right or wrong, a curve says more of chance than of the server.
FEWEST, FEWEST_EACH = 50, 10
# A sigmoid is kept as points on it this far apart: lines between them leave it by less than 0.001 unless it is a step.
SIGMOID_AT = np.linspace(0.0, 1.0, 101)


class Way(StrEnum):
    ISOTONIC = "isotonic"
    PLATT = "platt"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Curve:
    """Lines between points: confidences rising strictly, shares in [0, 1] never falling. Level outside of them."""

    confidences: Floats
    shares: Floats

    def at(self, confidence: Floats) -> Floats:
        """The calibrated confidences, float [n] in [0, 1]. Cost: n log of the number of points."""
        return np.interp(confidence, self.confidences, self.shares)


@dataclass(frozen=True, slots=True)
class Losses:
    """What confidences are worth; lower is better."""

    brier: float
    log_loss: float


@dataclass(frozen=True, slots=True)
class Fitted:
    """The curve chosen, None with the reason why there is none, and what it is worth on answers it did not see.

    number, right: how many answers, and right ones; raw: of the confidences as they are, None without an answer;
    by_curve: of those given by curves that did not see the answers, None without a curve; held_out: float [answers],
    these confidences (the raw ones without a curve).
    """

    way: Way
    why_none: str
    curve: Curve | None
    number: int
    right: int
    raw: Losses | None
    by_curve: Losses | None
    held_out: Floats


def fitted(confidence: Floats, right: Booleans, article: Integers) -> Fitted:
    """The better of the two curves for the answers of one server in one kind.

    confidence: float [answers] in (0, 1]; right: bool [answers]; article: int [answers], any numbers. Folds are dealt
    by the order of the articles' numbers, so that the same answers always give the same curve.
    """
    fold = np.unique(article, return_inverse=True)[1] % FOLDS
    if reason := too_little(right, fold):
        return unfitted(reason, confidence, right)
    tried = {way: held_out(fit, confidence, right, fold) for way, fit in FITS.items()}
    way = min(tried, key=lambda way: brier(tried[way], right))
    if brier(tried[way], right) >= brier(confidence, right):
        reason = "The confidences as they are say better how often this server is right than either curve does."
        return unfitted(reason, confidence, right)
    curve = FITS[way](confidence, right)
    raw, by_curve = losses(confidence, right), losses(tried[way], right)
    return Fitted(way, "", curve, len(right), int(right.sum()), raw, by_curve, tried[way])


def unfitted(reason: str, confidence: Floats, right: Booleans) -> Fitted:
    raw = losses(confidence, right) if len(right) else None
    return Fitted(Way.NONE, reason, None, len(right), int(right.sum()), raw, None, confidence)


def too_little(right: Booleans, fold: Integers) -> str:
    """Why nothing can be learned from these answers; empty when something can."""
    if reason := too_few(len(right), int(right.sum())):
        return reason
    if not learnable(right, fold):
        return f"All right or all wrong answers are in one of {FOLDS} parts of the articles: more articles are needed."
    return ""


def too_few(number: int, correct: int) -> str:
    """Why so many answers are too few to learn from; empty when they are enough."""
    if number >= FEWEST and min(correct, number - correct) >= FEWEST_EACH:
        return ""
    return (
        f"{number} answers with a confidence, {correct} of them right, are too few to learn from: it takes {FEWEST}, "
        f"with {FEWEST_EACH} right and {FEWEST_EACH} wrong ones."
    )


def learnable(right: Booleans, fold: Integers) -> bool:
    """Whether the answers outside of each fold are right and wrong ones."""
    outside = [right[fold != part] for part in range(FOLDS)]
    return all(own.any() and not own.all() for own in outside)


def held_out(fit: Callable[[Floats, Booleans], Curve], confidence: Floats, right: Booleans, fold: Integers) -> Floats:
    """Each answer's confidence by the curve learned from the other folds."""
    given = np.empty(len(confidence))
    for part in range(FOLDS):
        inside = fold == part
        given[inside] = fit(confidence[~inside], right[~inside]).at(confidence[inside])
    return given


def brier(confidence: Floats, right: Booleans) -> float:
    """The mean squared distance of confidences from what was right (Brier 1950); lower is better."""
    return float(np.mean((confidence - right) ** 2))


def log_loss(confidence: Floats, right: Booleans) -> float:
    """The mean negative logarithm of what was given to what was right, in nats, confidences kept off 0 and 1."""
    least = float(np.finfo(np.float64).eps)
    sure = np.clip(confidence, least, 1 - least)
    return float(-np.mean(np.where(right, np.log(sure), np.log1p(-sure))))


def losses(confidence: Floats, right: Booleans) -> Losses:
    return Losses(brier(confidence, right), log_loss(confidence, right))


def isotonic(confidence: Floats, right: Booleans) -> Curve:
    """The shares that never fall with the confidence and are nearest to what was right, by least squares.

    Answers of one confidence count together. Each block of equal shares is kept as its first and last confidence.
    """
    level, place, number = np.unique(confidence, return_inverse=True, return_counts=True)
    pooled = pool(np.bincount(place, weights=right) / number, number)
    shares = np.repeat([share for share, _ in pooled], [length for _, length in pooled])
    same = shares[1:] == shares[:-1]
    kept = ~(np.r_[False, same] & np.r_[same, False])
    return Curve(level[kept], shares[kept])


def pool(shares: Floats, weights: Integers) -> list[tuple[float, int]]:
    """(share, how many neighbours have it) of the never falling sequence nearest to shares. Cost: linear."""
    blocks: list[tuple[float, float, int]] = []
    for share, weight in zip(shares.tolist(), weights.tolist(), strict=True):
        block = (share * weight, float(weight), 1)
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            before = blocks.pop()
            block = (before[0] + block[0], before[1] + block[1], before[2] + block[2])
        blocks.append(block)
    return [(total / weight, length) for total, weight, length in blocks]


def platt(confidence: Floats, right: Booleans) -> Curve:
    """1 / (1 + exp(a confidence + b)), a <= 0, as points on it; a rising server has a < 0, one that falls is level."""
    a, b = sigmoid(confidence, right)
    if a > 0:
        return Curve(np.array([0.0, 1.0]), np.full(2, right.mean()))
    return Curve(SIGMOID_AT, probability(a * SIGMOID_AT + b))


def sigmoid(confidence: Floats, right: Booleans, steps: int = 100) -> tuple[float, float]:
    """(a, b) of Platt's sigmoid, with targets (r + 1) / (r + 2) for r right and 1 / (w + 2) for w wrong answers.

    Newton's method with halved steps; stops when the gradient is under 1e-10 of the number of answers.
    """
    r, w = int(right.sum()), int((~right).sum())
    target = np.where(right, (r + 1) / (r + 2), 1 / (w + 2))
    at = np.array([0.0, np.log((w + 1) / (r + 1))])
    for _ in range(steps):
        p = probability(at[0] * confidence + at[1])
        gradient = np.array([np.dot(target - p, confidence), np.sum(target - p)])
        if np.abs(gradient).max() < 1e-10 * len(right):
            break
        weight = p * (1 - p)
        curvature = np.array(
            [[np.dot(weight, confidence**2), np.dot(weight, confidence)], [np.dot(weight, confidence), weight.sum()]]
        )
        step = -np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        at = descended(at, step, float(gradient @ step), confidence, target)
    return float(at[0]), float(at[1])


def descended(at: Floats, step: Floats, slope: float, confidence: Floats, target: Floats) -> Floats:
    """As far along the step as the loss falls enough, halving it; where it began when the least is too far."""
    now, length = loss(at, confidence, target), 1.0
    while length > 1e-10:
        if loss(at + length * step, confidence, target) <= now + 1e-4 * length * slope:
            return at + length * step
        length /= 2
    return at


def loss(at: Floats, confidence: Floats, target: Floats) -> float:
    """The cross entropy of the sigmoid with the targets, without overflow."""
    f = at[0] * confidence + at[1]
    return float(np.sum(np.logaddexp(0.0, f) - (1 - target) * f))


def probability(f: Floats) -> Floats:
    """1 / (1 + exp(f)), without overflow."""
    return np.exp(-np.logaddexp(0.0, f))


FITS: dict[Way, Callable[[Floats, Booleans], Curve]] = {Way.ISOTONIC: isotonic, Way.PLATT: platt}


def knots_of(curve: Curve | None) -> list[list[float]]:
    """[[confidence, share], ...] of a curve, [] of none."""
    return [] if curve is None else np.column_stack([curve.confidences, curve.shares]).tolist()


class Knots:
    """A curve as it is stored, read off at one confidence after the other, without numpy: pages show few of them."""

    def __init__(self, knots: Sequence[Sequence[float]]) -> None:
        """knots: at least one [confidence, share], by confidence."""
        self._confidences = [confidence for confidence, _ in knots]
        self._shares = [share for _, share in knots]

    def at(self, confidence: float) -> float:
        """The calibrated confidence, in [0, 1], as the curve's own at gives it."""
        above = bisect_right(self._confidences, confidence)
        if above in (0, len(self._confidences)):
            return self._shares[min(above, len(self._shares) - 1)]
        (low, high), (share, other) = (own[above - 1 : above + 1] for own in (self._confidences, self._shares))
        return share + (other - share) * (confidence - low) / (high - low)

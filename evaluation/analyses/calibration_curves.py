"""Calibration curves, which map a confidence to the share of correct answers, learned from a gold standard.

Two are tried: isotonic regression by pooling adjacent violators (Zadrozny & Elkan 2002; Robertson, Wright & Dykstra
1988, chapter 1) and a sigmoid of the confidence with smoothed targets (Platt 1999; Newton's method as in Lin, Lin &
Weng 2007). The one with the better Brier score on held-out answers, in five folds of whole articles, is then learned
from all answers. When neither beats the raw confidences, or there are too few answers, there is no curve.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evaluation.measures.columns import Booleans, Floats, Integers

CALIBRATION_FOLDS = 5
# With fewer answers, or fewer correct or wrong ones, a curve reflects chance more than the server.
MIN_ANSWERS, MIN_ANSWERS_PER_CLASS = 50, 10
# A sigmoid is stored as these points; lines between them differ from it by less than 0.001 unless it is a step.
SIGMOID_POINTS = np.linspace(0.0, 1.0, 101)


class CalibrationMethod(StrEnum):
    ISOTONIC = "isotonic"
    PLATT = "platt"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class CalibrationCurve:
    """Lines between points: confidences rise strictly, shares in [0, 1] never fall. Constant beyond the end points."""

    confidences: Floats
    shares: Floats

    def calibrate(self, confidence: Floats) -> Floats:
        """The calibrated confidences, float [n] in [0, 1]."""
        return np.interp(confidence, self.confidences, self.shares)


@dataclass(frozen=True, slots=True)
class ConfidenceLosses:
    """Scores of confidences against correctness; lower is better."""

    brier: float
    log_loss: float


@dataclass(frozen=True, slots=True)
class CalibrationFit:
    """The chosen curve, or None with the reason in why_none, and its losses on held-out answers.

    raw_losses: those of the raw confidences, None without an answer; held_out_confidences: float [answers], each given
    by a curve that was not learned from the answer (the raw ones without a curve); held_out_losses: theirs, None
    without a curve.
    """

    method: CalibrationMethod
    why_none: str
    curve: CalibrationCurve | None
    answer_count: int
    correct_count: int
    raw_losses: ConfidenceLosses | None
    held_out_losses: ConfidenceLosses | None
    held_out_confidences: Floats


def fit_calibration_if_better_than_raw_confidences(
    confidence: Floats, is_correct: Booleans, article_of_each_answer: Integers
) -> CalibrationFit:
    """Fit the better of the two curves to the answers of one server in one kind of annotation.

    confidence: float [answers] in (0, 1]; is_correct: bool [answers]; article_of_each_answer: int [answers], any
    numbers. Folds are assigned in the order of the articles' numbers, so the same answers always give the same curve.
    """
    fold = np.unique(article_of_each_answer, return_inverse=True)[1] % CALIBRATION_FOLDS
    if reason := _explain_unlearnable_answers(is_correct, fold):
        return _reject_calibration(reason, confidence, is_correct)
    held_out = {
        method: _calibrate_held_out_folds(fit, confidence, is_correct, fold) for method, fit in FIT_FUNCTIONS.items()
    }
    method = min(held_out, key=lambda method: brier_score(held_out[method], is_correct))
    if brier_score(held_out[method], is_correct) >= brier_score(confidence, is_correct):
        reason = "The raw confidences predict how often this server is right better than either curve."
        return _reject_calibration(reason, confidence, is_correct)
    curve = FIT_FUNCTIONS[method](confidence, is_correct)
    raw_losses, held_out_losses = _compute_losses(confidence, is_correct), _compute_losses(held_out[method], is_correct)
    return CalibrationFit(
        method, "", curve, len(is_correct), int(is_correct.sum()), raw_losses, held_out_losses, held_out[method]
    )


def _reject_calibration(reason: str, confidence: Floats, is_correct: Booleans) -> CalibrationFit:
    raw_losses = _compute_losses(confidence, is_correct) if len(is_correct) else None
    return CalibrationFit(
        CalibrationMethod.NONE, reason, None, len(is_correct), int(is_correct.sum()), raw_losses, None, confidence
    )


def _explain_unlearnable_answers(is_correct: Booleans, fold: Integers) -> str:
    """Why no curve can be learned from these answers; "" when one can."""
    if reason := _explain_too_few_answers(len(is_correct), int(is_correct.sum())):
        return reason
    if not _has_both_classes_outside_folds(is_correct, fold):
        return (
            f"All correct or all wrong answers are in one of {CALIBRATION_FOLDS} parts of the articles: more articles "
            "are needed."
        )
    return ""


def _explain_too_few_answers(number: int, correct: int) -> str:
    """Why this number of answers is too small to learn from; "" when it is large enough."""
    if number >= MIN_ANSWERS and min(correct, number - correct) >= MIN_ANSWERS_PER_CLASS:
        return ""
    return (
        f"{number} answers with a confidence, {correct} of them correct, are too few. Calibration needs at least "
        f"{MIN_ANSWERS}, with {MIN_ANSWERS_PER_CLASS} correct and {MIN_ANSWERS_PER_CLASS} wrong ones."
    )


def _has_both_classes_outside_folds(is_correct: Booleans, fold: Integers) -> bool:
    """Whether the answers outside each fold include both correct and wrong ones."""
    training_parts = [is_correct[fold != part] for part in range(CALIBRATION_FOLDS)]
    return all(training.any() and not training.all() for training in training_parts)


def _calibrate_held_out_folds(
    fit: Callable[[Floats, Booleans], CalibrationCurve], confidence: Floats, is_correct: Booleans, fold: Integers
) -> Floats:
    """float [answers]: each answer's confidence by the curve learned from the other folds."""
    calibrated = np.empty(len(confidence))
    for part in range(CALIBRATION_FOLDS):
        in_fold = fold == part
        calibrated[in_fold] = fit(confidence[~in_fold], is_correct[~in_fold]).calibrate(confidence[in_fold])
    return calibrated


def brier_score(confidence: Floats, is_correct: Booleans) -> float:
    """The mean squared distance of confidences from 1 for correct and 0 for wrong answers (Brier 1950)."""
    return float(np.mean((confidence - is_correct) ** 2))


def log_loss(confidence: Floats, is_correct: Booleans) -> float:
    """The mean negative log likelihood in nats; confidences are kept away from 0 and 1."""
    epsilon = float(np.finfo(np.float64).eps)
    clipped = np.clip(confidence, epsilon, 1 - epsilon)
    return float(-np.mean(np.where(is_correct, np.log(clipped), np.log1p(-clipped))))


def _compute_losses(confidence: Floats, is_correct: Booleans) -> ConfidenceLosses:
    return ConfidenceLosses(brier_score(confidence, is_correct), log_loss(confidence, is_correct))


def fit_isotonic(confidence: Floats, is_correct: Booleans) -> CalibrationCurve:
    """Isotonic regression: the never falling shares with the least squared distance from correctness.

    Answers with equal confidences are pooled. Each block of equal shares is stored as its first and last confidence.
    """
    level, level_index, answer_counts = np.unique(confidence, return_inverse=True, return_counts=True)
    pooled = _pool_adjacent_violators(np.bincount(level_index, weights=is_correct) / answer_counts, answer_counts)
    shares = np.repeat([share for share, _ in pooled], [length for _, length in pooled])
    is_repeated = shares[1:] == shares[:-1]
    kept = ~(np.r_[False, is_repeated] & np.r_[is_repeated, False])
    return CalibrationCurve(level[kept], shares[kept])


def _pool_adjacent_violators(shares: Floats, weights: Integers) -> list[tuple[float, int]]:
    """The never falling sequence nearest to shares, as (share, length of its block). Linear time."""
    blocks: list[tuple[float, float, int]] = []
    for share, weight in zip(shares.tolist(), weights.tolist(), strict=True):
        block = (share * weight, float(weight), 1)
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            before = blocks.pop()
            block = (before[0] + block[0], before[1] + block[1], before[2] + block[2])
        blocks.append(block)
    return [(total / weight, length) for total, weight, length in blocks]


def fit_platt_or_constant_if_falling(confidence: Floats, is_correct: Booleans) -> CalibrationCurve:
    """1 / (1 + exp(a confidence + b)) as points on it; a constant if correctness falls with confidence (a > 0)."""
    a, b = fit_platt_sigmoid_parameters(confidence, is_correct)
    if a > 0:
        return CalibrationCurve(np.array([0.0, 1.0]), np.full(2, is_correct.mean()))
    return CalibrationCurve(SIGMOID_POINTS, falling_logistic(a * SIGMOID_POINTS + b))


def fit_platt_sigmoid_parameters(
    confidence: Floats, is_correct: Booleans, max_newton_steps: int = 100
) -> tuple[float, float]:
    """(a, b) of Platt's sigmoid, with targets (r + 1) / (r + 2) for r correct and 1 / (w + 2) for w wrong answers.

    Newton's method with halved steps; stops when the gradient is below 1e-10 times the number of answers.
    """
    r, w = int(is_correct.sum()), int((~is_correct).sum())
    target = np.where(is_correct, (r + 1) / (r + 2), 1 / (w + 2))
    parameters = np.array([0.0, np.log((w + 1) / (r + 1))])
    for _ in range(max_newton_steps):
        p = falling_logistic(parameters[0] * confidence + parameters[1])
        gradient = np.array([np.dot(target - p, confidence), np.sum(target - p)])
        if np.abs(gradient).max() < 1e-10 * len(is_correct):
            break
        weight = p * (1 - p)
        curvature = np.array(
            [[np.dot(weight, confidence**2), np.dot(weight, confidence)], [np.dot(weight, confidence), weight.sum()]]
        )
        step = -np.linalg.lstsq(curvature, gradient, rcond=None)[0]
        parameters = _backtrack_newton_step(parameters, step, float(gradient @ step), confidence, target)
    return float(parameters[0]), float(parameters[1])


def _backtrack_newton_step(
    parameters: Floats, step: Floats, slope: float, confidence: Floats, target: Floats
) -> Floats:
    """Halve the step until the loss falls enough; return the starting point when even the shortest step fails."""
    loss, length = _cross_entropy(parameters, confidence, target), 1.0
    while length > 1e-10:
        if _cross_entropy(parameters + length * step, confidence, target) <= loss + 1e-4 * length * slope:
            return parameters + length * step
        length /= 2
    return parameters


def _cross_entropy(parameters: Floats, confidence: Floats, target: Floats) -> float:
    """The cross entropy of the sigmoid with the targets, without overflow."""
    f = parameters[0] * confidence + parameters[1]
    return float(np.sum(np.logaddexp(0.0, f) - (1 - target) * f))


def falling_logistic(f: Floats) -> Floats:
    """1 / (1 + exp(f)), without overflow."""
    return np.exp(-np.logaddexp(0.0, f))


FIT_FUNCTIONS: dict[CalibrationMethod, Callable[[Floats, Booleans], CalibrationCurve]] = {
    CalibrationMethod.ISOTONIC: fit_isotonic,
    CalibrationMethod.PLATT: fit_platt_or_constant_if_falling,
}


def list_curve_knots(curve: CalibrationCurve | None) -> list[list[float]]:
    """[[confidence, share], ...] of a curve, [] for None."""
    return [] if curve is None else np.column_stack([curve.confidences, curve.shares]).tolist()


class CalibrationKnots:
    """A stored curve, evaluated for single confidences without numpy, as pages show only a few."""

    def __init__(self, knots: Sequence[Sequence[float]]) -> None:
        """knots: at least one [confidence, share], by confidence."""
        self._confidences = [confidence for confidence, _ in knots]
        self._shares = [share for _, share in knots]

    @property
    def number(self) -> int:
        """The number of knots."""
        return len(self._shares)

    def calibrate(self, confidence: float) -> float:
        """The calibrated confidence in [0, 1], as CalibrationCurve.calibrate computes it."""
        above = bisect_right(self._confidences, confidence)
        if above in (0, len(self._confidences)):
            return self._shares[min(above, len(self._shares) - 1)]
        (low, high), (share, next_share) = (
            values[above - 1 : above + 1] for values in (self._confidences, self._shares)
        )
        return share + (next_share - share) * (confidence - low) / (high - low)

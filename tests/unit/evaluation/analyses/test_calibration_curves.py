"""Curves from confidences to shares that are right: scikit-learn's, by hand, and chosen by what they are worth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.analyses.calibration_curves import (
    CalibrationKnots,
    CalibrationMethod,
    brier_score,
    falling_logistic,
    fit_calibration_if_better_than_raw_confidences,
    fit_isotonic,
    fit_platt_or_constant_if_falling,
    fit_platt_sigmoid_parameters,
    list_curve_knots,
    log_loss,
)


def arrays(answers):
    confidence, right = zip(*answers, strict=True)
    return np.array(confidence, dtype=np.float64), np.array(right, dtype=np.bool_)


CONFIDENCES = st.integers(1, 100).map(lambda hundredths: hundredths / 100)
ANSWERS = st.lists(st.tuples(CONFIDENCES, st.booleans()), min_size=1, max_size=60).map(arrays)
MIXED = ANSWERS.filter(lambda answers: 0 < answers[1].sum() < len(answers[1]))


def test_it_pools_neighbours_that_fall():
    # 0.2 is right once, 0.4 and 0.6 pool to 1 of 3, which is under it: all pool to 2 of 4; 0.8 is right.
    answers = arrays([(0.2, True), (0.4, False), (0.4, True), (0.6, False), (0.8, True)])
    assert list_curve_knots(fit_isotonic(*answers)) == [[0.2, 0.5], [0.6, 0.5], [0.8, 1.0]]


@settings(deadline=None)
@given(ANSWERS)
def test_it_gives_the_isotonic_regression_of_scikit_learn(answers):
    from sklearn.isotonic import IsotonicRegression

    confidence, right = answers
    theirs = IsotonicRegression(out_of_bounds="clip").fit(confidence, right.astype(float))
    at = np.linspace(0, 1, 301)
    assert fit_isotonic(*answers).calibrate(at) == pytest.approx(theirs.predict(at))


@settings(deadline=None)
@given(ANSWERS)
def test_its_curves_never_fall_and_stay_between_0_and_1(answers):
    at = np.linspace(0, 1, 101)
    for fit in (fit_isotonic, fit_platt_or_constant_if_falling):
        shares = fit(*answers).calibrate(at)
        # Between two equal knots the last digit may differ.
        assert (np.diff(shares) >= -1e-15).all()
        assert shares.min() >= 0
        assert shares.max() <= 1


@settings(deadline=None, max_examples=50)
@given(MIXED)
def test_it_gives_the_sigmoid_of_scikit_learn(answers):
    """Theirs stops sooner, so that the curves are compared and not their two numbers."""
    from sklearn.calibration import _SigmoidCalibration

    confidence, right = answers
    theirs = _SigmoidCalibration().fit(confidence, right)
    a, b = fit_platt_sigmoid_parameters(confidence, right)
    assert falling_logistic(a * confidence + b) == pytest.approx(theirs.predict(confidence), abs=2e-3)


@settings(deadline=None)
@given(MIXED)
def test_its_sigmoid_is_the_best_one(answers):
    """At the least loss the gradient is zero: the mean of what is given is the mean of the targets."""
    confidence, right = answers
    a, b = fit_platt_sigmoid_parameters(confidence, right)
    r, w = right.sum(), (~right).sum()
    target = np.where(right, (r + 1) / (r + 2), 1 / (w + 2))
    given = falling_logistic(a * confidence + b)
    assert given.sum() == pytest.approx(target.sum(), abs=1e-5)
    assert (given * confidence).sum() == pytest.approx((target * confidence).sum(), abs=1e-5)


def test_it_makes_no_curve_of_confidences_that_fall():
    """The less sure this server is the more it is right: its sigmoid says what share is right, whatever it says."""
    answers = arrays([(0.1, True)] * 9 + [(0.9, False)] * 9 + [(0.9, True)] * 2)
    assert fit_platt_or_constant_if_falling(*answers).calibrate(np.array([0.1, 0.5, 0.9])).tolist() == pytest.approx(
        [0.55] * 3
    )


def test_it_survives_certainty():
    answers = arrays([(0.2, False)] * 30 + [(0.9, True)] * 30)
    low, high = fit_platt_or_constant_if_falling(*answers).calibrate(np.array([0.2, 0.9]))
    assert low < 0.1
    assert high > 0.9


@settings(deadline=None, max_examples=50)
@given(ANSWERS)
def test_it_gives_the_losses_of_scikit_learn(answers):
    from sklearn.metrics import brier_score_loss
    from sklearn.metrics import log_loss as their_log_loss

    confidence, right = answers
    assert brier_score(confidence, right) == pytest.approx(brier_score_loss(right, confidence, pos_label=True))
    assert log_loss(confidence, right) == pytest.approx(their_log_loss(right, confidence, labels=[False, True]))


def overconfident(number, share=0.5):
    """Answers of confidence 0.9, of which half are right, and of 0.3, of which a tenth is, over as many articles."""
    sure = [(0.9, place < share * number) for place in range(number)]
    unsure = [(0.3, place < 0.1 * number) for place in range(number)]
    return (*arrays(sure + unsure), np.array([*range(number), *range(number)]))


def test_it_mends_confidences_that_are_too_high():
    found = fit_calibration_if_better_than_raw_confidences(*overconfident(200))
    assert (found.method, found.why_none, found.answer_count, found.correct_count) == (
        CalibrationMethod.ISOTONIC,
        "",
        400,
        120,
    )
    assert found.curve.calibrate(np.array([0.3, 0.9])) == pytest.approx([0.1, 0.5], abs=0.01)
    # Half of the squares of 0.2 and 0.3 off a share are left: 0.3 of 0.1 and 0.9 of 0.5.
    assert found.raw_losses.brier == pytest.approx((0.1 * 0.9 + 0.2**2 + 0.25 + 0.4**2) / 2)
    assert found.held_out_losses.brier < 0.18
    assert found.held_out_losses.log_loss < found.raw_losses.log_loss


def test_it_takes_the_curve_that_is_better_on_answers_it_did_not_see():
    """Steps that no sigmoid can follow; and answers along a sigmoid, too few for as many levels as they have."""
    confidence, place = np.repeat([0.5, 0.6, 0.9, 1.0], 100), np.tile(np.arange(100), 4)
    steps = fit_calibration_if_better_than_raw_confidences(
        confidence, place // 10 < np.repeat([1, 5, 5, 9], 100), place
    )
    assert steps.method == CalibrationMethod.ISOTONIC
    assert steps.curve.calibrate(np.array([0.5, 0.7, 1.0])).tolist() == pytest.approx([0.1, 0.5, 0.9])
    confidence = np.arange(1, 101) / 100
    right = np.array([place * 0.618 % 1 < 1 / (1 + np.exp(6 - 9 * sure)) for place, sure in enumerate(confidence)])
    found = fit_calibration_if_better_than_raw_confidences(confidence, right, np.arange(100) * 37 % 101)
    assert found.method == CalibrationMethod.PLATT
    assert found.held_out_losses.brier == pytest.approx(brier_score(found.held_out_confidences, right))


def test_it_leaves_confidences_that_are_right():
    confidence = np.repeat([0.2, 0.8], 100)
    right = np.array([place % 10 < 2 for place in range(100)] + [place % 10 < 8 for place in range(100)])
    found = fit_calibration_if_better_than_raw_confidences(confidence, right, np.arange(200))
    assert (found.method, found.curve, found.held_out_losses) == (CalibrationMethod.NONE, None, None)
    assert "raw confidences" in found.why_none
    assert found.held_out_confidences is confidence


@pytest.mark.parametrize(
    ("number", "correct", "words"),
    [(0, 0, "0 answers"), (49, 20, "49 answers"), (60, 9, "9 of them correct"), (60, 51, "51 of them correct")],
)
def test_it_learns_nothing_from_too_few_answers(number, correct, words):
    confidence, right = np.full(number, 0.5), np.arange(number) < correct
    found = fit_calibration_if_better_than_raw_confidences(confidence, right, np.arange(number))
    assert (found.method, found.curve) == (CalibrationMethod.NONE, None)
    assert found.answer_count == number
    assert words in found.why_none
    assert (found.raw_losses is None) == (number == 0)


def test_it_learns_nothing_from_one_article():
    confidence, right, _ = overconfident(50)
    found = fit_calibration_if_better_than_raw_confidences(confidence, right, np.zeros(100, dtype=np.int64))
    assert (found.method, "more articles" in found.why_none) == (CalibrationMethod.NONE, True)


def test_the_same_answers_give_the_same_curve_in_any_order():
    confidence, right, article = overconfident(60)
    curve, turned = (
        fit_calibration_if_better_than_raw_confidences(confidence, right, article).curve,
        fit_calibration_if_better_than_raw_confidences(confidence[::-1], right[::-1], article[::-1]).curve,
    )
    assert turned.confidences.tolist() == curve.confidences.tolist()
    assert turned.shares == pytest.approx(curve.shares)


def test_it_keeps_curves_as_points():
    curve = fit_platt_or_constant_if_falling(*overconfident(50)[:2])
    at = np.linspace(0, 1, 50)
    again = CalibrationKnots(list_curve_knots(curve))
    assert [again.calibrate(each) for each in at.tolist()] == pytest.approx(curve.calibrate(at).tolist())
    assert list_curve_knots(None) == []


@given(ANSWERS)
def test_it_reads_off_one_confidence_as_it_does_many(answers):
    curve = fit_isotonic(*answers)
    at = [0.0, 0.005, *answers[0].tolist(), 0.333, 1.0]
    assert [CalibrationKnots(list_curve_knots(curve)).calibrate(each) for each in at] == pytest.approx(
        curve.calibrate(np.array(at)).tolist()
    )

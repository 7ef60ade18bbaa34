from math import isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures import confusion_counts
from evaluation.measures.confusion_counts import (
    ConfusionCounts,
    accuracy,
    f_score,
    fall_out,
    mcc,
    negative_precision,
    precision,
    recall,
    sensitivity,
    specificity,
)
from tests.reference import labelled

GOLD = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
CALLED = [1, 0, 0, 1, 1, 0, 1, 0, 0, 0]
TABLE = ConfusionCounts(tp=2, fp=2, fn=2, tn=4)

small = st.integers(0, 40)
tables = st.builds(ConfusionCounts, tp=small, fp=small, fn=small, tn=small)


def test_it_agrees_with_scikit_learn():
    from sklearn.metrics import accuracy_score, f1_score, fbeta_score, matthews_corrcoef, precision_score, recall_score

    assert mcc(TABLE) == pytest.approx(matthews_corrcoef(GOLD, CALLED), abs=1e-15)
    assert accuracy(TABLE) == accuracy_score(GOLD, CALLED)
    assert precision(TABLE) == precision_score(GOLD, CALLED)
    assert recall(TABLE) == sensitivity(TABLE) == recall_score(GOLD, CALLED)
    assert specificity(TABLE) == recall_score(GOLD, CALLED, pos_label=0)
    assert negative_precision(TABLE) == precision_score(GOLD, CALLED, pos_label=0)
    both = precision(TABLE), recall(TABLE)
    assert f_score(*both) == pytest.approx(f1_score(GOLD, CALLED), abs=1e-15)
    assert f_score(*both, beta=2) == pytest.approx(fbeta_score(GOLD, CALLED, beta=2), abs=1e-15)


def test_it_gives_the_mcc_worked_by_hand():
    assert mcc(TABLE) == pytest.approx(1 / 6, abs=1e-15)


def test_it_gives_the_published_accuracy_and_mcc():
    # Sensitivity 0.86095 of 338 relevant articles and specificity 0.64602 of 339 others (BioCreative II).
    published = ConfusionCounts(tp=291, fn=47, tn=219, fp=120)
    assert round(sensitivity(published), 5) == 0.86095
    assert round(specificity(published), 5) == 0.64602
    assert round(accuracy(published), 5) == 0.75332
    assert round(mcc(published), 5) == 0.51901


@pytest.mark.parametrize(
    ("figure", "counts"),
    [
        (precision, ConfusionCounts(fn=3, tn=1)),
        (recall, ConfusionCounts(fp=3, tn=1)),
        (specificity, ConfusionCounts(tp=3, fn=1)),
        (fall_out, ConfusionCounts(tp=3, fn=1)),
        (negative_precision, ConfusionCounts(tp=3, fp=1)),
        (accuracy, ConfusionCounts()),
        (mcc, ConfusionCounts(tp=3, fn=1)),
        (mcc, ConfusionCounts(tp=3, fp=1)),
        (mcc, ConfusionCounts(fn=3, tn=1)),
        (mcc, ConfusionCounts(fp=3, tn=1)),
    ],
)
def test_it_lets_the_caller_say_what_nothing_by_nothing_means(figure, counts):
    assert figure(counts) == 0
    assert isnan(figure(counts, undefined=nan))


def test_it_calls_f_undefined_when_precision_and_recall_are_0():
    assert isnan(f_score(0, 0, undefined=nan))


def test_it_adds_counts():
    assert ConfusionCounts(1, 2, 3, 4) + ConfusionCounts(10, 20, 30, 40) == ConfusionCounts(11, 22, 33, 44)


@given(tables)
def test_it_stays_within_bounds(table):
    for figure in (precision, recall, specificity, negative_precision, accuracy):
        assert 0 <= figure(table) <= 1
    assert -1 - 1e-12 <= mcc(table) <= 1 + 1e-12


@given(tables)
def test_it_gives_the_same_mcc_when_classes_are_exchanged(table):
    assert mcc(table) == pytest.approx(mcc(ConfusionCounts(table.tn, table.fn, table.fp, table.tp)), abs=1e-12)


LABELLED = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=30)


@given(LABELLED, st.floats(0.1, 10))
def test_it_agrees_with_the_slow_version(pairs, beta):
    truth, calls = [a for a, _ in pairs], [b for _, b in pairs]
    table = ConfusionCounts(
        *(pairs.count(cell) for cell in [(True, True), (False, True), (True, False), (False, False)])
    )
    theirs = labelled.figures(truth, calls, beta)
    ours = {name: getattr(confusion_counts, name)(table) for name in theirs if name != "f_measure"}
    if "f_measure" in theirs:
        ours["f_measure"] = f_score(precision(table), recall(table), beta)
    assert ours == pytest.approx(theirs, abs=1e-12)

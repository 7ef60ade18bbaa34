"""Labels of articles: which count, and the figures compared with scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.schema import AnnotationData, Kind, make_label
from evaluation.analyses.tables.count_tables import build_label_table, compute_count_figures
from evaluation.measures.items.labels import count_labels
from evaluation.measures.task_settings import LabelSet

TOPICS = LabelSet("topic", ("a", "b", "c"), several=True)


def label(*values, name="topic"):
    return [make_label(name, value) for value in values]


def compute(gold, run, label_set=TOPICS):
    return compute_count_figures(build_label_table(count_labels(gold, run, label_set)))


def test_it_counts_hits_predictions_and_gold_labels_of_each_value():
    counts = count_labels({"1": label("a", "b"), "2": label("c")}, {"1": label("b", "c"), "3": label("a")}, TOPICS)
    assert counts.values == ["a", "b", "c"]
    assert counts.counts.sum(axis=0).tolist() == [[0, 0, 1], [1, 1, 1], [0, 1, 1], [0, 0, 0]]


def test_it_counts_labels_of_the_set_alone():
    assert compute({"1": label("a")}, {"1": label("a") + label("b", name="other")})["micro.fp"] == 0


def test_it_counts_values_that_the_set_does_not_have_as_wrong_without_a_mean_of_their_own():
    figures = compute({"1": label("a")}, {"1": label("a", "z")}, LabelSet("topic", ("a",)))
    assert (figures["micro.fp"], figures["macro.f1"], figures["instance_f1"]) == (1, 1, 2 / 3)


def test_it_takes_the_values_of_the_gold_standard_without_a_set():
    counts = count_labels({"1": label("b"), "2": label("a")}, {}, None)
    assert counts.values == ["topic: a", "topic: b"]
    assert count_labels({"1": label("b"), "2": label("a")}, {}, LabelSet("Topic")).values == ["a", "b"]


def test_it_reads_classifications_as_labels():
    calls = [AnnotationData(Kind.CLASSIFICATION, relevant=True)]
    assert compute({"1": calls}, {"1": calls}, LabelSet("relevance"))["micro.f1"] == 1


def test_it_gives_zero_without_anything_to_count():
    assert set(compute({"1": []}, {"1": []}).values()) == {0}
    assert set(compute({}, {}, LabelSet("topic")).values()) == {0}


LABELS = st.lists(st.tuples(*[st.sets(st.sampled_from("abc"))] * 2), min_size=1, max_size=8)


@given(LABELS)
def test_its_figures_are_those_of_scikit_learn(articles):
    from sklearn.metrics import f1_score, precision_score, recall_score

    gold, run = ({str(number): label(*sorted(pair[side])) for number, pair in enumerate(articles)} for side in (0, 1))
    ours = compute(gold, run)
    matrices = [np.array([[value in pair[side] for value in "abc"] for pair in articles]) for side in (0, 1)]
    for average in ("micro", "macro"):
        for name, function in {"precision": precision_score, "recall": recall_score, "f1": f1_score}.items():
            theirs = function(*matrices, average=average, zero_division=0)
            assert ours[f"{average}.{name}"] == pytest.approx(theirs)
    assert ours["instance_f1"] == pytest.approx(f1_score(*matrices, average="samples", zero_division=0))

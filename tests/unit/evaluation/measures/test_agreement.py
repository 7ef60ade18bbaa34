"""Agreement of annotators: scikit-learn's kappa, Fleiss' own example, and producers of identifiers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.agreement import (
    PairwiseAgreement,
    cohen_kappa,
    compute_agreement_of_two_labellings,
    count_shared_article_items_by_presence,
    fleiss_kappa,
    joint_probability_of_agreement,
    pairwise_agreement_on_shared_articles,
    pairwise_agreement_without_kappa_for_two,
)
from tests.reference import labelled, other_measures

LABELS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=20)
# Fleiss (1971): ten subjects, fourteen raters, five categories.
FLEISS = """
0 0 0 0 14
0 2 6 4 2
0 0 3 5 6
0 3 9 2 0
2 2 8 1 1
7 7 0 0 0
3 2 6 3 0
2 5 3 2 2
6 5 2 1 0
0 2 2 3 7
"""


@given(LABELS)
def test_it_gives_the_kappa_of_scikit_learn(pairs):
    from sklearn.metrics import cohen_kappa_score

    first, second = zip(*pairs, strict=True)
    if len({*first, *second}) == 1:
        assert cohen_kappa(first, second, undefined=math.inf) == math.inf
    else:
        assert cohen_kappa(first, second) == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)
        assert cohen_kappa(first, second) <= 1


def test_it_gives_the_published_kappa_of_fleiss():
    counts = [[int(number) for number in line.split()] for line in FLEISS.split("\n") if line]
    rows = [[label for label, number in enumerate(row) for _ in range(number)] for row in counts]
    assert round(fleiss_kappa(rows), 3) == 0.210


@given(st.lists(st.lists(st.sampled_from("ab"), min_size=3, max_size=3), min_size=1, max_size=9))
def test_it_gives_the_kappa_of_the_slow_version(rows):
    if len({label for row in rows for label in row}) == 2:
        assert fleiss_kappa(rows) == pytest.approx(other_measures.fleiss_kappa(rows), abs=1e-12)


def test_it_needs_as_many_raters_for_every_instance():
    for rows in ([["a"]], [["a", "b"], ["a"]]):
        with pytest.raises(ValueError, match="two or more raters"):
            fleiss_kappa(rows)
    assert (fleiss_kappa([], undefined=0.5), fleiss_kappa([["a", "a"]], undefined=0.5)) == (0.5, 0.5)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_it_gives_the_same_f1_both_ways_round(pairs):
    from sklearn.metrics import f1_score

    first, second = zip(*pairs, strict=True)
    f1 = compute_agreement_of_two_labellings(first, second, with_kappa=False).f1
    assert f1 == compute_agreement_of_two_labellings(second, first, with_kappa=False).f1
    assert (f1 or 0.0) == pytest.approx(f1_score(first, second, zero_division=0), abs=1e-12)


def test_it_compares_only_articles_that_both_labelled():
    from sklearn.metrics import cohen_kappa_score

    agreement = pairwise_agreement_on_shared_articles(
        {"1": True, "2": False, "3": True}, {"2": False, "3": False, "4": True, "1": True}
    )
    assert (agreement.instances, agreement.joint) == (3, pytest.approx(2 / 3))
    assert agreement.kappa == pytest.approx(cohen_kappa_score([1, 0, 1], [1, 0, 0]))
    assert agreement.f1 == pytest.approx(2 / 3)


def compare_items(producers):
    return pairwise_agreement_without_kappa_for_two(count_shared_article_items_by_presence(producers), len(producers))


def test_it_says_no_kappa_of_identifiers_for_two_producers():
    from sklearn.metrics import cohen_kappa_score

    first, second, third = {"1": ["A", "B"]}, {"1": ["B", "C"]}, {"1": ["D"], "2": ["E"]}
    alone = compare_items([first, second])[0, 1]
    assert (alone.instances, alone.joint, alone.kappa, alone.f1) == (3, pytest.approx(1 / 3), None, 0.5)
    among = compare_items([first, second, third])[0, 1]
    assert (among.instances, among.joint) == (4, 0.5)
    assert among.kappa == pytest.approx(cohen_kappa_score([1, 1, 0, 0], [0, 1, 1, 0]), abs=1e-12)


def test_it_makes_instances_of_all_that_anyone_reports():
    rows = count_shared_article_items_by_presence([{"1": ["A"]}, {"1": ["A", "B"]}, {"1": []}])
    assert rows == {(False, True, False): 1, (True, True, False): 1}
    assert count_shared_article_items_by_presence([]) == {}


def test_it_gives_no_figure_for_what_is_undefined():
    assert pairwise_agreement_on_shared_articles({}, {"1": True}) == PairwiseAgreement(0, None, None, None)
    assert pairwise_agreement_on_shared_articles({"1": False}, {"1": False}) == PairwiseAgreement(1, 1.0, None, None)
    assert compare_items([{"1": ["A"]}, {"1": ["A"]}, {"1": ["A"]}])[0, 1] == PairwiseAgreement(1, 1.0, None, 1.0)


def test_it_says_what_agreement_is_without_an_instance():
    assert joint_probability_of_agreement([], [], undefined=1.0) == 1.0


@given(LABELS)
def test_it_agrees_with_the_slow_version_and_takes_no_side(pairs):
    first, second = zip(*pairs, strict=True)
    assert joint_probability_of_agreement(first, second) == pytest.approx(
        labelled.joint_probability(first, second), abs=1e-12
    )
    assert joint_probability_of_agreement(first, second) == joint_probability_of_agreement(second, first)
    if len({*first, *second}) > 1:
        assert cohen_kappa(first, second) == pytest.approx(labelled.cohen_kappa(first, second), abs=1e-12)
        assert cohen_kappa(first, second) == pytest.approx(cohen_kappa(second, first), abs=1e-12)


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=3, max_size=3), min_size=1, max_size=9), st.randoms())
def test_it_does_not_depend_on_the_order_of_instances_or_raters(rows, rng):
    shuffled = [rng.sample(row, 3) for row in rng.sample(rows, len(rows))]
    assert fleiss_kappa(shuffled) == pytest.approx(fleiss_kappa(rows), abs=1e-12)
    assert -1 <= fleiss_kappa(rows) <= 1

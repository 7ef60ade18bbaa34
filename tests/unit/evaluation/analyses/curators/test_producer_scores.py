"""Scores of authors, curators and systems against a reference, beside an independent computation."""

import numpy as np
import pytest

from evaluation.analyses.curators.producer_scores import ArticleMeans, ReferenceScore, score_answers
from evaluation.measures.confusion_counts import ConfusionCounts

REFERENCE = {1: frozenset("abc"), 2: frozenset("d"), 3: frozenset(), 4: frozenset("ef")}
ANSWERS = [(1, frozenset("abx")), (1, frozenset("ab")), (2, frozenset()), (3, frozenset("y")), (9, frozenset("a"))]


def score(answers, samples=50, seed=1):
    return score_answers(answers, REFERENCE, samples, np.random.default_rng(seed))


def compute_textbook_figures(pairs):
    """Precision, recall and their harmonic mean, counting item by item."""
    hits = sum(item in gold for answer, gold in pairs for item in answer)
    predicted, gold = (sum(len(pair[side]) for pair in pairs) for side in (0, 1))
    precision, recall = hits / predicted if predicted else 0.0, hits / gold if gold else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


def test_it_adds_up_every_answer_to_an_article_of_the_reference():
    found = score(ANSWERS)
    assert (found.articles, found.counts) == (3, ConfusionCounts(tp=4, fp=2, fn=3))
    assert (found.precision, found.recall) == pytest.approx((4 / 6, 4 / 7))
    assert found.f1 == pytest.approx(2 * 4 / (6 + 7))


def test_it_gives_intervals_over_resampled_articles():
    answered = {article: [items for other, items in ANSWERS if other == article] for article in (1, 2, 3)}
    sampled = []
    for drawn in np.random.default_rng(3).integers(0, 3, (200, 3)):
        pairs = [(items, REFERENCE[number + 1]) for number in drawn for items in answered[number + 1]]
        sampled.append(compute_textbook_figures(pairs))
    expected = np.quantile(np.array(sampled), [0.025, 0.975], axis=0).T
    found = score(ANSWERS, 200, 3)
    for interval, (low, high) in zip(
        (found.precision_interval, found.recall_interval, found.f1_interval), expected, strict=True
    ):
        assert tuple(interval) == pytest.approx((low, high))


def test_it_averages_the_figures_of_articles_with_items_in_the_reference():
    means = score([(1, frozenset("abx")), (1, frozenset("ab")), (2, frozenset()), (3, frozenset("y"))]).macro
    # 1: 4 of 5 and of 6; 2: 0/0 and 0 of 1; 3 has no item.
    assert means.articles == 2
    assert (means.precision, means.recall, means.f1) == pytest.approx((4 / 5 / 2, 4 / 6 / 2, 8 / 11 / 2))


def test_it_gives_intervals_of_means_over_resampled_articles():
    answers = [(1, frozenset("abx")), (2, frozenset("de")), (4, frozenset("f"))]
    own = np.array([compute_textbook_figures([(items, REFERENCE[article])]) for article, items in answers])
    rng = np.random.default_rng(3)
    rng.integers(0, 3, (200, 3))  # those of the micro-average
    expected = np.quantile([own[drawn].mean(axis=0) for drawn in rng.integers(0, 3, (200, 3))], [0.025, 0.975], axis=0)
    means = score(answers, 200, 3).macro
    for interval, bounds in zip(
        (means.precision_interval, means.recall_interval, means.f1_interval), expected.T, strict=True
    ):
        assert tuple(interval) == pytest.approx(tuple(bounds))


def test_it_averages_nothing_without_items_in_the_reference():
    assert score([(3, frozenset("y"))]).macro == ArticleMeans()


def test_it_scores_a_perfect_answer_as_one_in_every_sample():
    found = score([(1, REFERENCE[1]), (4, REFERENCE[4])])
    assert (found.precision, found.recall, found.f1) == (1.0, 1.0, 1.0)
    assert tuple(found.f1_interval) == (1.0, 1.0)


def test_it_has_no_interval_for_a_single_article():
    found = score([(1, REFERENCE[1])])
    assert (found.f1, found.f1_interval) == (1.0, None)
    assert (found.macro.f1, found.macro.f1_interval) == (1.0, None)


def test_it_has_no_figures_without_an_article_of_the_reference():
    assert score([(9, frozenset("a"))]) == ReferenceScore(0, ConfusionCounts())

"""Figures that a task can choose: those of trec_eval, scikit-learn and the module TAP-k, and samples of articles."""

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.measures import confusion_counts
from evaluation.measures.classification.article_calls import ArticleCall, count_article_calls
from evaluation.measures.classification.further_figures import (
    FURTHER_CALL_FIGURES,
    build_call_list,
    build_call_list_of_columns,
    compute_further_call_figures,
    compute_further_call_figures_per_sample,
)
from evaluation.measures.columns import CallColumns
from evaluation.measures.curves.roc import compute_roc_curve, pooled_roc_n, roc_area, roc_n
from evaluation.measures.lists.further_figures import (
    FURTHER_LIST_FIGURES,
    PRECISION_RANK,
    ROC_ERRORS,
    TAP_ERRORS,
    build_scored_lists,
    compute_further_list_figures,
    compute_further_list_figures_per_sample,
)
from evaluation.measures.lists.ranking import RankedHits, build_checked_ranked_hits
from evaluation.measures.tap import QueryRetrieval, compute_tap_at_own_kth_error, compute_tap_k
from tests.reference import other_measures

few = settings(max_examples=60, deadline=20_000)
MISSED = 1


@st.composite
def draw_lists(draw):
    """Words of T and F, and confidences that fall or stay equal."""
    words = draw(st.lists(st.text("TF", max_size=14), min_size=1, max_size=5))
    scores = [
        sorted(draw(st.lists(st.integers(1, 8), min_size=len(word), max_size=len(word))), reverse=True)
        for word in words
    ]
    return words, [[score / 8 for score in of_list] for of_list in scores]


def build_lists(words, scores=None):
    hits = [[letter == "T" for letter in word] for word in words]
    ranked = build_checked_ranked_hits(hits, [sum(flags) + MISSED for flags in hits])
    return build_scored_lists(ranked, None if scores is None else np.array([one for own in scores for one in own]))


def retrievals(words, scores):
    return [
        QueryRetrieval(f"q{q}", word.count("T") + MISSED, [letter == "T" for letter in word], own)
        for q, (word, own) in enumerate(zip(words, scores, strict=True))
    ]


@few
@given(draw_lists())
def test_means_over_lists_are_those_of_trec_eval(drawn):
    words, _ = drawn
    own = compute_further_list_figures(build_lists(words), FURTHER_LIST_FIGURES)
    relevance = {
        f"q{q}": {f"d{n}": 1 for n, letter in enumerate(word) if letter == "T"} | {"missed": 1}
        for q, word in enumerate(words)
    }
    run = {
        f"q{q}": {"other": -2.0} | {f"d{n}": float(len(word) - n) for n in range(len(word))}
        for q, word in enumerate(words)
    }
    theirs = pytrec_eval.RelevanceEvaluator(relevance, {"recip_rank", "Rprec", "P.5", "map"}).evaluate(run)
    names = {"mrr": "recip_rank", "break_even": "Rprec", "precision_at": "P_5", "map": "map"}
    for name, other in names.items():
        assert own[name] == pytest.approx(np.mean([each[other] for each in theirs.values()]), abs=1e-9), name
    assert own["trr"] == pytest.approx(
        np.mean([sum(1 / n for n, letter in enumerate(word, 1) if letter == "T") for word in words])
    )
    assert PRECISION_RANK == 5


@few
@given(draw_lists())
def test_scores_over_all_lists_are_those_of_the_modules(drawn):
    words, scores = drawn
    own = compute_further_list_figures(build_lists(words, scores), FURTHER_LIST_FIGURES)
    lists, gold = [[letter == "T" for letter in word] for word in words], [word.count("T") + MISSED for word in words]
    assert own["tap_k"] == pytest.approx(
        compute_tap_k(retrievals(words, scores), TAP_ERRORS, smallest_is_best=False, pad_if_too_few_errors=True).tap_k
    )
    assert own["tap_k_per_list"] == pytest.approx(
        compute_tap_at_own_kth_error(retrievals(words, scores), TAP_ERRORS).tap_k
    )
    assert own["pooled_roc_n"] == pytest.approx(other_measures.pooled_roc_n(lists, scores, ROC_ERRORS, gold))
    assert own["pooled_roc_n"] == pytest.approx(pooled_roc_n(lists, scores, ROC_ERRORS, gold, ascending=False))
    assert own["roc_n"] == pytest.approx(
        np.mean([other_measures.roc_n(hits, ROC_ERRORS, total) for hits, total in zip(lists, gold, strict=True)])
    )


@few
@given(draw_lists(), st.data())
def test_a_sample_of_articles_has_the_figures_of_its_lists(drawn, data):
    words, scores = drawn
    copies = data.draw(st.lists(st.integers(0, 3), min_size=len(words), max_size=len(words)).filter(any))
    lists = build_lists(words, scores)
    sampled = compute_further_list_figures_per_sample(lists, FURTHER_LIST_FIGURES, np.array([copies], dtype=float))
    drawn_words, drawn_scores = (
        [own for own, number in zip(values, copies, strict=True) for _ in range(number)] for values in (words, scores)
    )
    whole = compute_further_list_figures(build_lists(drawn_words, drawn_scores), FURTHER_LIST_FIGURES)
    for name in FURTHER_LIST_FIGURES:
        # Copies of a tie stand next to each other in a sample, so that only pooled ties differ.
        if name != "pooled_roc_n" or len({one for own in scores for one in own}) == sum(map(len, scores)):
            assert sampled[name][0] == pytest.approx(whole[name]), name


def test_lists_without_confidences_or_with_rising_ones_are_ordered_by_position():
    words = ["TFT", "FTF"]
    without = compute_further_list_figures(build_lists(words), FURTHER_LIST_FIGURES)
    rising = compute_further_list_figures(build_lists(words, [[0.1, 0.9, 0.5], [0.5, 0.4, 0.3]]), FURTHER_LIST_FIGURES)
    assert rising == without
    by_position = [[0.9, 0.8, 0.7], [0.9, 0.8, 0.7]]
    assert compute_further_list_figures(build_lists(words, by_position), FURTHER_LIST_FIGURES) == without


def test_articles_without_gold_items_are_left_out():
    ranked = RankedHits(np.array([True, False, False]), np.array([2, 1]), np.array([1, 0]))
    alone = RankedHits(np.array([True, False]), np.array([2]), np.array([1]))
    confidence = np.array([0.5, 0.4, 0.9])
    assert compute_further_list_figures(
        build_scored_lists(ranked, confidence), FURTHER_LIST_FIGURES
    ) == compute_further_list_figures(build_scored_lists(alone, confidence[:2]), FURTHER_LIST_FIGURES)


@st.composite
def draw_calls(draw):
    gold = {f"a{n}": relevant for n, relevant in enumerate(draw(st.lists(st.booleans(), min_size=2, max_size=9)))}
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from(sorted(gold)), st.booleans(), st.integers(1, 4)),
            unique_by=lambda row: row[0],
            max_size=9,
        )
    )
    return gold, [ArticleCall(article, relevant, None, step / 4) for article, relevant, step in rows]


def count_cells(gold, calls):
    by_article = {call.article: call.relevant for call in calls}
    cells = [(by_article.get(article, False), relevant) for article, relevant in gold.items()]
    return np.array([[p and r, p and not r, not p and r, not p and not r] for p, r in cells], dtype=float)


@few
@given(draw_calls())
def test_figures_of_calls_are_those_of_scikit_learn(drawn):
    from sklearn.metrics import roc_auc_score

    gold, calls = drawn
    own = compute_further_call_figures(build_call_list(gold, calls, count_cells(gold, calls)), FURTHER_CALL_FIGURES)
    scores = dict.fromkeys(gold, -9.0)
    scores |= {call.article: call.confidence if call.relevant else -call.confidence for call in calls}
    if len(set(gold.values())) == 2:
        # Scikit-learn ranks what is not in the list last, all tied.
        assert own["roc_area"] == pytest.approx(roc_auc_score(list(gold.values()), [scores[name] for name in gold]))
    counts = count_article_calls(calls, gold, "negative")
    assert own["fall_out"] == pytest.approx(confusion_counts.fall_out(counts))
    assert own["negative_precision"] == pytest.approx(confusion_counts.negative_precision(counts))


@few
@given(draw_calls(), st.data())
def test_a_sample_of_articles_has_the_figures_of_its_calls(drawn, data):
    gold, calls = drawn
    copies = data.draw(st.lists(st.integers(0, 3), min_size=len(gold), max_size=len(gold)).filter(any))
    own = build_call_list(gold, calls, count_cells(gold, calls))
    sampled = compute_further_call_figures_per_sample(own, FURTHER_CALL_FIGURES, np.array([copies], dtype=float))
    names = {name: [f"{name}.{copy}" for copy in range(number)] for name, number in zip(gold, copies, strict=True)}
    drawn_gold = {copy: relevant for name, relevant in gold.items() for copy in names[name]}
    drawn_calls = [
        ArticleCall(copy, call.relevant, None, call.confidence) for call in calls for copy in names[call.article]
    ]
    whole = compute_further_call_figures(
        build_call_list(drawn_gold, drawn_calls, count_cells(drawn_gold, drawn_calls)), FURTHER_CALL_FIGURES
    )
    assert {name: values[0] for name, values in sampled.items()} == {
        name: pytest.approx(value) for name, value in whole.items()
    }


@few
@given(draw_calls())
def test_columns_give_the_list_of_calls(drawn):
    gold, calls = drawn
    columns = CallColumns(
        [call.article for call in calls],
        np.array([call.relevant for call in calls], dtype=np.bool_),
        None,
        np.array([call.confidence for call in calls], dtype=np.float64),
    )
    counts = count_cells(gold, calls)
    assert compute_further_call_figures(
        build_call_list_of_columns(gold, columns, counts), FURTHER_CALL_FIGURES
    ) == compute_further_call_figures(build_call_list(gold, calls, counts), FURTHER_CALL_FIGURES)


def test_recall_cannot_exceed_1():
    for wrong in (
        lambda: compute_roc_curve([True, True], positives=1),
        lambda: roc_area([True, True, False], positives=1),
        lambda: roc_area([True, False, False], negatives=1),
        lambda: roc_n([True, True], 5, 1),
        lambda: pooled_roc_n([[True], [True]], [[1.0], [1.0]], 5, [2, 0], ascending=True),
    ):
        with pytest.raises(ValueError, match="than there are in all; give the number of all of them"):
            wrong()

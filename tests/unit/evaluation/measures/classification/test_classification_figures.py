"""All figures of an article classification, worked by hand, slowly, and by scikit-learn."""

from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.classification.article_calls import mark_gold_relevance_of_sorted_known_calls
from evaluation.measures.run_figures import compute_act_figures
from tests.reference import article_lists
from tests.reference.columns import encode_calls

ARTICLES = [f"a{n}" for n in range(9)]


def make_article_list(word, called):
    """Articles whose truth is the word, in list order: the first `called` of them positive calls, the rest negative."""
    gold = {f"a{n}": letter == "T" for n, letter in enumerate(word)}
    rows = [(f"a{n}", n < called, n + 1 if n < called else len(word) - n, None) for n in range(len(word))]
    return gold, encode_calls(rows)


def test_it_gives_the_worked_figures_of_the_official_library():
    evaluation = compute_act_figures(*make_article_list("TFTFFTTFFF", 4))
    figures = evaluation.figures
    assert (figures.tp, figures.fp, figures.fn, figures.tn) == (2, 2, 2, 4)
    assert figures.auc_pr == pytest.approx((1 + (1 / 2 + 2 / 3) / 2 + (2 / 5 + 1 / 2) / 2 + (1 / 2 + 4 / 7) / 2) / 4)
    assert (round(figures.auc_pr, 7), round(figures.auc_ipr, 7)) == (0.6422619, 0.702381)
    assert figures.mcc == pytest.approx(1 / 6, abs=1e-15)
    assert figures.precision_at_full_recall == pytest.approx(4 / 7, abs=1e-15)
    assert (evaluation.undefined, evaluation.reasons) == ([], {})


@st.composite
def calls_and_gold(draw):
    gold = {name: draw(st.booleans()) for name in draw(st.lists(st.sampled_from(ARTICLES), unique=True))}
    said = draw(st.lists(st.sampled_from([*ARTICLES, "unknown"]), unique=True))
    ranks = draw(st.permutations(range(1, len(said) + 1)))
    confidence = st.sampled_from([0.1, 0.2, 0.5, 1.0])
    return gold, [(name, draw(st.booleans()), rank, draw(confidence)) for name, rank in zip(said, ranks, strict=True)]


@given(calls_and_gold(), st.sampled_from(["rank", "confidence", "line"]), st.sampled_from(["ignore", "negative"]))
def test_it_scores_as_the_slow_version_does(case, order, unreported):
    gold, rows = case
    ours = asdict(compute_act_figures(gold, encode_calls(rows), order=order, unreported=unreported).figures)
    for name, value in article_lists.figures(gold, rows, order, unreported).items():
        assert ours[name] == (None if value is None else pytest.approx(float(value), abs=1e-12)), name


@given(calls_and_gold())
def test_it_agrees_with_scikit_learn_where_all_articles_are_reported(case):
    from sklearn.metrics import accuracy_score, auc, matthews_corrcoef, precision_recall_curve

    gold, rows = case
    rows = [row for row in rows if row[0] in gold]
    gold = {row[0]: gold[row[0]] for row in rows}
    if len(set(gold.values())) < 2:
        return
    calls = encode_calls(rows)
    figures = compute_act_figures(gold, calls).figures
    truth, said = [gold[name] for name, *_ in rows], [relevant for _, relevant, *_ in rows]
    assert figures.mcc == pytest.approx(matthews_corrcoef(truth, said), abs=1e-12)
    assert figures.accuracy == pytest.approx(accuracy_score(truth, said), abs=1e-12)
    hits = mark_gold_relevance_of_sorted_known_calls(gold, calls)
    precision, recall, _ = precision_recall_curve(hits, range(len(hits), 0, -1))
    assert figures.auc_pr == pytest.approx(auc(recall, precision), abs=1e-12)


def test_it_ignores_unreported_articles_or_counts_them_as_negative_calls():
    gold, calls = (
        {"1": True, "2": True, "3": False, "4": False},
        encode_calls([("1", True, 1, None), ("3", False, 1, None)]),
    )
    ignored, negative = compute_act_figures(gold, calls), compute_act_figures(gold, calls, unreported="negative")
    assert (ignored.figures.fn, ignored.figures.tn, ignored.figures.accuracy) == (0, 1, 1.0)
    assert (negative.figures.fn, negative.figures.tn, negative.figures.accuracy) == (1, 2, 0.75)
    assert ignored.figures.auc_pr == negative.figures.auc_pr == 0.5
    assert (ignored.documents, ignored.answered, ignored.results) == (4, 2, 2)


def test_it_says_why_a_figure_is_missing():
    evaluation = compute_act_figures({"1": True, "2": True}, encode_calls([("1", True, 1, None), ("9", True, 2, None)]))
    assert evaluation.figures.precision_at_full_recall is None
    assert evaluation.reasons == {"precision_at_full_recall": "full recall is not reached"}
    assert evaluation.unknown_documents == ["9"]
    assert evaluation.undefined == ["specificity", "mcc"]


def test_it_says_which_figures_are_undefined():
    assert compute_act_figures({}, encode_calls([])).undefined == [
        "sensitivity", "specificity", "accuracy", "mcc", "auc_pr", "auc_ipr",
    ]  # fmt: skip


def test_it_refuses_an_order_without_its_column():
    with pytest.raises(ValueError, match="no confidence column"):
        compute_act_figures({"1": True}, encode_calls([("1", True, 1, None)]), order="confidence")

"""Evidence passages: the share that is relevant and where the best one stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures.passages import Verdict, compute_passage_figures
from tests.reference import other_measures

ONE, TWO, THREE = ("1", "A", "B"), ("1", "A", "C"), ("2", "A", "B")
JUDGED = {
    ONE: {"binds": Verdict(True, True), "is seen": Verdict(False, False), "interacts": Verdict(True, False)},
    TWO: {"forms": Verdict(True, True)},
    THREE: {"nothing": Verdict(False, False)},
}


def test_it_gives_the_share_and_the_mean_reciprocal_rank():
    figures = compute_passage_figures(JUDGED, {ONE: ["is seen", "binds", "interacts"], THREE: ["nothing", "new"]})
    assert (figures.submitted, figures.relevant, figures.relevant_share) == (5, 2, 0.4)
    assert (figures.pairs, figures.mrr) == (2, 0.25)
    assert (figures.unjudged, figures.unknown, figures.undefined) == (1, 0, [])


def test_it_counts_passages_of_pairs_that_nobody_judged_nowhere():
    figures = compute_passage_figures({ONE: JUDGED[ONE]}, {ONE: ["binds"], TWO: ["forms", "also"]})
    assert (figures.submitted, figures.unknown, figures.mrr) == (1, 2, 1.0)


def test_it_says_which_figures_are_undefined():
    figures = compute_passage_figures({THREE: JUDGED[THREE]}, {}, undefined=0.5)
    assert (figures.relevant_share, figures.mrr, figures.undefined) == (0.5, 0.5, ["relevant_share", "mrr"])
    assert compute_passage_figures(JUDGED, {}).mrr == pytest.approx(0)


VERDICTS = st.sampled_from([Verdict(True, True), Verdict(True, False), Verdict(False, False)])
JUDGEMENTS = st.dictionaries(st.sampled_from([ONE, TWO, THREE]), st.dictionaries(st.sampled_from("abcd"), VERDICTS))
LISTS = st.dictionaries(st.sampled_from([ONE, TWO, THREE]), st.lists(st.sampled_from("abcde"), unique=True))


@given(JUDGEMENTS, LISTS)
def test_it_agrees_with_the_slow_version(judged, submitted):
    share, mrr = other_measures.passage_figures(judged, submitted)
    ours = compute_passage_figures(judged, submitted)
    assert (ours.relevant_share, ours.mrr) == pytest.approx((share or 0, mrr or 0), abs=1e-12)
    assert ours.undefined == [name for name, own in (("relevant_share", share), ("mrr", mrr)) if own is None]

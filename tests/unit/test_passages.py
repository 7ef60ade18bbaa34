"""Evidence passages: the share that is relevant and where the best one stands."""

import pytest

from evaluation.measures.passages import Verdict, passage_figures

ONE, TWO, THREE = ("1", "A", "B"), ("1", "A", "C"), ("2", "A", "B")
JUDGED = {
    ONE: {"binds": Verdict(True, True), "is seen": Verdict(False, False), "interacts": Verdict(True, False)},
    TWO: {"forms": Verdict(True, True)},
    THREE: {"nothing": Verdict(False, False)},
}


def test_it_gives_the_share_and_the_mean_reciprocal_rank():
    figures = passage_figures(JUDGED, {ONE: ["is seen", "binds", "interacts"], THREE: ["nothing", "new"]})
    assert (figures.submitted, figures.relevant, figures.relevant_share) == (5, 2, 0.4)
    assert (figures.pairs, figures.mrr) == (2, 0.25)
    assert (figures.unjudged, figures.unknown, figures.undefined) == (1, 0, [])


def test_it_counts_passages_of_pairs_that_nobody_judged_nowhere():
    figures = passage_figures({ONE: JUDGED[ONE]}, {ONE: ["binds"], TWO: ["forms", "also"]})
    assert (figures.submitted, figures.unknown, figures.mrr) == (1, 2, 1.0)


def test_it_says_which_figures_are_undefined():
    figures = passage_figures({THREE: JUDGED[THREE]}, {}, undefined=0.5)
    assert (figures.relevant_share, figures.mrr, figures.undefined) == (0.5, 0.5, ["relevant_share", "mrr"])
    assert passage_figures(JUDGED, {}).mrr == pytest.approx(0)

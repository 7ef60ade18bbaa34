"""Ensembles by votes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.analyses.ensemble import combine_call_runs_by_votes, combine_list_runs_by_votes
from tests.reference.columns import encode_calls, encode_run
from tests.reference.ensembles import join_runs_slowly

FIRST = [("d1", "a", 1, 0.9), ("d1", "b", 2, 0.5), ("d2", "c", 1, 0.4)]
SECOND = [("d1", "b", 1, 0.7), ("d1", "a", 2, 0.1), ("d3", "e", 1, 0.8)]
THIRD = [("d1", "c", 1, 0.3), ("d1", "b", 2, 0.2), ("d2", "c", 1, 0.2)]


def group_items_by_document(run):
    lists = {}
    for document, item in zip(run.document.codes, run.item.codes, strict=True):
        lists.setdefault(run.document.names[document], []).append(run.item.names[item])
    return lists


def test_it_ranks_by_votes_then_mean_confidence():
    found = combine_list_runs_by_votes([encode_run(FIRST), encode_run(SECOND), encode_run(THIRD)], 2)
    assert group_items_by_document(found) == {"d1": ["b", "a"], "d2": ["c"]}
    assert found.rank.tolist() == [1, 2, 1]
    assert found.confidence == pytest.approx([1.4 / 3, 0.5, 0.3])


def test_it_breaks_ties_by_identifier():
    first = encode_run([("d1", "b", None, 0.5), ("d1", "a", None, 0.5)])
    assert group_items_by_document(combine_list_runs_by_votes([first, first], 1)) == {"d1": ["a", "b"]}


def test_it_lets_equal_means_tie_however_they_were_summed():
    runs = [encode_run([("d1", "b", None, x), ("d1", "a", None, y)]) for x, y in ((0.1, 0.15), (0.2, 0.15))]
    assert group_items_by_document(combine_list_runs_by_votes(runs, 2)) == {"d1": ["a", "b"]}


def test_it_takes_the_mean_over_the_runs_that_have_confidences():
    bare = encode_run([("d1", "b", 1, None), ("d1", "z", 2, None)])
    found = combine_list_runs_by_votes([encode_run(FIRST), encode_run(SECOND), bare], 2)
    assert group_items_by_document(found) == {"d1": ["b", "a"]}
    assert found.confidence == pytest.approx([0.6, 0.5])
    assert combine_list_runs_by_votes([encode_run(FIRST), bare], 1).confidence is None


ROWS = st.dictionaries(
    st.tuples(st.sampled_from(["d1", "d2"]), st.sampled_from("abcd")), st.sampled_from([0.25, 0.5, 1.0])
).map(lambda own: [(document, item, None, confidence) for (document, item), confidence in own.items()])


@given(st.lists(ROWS, min_size=2, max_size=4), st.integers(1, 2))
def test_it_gives_what_counting_by_hand_gives(runs, votes):
    assert group_items_by_document(
        combine_list_runs_by_votes([encode_run(rows) for rows in runs], votes)
    ) == join_runs_slowly(runs, votes)


@pytest.mark.parametrize("votes", [0, 3])
def test_it_refuses_votes_that_nobody_can_cast(votes):
    with pytest.raises(ValueError, match="from 1 to 2"):
        combine_list_runs_by_votes([encode_run(FIRST), encode_run(SECOND)], votes)


def test_it_joins_classifications():
    runs = [
        encode_calls(
            [("a", True, None, 0.9), ("b", True, None, 0.8), ("c", False, None, 0.6), ("e", False, None, 0.4)]
        ),
        encode_calls(
            [("a", True, None, 0.5), ("b", False, None, 0.4), ("c", False, None, 0.2), ("d", True, None, 1.0)]
        ),
    ]
    found = combine_call_runs_by_votes(runs, 2)
    assert list(found.article) == ["a", "c", "e", "b", "d"]
    assert found.relevant.tolist() == [True, False, False, False, False]
    assert found.rank.tolist() == [1, 1, 2, 3, 4]
    assert found.confidence is None  # nobody says how surely d is not relevant
    one = combine_call_runs_by_votes(runs, 1)
    assert list(one.article) == ["a", "d", "b", "c", "e"]
    assert one.confidence == pytest.approx([0.7, 1.0, 0.8, 0.4, 0.4])

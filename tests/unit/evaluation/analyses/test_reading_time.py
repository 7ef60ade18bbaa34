"""What an order of reading saves: the published figure, and lists counted by hand."""

import pytest

from evaluation.analyses.reading_time import (
    ReadingComparison,
    compare_reading_at_keyword_search_recall,
    saved_time_share_counting_relevant_twice,
)


def test_it_gives_the_published_figure():
    """BioCreative III: 455 of 910 relevant articles among 195 others rather than 697 take 69 % of the time."""
    assert 1 - saved_time_share_counting_relevant_twice(455, 195, 697) == pytest.approx((910 + 195) / (910 + 697))
    assert f"{1 - saved_time_share_counting_relevant_twice(455, 195, 697):.2f}" == "0.69"


def test_it_saves_nothing_where_both_are_read_alike():
    assert saved_time_share_counting_relevant_twice(3, 7, 7) == 0


def test_it_is_negative_where_the_list_takes_longer():
    assert saved_time_share_counting_relevant_twice(1, 8, 3) == pytest.approx(-1)


def test_it_compares_nothing_without_a_relevant_article():
    with pytest.raises(ValueError, match="at least one relevant article"):
        saved_time_share_counting_relevant_twice(0, 5, 5)


def test_it_stops_in_the_list_where_the_keyword_has_as_many():
    ranked = [True, True, False, True, False, False, True]
    chosen = [False, True, True, False, True, True, True]
    assert compare_reading_at_keyword_search_recall(ranked, chosen) == ReadingComparison(
        relevant=2, in_all=4, ranked_others=0, keyword_others=3
    )
    assert compare_reading_at_keyword_search_recall(ranked, chosen).recall == 0.5
    assert compare_reading_at_keyword_search_recall(ranked, chosen).saved == pytest.approx(1 - 4 / 7)


def test_it_counts_the_others_on_the_way():
    assert compare_reading_at_keyword_search_recall([False, True, False], [False, True, False]) == ReadingComparison(
        1, 1, 1, 0
    )


def test_it_has_nothing_to_say_where_the_keyword_finds_nothing_relevant():
    assert compare_reading_at_keyword_search_recall([True, False], [False, True]) is None
    assert compare_reading_at_keyword_search_recall([], []) is None


def test_it_refuses_lists_of_different_articles():
    with pytest.raises(ValueError):
        compare_reading_at_keyword_search_recall([True], [])

"""The four schemes of typed mentions, by hand and compared with nervaluate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.schema import Span
from evaluation.measures.columns import MentionItem
from evaluation.measures.mentions.schemes import (
    MENTION_SCHEMES,
    SchemeCounts,
    count_mentions_by_scheme,
    count_mentions_of_all_articles_by_scheme,
)

THEIR_NAMES = {"strict": "strict", "exact": "exact", "type": "ent_type", "partial": "partial"}


def mention(start, end, name="Gene"):
    return MentionItem((Span(start, end),), name)


def list_counts(gold, predicted):
    return {scheme: count_mentions_by_scheme(gold, predicted, scheme) for scheme in MENTION_SCHEMES}


def test_it_counts_a_right_mention_in_every_scheme():
    assert set(list_counts([mention(0, 4)], [mention(0, 4)]).values()) == {SchemeCounts(correct=1)}


def test_it_counts_a_wrong_type():
    assert list_counts([mention(0, 4)], [mention(0, 4, "Disease")]) == {
        "strict": SchemeCounts(incorrect=1),
        "exact": SchemeCounts(correct=1),
        "type": SchemeCounts(incorrect=1),
        "partial": SchemeCounts(correct=1),
    }


def test_it_counts_a_wrong_end():
    assert list_counts([mention(0, 4)], [mention(0, 6)]) == {
        "strict": SchemeCounts(incorrect=1),
        "exact": SchemeCounts(incorrect=1),
        "type": SchemeCounts(correct=1),
        "partial": SchemeCounts(partial=1),
    }


def test_it_counts_missed_and_spurious_mentions():
    assert set(list_counts([mention(0, 4)], [mention(4, 6)]).values()) == {SchemeCounts(missed=1, spurious=1)}


def test_it_takes_the_closest_of_several_mentions_of_the_type():
    gold = [mention(0, 3), mention(2, 9)]
    assert count_mentions_by_scheme(gold, [mention(2, 8), mention(0, 2)], "type") == SchemeCounts(correct=2)


def test_it_compares_mentions_in_parts():
    gold = [MentionItem((Span(0, 3), Span(10, 12)), "Gene")]
    assert count_mentions_by_scheme(gold, gold, "strict") == SchemeCounts(correct=1)
    assert count_mentions_by_scheme(gold, [mention(0, 12)], "partial") == SchemeCounts(partial=1)
    assert count_mentions_by_scheme(gold, [mention(4, 9)], "partial") == SchemeCounts(missed=1, spurious=1)


def test_it_computes_figures_with_half_points():
    counts = SchemeCounts(correct=2, incorrect=1, partial=1, missed=1, spurious=2)
    assert (counts.credit, counts.predicted, counts.gold) == (2.5, 6, 5)
    assert (counts.precision, counts.recall) == (2.5 / 6, 0.5)
    assert counts.f1 == pytest.approx(2 * 2.5 / 11)
    assert SchemeCounts().precision == SchemeCounts().recall == SchemeCounts().f1 == 0


def test_it_counts_every_article_of_the_gold_standard():
    found = count_mentions_of_all_articles_by_scheme({"1": [mention(0, 1)], "2": []}, {"3": [mention(0, 1)]}, "strict")
    assert found == {"1": SchemeCounts(missed=1), "2": SchemeCounts()}


MENTIONS = st.lists(
    st.builds(
        lambda start, length, name: mention(start, start + length, name),
        st.integers(0, 25),
        st.integers(1, 6),
        st.sampled_from(["Gene", "Disease", "Chemical"]),
    ),
    max_size=9,
    unique=True,
)


@given(st.lists(st.tuples(MENTIONS, MENTIONS), min_size=1, max_size=4))
def test_it_counts_as_nervaluate(documents):
    from nervaluate import Evaluator

    ours = {
        scheme: sum((count_mentions_by_scheme(*pair, scheme) for pair in documents), SchemeCounts())
        for scheme in MENTION_SCHEMES
    }
    gold, predicted = ([write_for_nervaluate(pair[side]) for pair in documents] for side in (0, 1))
    theirs = Evaluator(gold, predicted, ["Gene", "Disease", "Chemical"], loader="dict").evaluate()["overall"]
    for scheme, counts in ours.items():
        other = theirs[THEIR_NAMES[scheme]]
        assert counts == SchemeCounts(other.correct, other.incorrect, other.partial, other.missed, other.spurious)
        assert (counts.precision, counts.recall) == pytest.approx((other.precision, other.recall))
        assert counts.f1 == pytest.approx(other.f1)


def write_for_nervaluate(mentions):
    """Its ends are those of the last character, and it takes mentions in the order in which they are given."""
    return [{"start": own.whole.start, "end": own.whole.end - 1, "label": own.name} for own in sorted(mentions)]

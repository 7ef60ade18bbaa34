"""Mentions by place: ways to match, pairings one to one, BioCreative II gene mentions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.schema import Span
from evaluation.measures.confusion_counts import ConfusionCounts
from evaluation.measures.lists.scenarios import ScoringScenario
from evaluation.measures.mentions.gene_mentions import count_gene_mentions, flag_each_found_gene_and_false_positive
from evaluation.measures.mentions.spans import (
    count_span_matches,
    list_matching_gold_indexes,
    mark_predicted_spans_paired_with_gold,
    pair_most_spans_one_to_one,
)
from evaluation.measures.run_figures import compute_list_figures
from tests.reference import other_measures
from tests.reference.columns import encode_gold, encode_run

WAYS = ["exact", "start", "end", "either", "overlap"]
SPANS = st.lists(st.builds(lambda a, n: Span(a, a + n), st.integers(0, 9), st.integers(1, 4)), max_size=5, unique=True)


def is_span_match(right, found, how):
    starts, ends = right.start == found.start, right.end == found.end
    overlap = right.start < found.end and found.start < right.end
    return {"exact": right == found, "start": starts, "end": ends, "either": starts or ends, "overlap": overlap}[how]


@pytest.mark.parametrize(
    ("found", "ways"),
    [
        (Span(5, 10), set(WAYS)),
        (Span(5, 8), {"start", "either", "overlap"}),
        (Span(7, 10), {"end", "either", "overlap"}),
        (Span(6, 9), {"overlap"}),
        (Span(0, 20), {"overlap"}),
        (Span(10, 12), set()),
        (Span(0, 5), set()),
    ],
)
def test_it_matches_spans(found, ways):
    assert {how for how in WAYS if is_span_match(Span(5, 10), found, how)} == ways
    assert {how for how in WAYS if mark_predicted_spans_paired_with_gold([Span(5, 10)], [found], how) == [True]} == ways


@given(SPANS, SPANS, st.sampled_from(WAYS))
def test_it_finds_every_candidate(right, found, how):
    expected = [[place for place, span in enumerate(right) if is_span_match(span, own, how)] for own in found]
    assert [sorted(own) for own in list_matching_gold_indexes(right, found, how)] == expected


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), unique=True), max_size=4))
def test_it_pairs_as_many_as_can_be(choices):
    paired = pair_most_spans_one_to_one(choices)
    assert len(set(paired.values())) == len(paired) == other_measures.most_pairs(choices, 4)
    assert all(right in choices[found] for found, right in paired.items())


@given(st.lists(st.lists(st.integers(0, 5), unique=True), max_size=7))
def test_it_keeps_the_claims_of_surer_spans(choices):
    assert set(pair_most_spans_one_to_one(choices[:-1])) <= set(pair_most_spans_one_to_one(choices))


def test_it_uses_each_right_span_once():
    assert mark_predicted_spans_paired_with_gold([Span(0, 10)], [Span(0, 4), Span(5, 10)], "overlap") == [True, False]
    assert mark_predicted_spans_paired_with_gold([Span(0, 4), Span(3, 9)], [Span(2, 6), Span(0, 2)], "overlap") == [
        True,
        True,
    ]


def test_it_pairs_ten_thousand_chained_spans():
    right = [Span(3 * n, 3 * n + 4) for n in range(10_000)]
    found = [Span(3 * n + 3, 3 * n + 5) for n in range(9_999)]
    assert sum(mark_predicted_spans_paired_with_gold(right, found, "overlap")) == 9_999


@given(SPANS, SPANS, st.sampled_from(WAYS))
def test_it_counts_every_span_once(right, found, how):
    counts = count_span_matches({"1": right}, {"1": found}, how)
    assert (counts.tp + counts.fn, counts.tp + counts.fp) == (len(right), len(found))
    assert counts.tp >= count_span_matches({"1": right}, {"1": found}, "exact").tp


def test_it_counts_documents_of_one_side_only():
    counts = count_span_matches({"1": [Span(0, 2)]}, {"2": [Span(0, 2), Span(3, 4)]})
    assert counts == ConfusionCounts(tp=0, fp=2, fn=1)


GENES, ACCEPTED = [Span(11, 32)], [Span(11, 22), Span(20, 22), Span(20, 32)]


@pytest.mark.parametrize(
    ("found", "hits"),
    [
        ([Span(11, 32)], [True]),
        ([Span(20, 22)], [True]),
        ([Span(20, 22), Span(11, 32)], [True]),
        ([Span(20, 22), Span(11, 22), Span(40, 42)], [True, False]),
        ([Span(12, 32)], [False]),
    ],
)
def test_it_counts_a_gene_once_and_more_of_its_names_nowhere(found, hits):
    """Sentence P00027967A0207 of the corpus: "secretory HI antibodies", with three accepted alternatives."""
    assert flag_each_found_gene_and_false_positive(GENES, ACCEPTED, found) == hits


def test_it_finds_two_genes_by_an_alternative_that_spans_both():
    assert flag_each_found_gene_and_false_positive([Span(0, 3), Span(4, 9)], [Span(0, 9)], [Span(0, 9)]) == [
        True,
        True,
    ]


def test_it_finds_no_gene_by_an_alternative_that_overlaps_none():
    assert flag_each_found_gene_and_false_positive([Span(0, 3)], [Span(4, 9)], [Span(4, 9)]) == []


@given(SPANS, SPANS, SPANS)
def test_it_counts_genes_as_alt_eval_does(genes, alternatives, found):
    inclusive = [[(span.start, span.end - 1) for span in own] for own in (genes, alternatives, found)]
    counts = count_gene_mentions({"1": genes}, {"1": alternatives}, {"1": found})
    assert (counts.tp, counts.fp, counts.fn) == other_measures.gene_counts(*inclusive)


def test_it_counts_mentions_in_sentences_without_genes():
    found = {"1": [Span(20, 22)], "2": [Span(0, 3)]}
    assert count_gene_mentions({"1": GENES}, {"1": ACCEPTED}, found) == ConfusionCounts(tp=1, fp=1, fn=0)
    gold = encode_gold({"1": GENES})
    names = [*gold.document.names, "2"]
    gold = type(gold)(type(gold.document)(names, gold.document.codes), gold.item)
    run = encode_run([(name, span, None, None) for name, spans in found.items() for span in spans])
    scenario = ScoringScenario(alternatives={"1": ACCEPTED}, empty_documents=True)
    figures = compute_list_figures(gold, run, scenario)
    assert (figures.micro.tp, figures.micro.fp, figures.micro.fn) == (1, 1, 0)
    assert (figures.macro.documents, figures.macro.precision) == (1, 1.0)


def test_it_scores_mentions_in_all_scenarios():
    gold = encode_gold({"1": [Span(0, 4), Span(6, 9)]})
    run = encode_run([("1", Span(0, 3), None, 0.9), ("1", Span(6, 9), None, 0.3)])
    assert compute_list_figures(gold, run).micro.tp == 1
    assert compute_list_figures(gold, run, ScoringScenario(spans="overlap")).micro.tp == 2
    assert compute_list_figures(gold, run, ScoringScenario(spans="overlap", min_confidence=0.5)).micro.tp == 1
    with pytest.raises(ValueError, match="only with exact matching"):
        compute_list_figures(gold, run, ScoringScenario(spans="overlap", alternatives={}))
    with pytest.raises(ValueError, match="Only mentions"):
        compute_list_figures(
            encode_gold({"1": ["A"]}), encode_run([("1", "A", None, None)]), ScoringScenario(spans="overlap")
        )

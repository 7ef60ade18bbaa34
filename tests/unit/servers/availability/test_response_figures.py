"""What a server's answers cost in time, and the percentiles of times that are kept in buckets."""

import math
import statistics

import pytest

from servers.availability.measures.answer_rates_and_times import AnswerTotals
from servers.availability.measures.percentiles import (
    compute_geometric_middle_seconds,
    nearest_rank_percentile_seconds,
    sum_counts_by_bucket_number,
)
from tests.reference.buckets import compute_bucket

# Ten attempts: four answered, two empty; 12 s for 30 annotations in 6 texts of 2,000 bytes each.
TEN = AnswerTotals(
    answered=4,
    empty=2,
    invalid=1,
    connection=1,
    communication=1,
    no_answer=1,
    documents=6,
    annotations=30,
    document_bytes=12_000,
    seconds=12.0,
    slowest=5.0,
    round_trips=0.6,
    acknowledged=2,
    acknowledgement_seconds=0.5,
)


def test_it_measures_the_answers_that_were_accepted():
    assert (TEN.responses, TEN.attempts) == (6, 10)
    assert (TEN.mad, TEN.mad_per_document, TEN.mtsa, TEN.art) == (5.0, 5.0, 0.4, 2.0)
    assert (TEN.seconds_per_byte, TEN.bytes_per_second) == (0.001, 1000.0)


def test_it_takes_the_round_trip_off_the_response_time():
    assert math.isclose(TEN.round_trip, 0.1)
    assert math.isclose(TEN.art_less_round_trip, 1.9)


def test_it_tells_when_a_question_was_accepted_from_when_it_was_answered():
    assert TEN.acknowledgement_time == 0.25
    assert AnswerTotals(answered=1, seconds=1.0).acknowledgement_time is None


def test_it_tells_responses_from_documents():
    batches = AnswerTotals(answered=2, documents=20, annotations=40)
    assert (batches.mad, batches.mad_per_document) == (20.0, 2.0)


def test_it_gives_shares_that_add_up_to_one():
    rates = [TEN.success_rate, TEN.timeout_rate, TEN.refusal_rate, TEN.broken_rate, TEN.invalid_rate]
    assert rates == [0.6, 0.1, 0.1, 0.1, 0.1]
    assert math.isclose(sum(rates), 1)
    assert math.isclose(TEN.valid_share, 6 / 7)


def test_it_knows_no_time_per_annotation_without_annotations():
    silent = AnswerTotals(empty=3, documents=3, document_bytes=900, seconds=1.5)
    assert (silent.mtsa, silent.mad, silent.art) == (None, 0.0, 0.5)


def test_it_knows_nothing_without_attempts():
    nothing = AnswerTotals()
    assert {nothing.mad, nothing.mtsa, nothing.art, nothing.seconds_per_byte, nothing.bytes_per_second} == {None}
    assert {nothing.success_rate, nothing.timeout_rate, nothing.invalid_rate} == {None}


def buckets(times):
    return sum_counts_by_bucket_number([{str(compute_bucket(time)): 1} for time in times])


def test_it_keeps_times_to_two_and_a_half_percent():
    for milliseconds in (1, 2, 10, 437, 5_000, 599_999):
        seconds = milliseconds / 1000
        assert math.isclose(compute_geometric_middle_seconds(compute_bucket(seconds)), seconds, rel_tol=0.0254)


def test_it_keeps_what_is_too_short_in_the_first_bucket():
    assert [compute_bucket(seconds) for seconds in (0.0, 0.0004, 0.001)] == [0, 0, 0]
    assert compute_bucket(0.00106) == 1


def test_it_finds_percentiles_by_nearest_rank():
    times = [0.01 * number for number in range(1, 101)]
    for percent in (50, 90, 95, 99, 100):
        exact = sorted(times)[percent - 1]
        assert math.isclose(nearest_rank_percentile_seconds(buckets(times), percent), exact, rel_tol=0.0254)


def test_it_agrees_with_the_median_of_the_standard_library():
    times = [0.2, 0.3, 0.5, 0.8, 1.3, 2.1, 3.4]
    assert math.isclose(
        nearest_rank_percentile_seconds(buckets(times), 50), statistics.median_low(times), rel_tol=0.0254
    )


def test_it_adds_tallies():
    assert sum_counts_by_bucket_number([{"3": 1, "10": 2}, {}, {"10": 5}]) == {3: 1, 10: 7}


def test_it_has_no_percentile_of_nothing():
    assert nearest_rank_percentile_seconds({}, 50) is None


@pytest.mark.parametrize("percent", [0, 101, -5])
def test_it_refuses_what_is_no_percent(percent):
    with pytest.raises(ValueError, match="from 1 to 100"):
        nearest_rank_percentile_seconds({1: 1}, percent)

"""The cause of each miss and false alarm."""

from annotations.schema import Span
from evaluation.analyses.error_causes import (
    ErrorCause,
    ErrorKnowledge,
    ScoringError,
    count_error_causes_false_negatives_first,
    group_items_remaining_after_cuts_by_document,
    list_errors_with_likely_causes,
)
from evaluation.measures.columns import GoldColumns, MentionItem, RelationItem, encode_column
from evaluation.measures.lists.scenarios import ScoringScenario
from tests.reference.columns import encode_gold, encode_run

GOLD = encode_gold({"d1": ["human_a", "human_b", "human_c", "human_d"], "d2": ["mouse_a"]})
RUN = encode_run(
    [
        ("d1", "human_a", 1, 0.9),
        ("d1", "mouse_b", 2, 0.8),
        ("d1", "fly_z", 3, 0.7),
        ("d1", "human_z", 4, 0.6),
        ("d1", "human_c", 5, 0.2),
    ]
)
ORGANISMS = {f"{kind}_{letter}": kind for kind in ("human", "mouse", "fly") for letter in "abcdz"}
KNOWN = ErrorKnowledge(
    homonyms={"human_b": ["mouse_b"]},
    organisms=ORGANISMS,
    other_runs=[
        group_items_remaining_after_cuts_by_document(encode_run([("d1", "human_b", 1, None), ("d2", "fly_z", 1, None)]))
    ],
)


def test_it_tells_why_each_fault_was_made():
    assert list_errors_with_likely_causes(GOLD, RUN, ScoringScenario(min_confidence=0.5), KNOWN) == [
        ScoringError("d1", "human_b", True, ErrorCause.HOMONYM, "mouse_b"),
        ScoringError("d1", "human_c", True, ErrorCause.CUT_OFF),
        ScoringError("d1", "human_d", True, ErrorCause.NOBODY),
        ScoringError("d1", "mouse_b", False, ErrorCause.HOMONYM, "human_b"),
        ScoringError("d1", "fly_z", False, ErrorCause.ORGANISM),
        ScoringError("d1", "human_z", False, ErrorCause.NOT_RIGHT),
        ScoringError("d2", "mouse_a", True, ErrorCause.UNANSWERED),
    ]


def test_it_tells_less_when_it_knows_less():
    found = [(fault.item, fault.cause) for fault in list_errors_with_likely_causes(GOLD, RUN)]
    assert found == [
        ("human_b", ErrorCause.OVERLOOKED),
        ("human_d", ErrorCause.OVERLOOKED),
        ("mouse_b", ErrorCause.NOT_RIGHT),
        ("fly_z", ErrorCause.NOT_RIGHT),
        ("human_z", ErrorCause.NOT_RIGHT),
        ("mouse_a", ErrorCause.UNANSWERED),
    ]


def test_it_finds_no_fault_in_what_the_scenario_mends():
    mended = ScoringScenario(homonyms=KNOWN.homonyms, organisms=ORGANISMS)
    assert [fault.item for fault in list_errors_with_likely_causes(GOLD, RUN, mended, KNOWN)] == [
        "human_d",
        "human_z",
        "mouse_a",
    ]


def test_it_sees_pairs_that_are_half_right():
    gold = encode_gold({"d1": [("a", "b")]})
    found = list_errors_with_likely_causes(gold, encode_run([("d1", ("b", "c"), 1, None), ("d1", ("x", "y"), 2, None)]))
    assert found == [
        ScoringError("d1", ("a", "b"), True, ErrorCause.PARTNER, ("b", "c")),
        ScoringError("d1", ("b", "c"), False, ErrorCause.PARTNER, ("a", "b")),
        ScoringError("d1", ("x", "y"), False, ErrorCause.NOT_RIGHT),
    ]


RIGHT_SPANS = [Span(0, 5), Span(10, 15), Span(20, 25)]
FOUND = [("d1", Span(0, 5), 1, None), ("d1", Span(12, 15), 2, None), ("d1", Span(40, 44), 3, None)]
SPANS = GoldColumns(encode_column(["d1"] * 3), encode_column(RIGHT_SPANS))


def test_it_sees_wrong_boundaries():
    assert list_errors_with_likely_causes(SPANS, encode_run(FOUND)) == [
        ScoringError("d1", Span(10, 15), True, ErrorCause.BOUNDARY, Span(12, 15)),
        ScoringError("d1", Span(20, 25), True, ErrorCause.OVERLOOKED),
        ScoringError("d1", Span(12, 15), False, ErrorCause.BOUNDARY, Span(10, 15)),
        ScoringError("d1", Span(40, 44), False, ErrorCause.NOT_RIGHT),
    ]


def test_it_knows_which_mention_was_paired():
    found = list_errors_with_likely_causes(SPANS, encode_run(FOUND), ScoringScenario(spans="overlap"))
    assert [(fault.item, fault.is_false_negative) for fault in found] == [(Span(20, 25), True), (Span(40, 44), False)]


def explain(gold_items, run_items, **scenario):
    gold = GoldColumns(encode_column(["d1"] * len(gold_items)), encode_column(gold_items))
    run = encode_run([("d1", item, rank, None) for rank, item in enumerate(run_items, 1)])
    return [
        (error.is_false_negative, error.item, error.cause, error.counterpart_item)
        for error in list_errors_with_likely_causes(gold, run, ScoringScenario(**scenario))
    ]


def test_it_sees_wrong_types_and_boundaries_of_typed_mentions():
    gold = [MentionItem((Span(0, 5),), "Gene"), MentionItem((Span(10, 12), Span(14, 16)), "Gene")]
    run = [MentionItem((Span(0, 5),), "Disease"), MentionItem((Span(10, 16),), "Gene"), MentionItem((Span(12, 14),))]
    assert explain(gold, run) == [
        (True, gold[0], ErrorCause.NAME, run[0]),
        (True, gold[1], ErrorCause.BOUNDARY, run[1]),
        (False, run[0], ErrorCause.NAME, gold[0]),
        (False, run[1], ErrorCause.BOUNDARY, gold[1]),
        (False, run[2], ErrorCause.NOT_RIGHT, None),
    ]
    assert [error[1] for error in explain(gold, run, spans="overlap")] == [gold[0], run[0], run[2]]


def test_it_sees_relations_of_the_same_entities_and_of_one_of_them():
    gold = [RelationItem(("a", "b"), "bind"), RelationItem(("a", "c"), "bind")]
    run = [RelationItem(("a", "b"), "cause"), RelationItem(("c", "d"), "bind"), RelationItem(("x", "y"), "bind")]
    assert explain(gold, run) == [
        (True, gold[0], ErrorCause.STATEMENT, run[0]),
        (True, gold[1], ErrorCause.PARTNER, run[0]),
        (False, run[0], ErrorCause.STATEMENT, gold[0]),
        (False, run[1], ErrorCause.PARTNER, gold[1]),
        (False, run[2], ErrorCause.NOT_RIGHT, None),
    ]


def test_it_sees_directions_whatever_the_roles():
    gold, run = RelationItem(("cause=a", "effect=b"), "bind", True), RelationItem(("cause=b", "effect=a"), "bind", True)
    assert explain([gold], [run])[0] == (True, gold, ErrorCause.STATEMENT, run)


def test_it_counts_the_causes():
    counted = count_error_causes_false_negatives_first(
        list_errors_with_likely_causes(GOLD, RUN, ScoringScenario(min_confidence=0.5), KNOWN)
    )
    assert counted == [
        (True, ErrorCause.CUT_OFF, 1),
        (True, ErrorCause.HOMONYM, 1),
        (True, ErrorCause.UNANSWERED, 1),
        (True, ErrorCause.NOBODY, 1),
        (False, ErrorCause.HOMONYM, 1),
        (False, ErrorCause.ORGANISM, 1),
        (False, ErrorCause.NOT_RIGHT, 1),
    ]

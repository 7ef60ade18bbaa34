"""The cause of each miss and false alarm."""

from evaluation.analyses.causes import Cause, Fault, Knowledge, by_cause, faults, reported_items
from evaluation.measures.columns import GoldColumns, coded
from evaluation.measures.scenarios import Scenario
from evaluation.measures.spans import Span
from tests.reference.columns import gold_of, run_of

GOLD = gold_of({"d1": ["human_a", "human_b", "human_c", "human_d"], "d2": ["mouse_a"]})
RUN = run_of(
    [
        ("d1", "human_a", 1, 0.9),
        ("d1", "mouse_b", 2, 0.8),
        ("d1", "fly_z", 3, 0.7),
        ("d1", "human_z", 4, 0.6),
        ("d1", "human_c", 5, 0.2),
    ]
)
ORGANISMS = {f"{kind}_{letter}": kind for kind in ("human", "mouse", "fly") for letter in "abcdz"}
KNOWN = Knowledge(
    homonyms={"human_b": ["mouse_b"]},
    organisms=ORGANISMS,
    others=[reported_items(run_of([("d1", "human_b", 1, None), ("d2", "fly_z", 1, None)]))],
)


def test_it_tells_why_each_fault_was_made():
    assert faults(GOLD, RUN, Scenario(min_confidence=0.5), KNOWN) == [
        Fault("d1", "human_b", True, Cause.HOMONYM, "mouse_b"),
        Fault("d1", "human_c", True, Cause.CUT_OFF),
        Fault("d1", "human_d", True, Cause.NOBODY),
        Fault("d1", "mouse_b", False, Cause.HOMONYM, "human_b"),
        Fault("d1", "fly_z", False, Cause.ORGANISM),
        Fault("d1", "human_z", False, Cause.NOT_RIGHT),
        Fault("d2", "mouse_a", True, Cause.UNANSWERED),
    ]


def test_it_tells_less_when_it_knows_less():
    found = [(fault.item, fault.cause) for fault in faults(GOLD, RUN)]
    assert found == [
        ("human_b", Cause.OVERLOOKED),
        ("human_d", Cause.OVERLOOKED),
        ("mouse_b", Cause.NOT_RIGHT),
        ("fly_z", Cause.NOT_RIGHT),
        ("human_z", Cause.NOT_RIGHT),
        ("mouse_a", Cause.UNANSWERED),
    ]


def test_it_finds_no_fault_in_what_the_scenario_mends():
    mended = Scenario(homonyms=KNOWN.homonyms, organisms=ORGANISMS)
    assert [fault.item for fault in faults(GOLD, RUN, mended, KNOWN)] == ["human_d", "human_z", "mouse_a"]


def test_it_sees_pairs_that_are_half_right():
    gold = gold_of({"d1": [("a", "b")]})
    found = faults(gold, run_of([("d1", ("b", "c"), 1, None), ("d1", ("x", "y"), 2, None)]))
    assert found == [
        Fault("d1", ("a", "b"), True, Cause.PARTNER, ("b", "c")),
        Fault("d1", ("b", "c"), False, Cause.PARTNER, ("a", "b")),
        Fault("d1", ("x", "y"), False, Cause.NOT_RIGHT),
    ]


RIGHT = [Span(0, 5), Span(10, 15), Span(20, 25)]
FOUND = [("d1", Span(0, 5), 1, None), ("d1", Span(12, 15), 2, None), ("d1", Span(40, 44), 3, None)]
SPANS = GoldColumns(coded(["d1"] * 3), coded(RIGHT))


def test_it_sees_wrong_boundaries():
    assert faults(SPANS, run_of(FOUND)) == [
        Fault("d1", Span(10, 15), True, Cause.BOUNDARY, Span(12, 15)),
        Fault("d1", Span(20, 25), True, Cause.OVERLOOKED),
        Fault("d1", Span(12, 15), False, Cause.BOUNDARY, Span(10, 15)),
        Fault("d1", Span(40, 44), False, Cause.NOT_RIGHT),
    ]


def test_it_knows_which_mention_was_paired():
    found = faults(SPANS, run_of(FOUND), Scenario(spans="overlap"))
    assert [(fault.item, fault.miss) for fault in found] == [(Span(20, 25), True), (Span(40, 44), False)]


def test_it_counts_the_causes():
    counted = by_cause(faults(GOLD, RUN, Scenario(min_confidence=0.5), KNOWN))
    assert counted == [
        (True, Cause.CUT_OFF, 1),
        (True, Cause.HOMONYM, 1),
        (True, Cause.UNANSWERED, 1),
        (True, Cause.NOBODY, 1),
        (False, Cause.HOMONYM, 1),
        (False, Cause.ORGANISM, 1),
        (False, Cause.NOT_RIGHT, 1),
    ]

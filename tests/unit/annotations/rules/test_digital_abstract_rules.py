"""What is wrong with a digital abstract, and what MIMIx misses in it: the code and the path of each fault."""

from dataclasses import replace

import pytest

from annotations.digital_abstract import Detection, DigitalAbstract, EvidencePassage, Interaction, Participant
from annotations.identifiers.psi_mi_terms import load_shipped_psi_mi_terms
from annotations.rules.digital_abstract_rules import DIGITAL_ABSTRACT_RULES, MOST_PARTICIPANTS
from annotations.rules.digital_abstracts import find_abstract_faults, find_direction_faults, find_interaction_faults
from annotations.rules.mimix import list_missing_interaction_parts, list_missing_parts
from annotations.schema import EntityId, Span
from tests.interaction_records import (
    ABSTRACT,
    BINDING,
    BRCA2,
    COIP,
    COMPLEX,
    DIMER,
    P53,
    PHOSPHORYLATED,
    PREY,
    RAD51,
    TEXT,
    TWO_HYBRID,
    quote,
)

TERMS = load_shipped_psi_mi_terms()
FIRST, SECOND = BINDING.participants


def show(interaction):
    return [(fault.code, fault.where) for fault in find_interaction_faults(interaction, TEXT, TERMS)]


def change_participant(**values):
    return replace(BINDING, participants=(FIRST, replace(SECOND, **values)))


def change_passage(**values):
    passage = replace(quote("RAD51 binds BRCA2."), **values)
    return replace(BINDING, detections=(Detection(TWO_HYBRID), Detection(COIP, (quote("BRCA2"), passage))))


def test_it_finds_nothing_wrong_with_a_good_record():
    assert find_abstract_faults(ABSTRACT, TEXT, TERMS) == []
    assert find_abstract_faults(DigitalAbstract(nothing_found=True), "", TERMS) == []


@pytest.mark.parametrize(
    ("interaction", "faults"),
    [
        (replace(BINDING, participants=()), [("R141", "participants")]),
        (replace(BINDING, participants=(FIRST,)), [("R141", "participants")]),
        (DIMER, []),
        (
            replace(
                BINDING,
                participants=tuple(
                    Participant(EntityId("ncbigene", str(each + 1))) for each in range(MOST_PARTICIPANTS + 1)
                ),
            ),
            [("R141", "participants")],
        ),
        (change_participant(entity=EntityId("uniprot", "P53_HUMAN")), [("R142", "participants[1].entity")]),
        (change_participant(entity=EntityId("uniprot", " ")), [("R142", "participants[1].entity")]),
        (change_participant(entity=EntityId("", "any protein")), []),
        (change_participant(entity=EntityId("mesh", "D00")), [("R142", "participants[1].entity")]),
        (change_participant(taxon=0), [("R143", "participants[1].taxon")]),
        (change_participant(taxon=2**31), [("R143", "participants[1].taxon")]),
        (replace(BINDING, interaction_type="MI:9999"), [("R144", "type")]),
        (replace(BINDING, interaction_type="binds"), [("R144", "type")]),
        (replace(BINDING, interaction_type=TWO_HYBRID), [("R146", "type")]),
        (replace(BINDING, interaction_type="MI:0190"), [("R146", "type")]),
        (replace(BINDING, interaction_type=""), []),
        (
            replace(BINDING, detections=(Detection(TWO_HYBRID), Detection("MI:0915"))),
            [("R145", "detections[1].method")],
        ),
        (replace(BINDING, detections=(Detection(""),)), [("R144", "detections[0].method")]),
        (
            replace(BINDING, detections=(Detection(TWO_HYBRID), Detection(COIP), Detection(TWO_HYBRID))),
            [("R149", "detections[2].method")],
        ),
        (change_participant(biological_role=PREY), [("R147", "participants[1].biological_role")]),
        (change_participant(experimental_role="MI:0501"), [("R147", "participants[1].experimental_role")]),
        (change_participant(entity=BRCA2), [("R148", "participants[1].entity")]),
        (change_participant(entity=BRCA2, biological_role="MI:0503"), []),
        (change_participant(entity=BRCA2, experimental_role="MI:0898"), []),
        (change_passage(span=Span(len(TEXT) - 3, len(TEXT) + 1)), [("R150", "detections[1].evidence[1].span")]),
        (change_passage(span=Span(4, 4)), [("R150", "detections[1].evidence[1].span")]),
        (change_passage(text="RAD51 binds BRCA1."), [("R151", "detections[1].evidence[1].text")]),
        (change_passage(figure="x" * 65), [("R153", "detections[1].evidence[1].figure")]),
        (replace(BINDING, confidence=0.0), [("R152", "confidence")]),
        (replace(BINDING, confidence=1.01), [("R152", "confidence")]),
        (replace(BINDING, confidence=float("nan")), [("R152", "confidence")]),
        (replace(BINDING, confidence=1), []),
        (replace(BINDING, comment="x" * 5001), [("R153", "comment")]),
        (replace(BINDING, comment="a\0b"), [("R154", "comment")]),
        (change_participant(name="x" * 256), [("R153", "participants[1].name")]),
        (
            replace(BINDING, detections=(Detection(COIP, (quote("RAD51"),) * 101),)),
            [("R153", "detections")],
        ),
        (
            replace(BINDING, detections=tuple(Detection(term.id) for term in TERMS.list_terms_below("MI:0001")[:17])),
            [("R153", "detections")],
        ),
    ],
)
def test_it_names_the_rule_and_the_field(interaction, faults):
    assert show(interaction) == faults


def test_it_names_the_interaction():
    bad = replace(BINDING, participants=(FIRST, FIRST), interaction_type="MI:0018")
    faults = find_abstract_faults(DigitalAbstract((BINDING, bad), organisms=(9606, -1)), TEXT, TERMS)
    assert [(fault.code, fault.where) for fault in faults] == [
        ("R143", "organisms[1]"),
        ("R148", "interactions[1].participants[1].entity"),
        ("R146", "interactions[1].type"),
    ]
    assert faults[1].message == '"P51587" is there twice and not marked as interacting with itself.'
    assert faults[1].mend.startswith("Choose the role self (MI:0503)")
    assert faults[2].message == "two hybrid (MI:0018) is not an interaction type."


def test_its_messages_are_those_of_people_who_fix_them():
    [fault] = find_interaction_faults(change_passage(text="RAD51 binds BRCA1."), TEXT, TERMS)
    assert fault.message == 'The article has "RAD51 binds BRCA2." there, not "RAD51 binds BRCA1.".'
    [fault] = find_interaction_faults(change_participant(entity=EntityId("uniprot", "p53")), TEXT, TERMS)
    assert fault.message == '"p53" is not an identifier of UniProt.'


def test_it_bounds_what_it_reads():
    many = DigitalAbstract((replace(BINDING, confidence=2.0),) * 1001, organisms=tuple(range(1, 102)))
    faults = find_abstract_faults(many, TEXT, TERMS)
    assert [(fault.code, fault.where) for fault in faults[:3]] == [
        ("R153", "interactions"),
        ("R153", "organisms"),
        ("R152", "interactions[0].confidence"),
    ]
    assert len(faults) == 1002


@pytest.mark.parametrize(
    ("interaction_type", "message"),
    [
        ("MI:0915", "The type physical association (MI:0915) has no direction."),
        ("", "An interaction without a type has no direction."),
    ],
)
def test_a_direction_that_the_type_does_not_have_is_kept_and_told_of(interaction_type, message):
    directed = replace(BINDING, interaction_type=interaction_type, directed=True)
    [fault] = find_direction_faults(directed, TERMS, "interaction")
    assert (fault.code, fault.where, fault.message) == ("R155", "interaction.directed", message)
    assert find_interaction_faults(directed, TEXT, TERMS) == []
    assert find_direction_faults(replace(directed, directed=False), TERMS) == []
    assert find_direction_faults(PHOSPHORYLATED, TERMS) == []


def test_its_rules_have_codes_in_ascending_order():
    codes = [rule.code for rule in DIGITAL_ABSTRACT_RULES]
    assert codes == sorted(set(codes))


def test_it_lists_what_mimix_misses():
    assert [part.where for part in list_missing_interaction_parts(COMPLEX)] == [
        "type",
        "detections[0].evidence",
        "detections[1].evidence",
        "participants[0].biological_role",
        "participants[1].biological_role",
        *("participants[2].biological_role", "participants[2].experimental_role", "participants[3].entity"),
        *("participants[3].biological_role", "participants[3].experimental_role"),
    ]
    bare = Interaction((Participant(RAD51), Participant(P53, "p53", 9606)))
    parts = list_missing_parts(DigitalAbstract((bare,)))
    assert parts[1].where == "interactions[0].detections"
    assert ("interactions[0].participants[0].taxon", "The organism of Q06609 is open.") in parts


def test_a_complete_record_misses_nothing():
    roles = {"biological_role": "MI:2274", "experimental_role": PREY}
    assert TERMS.list_branches("MI:2274") == ["MI:0500"]
    complete = replace(
        PHOSPHORYLATED, participants=tuple(replace(each, **roles) for each in PHOSPHORYLATED.participants)
    )
    assert list_missing_interaction_parts(complete) == []
    assert list_missing_interaction_parts(replace(complete, detections=(Detection("MI:0686"),)))[0].where == (
        "detections[0].method"
    )


def test_an_empty_record_states_that_nothing_was_found():
    assert list_missing_parts(DigitalAbstract(nothing_found=True)) == []
    assert [part.where for part in list_missing_parts(DigitalAbstract())] == ["interactions"]


def test_a_passage_is_code_points():
    text = "\U0001d6fd-catenin binds TCF4."
    passage = EvidencePassage(Span(0, 9), "\U0001d6fd-catenin"[:9])
    interaction = replace(BINDING, detections=(Detection(COIP, (passage,)),))
    assert find_interaction_faults(interaction, text, TERMS) == []

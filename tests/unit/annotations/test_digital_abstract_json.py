"""Digital abstracts as JSON: an exact round trip, and the path of everything that is wrong."""

import copy
import json

import pytest
from hypothesis import given

from annotations.digital_abstract import DigitalAbstract, Interaction, Participant
from annotations.digital_abstract_json import (
    build_abstract_json,
    build_interaction_json,
    parse_abstract_json,
    parse_interaction_json,
)
from annotations.json_members import JsonMemberError
from tests.digital_abstract_samples import DIGITAL_ABSTRACTS, FULL
from tests.interaction_records import ABSTRACT, BINDING, P53, RAD51


@pytest.mark.parametrize("abstract", [ABSTRACT, FULL, DigitalAbstract(), DigitalAbstract(nothing_found=True)])
def test_it_reads_what_it_writes(abstract):
    assert parse_abstract_json(json.loads(json.dumps(build_abstract_json(abstract)))) == abstract


@given(DIGITAL_ABSTRACTS)
def test_it_reads_whatever_it_writes(abstract):
    assert parse_abstract_json(json.loads(json.dumps(build_abstract_json(abstract)))) == abstract


def test_it_has_the_members_of_an_interaction():
    assert build_interaction_json(BINDING) == {
        "participants": [
            {
                "database": "uniprot",
                "identifier": identifier,
                "name": name,
                "taxon": 9606,
                "biological_role": "MI:0499",
                "experimental_role": role,
            }
            for identifier, name, role in (("P51587", "BRCA2", "MI:0496"), ("Q06609", "Rad51", "MI:0498"))
        ],
        "type": "MI:0915",
        "detections": [
            {
                "method": "MI:0018",
                "evidence": [{"span": [27, 63], "text": "by two hybrid that BRCA2 binds RAD51", "figure": "Figure 2A"}],
            },
            {"method": "MI:0019", "evidence": []},
        ],
        "directed": False,
        "negative": False,
        "confidence": 0.8,
        "comment": 'Checked twice: "yes|no"\nand\ta tab',
        "sources": [{"name": "GNormPlus 2", "origin": "system"}, {"name": "Doe J", "origin": "author"}],
    }


def test_it_needs_only_what_an_interaction_cannot_do_without():
    value = {"participants": [{"database": "uniprot", "identifier": each.identifier} for each in (RAD51, P53)]}
    assert parse_interaction_json(value) == Interaction((Participant(RAD51), Participant(P53)))
    assert parse_abstract_json({}) == DigitalAbstract()


def test_it_names_the_sources_of_annotations_and_organisms():
    value = build_abstract_json(FULL)
    assert value["annotations"][0]["sources"] == [
        {"name": "TaggerOne & co", "origin": "system"},
        {"name": "Doe J", "origin": "author"},
    ]
    assert value["annotations"][1]["sources"] == []
    assert value["organisms"] == [9606, 10090]
    sources = [{"name": "SR4GN <1>", "origin": "system"}]
    assert value["organism_sources"] == [{"organism": 9606, "sources": sources}]


def test_it_reads_records_that_name_no_sources_of_annotations():
    """As they were stored before annotations had any."""
    value = build_abstract_json(FULL)
    del value["organism_sources"]
    for each in value["annotations"]:
        del each["sources"]
    abstract = parse_abstract_json(value)
    assert abstract.organisms == FULL.organisms
    assert [each.annotation for each in abstract.annotations] == [each.annotation for each in FULL.annotations]
    assert not abstract.organism_sources and not any(each.sources for each in abstract.annotations)


FAULTS = [
    (["interactions"], {}, "interactions is not a list."),
    (["interactions", 0], "x", "interactions[0] is not an object."),
    (["interactions", 0, "participants", 1, "identifier"], None, "interactions[0].participants[1].identifier is not a"),
    (
        ["interactions", 0, "participants", 1, "taxon"],
        "9606",
        "interactions[0].participants[1].taxon is neither a whole",
    ),
    (["interactions", 0, "participants", 1, "taxon"], True, "interactions[0].participants[1].taxon is neither a whole"),
    (
        ["interactions", 0, "participants", 1, "taxon"],
        2**40,
        "interactions[0].participants[1].taxon is neither a whole",
    ),
    (["interactions", 0, "confidence"], "high", "interactions[0].confidence is neither a number nor null."),
    (["interactions", 0, "confidence"], float("inf"), "interactions[0].confidence is neither a number nor null."),
    (["interactions", 0, "negative"], 1, "interactions[0].negative is neither true nor false."),
    (["interactions", 0, "methods"], [], "interactions[0].methods is not a member of this object."),
    (
        ["interactions", 0, "detections", 0, "evidence", 0, "span"],
        [1],
        "interactions[0].detections[0].evidence[0].span is",
    ),
    (
        ["interactions", 0, "sources", 1, "origin"],
        "god",
        "interactions[0].sources[1].origin is not one of system, author",
    ),
    (["organisms", 0], 9606.5, "organisms[0] is not a whole number"),
    (["annotations", 0], [], "annotations[0] is not an object."),
    (["annotations", 0, "kind"], "opinion", "annotations[0]: “opinion” is not a kind of annotation: write one of"),
    (["annotations", 1, "sources", 0, "origin"], "god", "annotations[1].sources[0].origin is not one of system"),
    (["annotations", 1, "sources"], "me", "annotations[1].sources is not a list."),
    (["organism_sources"], [{"organism": 4932}], "organism_sources has the organism 4932, which is not one of"),
    (["organism_sources"], [{"organism": 9606}] * 2, "organism_sources has the organism 9606, twice."),
    (["organism_sources"], [{"organism": "9606"}], "organism_sources[0].organism is not a whole number"),
    (["state"], "ready", "state is not one of draft, finished, published."),
    (["contributors", 0, "orcid"], 17, "contributors[0].orcid is not a string."),
]


@pytest.mark.parametrize(("path", "value", "message"), FAULTS)
def test_it_names_the_path_of_what_is_wrong(path, value, message):
    document = copy.deepcopy(build_abstract_json(ABSTRACT))
    *parents, last = path
    part = document
    for step in parents:
        part = part[step]
    part[last] = value
    with pytest.raises(JsonMemberError) as caught:
        parse_abstract_json(document)
    assert str(caught.value).startswith(message)
    assert message.startswith(caught.value.path)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "item.interaction is not an object."),
        ({"participants": [{}]}, "item.interaction.participants[0].identifier is missing."),
        ({"detections": [{"evidence": []}]}, "item.interaction.detections[0].method is missing."),
    ],
)
def test_it_puts_its_own_path_before(value, message):
    with pytest.raises(JsonMemberError, match=message.replace("[", r"\[")):
        parse_interaction_json(value, "item.interaction")

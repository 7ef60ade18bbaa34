"""The settings of a task: as JSON, in signatures, and what they change."""

import pytest

from evaluation.measures.items.type_spellings import normalize_type_for_matching
from evaluation.measures.task_settings import (
    LabelSet,
    TaskSettings,
    TaskSettingsError,
    build_task_settings_json,
    list_settings_for_readers,
    read_task_settings,
)

FULL = {
    "entity_types": ["Disease", "Chemical"],
    "namespaces": ["mesh", "ncbigene"],
    "matching": {
        "spans": "overlap",
        "identifiers": "article",
        "relation": "novelty",
        "types": False,
        "relation_types": ["CID"],
        "excluded_type_pairs": [["Disease", "Disease"], ["Gene", "Variant"]],
    },
    "label_set": {"name": "topic", "values": ["treatment", "diagnosis"], "several": True},
    "type_spellings": {"Strain": ["cell strain", "isolate"], "Disease": ["illness"]},
}


def test_it_reads_nothing_as_the_settings_of_today():
    assert read_task_settings({}) == TaskSettings()
    assert read_task_settings({"entity_types": [], "namespaces": [], "matching": {}, "label_set": {}}) == TaskSettings()
    assert build_task_settings_json(TaskSettings()) == {}


def test_it_adds_nothing_to_the_signatures_of_tasks_without_settings():
    assert TaskSettings().describe() == ()


def test_it_writes_what_it_reads():
    assert build_task_settings_json(read_task_settings(FULL)) == FULL


def test_pages_say_what_each_setting_means():
    settings = {"entity_types": ["Disease"], "matching": {"identifiers": "article", "spans": "overlap", "types": False}}
    settings["type_spellings"] = FULL["type_spellings"]
    words = "; ".join(f"{name} {value}" for name, value in list_settings_for_readers(read_task_settings(settings)))
    for phrase in (
        "entity types Disease",
        "identifiers compared in each article",
        "mentions match by overlap",
        "types have to match: no",
        "type spellings Strain: cell strain, isolate; Disease: illness",
    ):
        assert phrase in words


def test_it_describes_every_setting_that_is_not_the_default():
    assert read_task_settings(FULL).describe() == (
        "types:Disease,Chemical",
        "type-spellings:Strain: cell strain, isolate;Disease: illness",
        "namespaces:mesh,ncbigene",
        "spans:overlap",
        "identifiers:article",
        "relation:novelty",
        "type-matching:no",
        "relation-types:CID",
        "without:Disease-Disease,Gene-Variant",
        "labels:topic",
        "values:treatment,diagnosis",
        "several-labels:yes",
    )


def test_it_knows_other_spellings_of_types_and_namespaces():
    settings = read_task_settings({"entity_types": ["ChemicalEntity", "Chemical"], "namespaces": ["MESH", "NCBI Gene"]})
    assert settings == TaskSettings(("Chemical",), ("mesh", "ncbigene"))


def test_it_matches_spellings_of_known_and_unknown_types():
    assert normalize_type_for_matching("DiseaseOrPhenotypicFeature") == normalize_type_for_matching("disease")
    assert normalize_type_for_matching("Cell_Component") == normalize_type_for_matching("cell component")
    assert normalize_type_for_matching("Gene") != normalize_type_for_matching("Protein")


def test_a_task_adds_spellings_to_those_of_the_site():
    settings = read_task_settings({"type_spellings": {"Strain": ["cell strain", "isolate"], "illness": ["Disease"]}})
    assert {settings.normalize_type(each) for each in ("Strain", "Cell_Strain", "ISOLATE")} == {"strain"}
    assert {settings.normalize_type(each) for each in ("illness", "disease", "DiseaseClass")} == {"illness"}
    assert settings.name_type("cell-strain") == "Strain"
    assert settings.name_type("GeneOrGeneProduct") == "GeneOrGeneProduct"
    assert (settings.normalize_type("genes"), settings.normalize_type("")) == ("Gene", "")
    assert settings.select_entity_type("Strain").normalize_type("isolate") == "strain"
    assert TaskSettings().normalize_type("isolate") == "isolate"


@pytest.mark.parametrize(
    ("spellings", "message"),
    [
        (["Strain"], "is not an object - give the spellings of each type"),
        ({"Strain": "isolate"}, "is not a list"),
        ({"Strain": []}, "'Strain' has no spellings - give at least one"),
        ({"Strain": [1]}, "something that is no text"),
        ({"Strain": ["x" * 101]}, "is too long"),
        ({"Strain": [f"s{number}" for number in range(101)]}, "is too long"),
        ({f"t{number}": ["x"] for number in range(101)}, "is too long"),
        ({"": ["isolate"]}, "has an empty text"),
        ({"Strain": ["++"]}, "'++' has no letter or digit"),
        ({"Strain": ["a, b"]}, "has a comma, colon"),
        ({"A:B": ["a"]}, "has a comma, colon"),
        ({"Strain": ["isolate"], "STRAIN": ["cell strain"]}, "'STRAIN' is given twice"),
        ({"Strain": ["isolate"], "Sample": ["Isolate"]}, "'Isolate' is given for Strain and for Sample"),
        ({"Strain": ["samples", "sample"], "Sample": ["probe"]}, "'sample' of Strain is Sample, another type"),
        ({"Strain": ["illness", "DISEASES"]}, "'DISEASES' of Strain is Disease, another type of the task"),
    ],
)
def test_it_refuses_spellings_that_are_ambiguous_or_malformed(spellings, message):
    with pytest.raises(TaskSettingsError, match="type_spellings: ") as fault:
        read_task_settings({"entity_types": ["Strain", "Disease"], "type_spellings": spellings})
    assert fault.value.member == "type_spellings"
    assert message in str(fault.value)


def test_it_reads_a_label_set_without_values():
    assert read_task_settings({"label_set": {"name": "topic"}}).label_set == LabelSet("topic")


@pytest.mark.parametrize(
    ("values", "member"),
    [
        ({"entity_types": "Disease"}, "entity_types"),
        ({"entity_types": [""]}, "entity_types"),
        ({"entity_types": [1]}, "entity_types"),
        ({"namespaces": ["no such namespace"]}, "namespaces"),
        ({"matching": ["spans"]}, "matching"),
        ({"matching": {"span": "exact"}}, "matching.span"),
        ({"matching": {"spans": "nearly"}}, "matching.spans"),
        ({"matching": {"identifiers": 1}}, "matching.identifiers"),
        ({"matching": {"relation": "roles"}}, "matching.relation"),
        ({"matching": {"types": "yes"}}, "matching.types"),
        ({"matching": {"relation_types": {}, "excluded_type_pairs": "x"}}, "matching.excluded_type_pairs"),
        ({"matching": {"excluded_type_pairs": [["Gene"]]}}, "matching.excluded_type_pairs"),
        ({"matching": {"excluded_type_pairs": [["Gene", ""]]}}, "matching.excluded_type_pairs"),
        ({"label_set": {"values": ["a"]}}, "label_set.name"),
        ({"label_set": {"name": "topic", "several": 1}}, "label_set.several"),
        ({"label_set": {"name": "topic", "values": "a"}}, "label_set.values"),
    ],
)
def test_it_names_the_member_with_the_fault(values, member):
    with pytest.raises(TaskSettingsError) as fault:
        read_task_settings(values)
    assert fault.value.member == member
    assert str(fault.value).startswith(f"{member}: ")

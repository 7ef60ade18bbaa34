"""Tasks of any types: an organizer defines them by the page or by REST, with errors at the setting."""

import pytest

from annotations.schema import Kind
from evaluation.challenges.models import Task
from evaluation.challenges.setup.creation import create_task
from evaluation.challenges.setup.task_page.choices import CHOICES_BY_NAME
from evaluation.errors import ChallengeError
from evaluation.measures.open_tasks import list_offered_measures, list_offered_ordering_measures
from evaluation.measures.registry import MEASURES_BY_NAME
from evaluation.measures.task_settings import TaskSettings
from tests.integration.evaluation_cast import create_listed_challenge

pytestmark = pytest.mark.django_db
PAGE, API = "/challenges/open/", "/api/v1/challenges/open/"
# {choice of the page: fields, kind and settings of the task}
CHOICES = {
    "ner": (
        {
            "entity_types": "disease,\nChemicals",
            "spans": "overlap",
            "type_spellings": "disease: illness\nChemical:a, b",
        },
        "mention",
    ),
    "nel": ({"namespaces": "MeSH, NCBI Gene", "entity_types": "Disease"}, "mention"),
    "nel-articles": ({"namespaces": "mesh"}, "entity"),
    "relations": (
        {
            "relation": "novelty",
            "relation_types": "CID",
            "excluded_type_pairs": "Variant-Gene",
            "roles": "cause, effect",
            "type_spellings": "Variant: change of sequence",
        },
        "relation",
    ),
    "labels": ({"label_name": "topic", "label_values": "safety\ntreatment, drugs", "several_labels": "on"}, "label"),
}
SETTINGS = {
    "ner": {
        "entity_types": ["Disease", "Chemical"],
        "matching": {"spans": "overlap"},
        "type_spellings": {"Disease": ["illness"], "Chemical": ["a", "b"]},
    },
    "nel": {"entity_types": ["Disease"], "namespaces": ["mesh", "ncbigene"], "matching": {"identifiers": "mention"}},
    "nel-articles": {"entity_types": ["*"], "namespaces": ["mesh"], "matching": {"identifiers": "article"}},
    "relations": {
        "matching": {"relation": "novelty", "relation_types": ["CID"], "excluded_type_pairs": [["Gene", "Variant"]]},
        "roles": ["cause", "effect"],
        "type_spellings": {"Variant": ["change of sequence"]},
    },
    "labels": {"label_set": {"name": "topic", "values": ["safety", "treatment, drugs"], "several": True}},
}


@pytest.fixture
def challenge(olga):
    return create_listed_challenge("Open", "open", "Any types.", olga)


def fill(choice, **fields):
    return {"name": "T1", "title": "A task", "kind": choice, "primary": "", "note": "", **fields}


@pytest.mark.parametrize("choice", CHOICES)
def test_the_page_stores_settings_and_shows_them_again(challenge, organizer, choice):
    fields, kind = CHOICES[choice]
    assert organizer.post(PAGE + "add-task/", fill(choice, **fields)).url == PAGE + "organize/"
    task = Task.objects.get()
    assert (task.kind, task.settings) == (kind, SETTINGS[choice])
    assert task.primary == ("label_micro_f1" if choice == "labels" else "micro_f1")
    form = organizer.get(PAGE + "tasks/T1/").context["form"]
    sent = {bound.name: bound.value() for bound in form if bound.value() not in (None, False)}
    assert sent["kind"] == choice
    assert organizer.post(PAGE + "tasks/T1/", sent).url == PAGE + "organize/"
    assert Task.objects.get().settings == SETTINGS[choice]
    assert "Settings" in organizer.get(PAGE + "rules/").content.decode()


@pytest.mark.parametrize(
    ("choice", "fields", "field", "message"),
    [
        ("ner", {"namespaces": "mesh"}, "namespaces", "This does not apply to tasks of mentions. Omit it."),
        ("nel", {"namespaces": "nowhere"}, "namespaces", "is not a known namespace. Give a prefix of the"),
        ("relations", {"entity_types": "Gene"}, "entity_types", "does not apply to tasks of relations"),
        ("relations", {"excluded_type_pairs": "Gene"}, "excluded_type_pairs", "is not a list of pairs of types"),
        ("ner", {"type_spellings": "Strain"}, "type_spellings", "has no spellings. Give at least one"),
        ("ner", {"type_spellings": "A: c\nB: c"}, "type_spellings", "is given for A and for B. Omit one"),
        (
            "labels",
            {"label_name": "t", "type_spellings": "A: b"},
            "type_spellings",
            "does not apply to tasks of labels",
        ),
        ("labels", {}, "label_name", "This is missing. Give the name of the set of labels"),
        ("labels", {"label_values": "a"}, "label_name", "This is missing. Give the name of the set of labels"),
        ("taxon", {"label_name": "topic"}, "label_name", "This does not apply to this kind"),
        ("ner", {"primary": "ner_strict_f1"}, "primary", "Select a valid choice"),
        ("ner", {"primary": "mcc"}, "primary", "MCC does not apply to this kind"),
        ("labels", {"label_name": "t", "further": ["micro_f1"]}, "further", "Micro F1 does not apply"),
        ("labels", {"label_name": "t\u202ex"}, "label_name", "has an invisible character"),
    ],
)
def test_the_page_says_which_setting_is_wrong(challenge, organizer, choice, fields, field, message):
    response = organizer.post(PAGE + "add-task/", fill(choice, **fields))
    assert response.status_code == 422
    assert message in str(response.context["form"].errors[field])
    assert response.context["form"].shows_settings or field in ("primary", "further")
    assert not Task.objects.exists()


def send(client, **members):
    sent = {"name": "T1", "title": "A task", **members}
    return client.post(API + "tasks/", sent, content_type="application/json")


@pytest.mark.parametrize("choice", SETTINGS)
def test_rest_stores_and_returns_settings(challenge, organizer, choice):
    response = send(organizer, kind=CHOICES[choice][1], settings=SETTINGS[choice])
    assert response.status_code == 201
    (task,) = response.json()["tasks"]
    assert (task["kind"], task["settings"]) == (CHOICES[choice][1], SETTINGS[choice])
    changed = {**task, "title": "Another"}
    assert organizer.put(API + "tasks/T1/", changed, content_type="application/json").status_code == 200
    assert Task.objects.get().settings == SETTINGS[choice]


def test_rest_returns_no_settings_of_tasks_without_any(challenge, organizer):
    assert "settings" not in send(organizer, kind="mention").json()["tasks"][0]
    assert Task.objects.get().settings is None


@pytest.mark.parametrize(
    ("members", "loc", "message"),
    [
        (
            {"kind": "mention", "settings": {"matching": {"spans": "nearly"}}},
            "settings.matching.spans",
            "'nearly' is not",
        ),
        ({"kind": "mention", "settings": {"spams": []}}, "settings.spams", "is not a setting"),
        ({"kind": "mention", "settings": {"entity_types": ["x" * 101]}}, "settings.entity_types", "is too long"),
        (
            {"kind": "mention", "settings": {"matching": {"identifiers": "article"}}},
            "settings.matching.identifiers",
            "",
        ),
        ({"kind": "mention", "settings": {"matching": {"spans": "partial"}}}, "settings.matching.spans", "'partial'"),
        ({"kind": "mention", "settings": {"type_spellings": {"A": "b"}}}, "settings.type_spellings", "is not a list"),
        ({"kind": "mention", "settings": [1]}, "settings", "is not an object"),
        ({"kind": "mention", "settings": {"entity_types": ["A\a"]}}, "settings.entity_types", "an invisible character"),
        ({"kind": "taxon", "settings": {"roles": ["a"]}}, "settings", "tasks of the kind taxon have none"),
        ({"kind": "label"}, "settings.label_set", "is missing"),
        ({"kind": "entity", "settings": {"roles": ["a"]}}, "settings.roles", "does not apply to tasks of entities"),
    ],
)
def test_rest_says_which_setting_is_wrong(challenge, organizer, members, loc, message):
    response = send(organizer, **members)
    assert response.status_code == 400
    assert [fault["loc"] for fault in response.json()["errors"]] == [loc]
    assert message in response.json()["errors"][0]["message"]


def test_names_of_tasks_are_taken_in_any_case(olga):
    """Whatever makes the task: pages, REST or a corpus file."""
    challenge = create_listed_challenge("Open", "open", "", olga)
    create_task(challenge, "NER", Kind.TAXON, "Names")
    with pytest.raises(ChallengeError, match="already has a task ner"):
        create_task(challenge, "ner", Kind.TAXON, "Names")


@pytest.mark.parametrize("choice", CHOICES_BY_NAME.values(), ids=lambda choice: choice.name)
def test_the_page_offers_what_a_task_of_the_kind_can_have(challenge, organizer, choice):
    """Every measure and setting that the page shows for a kind is accepted for it, and no other measure is."""
    form = organizer.get(PAGE + "add-task/").context["form"]
    offered = {
        field.name: {option.measure.name for option in options if choice.name in option.kinds.split()}
        for field, options in form.measure_lists
    }
    settings = TaskSettings(identifiers=choice.identifiers) if choice.has_settings else None
    ordering = {measure.name for measure in list_offered_ordering_measures(choice.kind, settings)}
    columns = {measure.name for measure in list_offered_measures(choice.kind, settings)}
    assert offered["primary"] == ordering
    assert all(MEASURES_BY_NAME[name].is_count for name in columns - offered["further"])
    assert offered["further"] <= columns
    shown = {f.field.name for group in form.setting_groups for f in group.fields if choice.name in f.kinds.split()}
    assert {*CHOICES.get(choice.name, ({}, ""))[0]} <= shown

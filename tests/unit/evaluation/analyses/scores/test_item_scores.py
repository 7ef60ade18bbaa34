"""What a leaderboard says of one run of a task with settings."""

import pytest

from annotations.schema import EntityId, RelationArgument, Span, make_label, make_mention, make_relation
from evaluation.analyses.scores.item_scores import (
    build_mention_scheme_table,
    score_items_in_scenarios,
    score_labels_in_official_scenario,
)
from evaluation.analyses.tables.count_tables import compute_count_figures
from evaluation.analyses.tables.packing import unpack_count_table, unpack_ranked_hits
from evaluation.measures.leaderboard_scenarios import get_fixed_or_build_scenario, list_known_scenarios_official_first
from evaluation.measures.task_settings import EVERY_TYPE, LabelSet, TaskSettings

ALL = TaskSettings((EVERY_TYPE,))


def mention(start, end, entity_type, name="D1"):
    return make_mention([Span(start, end)], "x", entity_type, [EntityId("mesh", name)])


GOLD = {"1": [mention(0, 3, "Disease"), mention(5, 8, "Chemical", "D2")], "2": [mention(0, 3, "Disease")], "3": []}
RUN = {"1": [mention(0, 3, "Disease"), mention(5, 9, "Chemical", "D2")], "3": [mention(0, 3, "Gene", "D3")]}


def score(form, settings=ALL, run=RUN):
    return {own.scenario: own for own in score_items_in_scenarios(form, GOLD, run, settings, samples=50)}


def list_counts(scored):
    return [scored.values[f"micro_{name}"] for name in ("tp", "fp", "fn")]


def test_it_scores_mentions_in_every_scenario():
    scored = score("mention")
    assert {name: list_counts(own) for name, own in scored.items()} == {
        "all": [1, 2, 2],
        "answered": [1, 2, 1],
        "start": [2, 1, 1],
        "end": [1, 2, 2],
        "either": [2, 1, 1],
        "overlap": [2, 1, 1],
        "type-Disease": [1, 0, 1],
        "type-Chemical": [0, 1, 1],
    }
    assert all(own.intervals.keys() == own.values.keys() for own in scored.values())
    assert (scored["all"].articles, scored["all"].answered) == (3, 2)
    assert unpack_ranked_hits(scored["all"].table).hit_counts.tolist() == [1, 0, 0]


def test_it_adds_the_figures_of_schemes_to_the_official_scenario_of_mentions():
    scored = score("mention")
    figures = {name for name in scored["all"].values if name.startswith("ner_")}
    assert len(figures) == 12
    assert not any(name.startswith("ner_") for name in scored["overlap"].values)
    for scheme in ("strict", "partial"):
        table = build_mention_scheme_table(GOLD, RUN, ALL, scheme)
        assert scored["all"].values[f"ner_{scheme}_f1"] == compute_count_figures(table)["micro.f1"]
    assert scored["all"].values["ner_partial_f1"] > scored["all"].values["ner_strict_f1"]


def test_it_scores_links_concepts_and_relations():
    assert list_counts(score("link")["all"]) == [1, 2, 2]
    concepts = score("concept")
    assert list_counts(concepts["all"]) == [2, 1, 1]
    assert "start" not in concepts
    assert concepts["all"].values["macro_ap"] > 0
    relation = make_relation("Bind", [RelationArgument("", (EntityId("mesh", name),)) for name in ("D1", "D2")])
    scored = score_items_in_scenarios("relation", {"1": [relation]}, {"1": [relation]}, TaskSettings(), samples=20)
    assert [(own.scenario, own.values["micro_f1"]) for own in scored] == [("all", 1), ("answered", 1)]


def test_it_matches_mentions_as_the_settings_have_it():
    assert list_counts(score("mention", TaskSettings((EVERY_TYPE,), spans="overlap"))["all"]) == [2, 1, 1]


def test_it_has_no_scenario_of_the_only_type():
    assert "type-Disease" not in score("mention", TaskSettings(("Disease",)))


def test_it_explains_a_gold_standard_without_items():
    (scored,) = score_items_in_scenarios("mention", {"1": []}, RUN, ALL)
    assert scored.absent
    (labels,) = score_labels_in_official_scenario({"1": []}, {}, None)
    assert labels.absent


def test_it_builds_scenarios_of_types():
    scenario = get_fixed_or_build_scenario("type-Disease")
    assert (scenario.label, scenario.options) == ("Disease", ("--types", "Disease"))
    assert [own.name for own in list_known_scenarios_official_first(["type-Disease", "type-", "x", "all"])] == [
        "all",
        "type-",
        "type-Disease",
    ]


def test_it_scores_labels():
    gold, run = (
        {str(number): [make_label("topic", value) for value in word] for number, word in enumerate(words)}
        for words in (["ab", "b", ""], ["a", "ab", ""])
    )
    (scored,) = score_labels_in_official_scenario(gold, run, LabelSet("topic", ("a", "b"), several=True), samples=50)
    assert scored.values["label_micro_f1"] == pytest.approx(2 * 2 / 6)
    assert scored.values["label_macro_f1"] == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert scored.values["instance_f1"] == pytest.approx((2 / 3 + 2 / 3) / 3)
    assert scored.intervals.keys() == scored.values.keys()
    assert (scored.articles, scored.answered) == (3, 2)
    assert compute_count_figures(unpack_count_table(scored.table))["micro.f1"] == scored.values["label_micro_f1"]

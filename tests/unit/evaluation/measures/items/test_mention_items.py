"""Typed mentions, links and concepts: what counts, and when two are the same."""

import pytest

from annotations.schema import AnnotationData, EntityId, Kind, Span, make_entity, make_mention
from evaluation.measures.columns import MentionItem
from evaluation.measures.items.task_columns import (
    build_item_columns,
    build_item_scenario,
    choose_item_form,
    select_each_type,
)
from evaluation.measures.lists.scenarios import match_run_and_mark_hits
from evaluation.measures.run_figures import compute_evaluated_figures
from evaluation.measures.task_settings import EVERY_TYPE, TaskSettings

ALL = TaskSettings((EVERY_TYPE,))
MESH = {name: EntityId("mesh", name) for name in ("D1", "D2", "D3")}


def mention(start, end, entity_type="Disease", *names, confidence=None):
    return make_mention(
        [Span(start, end)], "x" * (end - start), entity_type, map(MESH.get, names), confidence=confidence
    )


def count(form, gold, run, settings=ALL):
    columns = build_item_columns(form, gold, run, settings)
    evaluated = match_run_and_mark_hits(columns.gold, columns.run, build_item_scenario(form, settings))
    micro = compute_evaluated_figures(evaluated).micro
    return micro.tp, micro.fp, micro.fn


def test_it_compares_spans_and_types():
    gold = {"1": [mention(0, 3), mention(5, 9, "Chemical")], "2": []}
    run = {"1": [mention(0, 3), mention(5, 9, "Disease")], "2": [mention(0, 1)]}
    assert count("mention", gold, run) == (1, 2, 1)


def test_it_takes_the_spellings_of_a_type_as_one():
    gold = {"1": [mention(0, 3, "DiseaseOrPhenotypicFeature"), mention(5, 9, "cell_component")]}
    assert count("mention", gold, {"1": [mention(0, 3, "disease"), mention(5, 9, "Cell component")]}) == (2, 0, 0)


def test_it_counts_a_mention_that_occurs_twice_once():
    gold = {"1": [mention(0, 3), mention(0, 3, "disease")]}
    assert count("mention", gold, {"1": [mention(0, 3)] * 2}) == (1, 0, 0)


def test_it_ignores_types_if_they_do_not_have_to_match():
    settings = TaskSettings((EVERY_TYPE,), types=False)
    assert count("mention", {"1": [mention(0, 3)]}, {"1": [mention(0, 3, "")]}, settings) == (1, 0, 0)


def test_it_counts_chosen_types_alone():
    gold = {"1": [mention(0, 3), mention(5, 9, "Chemical")]}
    run = {"1": [mention(0, 3, "Chemical"), mention(5, 9, "Chemical"), mention(10, 11, "")]}
    assert count("mention", gold, run, TaskSettings(("Disease",))) == (0, 0, 1)
    assert count("mention", gold, run, TaskSettings(("Chemical",))) == (1, 1, 0)


def test_it_counts_genes_and_untyped_mentions_alone_without_chosen_types():
    gold = {"1": [mention(0, 3, "Gene"), mention(5, 9, "Disease")]}
    run = {"1": [mention(0, 3, "Gene"), mention(5, 9, "Disease"), mention(10, 11, "")]}
    assert count("mention", gold, run, TaskSettings(spans="overlap")) == (1, 1, 0)


def test_it_finds_a_mention_in_parts_by_all_of_its_parts():
    gold = {"1": [make_mention([Span(0, 3), Span(10, 12)], "ERK 2", "Gene")]}
    whole, other = make_mention([Span(0, 12)], "ERK1 and 2..", "Gene"), mention(4, 9, "Gene")
    assert count("mention", gold, gold) == (1, 0, 0)
    assert count("mention", gold, {"1": [whole]}) == (0, 1, 1)
    overlap = TaskSettings((EVERY_TYPE,), spans="overlap")
    assert count("mention", gold, {"1": [whole]}, overlap) == (1, 0, 0)
    assert count("mention", gold, {"1": [other]}, overlap) == (0, 1, 1)


@pytest.mark.parametrize(("spans", "hits"), [("exact", 0), ("start", 1), ("end", 0), ("either", 1), ("overlap", 1)])
def test_it_matches_spans_in_every_way(spans, hits):
    gold, run = {"1": [mention(5, 9)]}, {"1": [mention(5, 7), mention(5, 8, "Chemical")]}
    assert count("mention", gold, run, TaskSettings((EVERY_TYPE,), spans=spans))[0] == hits


def test_it_leaves_out_articles_that_are_not_in_the_gold_standard():
    assert count("mention", {"1": [mention(0, 3)]}, {"2": [mention(0, 3)]}) == (0, 0, 1)


def test_it_compares_each_link_of_a_mention():
    gold = {"1": [mention(0, 3, "Disease", "D1", "D2"), mention(5, 9, "Disease")]}
    run = {"1": [mention(0, 3, "Chemical", "D2", "D3"), mention(5, 9, "Disease", "D1")]}
    assert count("link", gold, run) == (1, 2, 1)


def test_it_compares_the_entities_of_an_article_without_their_positions():
    gold = {"1": [mention(0, 3, "Disease", "D1", "D2"), mention(5, 9, "Disease", "D1")]}
    run = {"1": [mention(20, 23, "Disease", "D1"), make_entity(MESH["D3"], "Disease")]}
    assert count("concept", gold, run) == (1, 1, 1)


def test_it_counts_chosen_namespaces_alone():
    other = make_entity(EntityId("chebi", "5"))
    settings = TaskSettings((EVERY_TYPE,), ("mesh",))
    assert count("concept", {"1": [mention(0, 3, "Disease", "D1"), other]}, {"1": [other]}, settings) == (0, 0, 1)


def test_it_counts_the_entities_of_chosen_types_and_those_without_a_type():
    run = {"1": [make_entity(MESH["D1"], "Chemical"), make_entity(MESH["D2"])]}
    assert count("concept", run, run, TaskSettings(("Disease",))) == (1, 0, 0)


def test_it_reads_the_entities_of_the_kinds_of_today():
    taxon = AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="9606")
    assert count("concept", {"1": [taxon]}, {"1": [make_entity(EntityId("ncbitaxon", "9606"))]}) == (1, 0, 0)


def test_it_lists_the_surest_entity_first_then_the_one_with_most_mentions():
    gold = {"1": [mention(0, 1, "Disease", "D1")]}
    often = [mention(9, 10, "Disease", "D2"), mention(5, 6, "Disease", "D2"), mention(0, 1, "Disease", "D1")]
    columns = build_item_columns("concept", gold, {"1": often}, ALL)
    assert list(columns.run.item.names) == ["mesh:D2", "mesh:D1"]
    sure = [*often, mention(20, 21, "Disease", "D3", confidence=0.4)]
    columns = build_item_columns("concept", gold, {"1": sure}, ALL)
    assert list(columns.run.item.names) == ["mesh:D3", "mesh:D2", "mesh:D1"]
    assert columns.run.confidence is None


def test_it_chooses_what_is_compared_by_kind_and_settings():
    assert choose_item_form(Kind.MENTION, ALL) == "mention"
    assert choose_item_form(Kind.MENTION, TaskSettings(identifiers="mention")) == "link"
    assert choose_item_form(Kind.MENTION, TaskSettings(identifiers="article")) == "concept"
    assert choose_item_form(Kind.ENTITY, TaskSettings()) == choose_item_form(Kind.TAXON, TaskSettings()) == "concept"
    assert choose_item_form(Kind.RELATION, TaskSettings()) == choose_item_form(Kind.PAIR, TaskSettings()) == "relation"
    with pytest.raises(ValueError, match="labels"):
        choose_item_form(Kind.LABEL, TaskSettings())


def test_it_selects_the_types_of_the_gold_standard_the_most_frequent_first():
    gold = {"1": [mention(0, 1, "Chemical"), mention(2, 3, "Odd thing"), mention(4, 5, "odd_thing"), mention(6, 7, "")]}
    selected = select_each_type("mention", gold, ALL)
    assert list(selected) == ["Odd thing", "Chemical"]
    assert count("mention", gold, gold, selected["Odd thing"]) == (2, 0, 0)


def test_its_items_sort_by_the_text():
    columns = build_item_columns("mention", {"1": [mention(5, 6), mention(0, 9), mention(0, 2)]}, {}, ALL)
    assert [item.whole for item in columns.gold.item.names] == [(0, 2), (0, 9), (5, 6)]
    assert columns.gold.item.names[0] == MentionItem((Span(0, 2),), "Disease")

"""The figures that a leaderboard shows, from what a run and a gold standard say."""

import pytest

from annotations.schema import AnnotationData, Kind
from evaluation.measures.classification.article_calls import ArticleCall
from evaluation.measures.leaderboard_figures import (
    build_list_columns_in_gold_databases,
    compute_call_figures_unreported_negative,
    compute_micro_and_gold_only_macro_figures,
)
from evaluation.measures.lists.list_rows import build_list_rows
from evaluation.measures.lists.scenarios import match_run_and_mark_hits
from evaluation.measures.registry import list_scored_measures


def species(identifier, confidence=None, rank=None, database="ncbitaxon"):
    return AnnotationData(Kind.TAXON, confidence, rank, database=database, identifier=identifier)


def make_right_taxa(*identifiers):
    return frozenset(("ncbitaxon", identifier) for identifier in identifiers)


def list_figures(gold, answers):
    columns = build_list_columns_in_gold_databases(gold, build_list_rows(answers))
    return compute_micro_and_gold_only_macro_figures(match_run_and_mark_hits(columns.gold, columns.run).ranked)


def test_it_gives_every_figure_of_the_registry():
    ranked = list_figures({"1": make_right_taxa("9606")}, {"1": [species("9606")]})
    assert set(ranked.values) == {measure.name for measure in list_scored_measures(Kind.TAXON)}
    called = compute_call_figures_unreported_negative({"1": True}, [ArticleCall("1", True)])
    assert set(called.values) == {measure.name for measure in list_scored_measures(Kind.CLASSIFICATION)}


def test_it_counts_an_unanswered_article_against_the_run():
    gold = {"1": True, "2": True, "3": False, "4": False}
    figures = compute_call_figures_unreported_negative(
        gold, [ArticleCall("1", True, confidence=0.9), ArticleCall("3", True, confidence=0.4)]
    )
    assert [figures.values[name] for name in ("tp", "fp", "tn", "fn")] == [1, 1, 1, 1]
    assert figures.values["sensitivity"] == 0.5
    assert figures.curve == [(0.5, 1.0), (0.5, 0.5)]


def test_it_puts_a_list_in_order_by_rank_then_confidence():
    gold = {"1": make_right_taxa("9606")}
    last = list_figures(gold, {"1": [species("9606", 0.2), species("10090", 0.9)]})
    first = list_figures(gold, {"1": [species("9606", 0.2, rank=1), species("10090", 0.9, rank=2)]})
    assert (last.values["macro_ap"], first.values["macro_ap"]) == (0.5, 1.0)


def test_it_leaves_out_articles_without_right_items():
    gold = {"1": make_right_taxa("9606"), "2": make_right_taxa()}
    figures = list_figures(gold, {"1": [species("9606")], "2": [species("10090")]})
    assert figures.values["micro_precision"] == figures.values["macro_f1"] == 1.0


def test_it_leaves_out_findings_in_databases_that_the_gold_does_not_use():
    figures = list_figures({"1": make_right_taxa("9606")}, {"1": [species("9606"), species("Homo", database="other")]})
    assert figures.values["macro_precision"] == 1.0


def test_it_counts_an_item_once():
    figures = list_figures({"1": make_right_taxa("9606", "10090")}, {"1": [species("9606", 0.9), species("9606", 0.1)]})
    assert (figures.values["micro_precision"], figures.values["micro_recall"]) == (1.0, 0.5)


@pytest.mark.parametrize("answers", [{}, {"1": []}])
def test_it_scores_a_run_that_finds_nothing_as_0(answers):
    figures = list_figures({"1": make_right_taxa("9606")}, answers)
    assert set(figures.values.values()) == {0}
    assert figures.curve == []

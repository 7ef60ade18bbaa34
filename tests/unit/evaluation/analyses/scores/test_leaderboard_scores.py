"""What a leaderboard says of one run in every scenario."""

import pytest

from annotations.schema import AnnotationData, Kind
from evaluation.analyses.scores.leaderboard_scores import (
    AccessionTables,
    score_calls_in_official_scenario,
    score_or_explain_lists_in_every_scenario,
)
from evaluation.analyses.tables.packing import unpack_ranked_hits
from evaluation.measures.classification.article_calls import ArticleCall
from evaluation.measures.curves.precision_recall import (
    find_highest_precision_from_recall,
    keep_extreme_points_per_recall_bin,
)
from evaluation.measures.leaderboard_figures import build_list_columns_in_gold_databases
from evaluation.measures.leaderboard_scenarios import (
    get_fixed_or_build_scenario,
    list_known_scenarios_official_first,
    organism_scenario_name,
)
from evaluation.measures.lists.list_rows import build_list_rows
from evaluation.measures.lists.ranking import compute_macro_averages_with_mean_curve_ap

TAXA = {"P1": "9606", "P2": "9606", "M1": "10090", "Y1": "4932"}


def proteins(*names):
    return [
        AnnotationData(Kind.NORMALIZATION, 1 / place, place, database="uniprot", identifier=name)
        for place, name in enumerate(names, 1)
    ]


def make_right_items(*names):
    return frozenset(("uniprot", name) for name in names)


GOLD = {"1": make_right_items("P1", "P2"), "2": make_right_items("P1"), "3": make_right_items("M1")}
ANSWERS_BY_ARTICLE = {"1": proteins("Y1", "P1"), "2": proteins("M1", "P1"), "3": []}


def score_by_scenario(tables=AccessionTables()):  # noqa: B008 - frozen
    return {
        own.scenario: own
        for own in score_or_explain_lists_in_every_scenario(
            build_list_columns_in_gold_databases(GOLD, build_list_rows(ANSWERS_BY_ARTICLE)), tables, samples=50
        )
    }


def test_it_scores_in_every_scenario_that_the_tables_allow():
    assert set(score_by_scenario()) == {"all", "answered"}
    every = score_by_scenario(AccessionTables(TAXA, {"P1", "P2"}))
    assert set(every) == {
        *("all", "answered", "organisms", "organisms-answered", "swissprot"),
        *("organism-9606", "organism-10090"),
    }


def test_it_drops_results_of_other_organisms_and_articles_without_results():
    every = score_by_scenario(AccessionTables(TAXA, {"P1", "P2"}))
    precision = {name: own.values["micro_precision"] for name, own in every.items()}
    assert (precision["all"], precision["organisms"]) == (2 / 4, 2 / 2)
    assert every["all"].values["macro_recall"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert every["answered"].values["macro_recall"] == pytest.approx((1 / 2 + 1) / 2)
    assert (every["all"].articles, every["all"].answered, every["answered"].articles) == (3, 2, 2)
    assert every["swissprot"].articles == 2
    assert every["organism-10090"].values["micro_recall"] == 0


def test_it_says_why_a_scenario_is_absent():
    absent = score_by_scenario(AccessionTables(missing_table_reasons={"swissprot": "No tables."}))["swissprot"]
    assert (absent.absent, absent.values, absent.table) == ("No tables.", {}, b"")


def test_it_gives_every_figure_an_interval_around_it():
    own = score_by_scenario()["all"]
    assert own.intervals.keys() == own.values.keys()
    assert all(low <= own.values[name] <= high for name, (low, high) in own.intervals.items() if "fap" not in name)


def test_it_draws_the_same_samples_again():
    assert score_by_scenario()["all"] == score_by_scenario()["all"]


def test_it_keeps_what_is_right_without_names():
    own = score_by_scenario()["all"]
    assert compute_macro_averages_with_mean_curve_ap(unpack_ranked_hits(own.table)).f1 == own.values["macro_f1"]
    assert b"P1" not in own.table


def test_it_tells_databases_apart_only_where_there_are_several():
    both = {"1": make_right_items("P1") | {("ncbigene", "P1")}}
    said = {"1": [AnnotationData(Kind.NORMALIZATION, 0.5, database="ncbigene", identifier="P1")]}
    (own, _) = score_or_explain_lists_in_every_scenario(
        build_list_columns_in_gold_databases(both, build_list_rows(said)), AccessionTables(), samples=10
    )
    assert own.values["micro_recall"] == 0.5


def test_it_takes_pairs_in_either_direction():
    def pair(a, b):
        return AnnotationData(Kind.PAIR, 0.5, database="uniprot", identifier=a, partner=b)

    (own, _) = score_or_explain_lists_in_every_scenario(
        build_list_columns_in_gold_databases(
            {"1": frozenset({pair("A", "B").key})}, build_list_rows({"1": [pair("B", "A")]})
        ),
        AccessionTables(),
        samples=10,
    )
    assert own.values["macro_f1"] == 1.0


def test_it_scores_calls_with_their_intervals():
    gold = {"a": True, "b": False, "c": True}
    (own,) = score_calls_in_official_scenario(
        gold, [ArticleCall("a", True, confidence=0.9), ArticleCall("b", True)], samples=50
    )
    assert own.values["accuracy"] == pytest.approx(1 / 3)
    assert (own.articles, own.answered) == (3, 2)
    assert own.intervals.keys() == own.values.keys()
    low, high = own.intervals["sensitivity"]
    assert low <= own.values["sensitivity"] <= high


def test_it_scores_nothing_without_articles():
    (own,) = score_calls_in_official_scenario({}, [])
    assert own.absent.startswith("No article that counts")


def test_it_orders_and_names_scenarios():
    names = [
        own.name
        for own in list_known_scenarios_official_first(
            ["organism-9606", "swissprot", "all", "nonsense", organism_scenario_name("10090+9606")]
        )
    ]
    assert names == ["all", "swissprot", "organism-10090.9606", "organism-9606"]
    assert get_fixed_or_build_scenario("organism-9606").label == "organism 9606"
    with pytest.raises(KeyError):
        get_fixed_or_build_scenario("nonsense")


def test_it_thins_a_curve_without_moving_what_is_read_from_it():
    points = [(place / 3000, (place * 7919 % 1000) / 1000) for place in range(3001)]
    few = keep_extreme_points_per_recall_bin(points)
    assert len(few) <= 4 * 201
    assert all(
        find_highest_precision_from_recall(few, level / 20) == find_highest_precision_from_recall(points, level / 20)
        for level in range(21)
    )
    assert (few[0], few[-1], keep_extreme_points_per_recall_bin([])) == (points[0], points[-1], [])

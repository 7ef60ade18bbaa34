"""What a leaderboard says of one run in every scenario."""

import pytest

from annotations.schema import AnnotationData, Kind
from evaluation.analyses.leaderboard_scores import AccessionTables, score_calls_in_scenarios, score_lists_in_scenarios
from evaluation.analyses.tables.packing import unpack_ranked_hits
from evaluation.measures.classification import ArticleCall
from evaluation.measures.curves.precision_recall import find_interpolated_precision, thin_curve_points
from evaluation.measures.leaderboard_figures import build_list_columns
from evaluation.measures.leaderboard_scenarios import (
    get_leaderboard_scenario,
    organism_scenario_name,
    sort_known_scenarios,
)
from evaluation.measures.lists.ranking import compute_macro_averages

TAXA = {"P1": "9606", "P2": "9606", "M1": "10090", "Y1": "4932"}


def proteins(*names):
    return [
        AnnotationData(Kind.NORMALIZATION, 1 / place, place, database="uniprot", identifier=name)
        for place, name in enumerate(names, 1)
    ]


def right(*names):
    return frozenset(("uniprot", name) for name in names)


GOLD = {"1": right("P1", "P2"), "2": right("P1"), "3": right("M1")}
SAID = {"1": proteins("Y1", "P1"), "2": proteins("M1", "P1"), "3": []}


def by_scenario(tables=AccessionTables()):  # noqa: B008 - frozen
    return {own.scenario: own for own in score_lists_in_scenarios(build_list_columns(GOLD, SAID), tables, samples=50)}


def test_it_scores_in_every_scenario_that_the_tables_allow():
    assert set(by_scenario()) == {"all", "answered"}
    every = by_scenario(AccessionTables(TAXA, {"P1", "P2"}))
    assert set(every) == {
        *("all", "answered", "organisms", "organisms-answered", "swissprot"),
        *("organism-9606", "organism-10090"),
    }


def test_it_drops_results_of_other_organisms_and_articles_without_results():
    every = by_scenario(AccessionTables(TAXA, {"P1", "P2"}))
    precision = {name: own.values["micro_precision"] for name, own in every.items()}
    assert (precision["all"], precision["organisms"]) == (2 / 4, 2 / 2)
    assert every["all"].values["macro_recall"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert every["answered"].values["macro_recall"] == pytest.approx((1 / 2 + 1) / 2)
    assert (every["all"].articles, every["all"].answered, every["answered"].articles) == (3, 2, 2)
    assert every["swissprot"].articles == 2
    assert every["organism-10090"].values["micro_recall"] == 0


def test_it_says_why_a_scenario_is_absent():
    absent = by_scenario(AccessionTables(missing_table_reasons={"swissprot": "No tables."}))["swissprot"]
    assert (absent.absent, absent.values, absent.table) == ("No tables.", {}, b"")


def test_it_gives_every_figure_an_interval_around_it():
    own = by_scenario()["all"]
    assert own.intervals.keys() == own.values.keys()
    assert all(low <= own.values[name] <= high for name, (low, high) in own.intervals.items() if "fap" not in name)


def test_it_draws_the_same_samples_again():
    assert by_scenario()["all"] == by_scenario()["all"]


def test_it_keeps_what_is_right_without_names():
    own = by_scenario()["all"]
    assert compute_macro_averages(unpack_ranked_hits(own.table)).f1 == own.values["macro_f1"]
    assert b"P1" not in own.table


def test_it_tells_databases_apart_only_where_there_are_several():
    both = {"1": right("P1") | {("ncbigene", "P1")}}
    said = {"1": [AnnotationData(Kind.NORMALIZATION, 0.5, database="ncbigene", identifier="P1")]}
    (own, _) = score_lists_in_scenarios(build_list_columns(both, said), AccessionTables(), samples=10)
    assert own.values["micro_recall"] == 0.5


def test_it_takes_pairs_in_either_direction():
    def pair(a, b):
        return AnnotationData(Kind.PAIR, 0.5, database="uniprot", identifier=a, partner=b)

    (own, _) = score_lists_in_scenarios(
        build_list_columns({"1": frozenset({pair("A", "B").key})}, {"1": [pair("B", "A")]}),
        AccessionTables(),
        samples=10,
    )
    assert own.values["macro_f1"] == 1.0


def test_it_scores_calls_with_their_intervals():
    gold = {"a": True, "b": False, "c": True}
    (own,) = score_calls_in_scenarios(
        gold, [ArticleCall("a", True, confidence=0.9), ArticleCall("b", True)], samples=50
    )
    assert own.values["accuracy"] == pytest.approx(1 / 3)
    assert (own.articles, own.answered) == (3, 2)
    assert own.intervals.keys() == own.values.keys()
    low, high = own.intervals["sensitivity"]
    assert low <= own.values["sensitivity"] <= high


def test_it_scores_nothing_without_articles():
    (own,) = score_calls_in_scenarios({}, [])
    assert own.absent.startswith("No article that counts")


def test_it_orders_and_names_scenarios():
    names = [
        own.name
        for own in sort_known_scenarios(
            ["organism-9606", "swissprot", "all", "nonsense", organism_scenario_name("10090+9606")]
        )
    ]
    assert names == ["all", "swissprot", "organism-10090.9606", "organism-9606"]
    assert get_leaderboard_scenario("organism-9606").label == "organism 9606"
    with pytest.raises(KeyError):
        get_leaderboard_scenario("nonsense")


def test_it_thins_a_curve_without_moving_what_is_read_from_it():
    points = [(place / 3000, (place * 7919 % 1000) / 1000) for place in range(3001)]
    few = thin_curve_points(points)
    assert len(few) <= 4 * 201
    assert all(
        find_interpolated_precision(few, level / 20) == find_interpolated_precision(points, level / 20)
        for level in range(21)
    )
    assert (few[0], few[-1], thin_curve_points([])) == (points[0], points[-1], [])

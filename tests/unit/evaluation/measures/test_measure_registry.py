from importlib import import_module

from annotations.schema import SEVEN_KINDS, Kind
from evaluation.measures.formula_texts import MEASURE_FORMULAS
from evaluation.measures.registry import DEFAULT_PRIMARY_MEASURES, MEASURES, MEASURES_BY_NAME, list_scored_measures


def test_it_names_each_measure_once():
    assert len(MEASURES_BY_NAME) == len(MEASURES)


def test_it_orders_every_kind_by_a_measure_of_that_kind():
    assert set(DEFAULT_PRIMARY_MEASURES) == set(SEVEN_KINDS)
    for kind, name in DEFAULT_PRIMARY_MEASURES.items():
        assert MEASURES_BY_NAME[name] in list_scored_measures(kind)


def test_it_has_no_measure_of_order_for_mentions():
    names = [measure.name for measure in list_scored_measures(Kind.MENTION)]
    assert names == [f"{way}_{name}" for name in ("f1", "precision", "recall") for way in ("macro", "micro")]


def test_it_names_the_function_that_defines_each_measure():
    for measure in MEASURES:
        module, function = measure.source.rsplit(".", 1)
        assert getattr(import_module(f"evaluation.measures.{module}"), function).__doc__, measure.name


def test_it_says_how_each_measure_is_computed():
    assert MEASURE_FORMULAS.keys() == MEASURES_BY_NAME.keys()
    assert all(measure.formula for measure in MEASURES)


def test_it_shows_no_measure_on_a_leaderboard_that_not_every_run_has():
    assert {measure.name for kind in SEVEN_KINDS for measure in list_scored_measures(kind)}.isdisjoint(
        {"roc_area", "tap_k", "mrr"}
    )

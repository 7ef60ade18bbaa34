"""Figures for each organism, and seconds per article against score."""

import pytest

from evaluation.analyses.organism_figures import compute_figures_per_gold_organism
from evaluation.analyses.time_and_score import compare_times_and_scores_fastest_first
from evaluation.measures.lists.scenarios import ScoringScenario
from evaluation.measures.run_figures import compute_list_figures
from tests.reference.columns import encode_gold, encode_run

GOLD = encode_gold({"d1": ["h1", "h2", "m1"], "d2": ["h1"]})
RUN = encode_run([("d1", "m1", 1, None), ("d1", "h1", 2, None), ("d1", "m2", 3, None), ("d2", "m1", 1, None)])
ORGANISMS = {"h1": "9606", "h2": "9606", "m1": "10090", "m2": "10090"}


def test_it_scores_each_organism_by_itself():
    human, mouse = compute_figures_per_gold_organism(GOLD, RUN, ORGANISMS)
    assert (human.organism, human.items, mouse.organism, mouse.items) == ("9606", 3, "10090", 1)
    assert (human.figures.micro.tp, human.figures.micro.fp, human.figures.micro.fn) == (1, 0, 2)
    assert (mouse.figures.micro.tp, mouse.figures.micro.fp, mouse.figures.macro.documents) == (1, 2, 1)


def test_it_cuts_the_lists_before_it_splits_them():
    human, mouse = compute_figures_per_gold_organism(GOLD, RUN, ORGANISMS, ScoringScenario(cutoff_rank=1))
    assert (human.figures.micro.tp, mouse.figures.micro.tp, mouse.figures.micro.fp) == (0, 1, 1)


def test_it_counts_what_is_found_in_documents_of_other_organisms_against_the_organism():
    human, mouse = compute_figures_per_gold_organism(GOLD, encode_run([("d2", "m1", 1, None)]), ORGANISMS)
    assert (mouse.figures.micro.fp, mouse.figures.macro.documents, mouse.figures.answered) == (1, 1, 1)
    assert (human.figures.micro.fn, human.figures.answered) == (3, 0)


def test_it_adds_up_to_the_whole_with_homonyms_and_cuts():
    scenario = ScoringScenario(cutoff_rank=2, homonyms={"h1": ["m2"]}, organisms=ORGANISMS)
    parts = compute_figures_per_gold_organism(GOLD, RUN, ORGANISMS, scenario)
    whole = compute_list_figures(GOLD, RUN, scenario)
    assert sum(part.figures.micro.tp for part in parts) == whole.micro.tp == 2
    assert sum(part.figures.micro.fp for part in parts) == whole.micro.fp == 0
    assert sum(part.figures.micro.fn for part in parts) == whole.micro.fn == 2


def test_it_lays_time_against_score():
    seconds = {"slow": [500.0, 700.0], "quick": [1.0, 3.0, 5.0], "middling": [10.0], "silent": [], "unscored": [2.0]}
    rows = compare_times_and_scores_fastest_first(seconds, {"slow": 0.4, "quick": 0.2, "middling": 0.1, "silent": 0.3})
    assert [(row.producer, row.best) for row in rows] == [("quick", True), ("middling", False), ("slow", True)]
    assert (rows[0].mean, rows[0].median, rows[0].slowest) == (3, 3, 5)
    assert rows[2].share == pytest.approx(1.0)

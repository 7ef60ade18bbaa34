"""Agreement between groups: every curation of one with every one of the other, article by article."""

import numpy as np
import pytest

from evaluation.analyses.curators.group_agreement import compute_group_agreements
from evaluation.analyses.curators.level_agreement import AgreementLevel, CuratedArticle
from evaluation.analyses.significance.agreement_intervals import build_weight_source
from evaluation.analyses.significance.confidence_intervals import iter_bootstrap_weight_batches

SAMPLES, SEED = 40, 3
GET_WEIGHTS = build_weight_source(SAMPLES, SEED)


def curated(*genes):
    return CuratedArticle(bool(genes), {AgreementLevel.ENTITY: frozenset(genes)}, {})


def find_entity_level(agreement):
    return next(level for level in agreement.levels if level.level is AgreementLevel.ENTITY)


def test_it_compares_every_two_groups_and_within_each():
    groups = {
        "authors": {1: [curated("a", "b")], 2: [curated("c")]},
        "curators": {1: [curated("a", "b", "d"), curated("a")], 3: [curated("z")]},
    }
    between, within = compute_group_agreements(groups, GET_WEIGHTS)
    assert (between.first, between.second, between.articles, between.pairs) == ("authors", "curators", 1, 2)
    # {a, b} with {a, b, d}, and {a, b} with {a}: 3 items are in both, and 8 in one of the sides.
    assert find_entity_level(between).agreement.f1 == pytest.approx(2 * 3 / 8)
    assert (within.first, within.second, within.articles, within.pairs) == ("curators", "curators", 1, 1)
    # {a, b, d} with {a}.
    assert find_entity_level(within).agreement.f1 == pytest.approx(2 * 1 / 4)


def test_it_leaves_out_groups_without_a_common_article():
    assert (
        compute_group_agreements({"authors": {1: [curated("a")]}, "curators": {2: [curated("a")]}}, GET_WEIGHTS) == []
    )


def test_intervals_draw_articles_with_all_of_their_pairs():
    authors = {number: [curated("a", "b")] for number in range(4)}
    curators = {0: [curated("a", "b"), curated("a"), curated("c")], 1: [curated("a", "b")], 2: [curated("d")], 7: []}
    (agreement,) = compute_group_agreements({"authors": authors, "curators": curators}, GET_WEIGHTS)[:1]
    assert (agreement.articles, agreement.pairs) == (3, 5)
    # Of each article: items that both have, and items of both sides.
    both, sides = np.array([3, 2, 0]), np.array([10, 4, 3])
    (weights,) = iter_bootstrap_weight_batches(3, SAMPLES, np.random.default_rng(SEED))
    expected = tuple(np.quantile([2 * copies @ both / (copies @ sides) for copies in weights], [0.025, 0.975]).round(9))
    assert find_entity_level(agreement).intervals["f1"] == expected
    assert expected[0] < find_entity_level(agreement).agreement.f1 < expected[1]


def test_several_pairs_of_one_article_have_no_intervals():
    groups = {"authors": {1: [curated("a", "b")]}, "curators": {1: [curated("a"), curated("b")]}}
    assert all(not level.intervals for each in compute_group_agreements(groups, GET_WEIGHTS) for level in each.levels)

"""Agreement between groups: every curation of one with every one of the other, article by article."""

import pytest

from evaluation.analyses.curators.group_agreement import compute_group_agreements
from evaluation.analyses.curators.level_agreement import AgreementLevel, CuratedArticle


def curated(*genes):
    return CuratedArticle(bool(genes), {AgreementLevel.ENTITY: frozenset(genes)}, {})


def find_entity_level(agreement):
    return next(level for level in agreement.levels if level.level is AgreementLevel.ENTITY)


def test_it_compares_every_two_groups_and_within_each():
    groups = {
        "authors": {1: [curated("a", "b")], 2: [curated("c")]},
        "curators": {1: [curated("a", "b", "d"), curated("a")], 3: [curated("z")]},
    }
    between, within = compute_group_agreements(groups)
    assert (between.first, between.second, between.articles, between.pairs) == ("authors", "curators", 1, 2)
    # {a, b} with {a, b, d}, and {a, b} with {a}: 3 items are in both, and 8 in one of the sides.
    assert find_entity_level(between).agreement.f1 == pytest.approx(2 * 3 / 8)
    assert (within.first, within.second, within.articles, within.pairs) == ("curators", "curators", 1, 1)
    # {a, b, d} with {a}.
    assert find_entity_level(within).agreement.f1 == pytest.approx(2 * 1 / 4)


def test_it_leaves_out_groups_without_a_common_article():
    assert compute_group_agreements({"authors": {1: [curated("a")]}, "curators": {2: [curated("a")]}}) == []

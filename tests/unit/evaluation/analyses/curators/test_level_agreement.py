"""The agreement of curators at each level, on the articles that they share."""

from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.schema import Span
from evaluation.analyses.curators.level_agreement import (
    AgreementLevel,
    CuratedArticle,
    compute_level_agreements,
    compute_pairwise_level_agreements,
    count_overlapping_pairs,
)
from evaluation.analyses.significance.agreement_intervals import AGREEMENT_FIGURES, build_weight_source
from evaluation.analyses.significance.confidence_intervals import iter_bootstrap_weight_batches
from tests.reference import krippendorff as reference

ENTITY, OVERLAP = AgreementLevel.ENTITY, AgreementLevel.OVERLAP
SAMPLES, SEED = 40, 3
GET_WEIGHTS = build_weight_source(SAMPLES, SEED)


def curated(accepted="", rejected="", *, mentions=(), length=100, relevant=None):
    return CuratedArticle(
        bool(accepted) if relevant is None else relevant,
        {ENTITY: frozenset(accepted)},
        {ENTITY: frozenset(rejected)},
        [(type_, (Span(start, end),)) for type_, start, end in mentions],
        length,
    )


def agree(*curators):
    """{level: its agreement}."""
    return {each.level: each for each in compute_level_agreements(curators, GET_WEIGHTS)}


def test_it_compares_the_items_that_anybody_decided_on():
    first = {1: curated("ab", "d"), 2: curated("c"), 9: curated("x")}
    second = {1: curated("a", "bd"), 2: curated("c")}
    entity = agree(first, second)[ENTITY]
    # a and c by both, d by none, b by one.
    assert entity.articles == 2
    assert (entity.agreement.instances, entity.agreement.joint, entity.agreement.f1) == (4, 0.75, 0.8)
    assert entity.agreement.kappa == pytest.approx(0.5)
    assert entity.alpha == pytest.approx(reference.alpha(["tt", "tt", "ff", "tf"], lambda a, b: a != b))


def test_it_gives_no_kappa_and_alpha_of_items_if_nobody_agrees_on_a_rejection():
    entity = agree({1: curated("ab")}, {1: curated("ac", "b")})[ENTITY]
    assert (entity.agreement.kappa, entity.alpha) == (None, None)
    assert entity.agreement.f1 == 0.5


def test_it_compares_whole_articles_by_how_much_their_sets_differ():
    first = {1: curated("ab"), 2: curated("c"), 3: curated("")}
    second = {1: curated("a"), 2: curated("c"), 3: curated("")}
    sets = [[{"a", "b"}, {"a"}], [{"c"}, {"c"}], [set(), set()]]

    def distance(one, other):
        return 1 - len(one & other) / len(one | other) if one | other else 0

    assert agree(first, second)[ENTITY].set_alpha == pytest.approx(reference.alpha(sets, distance))


def test_it_compares_whether_articles_are_relevant():
    first = {number: curated(relevant=number < 3) for number in range(6)}
    second = {number: curated(relevant=number < 2) for number in range(6)}
    article = agree(first, second)[AgreementLevel.ARTICLE]
    assert article.agreement.instances == 6
    assert article.agreement.kappa == pytest.approx(2 / 3)
    assert article.alpha == pytest.approx(reference.alpha(["tt", "tt", "tf", "ff", "ff", "ff"], lambda a, b: a != b))


def test_it_gives_only_alpha_for_three_curators_of_whom_some_miss_articles():
    curators = [{1: curated("a", "b"), 2: curated("a")}, {1: curated("ab")}, {1: curated("a", "b"), 2: curated("b")}]
    entity = agree(*curators)[ENTITY]
    assert entity.agreement is None
    assert entity.alpha is None
    curators[0][3], curators[2][3] = curated("", "z"), curated("", "z")
    units = ["ttt", "ftf", "tf", "ft", "ff"]
    assert agree(*curators)[ENTITY].alpha == pytest.approx(reference.alpha(units, lambda a, b: a != b))
    assert set(compute_pairwise_level_agreements(curators, GET_WEIGHTS)) == {(0, 1), (0, 2), (1, 2)}


def test_it_has_nothing_to_say_without_a_shared_article():
    assert compute_level_agreements([{1: curated("a")}, {2: curated("a")}], GET_WEIGHTS) == []
    assert compute_pairwise_level_agreements([{1: curated("a")}, {2: curated("a")}], GET_WEIGHTS) == {}


def test_it_counts_mentions_that_overlap_once_each():
    first = curated(mentions=[("gene", 0, 10), ("gene", 20, 30), ("taxon", 40, 45)])
    second = curated(mentions=[("gene", 5, 8), ("gene", 8, 12), ("gene", 30, 31), ("gene", 40, 45)])
    assert count_overlapping_pairs(first, second) == 1
    overlap = agree({1: first}, {1: second})[OVERLAP]
    assert overlap.agreement.f1 == pytest.approx(2 / 7)
    assert overlap.agreement.instances == 100


MENTIONS = st.lists(
    st.tuples(st.sampled_from(["gene", "taxon"]), st.integers(0, 18), st.integers(1, 6)).map(
        lambda given: (given[0], given[1], min(given[1] + given[2], 20))
    ),
    max_size=5,
)


def read_types(mentions):
    """The types of each of 20 characters, one after the other."""
    return [frozenset(type_ for type_, start, end in mentions if start <= at < end) for at in range(20)]


@given(MENTIONS, MENTIONS)
def test_it_compares_mentions_character_by_character(one, other):
    compared = agree({1: curated(mentions=one, length=20)}, {1: curated(mentions=other, length=20)})
    if not one and not other:
        assert OVERLAP not in compared
        return
    units = list(zip(read_types(one), read_types(other), strict=True))
    assert compared[OVERLAP].agreement.joint == sum(a == b for a, b in units) / 20
    if len({value for unit in units for value in unit}) > 1:
        assert compared[OVERLAP].alpha == pytest.approx(reference.alpha(units, lambda a, b: a != b))
    size, totals = 20, (Counter(a for a, _ in units), Counter(b for _, b in units))
    chance = sum(totals[0][value] * totals[1][value] for value in totals[0]) / size**2
    if chance < 1:
        observed = compared[OVERLAP].agreement.joint
        assert compared[OVERLAP].agreement.kappa == pytest.approx((observed - chance) / (1 - chance))


def draw_curations(random, articles):
    """Both curators reject z in each article, so that kappa is meaningful in every sample; mentions have two types."""
    return {
        article: curated(
            random.sample("abcd", random.randint(1, 4)),
            "z",
            mentions=[
                (random.choice(["gene", "taxon"]), start, start + random.randint(1, 30))
                for start in random.sample(range(60), random.randint(1, 4))
            ],
            relevant=random.random() < 0.6,
        )
        for article in articles
    }


def bootstrap_in_plain_python(curators, articles):
    """{level: {figure: (low, high)}} of articles that are drawn, each copy as an article of its own."""
    values = {}
    (weights,) = iter_bootstrap_weight_batches(len(articles), SAMPLES, np.random.default_rng(SEED))
    for copies in weights:
        drawn = [article for article, times in zip(articles, copies, strict=True) for _ in range(int(times))]
        for level, own in agree(
            *({number: each[article] for number, article in enumerate(drawn)} for each in curators)
        ).items():
            for name in AGREEMENT_FIGURES:
                if getattr(own.agreement, name) is not None:
                    values.setdefault(level, {}).setdefault(name, []).append(getattr(own.agreement, name))
    return {
        level: {name: tuple(np.quantile(sampled, [0.025, 0.975]).round(9)) for name, sampled in of_level.items()}
        for level, of_level in values.items()
    }


@pytest.mark.parametrize("number", [2, 9])
def test_intervals_are_those_of_articles_that_are_drawn_with_all_that_was_curated_of_them(number):
    random, articles = Random(number), range(number)
    curators = draw_curations(random, articles), draw_curations(random, articles)
    intervals = {level: own.intervals for level, own in agree(*curators).items()}
    assert intervals == bootstrap_in_plain_python(curators, articles)
    assert set(intervals) == {AgreementLevel.ARTICLE, ENTITY, OVERLAP}
    assert set(intervals[ENTITY]) == set(intervals[OVERLAP]) == set(AGREEMENT_FIGURES)


def test_levels_without_two_articles_that_have_something_have_no_intervals():
    shared = [{1: curated("a", mentions=[("gene", 0, 5)]), 2: curated()}, {1: curated("ab"), 2: curated()}]
    found = agree(*shared)
    assert (found[ENTITY].agreement.joint, found[ENTITY].intervals) == (0.5, {})
    # Characters have a type or none in both articles, but only one has mentions.
    assert (found[OVERLAP].agreement.f1, set(found[OVERLAP].intervals)) == (0, {"joint", "kappa"})
    assert set(found[AgreementLevel.ARTICLE].intervals) == {"joint", "kappa", "f1"}
    assert all(not own.intervals for own in agree({1: shared[0][1]}, {1: shared[1][1]}).values())


def test_three_curators_have_no_intervals():
    assert all(not own.intervals for own in agree(*[draw_curations(Random(1), range(4))] * 3).values())

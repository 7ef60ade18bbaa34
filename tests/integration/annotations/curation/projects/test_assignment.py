"""The articles of a project are split among its curators, and handed over from one to another."""

from collections import Counter

import pytest

from annotations.articles.models import Article
from annotations.curation.errors import CurationError
from annotations.curation.models import Curation, Curator
from annotations.curation.projects.assignment import (
    assign_article,
    hand_over_curation,
    list_unassigned_articles,
    split_unassigned_articles,
)
from annotations.curation.projects.membership import close_project, release_project_curator
from annotations.curation.session import get_or_create_curator, open_curation, reopen_curation
from tests.integration.curation_cast import NOON, begin, decide, propose_gene
from tests.integration.evaluation_cast import get_article
from tests.integration.project_cast import add_curator, curate, finish_now, get_curator, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(olga, alice, carol):
    return make_project(olga, alice, carol)


def count_by_user(project):
    rows = Curation.objects.filter(curator__project=project)
    return Counter(rows.values_list("curator__user__username", flat=True))


def test_it_gives_an_account_a_curator_of_its_own_in_each_project(project, olga, alice):
    other = make_project(olga, alice, corpus=project.corpus)
    free = get_or_create_curator(alice.pk, "alice")
    assert get_or_create_curator(alice.pk, "alice") == free
    assert {get_curator(project, alice), get_curator(other, alice), free} == set(Curator.objects.filter(user=alice))
    assert get_curator(project, alice).producer.name == "alice, Cadherins"
    assert str(project.outcome) == "Outcome of Cadherins"


def test_it_splits_what_nobody_curates(project):
    assert split_unassigned_articles(project, 50, seed=1) == 4
    assert count_by_user(project) == {"alice": 3, "carol": 3}
    assert set(Curation.objects.values_list("state", flat=True)) == {"assigned"}
    assert not list_unassigned_articles(project).exists()
    with pytest.raises(CurationError, match="assigned already"):
        split_unassigned_articles(project, 0, seed=1)


def test_it_leaves_assigned_articles_as_they_are(project, alice):
    first = assign_article(project, get_article(102), get_curator(project, alice).pk)
    assert assign_article(project, get_article(102), get_curator(project, alice).pk) == first
    assert split_unassigned_articles(project, 0, seed=1) == 3
    assert Curation.objects.filter(article=first.article).count() == 1


def test_it_says_what_is_missing_before_articles_can_be_assigned(olga, alice, article):
    project = make_project(olga)
    with pytest.raises(CurationError, match="no curator"):
        split_unassigned_articles(project, 0, seed=1)
    curator = add_curator(project, alice)
    with pytest.raises(CurationError, match="two curators"):
        split_unassigned_articles(project, 20, seed=1)
    with pytest.raises(CurationError, match="not in Four"):
        assign_article(project, article, curator.pk)
    close_project(project, NOON)
    with pytest.raises(CurationError, match="closed"):
        split_unassigned_articles(project, 0, seed=1)


def test_it_frees_the_unopened_articles_of_a_released_curator(project, alice):
    split_unassigned_articles(project, 0, seed=1)
    curator = get_curator(project, alice)
    opened = open_curation(curator.curations.first().pk, None, NOON)
    assert release_project_curator(project, curator.pk, NOON)
    assert not release_project_curator(project, curator.pk, NOON)
    assert list(curator.curations.all()) == [opened]
    assert list_unassigned_articles(project).count() == 1
    assert add_curator(project, alice) == curator
    assert Curator.objects.get(pk=curator.pk).released is None


def test_who_works_in_the_project_no_longer_does_not_open_a_finished_record_again(project, alice):
    curation = curate(project, alice, 101, "P12830")
    close_project(project, NOON)
    with pytest.raises(CurationError, match="The project is closed"):
        reopen_curation(curation.pk, NOON)
    close_project(project, None)
    release_project_curator(project, get_curator(project, alice).pk, NOON)
    with pytest.raises(CurationError, match="no curator of this project any more"):
        reopen_curation(curation.pk, NOON)
    add_curator(project, alice)
    assert reopen_curation(curation.pk, NOON).state == "open"


def test_it_hands_a_curation_over_with_its_decisions(project, alice, carol):
    curation = curate(project, alice, 101, "P12830", finish=False)
    handed = hand_over_curation(curation.pk, get_curator(project, carol).pk, NOON)
    assert handed.curator.user == carol
    assert handed.running is None
    assert handed.showing == curation.showing + 1
    decide(handed, "reject", propose_gene("P12830"))
    names = handed.decisions.order_by("number").values_list("user__username", flat=True)
    assert list(names) == ["alice", "carol"]


@pytest.mark.parametrize("action", ["accept", "undo"])
def test_a_decision_that_was_under_way_when_a_curation_was_handed_over_is_not_stored(project, alice, carol, action):
    curation = curate(project, alice, 101, "P12830", finish=False)
    as_it_was = Curation.objects.select_related("curator").get(pk=curation.pk)
    hand_over_curation(curation.pk, get_curator(project, carol).pk, NOON)
    with pytest.raises(CurationError, match="handed over to a colleague"):
        decide(as_it_was, action, propose_gene("P35222"))


def test_it_hands_nothing_over_to_those_who_cannot_take_it(project, alice, carol, olga):
    alone = begin(alice, get_article(103))
    with pytest.raises(CurationError, match="not part of a project"):
        hand_over_curation(alone.pk, get_curator(project, carol).pk, NOON)
    curation = curate(project, alice, 101, "P12830", finish=False)
    curate(project, carol, 101, "P35222")
    with pytest.raises(CurationError, match="carol curates this article already"):
        hand_over_curation(curation.pk, get_curator(project, carol).pk, NOON)
    with pytest.raises(CurationError, match="no such curator"):
        hand_over_curation(curation.pk, get_or_create_curator(olga.pk, "olga").pk, NOON)
    finish_now(curation)
    with pytest.raises(CurationError, match="finished"):
        hand_over_curation(curation.pk, get_curator(project, carol).pk, NOON)


def test_it_assigns_in_a_fixed_number_of_queries(project, django_assert_num_queries):
    with django_assert_num_queries(7):
        split_unassigned_articles(project, 50, seed=1)
    assert Article.objects.count() == 4

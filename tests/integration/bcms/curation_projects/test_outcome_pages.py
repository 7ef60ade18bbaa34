"""What the owner of a project sees of the agreement, adjudication side by side, and the gold standard made of it."""

import re

import pytest
from django.test import Client

from annotations.curation.models import Curation
from evaluation.challenges.setup import creation
from evaluation.gold.models import GoldStandard
from tests.integration.article_cast import read_page_words
from tests.integration.bcms.curation.test_windows import open_page, report
from tests.integration.bcms.curation_projects.test_pages import url
from tests.integration.evaluation.curation.test_gold import curate_all
from tests.integration.evaluation_cast import PMIDS
from tests.integration.project_cast import add_curator, curate, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(olga, alice, carol, training):
    return make_project(olga, alice, carol, corpus=training.corpus)


@pytest.fixture
def as_olga(client, olga):
    client.force_login(olga)
    return client


def disagree(project, alice, carol):
    curate(project, alice, 101, "P12830", "P35222")
    curate(project, carol, 101, "P12830")
    curate(project, alice, 102, "P12830")
    curate(project, carol, 102, "P12830")


def read_shown(page):
    return re.search(r'name="shown" value="([^"]+)"', page.content.decode())[1]


def test_it_shows_agreement_and_conflicts(as_olga, project, alice, carol, django_assert_max_num_queries):
    disagree(project, alice, carol)
    with django_assert_max_num_queries(24):
        words = read_page_words(as_olga.get(url(project, "outcome/")))
    # Samples of both articles, of twice the first, or of twice the second.
    assert "alice and carol entity 2 3 0.667 0.500 to 1.000 - 0.800 0.667 to 1.000 - " in words
    assert "Disagreements: 1 of 1 open" in words
    assert "Article 101 101 · alice, carol · 1 item differs" in words
    assert "Take over 1 article without a disagreement" in words


def test_it_decides_side_by_side_and_takes_the_rest_over(as_olga, project, alice, carol):
    disagree(project, alice, carol)
    page = as_olga.get(url(project, "articles/101/"))
    words = read_page_words(page)
    assert "Disagreements: 1" in words
    assert "P35222" in words
    assert "accepted by alice" in words
    sent = {"shown": read_shown(page), "item-1": "none"}
    assert as_olga.post(url(project, "articles/101/"), sent).url == url(project, "outcome/")
    as_olga.post(url(project, "agreed/"))
    outcome = Curation.objects.filter(curator=project.outcome, state="finished")
    assert sorted(outcome.values_list("article__pmid", flat=True)) == [101, 102]
    assert "decided" in read_page_words(as_olga.get(url(project, "articles/101/")))


def test_it_keeps_the_choices_of_an_adjudicator_that_cannot_be_stored(as_olga, project, alice, carol):
    curate(project, alice, 101, "P12830", "P35222")
    curate(project, carol, 101, "P09803")
    page = as_olga.get(url(project, "articles/101/"))
    reply = as_olga.post(url(project, "articles/101/"), {"shown": read_shown(page), "item-0": "none"})
    assert reply.status_code == 422
    assert 'name="item-0" value="none" checked' in reply.content.decode()
    assert "Choose a version of uniprot:P35222" in read_page_words(reply)
    stale = {"shown": "0-x", "item-0": "0", "item-1": "0", "item-2": "0"}
    assert as_olga.post(url(project, "articles/101/"), stale).status_code == 409


def test_it_shows_nobody_the_work_of_others_on_an_article_that_they_still_curate(as_olga, project, olga, alice, carol):
    disagree(project, alice, carol)
    add_curator(project, olga)
    own = curate(project, olga, 101, "P09803", finish=False)
    words = read_page_words(as_olga.get(url(project, "outcome/")))
    assert "You still curate 1 article" in words
    assert "Article 101" not in words
    assert as_olga.get(url(project, "articles/101/")).status_code == 403
    assert as_olga.get(url(project, "articles/101/live/?window=0123456789abcdef")).status_code == 403
    assert Curation.objects.get(pk=own.pk).state == "open"


def test_it_lets_adjudicators_decide_and_nothing_else(client, project, alice, carol, olga, django_user_model):
    disagree(project, alice, carol)
    judge = django_user_model.objects.create_user("judge")
    project.adjudicators.add(judge)
    client.force_login(judge)
    assert "Disagreements: 1 of 1 open" in read_page_words(client.get(url(project, "outcome/")))
    client.post(url(project, "agreed/"))
    assert Curation.objects.filter(curator=project.outcome, state="finished").count() == 1
    assert client.post(url(project, "split/")).status_code == 403


def test_it_warns_an_adjudicator_of_another_one_before_either_decides(
    as_olga, project, alice, carol, django_user_model
):
    disagree(project, alice, carol)
    judge = Client()
    judge.force_login(django_user_model.objects.create_user("judge"))
    project.adjudicators.set(django_user_model.objects.filter(username="judge"))
    own = open_page(as_olga, url(project, "articles/101/"))
    assert report(as_olga, *own) == (204, "")
    theirs = open_page(judge, url(project, "articles/101/"))
    assert "judge has this article open, too." in report(as_olga, *own)[1]
    assert "olga has this article open, too." in report(judge, *theirs)[1]
    open_page(judge, url(project, "articles/102/"))
    judge.post(theirs[0])
    assert report(as_olga, *own) == (204, "")
    as_alice = Client()
    as_alice.force_login(alice)
    assert as_alice.get(url(project, "articles/101/live/?window=0123456789abcdef")).status_code == 403


def test_it_says_who_sees_what_before_the_outcome_is_sealed(as_olga, client, alice, carol, olga, testing):
    project = make_project(olga, carol, corpus=testing.corpus)
    curate_all(project, carol, (201, 202))
    project.adjudicators.add(alice)
    sent = {"task": "example/test/TX"}
    words = read_page_words(as_olga.post(url(project, "gold/"), sent))
    assert "only the organizers of the challenge see what was decided" in words
    assert not GoldStandard.objects.filter(phase=testing).exists()
    done = read_page_words(as_olga.post(url(project, "gold/"), sent | {"asked": "1", "confirm": "on"}, follow=True))
    assert "it is sealed" in done
    assert GoldStandard.objects.get(phase=testing).producer is None
    assert as_olga.get(url(project, "outcome/")).status_code == 200
    client.force_login(alice)
    assert client.get(url(project, "outcome/")).status_code == 403
    client.force_login(carol)
    assert client.get(url(project, "outcome/")).status_code == 403
    assert client.get(f"/curation/{project.curators.get().curations.first().pk}/").status_code == 200


def test_it_lets_nobody_propose_a_sealed_record(client, as_olga, project, alice, challenge, training):
    curate_all(project, alice, PMIDS)
    creation.create_phase_claiming_blind_corpus(challenge, "test", training.corpus)
    sent = {"task": "example/test/TX", "asked": "1", "confirm": "on"}
    as_olga.post(url(project, "gold/"), sent)
    client.force_login(alice)
    curation = Curation.objects.filter(curator__user=alice).first()
    reply = client.post(f"/curation/{curation.pk}/propose/", follow=True)
    assert "gold standard of a test" in read_page_words(reply)
    curation.refresh_from_db()
    assert curation.proposed is None


def test_it_makes_gold_only_for_organizers_of_the_challenge(client, project, carol, alice, training, as_alice):
    other = make_project(carol, alice, corpus=training.corpus)
    curate_all(other, alice, PMIDS)
    client.force_login(carol)
    assert "Use as gold standard" not in client.get(url(other, "outcome/")).content.decode()
    assert client.post(url(other, "gold/"), {"task": "example/training/TX"}).status_code == 403


def test_it_says_why_an_outcome_is_no_gold_standard(as_olga, project, alice):
    curate_all(project, alice, PMIDS[:1] + PMIDS[2:])
    sent = {"task": "example/training/TX", "asked": "1", "confirm": "on"}
    assert "1 article has no outcome yet" in read_page_words(as_olga.post(url(project, "gold/"), sent, follow=True))
    assert "Choose one of the tasks" in read_page_words(as_olga.post(url(project, "gold/"), {"task": "x"}, follow=True))

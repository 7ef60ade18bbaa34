"""The questionnaire after an article of an experiment: asked once, skippable, by page and REST."""

import pytest

from annotations.curation.projects.models import QuestionnaireReply
from tests.integration.article_cast import read_page_words
from tests.integration.curation_cast import begin
from tests.integration.evaluation_cast import get_article
from tests.integration.experiment_cast import curate_in_arm, make_experiment

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(olga, alice, carol):
    return make_experiment(olga, alice, carol)


def url(curation):
    return f"/curation/{curation.pk}/questionnaire/"


def test_it_asks_nine_statements_and_a_question_in_words(as_alice, alice, project):
    curation = curate_in_arm(project, alice, 101, "with", "P12830")
    page = as_alice.get(url(curation))
    words = read_page_words(page)
    assert "10 questions on this article" in words
    assert "What was proposed was useful." in words
    assert "What was hard, and what should be changed?" in words
    assert page.content.decode().count("<legend>") == 9


def test_it_asks_those_without_help_what_help_would_have_been(as_alice, alice, project):
    curation = curate_in_arm(project, alice, 101, "without", "P12830")
    words = read_page_words(as_alice.get(url(curation)))
    assert "Proposals would have been useful." in words
    assert "What was proposed" not in words


def test_it_stores_answers_and_shows_them_afterwards(as_alice, alice, project):
    curation = curate_in_arm(project, alice, 101, "with", "P12830")
    sent = {"ease": "4", "again": "5", "comment": "Names of mice."}
    assert as_alice.post(url(curation), sent).url == "/curation/"
    assert QuestionnaireReply.objects.get().answers == [4, None, None, None, None, None, None, None, 5]
    words = read_page_words(as_alice.get(url(curation)))
    assert "Curating this article was easy. agree" in words
    assert "Names of mice." in words
    again = as_alice.post(url(curation), {"ease": "1"})
    assert again.status_code == 422
    assert QuestionnaireReply.objects.get().answers[0] == 4


def test_it_can_be_skipped(as_alice, alice, project):
    curation = curate_in_arm(project, alice, 101, "with", "P12830")
    as_alice.post(url(curation), {"ease": "4", "skip": "1"})
    assert QuestionnaireReply.objects.get().is_skipped
    assert "You have skipped" in read_page_words(as_alice.get(url(curation)))


def test_it_keeps_what_was_typed_if_an_answer_is_invalid(as_alice, alice, project):
    curation = curate_in_arm(project, alice, 101, "with", "P12830")
    reply = as_alice.post(url(curation), {"ease": "9", "comment": "Names of mice."})
    assert reply.status_code == 422
    assert "Names of mice." in reply.content.decode()
    assert not QuestionnaireReply.objects.exists()


def test_it_is_for_the_curator_of_an_experiment_only(as_alice, client, alice, carol, olga, project):
    curation = curate_in_arm(project, alice, 101, "with", "P12830")
    own = begin(alice, get_article(102))
    assert as_alice.get(url(own)).status_code == 404
    for user in (carol, olga):
        client.force_login(user)
        assert client.get(url(curation)).status_code == 404
        assert client.get(f"/api/v1/curations/{curation.pk}/questionnaire/").status_code == 404


def test_it_is_answered_by_rest(as_alice, alice, project):
    curation = curate_in_arm(project, alice, 101, "with", "P12830")
    address = f"/api/v1/curations/{curation.pk}/questionnaire/"
    asked = as_alice.get(address).json()
    assert (len(asked["statements"]), asked["stored"]) == (9, None)
    wrong = as_alice.post(address, {"ease": 6}, content_type="application/json")
    assert (wrong.status_code, "ease" in str(wrong.json())) == (400, True)
    done = as_alice.post(address, {"ease": 4, "comment": "Short."}, content_type="application/json")
    assert done.status_code == 201
    assert done.json()["statements"][0] == {
        "name": "ease",
        "statement": "Curating this article was easy.",
        "answer": 4,
    }
    assert as_alice.post(address, {}, content_type="application/json").status_code == 409

"""Authors are asked after they finish, on the page of their link; their journal reads the answers and the agreement."""

import pytest
from django.test import Client

from annotations.articles.models import Corpus, CorpusArticle
from annotations.curation.manuscripts.states import ManuscriptState
from annotations.curation.models import Curation
from annotations.curation.projects.models import QuestionnaireReply
from bcms.manuscripts.results.queries import load_manuscript_results
from tests.integration.article_cast import read_page_words
from tests.integration.curation_cast import decide, propose_gene
from tests.integration.experiment_cast import make_experiment
from tests.integration.manuscript_cast import URL, make_journal, open_as, use_token
from tests.integration.project_cast import finish_now

pytestmark = pytest.mark.django_db
ANSWERS = {"ease": "4", "again": "5", "comment": "Names of mice."}
STORED = [4, None, None, None, None, None, None, None, 5]


@pytest.fixture
def page(manuscript):
    return f"/manuscripts/{manuscript.pk}/"


def read_results(program):
    return program.get(f"{URL}results/").json()


def test_it_leads_the_author_from_the_end_to_ten_questions_once(author, manuscript, page):
    assert "Questionnaire" not in read_page_words(author.get(page))
    workspace = f"/curation/{manuscript.curation_id}/"
    author.get(workspace)
    reply = author.post(f"{workspace}finish/", {"seen": 0, "nothing_found": "1"})
    assert reply.url == f"{page}#questionnaire"
    words = read_page_words(author.get(page))
    assert "10 questions on this article" in words
    assert "Only ember and those who read the results of its curation projects see your answers" in words
    author.post(f"{page}questionnaire/", {"skip": "1", "ease": "4"})
    assert "You have skipped this questionnaire" in read_page_words(author.get(page))
    author.post(f"{workspace}reopen/")
    again = author.post(f"{workspace}finish/", {"seen": 0, "nothing_found": "1"})
    assert again.url == f"{workspace}?step=check"


def test_it_stores_what_the_author_answers_and_shows_it_to_no_reviewer(author, submitted, page, finished_by_author):
    assert author.post(f"{page}questionnaire/", ANSWERS).url == page
    assert QuestionnaireReply.objects.get().answers == STORED
    assert "Curating this article was easy. agree" in read_page_words(author.get(page))
    again = author.post(f"{page}questionnaire/", ANSWERS)
    assert (again.status_code, "answered or skipped already" in again.content.decode()) == (422, True)
    reviewer = open_as(submitted[1]["reviewer_link"])
    words = read_page_words(reviewer.get(page))
    assert "Questionnaire" not in words
    assert "Names of mice." not in words


def test_it_asks_only_the_author_and_only_after_the_end(author, submitted, manuscript, page):
    early = author.post(f"{page}questionnaire/", ANSWERS)
    assert (early.status_code, "Finish the article first" in early.content.decode()) == (422, True)
    Curation.objects.filter(pk=manuscript.curation_id).update(state="finished")
    wrong = author.post(f"{page}questionnaire/", {"ease": "9", "comment": "Names of mice."})
    assert (wrong.status_code, "Names of mice." in wrong.content.decode()) == (422, True)
    reviewer = open_as(submitted[1]["reviewer_link"])
    assert reviewer.post(f"{page}questionnaire/", ANSWERS).status_code == 404
    assert Client().post(f"{page}questionnaire/", ANSWERS).status_code == 404
    assert not QuestionnaireReply.objects.exists()


def test_the_journal_reads_answers_and_agreement_before_publication(
    author, program, page, carol, journal, finished_by_author, django_user_model, django_assert_num_queries
):
    author.post(f"{page}questionnaire/", ANSWERS)
    program.post(f"{page.replace('/manuscripts/', URL)}curators/", {"person": "carol"}, content_type="application/json")
    assert read_results(program)["agreements"] == []
    curation = Curation.objects.get(curator__user=carol)
    Curation.objects.filter(pk=curation.pk).update(state="open")
    decide(curation, "accept", propose_gene("P12830"), propose_gene("P35222"))
    finish_now(curation)
    results = read_results(program)
    (pair,) = results["agreements"]
    assert (pair["first"], pair["second"], pair["articles"]) == ("authors", "curators on authors' records", 1)
    assert {each["level"]: each["f1"] for each in pair["levels"]}["entity"] == pytest.approx(2 / 3)
    asked = results["questionnaire"]
    assert (results["finished"], asked["replies"], asked["skipped"]) == (1, 1, 0)
    assert [(each["name"], each["arm"], each["mean"]) for each in asked["statements"]] == [
        ("ease", "", 4.0),
        ("again", "", 5.0),
    ]
    assert asked["comments"] == [{"manuscript": finished_by_author.pk, "comment": "Names of mice."}]
    with django_assert_num_queries(5):
        load_manuscript_results(journal)
    other = use_token(make_journal(django_user_model.objects.create_user, "coal"))
    assert read_results(other)["questionnaire"]["replies"] == 0


def test_the_results_of_a_journal_leave_out_who_continues_a_published_record(program, carol, finished_by_author):
    program.post(f"{URL}{finished_by_author.pk}/publish/", {}, content_type="application/json")
    as_carol = Client()
    as_carol.force_login(carol)
    as_carol.post(f"/articles/{finished_by_author.article.opaque}/curate/", {"continue": "1"})
    curation = Curation.objects.get(curator__user=carol)
    as_carol.post(f"/curation/{curation.pk}/finish/", {"seen": 1})
    curation.refresh_from_db()
    assert (curation.state, curation.basis_id) == ("finished", finished_by_author.curation_id)
    assert read_results(program)["agreements"] == []


def test_answers_of_authors_are_in_projects_of_their_journal_only(
    author, client, program, page, journal, olga, finished_by_author
):
    author.post(f"{page}questionnaire/", ANSWERS)
    program.post(f"{URL}{finished_by_author.pk}/publish/", {}, content_type="application/json")
    corpus = Corpus.objects.create(slug="published", name="Published")
    CorpusArticle.objects.create(corpus=corpus, article=finished_by_author.article, position=1)
    finished_by_author.refresh_from_db()
    assert finished_by_author.state == ManuscriptState.PUBLISHED
    for owner, replies in ((journal, 1), (olga, 0)):
        project = make_experiment(owner, corpus=corpus)
        client.force_login(owner)
        results = client.get(f"/api/v1/curation-projects/{project.pk}/results/").json()
        assert [each["role"] for each in results["curations"]] == ["author"]
        asked = results["questionnaire"]
        assert (asked["replies"], len(asked["statements"]), len(asked["comments"])) == (replies, 2 * replies, replies)
        shown = read_page_words(client.get(f"/curation/projects/{project.pk}/results/"))
        assert ("Curating this article was easy. authors 1 4.00" in shown) is bool(replies)
        table = client.get(f"/curation/projects/{project.pk}/results/curations.csv")
        assert (b"Names of mice." in b"".join(table.streaming_content)) is bool(replies)

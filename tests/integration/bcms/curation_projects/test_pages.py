"""The pages of curation projects: create, add people, split, curate, hand over, and what each of them sees."""

import pytest
from django.core import mail

from annotations.curation.models import Curation
from annotations.curation.projects.models import CurationProject
from annotations.results.models import ArticleSummary
from servers.audit.models import AuditEvent
from tests.integration.article_cast import read_page_words
from tests.integration.evaluation_cast import get_article, make_corpus
from tests.integration.project_cast import add_curator, curate, get_curator, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(olga, alice, carol):
    return make_project(olga, alice, carol, guideline="Curate what is shown by experiment.")


@pytest.fixture
def as_olga(client, olga):
    client.force_login(olga)
    return client


def url(project, suffix=""):
    return f"/curation/projects/{project.pk}/{suffix}"


def test_it_creates_a_project_and_adds_curators_who_get_mail(as_olga, alice):
    make_corpus()
    sent = {"name": "Kinases", "corpus": "four", "guideline": "All.", "help": "systems", "method": "votes"}
    reply = as_olga.post("/curation/projects/new/", sent | {"threshold": "2"})
    project = CurationProject.objects.get()
    assert reply.url == url(project)
    assert (project.owner.username, project.recipe) == ("olga", {"method": "votes", "threshold": 2.0})
    as_olga.post(url(project, "curators/"), {"person": "alice"})
    assert get_curator(project, alice)
    assert mail.outbox[0].to == ["alice@example.org"]
    assert url(project) in mail.outbox[0].body
    actions = AuditEvent.objects.filter(action__startswith="curation").order_by("pk").values_list("action", flat=True)
    assert list(actions) == ["curation.project_created", "curation.curator_added"]


def test_it_keeps_what_was_typed_if_the_project_cannot_be_created(as_olga):
    make_corpus()
    sent = {"name": "Kinases", "corpus": "four", "help": "systems", "method": "votes", "threshold": "0"}
    reply = as_olga.post("/curation/projects/new/", sent)
    assert reply.status_code == 422
    assert "Kinases" in reply.content.decode()
    assert not CurationProject.objects.exists()


def test_it_splits_the_corpus_and_shows_how_far_everybody_is(as_olga, project, django_assert_max_num_queries):
    as_olga.post(url(project, "split/"), {"overlap": "50", "seed": "1"})
    with django_assert_max_num_queries(20):
        words = read_page_words(as_olga.get(url(project)))
    assert "4 articles, 0 that nobody curates" in words
    assert "alice 3 0 0 0.0" in words


def test_it_says_what_is_wrong_with_an_assignment(as_olga, project):
    words = read_page_words(as_olga.post(url(project, "split/"), {"overlap": "200", "seed": "1"}, follow=True))
    assert "less than or equal to 100" in words
    words = read_page_words(as_olga.post(url(project, "curators/"), {"person": "nobody"}, follow=True))
    assert "No account has the user name" in words


def test_it_shows_curators_the_guideline_and_nothing_of_others(as_alice, project, alice):
    curate(project, alice, 101, "P12830")
    words = read_page_words(as_alice.get(url(project)))
    assert "Curate what is shown by experiment." in words
    assert "carol" not in words
    for suffix in ("outcome/", "articles/101/"):
        assert as_alice.get(url(project, suffix)).status_code == 403
    for suffix in ("split/", "curators/", "release/", "assign/", "close/", "agreed/", "gold/", "adjudicators/"):
        assert as_alice.post(url(project, suffix)).status_code == 403


def test_it_hides_projects_from_everybody_else(client, project, django_user_model):
    client.force_login(django_user_model.objects.create_user("eve"))
    for suffix in ("", "outcome/", "articles/101/"):
        assert client.get(url(project, suffix)).status_code == 404
    assert "Cadherins" not in client.get("/curation/").content.decode()


def test_it_lists_the_work_of_a_curator_with_the_next_article_one_click_away(as_alice, project, alice, carol):
    begun = curate(project, alice, 102, "P12830", finish=False)
    done = curate(project, alice, 103)
    curate(project, carol, 104, "P12830")
    page = as_alice.get("/curation/")
    words = read_page_words(page)
    assert f'href="/curation/{begun.pk}/">Continue' in page.content.decode()
    assert "Article 102 102 · Cadherins · begun" in words
    assert "Article 103 103 · Cadherins · nothing to record" in words
    assert f"/curation/{done.pk}/" in page.content.decode()
    assert "Article 104" not in words


def test_it_shows_a_new_curator_how_to_begin(client, project, alice, django_user_model):
    begin = "Open an article and choose “Curate this article”"
    client.force_login(django_user_model.objects.create_user("eve"))
    words = read_page_words(client.get("/curation/"))
    assert begin in words and "Find an article" in words and "Order" not in words
    client.force_login(alice)
    words = read_page_words(client.get("/curation/"))
    assert begin not in words and "Nothing is assigned to you or begun." in words


def test_it_sorts_by_likelihood_and_disagreement(as_alice, project, alice):
    for pmid, balance, disagreement in ((101, 0.1, 0.9), (102, 0.9, 0.1)):
        article = get_article(pmid)
        ArticleSummary.objects.create(article=article, version=1, balance=balance, disagreement=disagreement)
    suggested = read_page_words(as_alice.get("/curation/"))
    assert suggested.index("Article 102") < suggested.index("Article 101")
    words = read_page_words(as_alice.get("/curation/?order=disagreement"))
    assert words.index("Article 101") < words.index("Article 102")
    words = read_page_words(as_alice.get(f"/curation/?project={project.pk}&order=likely"))
    assert words.index("Article 102") < words.index("Article 101") < words.index("Article 103")


def test_it_has_a_fixed_number_of_queries(as_alice, project, alice, django_assert_num_queries):
    curate(project, alice, 101, "P12830", finish=False)
    as_alice.get("/curation/")
    with django_assert_num_queries(10):
        as_alice.get("/curation/")
    for pmid in (102, 103):
        curate(project, alice, pmid, "P12830", finish=False)
    with django_assert_num_queries(10):
        as_alice.get("/curation/")


def test_it_lets_a_curator_take_an_article_that_nobody_has(as_alice, project, alice, carol):
    reply = as_alice.post(url(project, "take/"), {"article": "101"})
    curation = Curation.objects.get()
    assert reply.url == f"/curation/{curation.pk}/"
    assert curation.curator == get_curator(project, alice)
    assert as_alice.post(url(project, "take/"), {"article": "101"}).url == reply.url
    curate(project, carol, 102, "P12830")
    words = read_page_words(as_alice.post(url(project, "take/"), {"article": "102"}, follow=True))
    assert "A colleague has this article already" in words


def test_it_hands_a_curation_over_and_records_it(as_alice, project, alice, carol):
    curation = curate(project, alice, 101, "P12830", finish=False)
    assert "carol" in as_alice.get(f"/curation/{curation.pk}/hand-over/").content.decode()
    as_alice.post(f"/curation/{curation.pk}/hand-over/", {"curator": get_curator(project, carol).pk})
    assert Curation.objects.get().curator.user == carol
    assert as_alice.get(f"/curation/{curation.pk}/").status_code == 404
    event = AuditEvent.objects.get(action="curation.handed_over")
    assert (event.actor, event.person) == (alice, carol)
    assert (event.before, event.after) == ({"curator": f"account {alice.pk}"}, {"curator": f"account {carol.pk}"})


def test_who_has_left_hands_nothing_over_and_sees_no_colleagues(as_alice, project, alice, carol):
    curation = curate(project, alice, 101, "P12830", finish=False)
    as_alice.post(url(project, "leave/"))
    address = f"/curation/{curation.pk}/hand-over/"
    assert as_alice.get(address).status_code == 404
    assert as_alice.post(address, {"curator": get_curator(project, carol).pk}).status_code == 404
    assert as_alice.post(f"/api/v1/curations/{curation.pk}/hand-over/", {"curator": 1}).status_code == 404
    assert Curation.objects.get().curator.user == alice


def test_it_lets_curators_leave_and_owners_remove_them(client, project, alice, carol, olga):
    client.force_login(alice)
    client.post(url(project, "leave/"))
    assert client.get(url(project)).status_code == 404
    client.force_login(olga)
    client.post(url(project, "release/"), {"curator": get_curator(project, carol).pk})
    assert not project.curators.filter(released__isnull=True).exists()


def test_it_closes_a_project_and_opens_it_again(client, project, alice, olga):
    curation = curate(project, alice, 101, "P12830", finish=False)
    client.force_login(olga)
    client.post(url(project, "close/"), {"closed": "1"})
    client.force_login(alice)
    assert client.get(f"/curation/{curation.pk}/").status_code == 404
    client.force_login(olga)
    client.post(url(project, "close/"), {"closed": "0"})
    client.force_login(alice)
    assert client.get(f"/curation/{curation.pk}/").status_code == 200


def test_it_keeps_blind_articles_from_those_who_compete(client, testing, team, alice, olga):
    from evaluation.challenges.participants.admission import accept_terms_or_refuse_ineligible_team

    project = make_project(olga, corpus=testing.corpus)
    accept_terms_or_refuse_ineligible_team(testing.challenge, team, alice)
    client.force_login(olga)
    words = read_page_words(client.post(url(project, "curators/"), {"person": "alice"}, follow=True))
    assert "alice is on Team Alpha, which takes part" in words
    add_curator(project, alice)
    curation = curate(project, alice, 201, "P12830", finish=False)
    client.force_login(alice)
    assert client.get(f"/curation/{curation.pk}/").status_code == 404
    assert "Article 201" not in client.get("/curation/").content.decode()
    assert "Article 202" not in client.get(f"/api/v1/curation-worklist/?project={project.pk}").content.decode()
    assert "Article 202" not in client.get(f"/curation/?project={project.pk}").content.decode()
    client.post(url(project, "take/"), {"article": "202"})
    assert not Curation.objects.exclude(pk=curation.pk).exists()
    project.adjudicators.add(alice)
    assert client.get(url(project, "outcome/")).status_code == 403

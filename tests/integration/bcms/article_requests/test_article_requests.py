"""A visitor asks for an article that is not here: it is fetched, shown, and every server is asked for it first."""

import re

import pytest

from annotations.articles.models import Article, ArticleRequest, ArticleSnapshot
from bcms.article_requests import fetching, request_queue
from bcms.article_requests.request_queue import REQUEST_KEPT
from bcms.tasks import answer_all_article_requests_unless_locked
from servers.calls.models import Call, Queue
from servers.calls.queues import contents
from servers.calls.states import QueueMode, QueueState
from servers.registry.models import Server
from tests.integration.annotations.articles.test_entrez_client import hold, pubmed, record  # noqa: F401
from tests.integration.bcms.article_annotations.test_articles_api import blind, challenge  # noqa: F401
from tests.integration.bcms.article_requests.test_full_text_requests import jats
from tests.registries import Answer

pytestmark = pytest.mark.django_db
AWAY = "PubMed is not available at present. Try again in a few minutes. If this persists, contact the administrator."


@pytest.fixture
def ncbi(pubmed, settings, monkeypatch):  # noqa: F811
    settings.ENTREZ_URL, settings.ALLOWED_NETWORKS, settings.ENTREZ_API_KEY = pubmed.url, ["127.0.0.0/8"], "abc"
    monkeypatch.setattr(fetching, "ENTREZ_WAITS", (0.0, 0.0))
    return pubmed


def ask(client, ident):
    return client.post("/articles/ask/", {"ident": ident})


def read_page_text(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_it_offers_to_fetch_what_is_not_here(client):
    response = client.get("/articles/16054130/")
    assert response.status_code == 404
    assert "Article PMID 16054130 is not available yet" in read_page_text(response)
    assert b'action="/articles/ask/"' in response.content
    assert b'name="ident" value="16054130"' in response.content


def test_it_leads_from_a_pmcid_to_the_article_that_is_here(client, article):
    Article.objects.update(pmcid="PMC7")
    assert client.get("/articles/pmc7/").url == f"/articles/{article.pmid}/"
    assert "Article PMC8 is not available yet" in read_page_text(client.get("/articles/PMC8/"))


def test_it_leads_from_a_doi_with_its_slashes_too(client, article):
    Article.objects.update(doi="10.1000/X(1)/y")
    assert client.get("/articles/10.1000/x(1)/y/").url == f"/articles/{article.pmid}/"
    assert "Article 10.1000/z is not available yet" in read_page_text(client.get("/articles/10.1000/z/"))


def test_it_is_fetched_and_shown_and_asked_for_first(client, ncbi, server):
    Server.objects.update(state="online")
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    hold(ncbi, 5)
    reply = ask(client, "5")
    wanted = ArticleRequest.objects.get()
    assert (reply.status_code, reply.url) == (302, f"/articles/requests/{wanted.pk}/")
    assert "Fetching PMID 5 from PubMed (" in read_page_text(client.get(reply.url))
    assert client.get(f"{reply.url}live/?v=waits").status_code == 204
    assert client.get("/articles/5/").url == reply.url
    assert answer_all_article_requests_unless_locked() == 1
    shown = client.get(f"{reply.url}live/?v=waits").content.decode()
    assert 'data-go="/articles/5/"' in shown
    assert "data-done" in shown
    assert client.get(reply.url).url == "/articles/5/"
    assert "No 5" in read_page_text(client.get("/articles/5/"))
    call = Call.objects.get()
    assert (call.queue, call.article.pmid, call.priority) == (queue, 5, Call.Priority.FRONT_PAGE)


def test_it_waits_at_the_end_for_a_server_that_is_unreachable(client, ncbi, server):
    Server.objects.update(state="online")
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    Queue.objects.update(state=QueueState.RESTING)
    hold(ncbi, 5)
    ask(client, "5")
    assert answer_all_article_requests_unless_locked() == 1
    assert queue.calls.get().priority == Call.Priority.MISSED


def test_it_is_fetched_once_for_all_who_ask(client, ncbi):
    hold(ncbi, 5, 6)
    assert ask(client, "5").url == ask(client, "PMID: 5").url
    ask(client, "6")
    assert answer_all_article_requests_unless_locked() == 2
    assert [form["id"] for form in ncbi.forms] == ["5,6"]
    assert answer_all_article_requests_unless_locked() == 0


@pytest.mark.parametrize(("ident", "term"), [("pmc7", "PMC7[pmcid]"), ("doi:10.1000/x", '"10.1000/x"[doi]')])
def test_it_is_found_by_another_name(client, ncbi, ident, term):
    ncbi.named = {term: [5]}
    ncbi.records, ncbi.full_texts = {"5": record(5, pmc="PMC7", doi="10.1000/x")}, {"7": jats("7")}
    waits = ask(client, ident).url
    answer_all_article_requests_unless_locked()
    assert client.get(waits).url == "/articles/5/"
    assert ask(client, ident).url == "/articles/5/"


@pytest.mark.parametrize(
    ("replies", "said"),
    [
        ([], "PMID 5 is not in PubMed. Check the number"),
        ([(503, b"")] * 3, AWAY),
        ([(200, b"<!doctype html><html>")] * 3, AWAY),
        ([(400, b"")], AWAY),
    ],
)
def test_it_tells_why_it_does_not_come(client, ncbi, replies, said):
    ncbi.replies = replies
    waits = ask(client, "5").url
    answer_all_article_requests_unless_locked()
    for address in (waits, f"{waits}live/?v=waits"):
        assert said in read_page_text(client.get(address))
    assert "Try again" in read_page_text(client.get(waits))
    hold(ncbi, 5)
    again = ask(client, "5").url
    assert again != waits
    answer_all_article_requests_unless_locked()
    assert client.get(again).url == "/articles/5/"


def test_it_leaves_what_the_operator_needs_in_the_log(client, ncbi, settings, caplog):
    settings.ENTREZ_URL = "http://eutils.invalid/"
    waits = ask(client, "5").url
    answer_all_article_requests_unless_locked()
    assert AWAY in read_page_text(client.get(waits))
    assert "PubMed cannot be reached at http://eutils.invalid/efetch.fcgi" in caplog.text


def test_it_says_when_pubmed_wants_to_be_asked_again(client, ncbi):
    ncbi.replies = [Answer(429, b"", {"Retry-After": "120"})]
    waits = ask(client, "5").url
    answer_all_article_requests_unless_locked()
    assert "not available at present. Try again in 2 min." in read_page_text(client.get(waits))


def test_one_that_is_missing_does_not_keep_the_others(client, ncbi):
    hold(ncbi, 6)
    missing, there = ask(client, "5").url, ask(client, "6").url
    answer_all_article_requests_unless_locked()
    assert "PMID 5 is not in PubMed" in read_page_text(client.get(missing))
    assert client.get(there).url == "/articles/6/"


def test_it_shows_at_once_what_is_here(client, article):
    assert ask(client, "10000001").url == "/articles/10000001/"
    assert not ArticleRequest.objects.exists()


@pytest.mark.parametrize("ident", ["", "words", "<b>x", "1" * 12, "5\0"])
def test_it_takes_names_only(client, ident):
    reply = ask(client, ident)
    assert (reply.status_code, b"<b>x" in reply.content) == (422, False)
    assert not ArticleRequest.objects.exists()


def test_a_visitor_asks_for_so_many_and_is_told_when_to_come_again(client):
    assert [ask(client, str(pmid)).status_code for pmid in range(1, 11)] == [302] * 10
    refused = ask(client, "11")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
    assert "Try again in 1 minute, or" in read_page_text(refused)
    # What is fetched already is no new question.
    assert ask(client, "1").status_code == 302


def test_it_takes_no_more_than_will_come_soon(client, monkeypatch):
    monkeypatch.setattr(request_queue, "MOST_OPEN_REQUESTS", 2)
    assert [ask(client, str(pmid)).status_code for pmid in (1, 2, 3)] == [302, 302, 503]
    assert ask(client, "4").headers["Retry-After"] == "300"


@pytest.mark.parametrize("names", [{}, {"pmid": None, "pmcid": "PMC7"}])
def test_it_fetches_an_article_of_a_blind_test_as_any_other(client, ncbi, blind, names):  # noqa: F811
    ArticleSnapshot.objects.update(**names)
    before = Article.objects.values().get()
    ncbi.records = {"10000001": record(10000001, pmc="PMC7")}
    ncbi.named = {"PMC7[pmcid]": [10000001]}
    waits = [ask(client, "10000001").url, ask(client, "PMC7").url]
    answer_all_article_requests_unless_locked()
    public = Article.objects.get(pmid=10000001)
    assert [wanted.article for wanted in ArticleRequest.objects.all()] == [public, public]
    assert client.get(waits[0]).url == "/articles/10000001/"
    assert (public.blind, public.corpora.count()) == (False, 0)
    assert Article.objects.exclude(pk=public.pk).values().get() == before


def test_old_requests_are_forgotten(client, ncbi, monkeypatch):
    hold(ncbi, 5)
    ask(client, "5")
    answer_all_article_requests_unless_locked()
    monkeypatch.setattr(request_queue, "REQUEST_KEPT", REQUEST_KEPT * 0)
    ask(client, "6")
    assert [wanted.ident for wanted in ArticleRequest.objects.all()] == ["6"]


def test_its_pages_need_few_queries(client, django_assert_max_num_queries):
    waits = ask(client, "5").url
    for address, most in (("/articles/6/", 3), (waits, 1), (f"{waits}live/?v=waits", 1)):
        with django_assert_max_num_queries(most):
            client.get(address)

"""Who asks for a PMCID gets the full text where PubMed Central gives it, and is told why where it does not."""

import re

import pytest

from annotations.articles.models import Article, ArticleRequest, ArticleSnapshot
from annotations.errors import FetchError
from bcms.article_requests import fetching
from bcms.tasks import answer_all_article_requests_unless_locked
from servers.calls.models import Call
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from tests.integration.annotations.articles.test_entrez_client import entrez, pubmed, record  # noqa: F401
from tests.integration.bcms.article_annotations.test_articles_api import blind, challenge  # noqa: F401
from tests.registries import Answer
from tests.shared_data import require_shared_path

BODY = "<body><sec><title>Methods</title><p>CDH1 was taken out.</p></sec></body>"


def jats(number, body=BODY):
    return (
        f"<article><front><article-meta><article-id pub-id-type='pmc'>{number}</article-id><title-group>"
        "<article-title>Loss of CDH1</article-title></title-group><abstract><p>It binds.</p></abstract>"
        f"</article-meta></front>{body}</article>"
    )


@pytest.fixture
def ncbi(pubmed, settings, monkeypatch):  # noqa: F811
    """PubMed has the article 5, of which PubMed Central gives the full text as PMC7."""
    settings.ENTREZ_URL, settings.ALLOWED_NETWORKS, settings.ENTREZ_API_KEY = pubmed.url, ["127.0.0.0/8"], "abc"
    monkeypatch.setattr(fetching, "ENTREZ_WAITS", (0.0, 0.0))
    pubmed.records, pubmed.named = {"5": record(5, pmc="PMC7")}, {"PMC7[pmcid]": [5]}
    pubmed.full_texts = {"7": jats("7")}
    return pubmed


def fetch_waiting_page(client, ident="PMC7"):
    """The page on which the visitor waits, when the worker is done."""
    waits = client.post("/articles/ask/", {"ident": ident}).url
    answer_all_article_requests_unless_locked()
    return client.get(waits)


def read_page_text(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def passages():
    return [passage["type"] for passage in Article.objects.get(pmid=5).passages]


@pytest.mark.django_db
def test_it_brings_the_full_text_and_asks_for_it(client, ncbi, server):
    Server.objects.update(state="online")
    contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    assert fetch_waiting_page(client).url == "/articles/5/"
    assert passages() == ["title", "abstract", "heading", "Methods"]
    assert Article.objects.get().pmcid == "PMC7"
    assert [(form["db"], form.get("id")) for form in ncbi.forms] == [("pubmed", None), ("pubmed", "5"), ("pmc", "7")]
    assert Call.objects.get().priority == Call.Priority.FRONT_PAGE
    assert "CDH1 was taken out." in read_page_text(client.get("/articles/5/"))


@pytest.mark.django_db
def test_a_pmid_brings_the_citation_alone(client, ncbi):
    assert fetch_waiting_page(client, "5").url == "/articles/5/"
    assert passages() == ["title"]


@pytest.mark.django_db
@pytest.mark.parametrize("held", [{}, {"7": jats("7", "")}])
def test_it_says_that_the_full_text_is_not_given(client, ncbi, held):
    ncbi.full_texts = held
    page = fetch_waiting_page(client)
    said = (
        "PubMed Central does not provide the full text of this article to programs. "
        "Only its title and abstract are shown."
    )
    assert said in read_page_text(page)
    assert b'<a href="/articles/5/">Show PMC7</a>' in page.content
    assert passages() == ["title"]
    told = client.get(f"/api/v1/article-requests/{ArticleRequest.objects.get().pk}/").json()
    assert (told["pmid"], told["problem"]) == (5, said)


@pytest.mark.django_db
def test_it_says_that_pubmed_central_is_in_trouble_and_shows_the_rest(client, ncbi, monkeypatch):
    ask, busy = fetching.EntrezClient.find_pmc_article, Answer(503, b"")

    def in_trouble(self, pmcid):
        ncbi.replies = [busy] * 3
        return ask(self, pmcid)

    monkeypatch.setattr(fetching.EntrezClient, "find_pmc_article", in_trouble)
    said = read_page_text(fetch_waiting_page(client))
    assert "not available at present. Try again in a few minutes. If this persists, contact the administrator." in said
    assert "Only its title and abstract are shown." in said
    assert passages() == ["title"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(200, f"<pmc-articleset>{jats('7')}</pmc-articleset>".encode(), cut=True), "cut off|ended"),
        (Answer(200, b"<!doctype html><html></html>"), "no <article> element|not well-formed"),
        (Answer(200, f"<pmc-articleset>{jats('8')}</pmc-articleset>".encode()), "not the article PMC7"),
        (Answer(200, b"<eFetchResult><ERROR>no</ERROR></eFetchResult>"), "no <article> element"),
        (Answer(500, b""), "HTTP status 500"),
    ],
)
def test_it_tries_again_and_gives_up_in_one_sentence(pubmed, answer, said):  # noqa: F811
    pubmed.replies = [answer] * 3
    with pytest.raises(FetchError, match=f"(?s)in 3 attempts .*({said})"):
        entrez(pubmed, api_key="abc").find_pmc_article("PMC7")


def test_it_tries_a_busy_pubmed_central_again(pubmed):  # noqa: F811
    pubmed.replies, pubmed.full_texts = [Answer(429, b"")], {"7": jats("7")}
    assert len(entrez(pubmed, api_key="abc").find_pmc_article("PMC7").article.passages) == 4


def test_it_takes_no_text_that_cannot_be_stored(pubmed):  # noqa: F811
    pubmed.full_texts = {"7": jats("7", "<body><p>" + "x" * 3_000_001 + "</p></body>")}
    with pytest.raises(FetchError, match=r"^The text of PMC7 in PubMed Central cannot be imported: .*R448"):
        entrez(pubmed, api_key="abc").find_pmc_article("PMC7")


def test_it_reads_a_real_answer(pubmed):  # noqa: F811
    pubmed.replies = [Answer(200, require_shared_path("samples", "eutils", "efetch_pmc.xml").read_bytes())]
    read = entrez(pubmed, api_key="abc").find_pmc_article("PMC8435807").article
    assert (read.ids.pmid, read.ids.doi) == (34527728, "10.1183/23120541.50193-2021")
    assert len(read.passages) > 1


def make_pmc_only_answer():
    """A real answer of PubMed Central, without the PMID that is in it."""
    body = require_shared_path("samples", "eutils", "efetch_pmc.xml").read_bytes()
    body, number = re.subn(rb'<article-id pub-id-type="pmid">[0-9]+</article-id>', b"", body)
    assert number == 1
    return body


def real_answers(ncbi):
    """PubMed finds nothing, then PubMed Central has the article."""
    nothing = require_shared_path("samples", "eutils", "esearch8.xml").read_bytes()
    ncbi.replies = [Answer(200, nothing), Answer(200, make_pmc_only_answer())]


@pytest.mark.django_db
def test_it_brings_what_pubmed_central_alone_has(client, ncbi, server):
    Server.objects.update(state="online")
    contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    real_answers(ncbi)
    page = fetch_waiting_page(client, "PMC8435807")
    article = Article.objects.get()
    assert (article.pmid, article.pmcid, article.doi) == (None, "PMC8435807", "10.1183/23120541.50193-2021")
    assert len(article.passages) > 1
    assert page.url == f"/articles/{article.opaque}/"
    assert article.title in read_page_text(client.get(page.url))
    assert Call.objects.get().article == article
    told = client.get(f"/api/v1/article-requests/{ArticleRequest.objects.get().pk}/").json()
    assert (told["article"], told["pmid"], told["problem"]) == (article.opaque, None, "")
    assert client.post("/articles/ask/", {"ident": "PMC8435807"}).url == page.url


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("held", "said"),
    [
        ({"8": jats("8", "")}, "PubMed Central does not provide the full text of this article to programs."),
        ({}, "PubMed and PubMed Central have no article with the PMCID PMC8. Check it, or try"),
    ],
)
def test_it_says_what_pubmed_central_lacks_of_what_it_alone_has(client, ncbi, held, said):
    ncbi.full_texts = held
    assert said in read_page_text(fetch_waiting_page(client, "PMC8"))
    assert Article.objects.filter(pmcid="PMC8").count() == len(held)


@pytest.mark.django_db
def test_it_fetches_what_a_blind_test_has_from_pubmed_central_as_any_other(client, ncbi, blind):  # noqa: F811
    ArticleSnapshot.objects.update(pmid=None, doi="10.1183/23120541.50193-2021")
    before = Article.objects.values().get()
    real_answers(ncbi)
    assert fetch_waiting_page(client, "PMC8435807").status_code == 302
    assert Article.objects.filter(blind=True).values().get() == before
    assert Article.objects.get(blind=False).doi == "10.1183/23120541.50193-2021"

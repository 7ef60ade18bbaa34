"""Who asks for a PMCID gets the full text where PubMed Central gives it, and is told why where it does not."""

import re

import pytest

from annotations.errors import FetchError
from annotations.models import Article, ArticleRequest
from bcms import requesting
from bcms.tasks import fetch_requested
from servers import queueing
from servers.models import Call, Server
from servers.states import QueueMode
from tests.integration.test_fetching import entrez, pubmed, record  # noqa: F401
from tests.registries import Answer
from tests.shared_data import shared

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
    monkeypatch.setattr(requesting, "WAITS", (0.0, 0.0))
    pubmed.records, pubmed.named = {"5": record(5, pmc="PMC7")}, {"PMC7[pmcid]": [5]}
    pubmed.full_texts = {"7": jats("7")}
    return pubmed


def fetched(client, ident="PMC7"):
    """The page on which the visitor waits, when the worker is done."""
    waits = client.post("/articles/ask/", {"ident": ident}).url
    fetch_requested()
    return client.get(waits)


def text_of(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def passages():
    return [passage["type"] for passage in Article.objects.get(pmid=5).passages]


@pytest.mark.django_db
def test_it_brings_the_full_text_and_asks_for_it(client, ncbi, server):
    Server.objects.update(state="online")
    queueing.queue_of(server, QueueMode.LIVE)
    assert fetched(client).url == "/articles/5/"
    assert passages() == ["title", "abstract", "heading", "Methods"]
    assert Article.objects.get().pmcid == "PMC7"
    assert [(form["db"], form.get("id")) for form in ncbi.forms] == [("pubmed", None), ("pubmed", "5"), ("pmc", "7")]
    assert Call.objects.get().priority == Call.Priority.FRONT_PAGE
    assert "CDH1 was taken out." in text_of(client.get("/articles/5/"))


@pytest.mark.django_db
def test_a_pmid_brings_the_citation_alone(client, ncbi):
    assert fetched(client, "5").url == "/articles/5/"
    assert passages() == ["title"]


@pytest.mark.django_db
@pytest.mark.parametrize("held", [{}, {"7": jats("7", "")}])
def test_it_says_that_the_full_text_is_not_given(client, ncbi, held):
    ncbi.full_texts = held
    page = fetched(client)
    said = "PubMed Central gives no program the full text of this article. Its title and abstract are shown."
    assert said in text_of(page)
    assert b'<a href="/articles/5/">Show PMC7</a>' in page.content
    assert passages() == ["title"]
    told = client.get(f"/api/v1/article-requests/{ArticleRequest.objects.get().pk}/").json()
    assert (told["pmid"], told["problem"]) == (5, said)


@pytest.mark.django_db
def test_it_says_that_pubmed_central_is_in_trouble_and_shows_the_rest(client, ncbi, monkeypatch):
    ask, busy = requesting.Entrez.full_text, Answer(503, b"")

    def in_trouble(self, pmcid):
        ncbi.replies = [busy] * 3
        return ask(self, pmcid)

    monkeypatch.setattr(requesting.Entrez, "full_text", in_trouble)
    said = text_of(fetched(client))
    assert "in 3 tries (HTTP status 503)" in said
    assert "Its title and abstract are shown." in said
    assert passages() == ["title"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(200, f"<pmc-articleset>{jats('7')}</pmc-articleset>".encode(), cut=True), "cut off|ended"),
        (Answer(200, b"<!doctype html><html></html>"), "no element <article>|broken"),
        (Answer(200, f"<pmc-articleset>{jats('8')}</pmc-articleset>".encode()), "not the article PMC7"),
        (Answer(200, b"<eFetchResult><ERROR>no</ERROR></eFetchResult>"), "no element <article>"),
        (Answer(500, b""), "HTTP status 500"),
    ],
)
def test_it_tries_again_and_gives_up_in_one_sentence(pubmed, answer, said):  # noqa: F811
    pubmed.replies = [answer] * 3
    with pytest.raises(FetchError, match=f"(?s)in 3 tries .*({said})"):
        entrez(pubmed, api_key="abc").full_text("PMC7")


def test_it_tries_a_busy_pubmed_central_again(pubmed):  # noqa: F811
    pubmed.replies, pubmed.full_texts = [Answer(429, b"")], {"7": jats("7")}
    assert len(entrez(pubmed, api_key="abc").full_text("PMC7").passages) == 4


def test_it_takes_no_text_that_cannot_be_stored(pubmed):  # noqa: F811
    pubmed.full_texts = {"7": jats("7", "<body><p>" + "x" * 3_000_001 + "</p></body>")}
    with pytest.raises(FetchError, match=r"^The full text of PMC7 cannot be taken: .*R448"):
        entrez(pubmed, api_key="abc").full_text("PMC7")


def test_it_reads_a_real_answer(pubmed):  # noqa: F811
    pubmed.replies = [Answer(200, shared("samples", "eutils", "efetch_pmc.xml").read_bytes())]
    read = entrez(pubmed, api_key="abc").full_text("PMC8435807")
    assert (read.name.pmid, read.name.doi) == (34527728, "10.1183/23120541.50193-2021")
    assert len(read.passages) > 1

"""The reader's servers and filters stay from article to article, in a cookie."""

from urllib.parse import parse_qsl

import pytest
from django.test import RequestFactory

from annotations.articles.models import Article
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from bcms.article_page.reader_choice import FILTERS_COOKIE, read_kept_filters_unless_url_has_any
from tests.integration.article_cast import (
    URL,
    create_known_genes,
    gene,
    make_read_article,
    read_page_words,
    three_servers,
)

OTHER_URL = "/articles/20000002/"
REMEMBER = {"remember": "1"}


@pytest.fixture
def article(team):
    article = make_read_article()
    create_known_genes()
    alpha, beta, _ = three_servers(team, article)
    other = Article.objects.create(
        pmid=20000002, passages=[{"type": "title", "text": "CDH1"}], text="CDH1", content_hash="3" * 64
    )
    for queue, names in ((alpha, ("P12830", "P35222")), (beta, ("P12830",))):
        store_results_superseding_earlier(
            other, queue.producer, {Kind.NORMALIZATION: [gene(name, 0.9) for name in names]}
        )
    return article


def list_servers_and_filters(client, url=OTHER_URL, **query):
    page = client.get(url, query, follow=True).context["page"]
    filters = page.reading.choice.filters
    return page.reading.slugs, filters.agree


def test_it_keeps_the_filters_for_the_next_article(client, article):
    answer = client.get(URL, {"kind": "normalization", "server": ["alpha", "beta"], "agree": "2", **REMEMBER})
    assert answer.status_code == 302
    assert answer.url == f"{URL}?kind=normalization&server=alpha&server=beta&agree=2"
    assert list_servers_and_filters(client) == (["alpha", "beta"], 2)
    words = read_page_words(client.get(OTHER_URL, follow=True))
    assert "Showing 2 of 3 servers, 1 filter on the list, reset" in words


def test_it_keeps_the_filters_that_a_script_applies(client, article):
    answer = client.get(f"{URL}live/", {"server": "beta", **REMEMBER})
    assert "remember" not in answer.context["page"].live_url
    assert list_servers_and_filters(client) == (["beta"], 1)


def test_it_resets_them_by_one_link(client, article):
    client.get(URL, {"server": "beta", **REMEMBER})
    page = client.get(OTHER_URL, follow=True).context["page"]
    answer = client.get(OTHER_URL + page.unfiltered_query)
    assert answer.url == f"{OTHER_URL}?kind=normalization"
    assert list_servers_and_filters(client) == ([], 1)
    assert "reset" not in read_page_words(client.get(OTHER_URL))


def test_an_address_with_filters_wins_and_keeps_nothing(client, article):
    client.get(URL, {"server": "beta", **REMEMBER})
    assert list_servers_and_filters(client, server="alpha") == (["alpha"], 1)
    assert list_servers_and_filters(client, agree="2") == ([], 2)
    assert list_servers_and_filters(client) == (["beta"], 1)


def test_the_address_of_the_next_article_says_which_filters_are_kept(client, article):
    client.get(URL, {"server": ["beta", "alpha"], "agree": "2", **REMEMBER})
    answer = client.get(OTHER_URL, {"kind": "normalization", "order": "confidence"})
    assert answer.status_code == 302
    assert answer.url == f"{OTHER_URL}?kind=normalization&order=confidence&server=beta&server=alpha&agree=2"
    assert "no-store" in answer.headers["Cache-Control"]
    assert "Cookie" in answer.headers["Vary"]
    response = client.get(answer.url)
    assert response.status_code == 200
    assert "server=beta" in response.context["page"].live_url
    assert "server=beta" in response.context["page"].tab_query
    client.cookies.clear()
    assert client.get(answer.url).context["page"].reading.slugs == ["beta", "alpha"]


def test_an_open_page_shows_what_its_address_says(client, article):
    """Another tab of the browser may have applied filters since."""
    client.get(URL, {"server": "beta", **REMEMBER})
    assert client.get(f"{OTHER_URL}live/").context["page"].reading.slugs == []


def test_it_keeps_nothing_for_a_link_on_another_site(client, article):
    query = {"server": "beta", **REMEMBER}
    answer = client.get(URL, query, headers={"sec-fetch-site": "cross-site"})
    assert answer.url == f"{URL}?server=beta"
    assert FILTERS_COOKIE not in answer.cookies
    assert FILTERS_COOKIE in client.get(URL, query, headers={"sec-fetch-site": "same-origin"}).cookies


def test_its_cookie_is_only_for_articles(client, article):
    cookie = client.get(URL, {"server": "beta", **REMEMBER}).cookies[FILTERS_COOKIE]
    assert dict(parse_qsl(cookie.value)) == {"server": "beta"}
    assert (cookie["path"], cookie["samesite"], cookie["httponly"]) == ("/articles/", "Lax", True)
    search = client.get("/articles/", {"q": "CDH1"}).content
    client.cookies.clear()
    assert client.get("/articles/", {"q": "CDH1"}).content == search


def test_it_is_cached_for_one_reader_only(client, article):
    answer = client.get(URL)
    assert "private" in answer.headers["Cache-Control"]
    assert "Cookie" in answer.headers["Vary"]


@pytest.mark.parametrize("value", ["", "%00", "server=%00&agree=x", "a&" * 2000, "server=" + "x" * 3000])
def test_it_ignores_a_cookie_that_it_did_not_write(client, article, value):
    client.cookies[FILTERS_COOKIE] = value
    assert client.get(OTHER_URL, follow=True).status_code == 200
    assert list_servers_and_filters(client) == ([], 1)


def test_it_applies_filters_that_are_too_long_for_a_cookie_to_one_page(client, article):
    client.get(URL, {"server": "beta", **REMEMBER})
    names = [f"server-{number:060}" for number in range(80)]
    answer = client.get(URL, {"server": ["beta", *names], **REMEMBER})
    assert answer.cookies[FILTERS_COOKIE]["max-age"] == 0
    assert answer.url.startswith(f"{URL}?server=beta&")


def test_it_reads_the_cookie_of_a_request_without_filters():
    for query, kept in (({}, (("a",), 9606)), ({"agree": ""}, ((), None)), ({"remember": "1"}, ((), None))):
        request = RequestFactory().get(URL, query)
        request.COOKIES[FILTERS_COOKIE] = "server=a&taxon=9606"
        filters = read_kept_filters_unless_url_has_any(request)
        assert (filters.servers, filters.taxon) == kept


@pytest.mark.parametrize("confidence", ["0.00001", "0.5", "0.123456", "1", "1.000000", "0.000001"])
def test_a_kept_confidence_is_the_same_on_the_next_article(client, article, confidence):
    client.get(URL, {"confidence": confidence, **REMEMBER})
    shown = client.get(OTHER_URL, follow=True).context["page"]
    assert shown.reading.choice.filters.confidence == float(confidence)


@pytest.mark.parametrize(
    "kept",
    [
        *(
            "server=%0d%0aSet-Cookie:%20a=b",
            "server=%00",
            "server=//evil.example",
            "server=%ed%a0%80",
            "server=&agree=x",
        ),
        *(
            "remember=1&server=beta",
            "text=1&server=beta",
            "agree=2%26remember=1",
            "confidence=1e-3",
            "&".join(["a=b"] * 2000),
        ),
    ],
)
def test_a_cookie_that_somebody_has_made_up_leads_nowhere_else(client, article, kept):
    client.cookies[FILTERS_COOKIE] = kept
    answer = client.get(OTHER_URL)
    assert answer.status_code == 200 or answer.url.startswith(f"{OTHER_URL}?")
    assert "Set-Cookie" not in answer.headers and FILTERS_COOKIE not in answer.cookies
    pages = client.get(OTHER_URL, follow=True)
    assert (pages.status_code, len(pages.redirect_chain) <= 1) == (200, True)
    client.cookies.clear()
    assert client.get(OTHER_URL).status_code == 200


def test_visitors_get_no_redirect_that_was_made_for_another(client, article):
    query = {"server": "beta", **REMEMBER}
    for _ in range(2):
        client.cookies.clear()
        answer = client.get(URL, query)
        assert (answer.status_code, FILTERS_COOKIE in answer.cookies) == (302, True)
    client.cookies.clear()
    assert client.get(URL).context["page"].reading.slugs == []

"""The list of annotations, narrowed by the address of the page."""

import pytest
from django.db.models import F

from annotations.articles.models import Article
from annotations.identifiers.models import Entry
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.article_page import annotation_list
from tests.integration.article_cast import URL, live_queue, make_article_of_three_servers, read_page_words, span

GENES = {"kind": "normalization"}
# With two to learn whether the page can be kept for other visitors.
QUERIES = 11


@pytest.fixture
def article(team):
    return make_article_of_three_servers(team)


def list_shown_rows(client, query):
    rows = client.get(URL, query).context["page"].listing.rows
    return [(row.entities[0].references[0].identifier if row.entities else row.text, row.count) for row in rows]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, [("P12830", 3), ("P35222", 2), ("P09803", 1)]),
        ({"agree": "2"}, [("P12830", 3), ("P35222", 2)]),
        ({"differ": "1"}, [("P35222", 2), ("P09803", 1)]),
        ({"confidence": "0.6"}, [("P12830", 3), ("P35222", 2)]),
        ({"taxon": "10090"}, [("P09803", 1)]),
        ({"server": ["beta"]}, [("P12830", 1), ("P35222", 1)]),
        ({"server": ["alpha", "beta"], "differ": "1"}, [("P09803", 1)]),
        ({"server": ["beta", "nobody"]}, [("P12830", 1), ("P35222", 1)]),
        ({"server": ["nobody"]}, [("P12830", 3), ("P35222", 2), ("P09803", 1)]),
    ],
)
def test_it_shows_what_the_filters_leave(client, article, query, expected):
    assert list_shown_rows(client, {**GENES, **query}) == expected


def test_it_says_what_is_filtered_and_how_many_are_hidden(client, article):
    response = client.get(URL, {**GENES, "server": ["alpha", "beta"], "taxon": "9606", "agree": "2"})
    words = read_page_words(response)
    assert "Filters: annotations by Alpha and Beta, at least 2 servers agree, Homo sapiens. 2 of 3 match" in words
    assert "Filters: 1 hidden" in words
    everything = client.get(URL + response.context["page"].unfiltered_query)
    assert "hidden." not in read_page_words(everything)


def test_it_says_when_the_filters_leave_nothing(client, article):
    assert "No annotations match the filters." in read_page_words(client.get(URL, {**GENES, "agree": "9"}))


def test_it_offers_servers_and_organisms_with_numbers(client, article):
    offered = client.get(URL, GENES).context["page"].listing
    assert [(one.label, one.count) for one in offered.servers] == [("Alpha", 3), ("Beta", 2), ("Gamma", 1)]
    assert [(one.label, one.count) for one in offered.taxa_found] == [("Homo sapiens", 2), ("Mus musculus", 1)]


def test_it_knows_the_organisms_of_mentions_by_the_entries_that_they_mean(client, article):
    found = {text for text, _ in list_shown_rows(client, {"kind": "mention", "taxon": "10090"})}
    assert found == {"CDH1", "Cdh1", "E-cadherin"}, "E-cadherin and cdh1 are names of the mouse's too"


def test_it_keeps_the_filters_in_every_link(client, article):
    query = {**GENES, "server": "beta", "taxon": "9606"}
    page = client.get(URL, query).context["page"]
    for address in (page.live_url, page.tab_query, page.order_query, page.mention_query, page.page_query):
        assert "server=beta" in address
        assert "taxon=9606" in address


def test_it_applies_the_chosen_servers_to_the_whole_page(client, article):
    page = client.get(URL, {**GENES, "server": "beta", "mention": span(article, "CDH1")}).context["page"]
    assert page.legend == [(1, "1 server")]
    assert [(tab.kind, tab.count) for tab in page.reading.tabs] == [("mention", 4), ("normalization", 2)]
    assert (page.chosen.total, [source.slug for source in page.chosen.sources]) == (1, ["beta"])
    assert [one.slug for one in (vote.source for row in page.listing.rows for vote in row.lines)] == ["beta", "beta"]


def test_it_shows_nothing_of_servers_that_were_not_chosen_if_the_chosen_ones_have_not_answered(client, article, team):
    live_queue(team, "Delta")
    page = client.get(URL, {"server": "delta"}).context["page"]
    assert page.legend == []
    assert [(tab.kind, tab.count) for tab in page.reading.tabs] == [("mention", 0), ("normalization", 0)]


def test_it_lists_a_page_at_a_time_and_the_one_with_what_is_chosen(client, article, monkeypatch):
    monkeypatch.setattr(annotation_list, "LIST_PAGE_SIZE", 4)
    first = client.get(URL, {"kind": "mention"})
    assert "1 to 4 of 9" in read_page_words(first)
    last = client.get(URL, {"kind": "mention", "page": "3"}).context["page"]
    assert (last.listing.first_row, last.listing.last_row) == (9, 9)
    assert "page=3" in last.live_url
    assert client.get(URL, {"kind": "mention", "page": "99"}).context["page"].listing.page == 3
    chosen = client.get(URL, {"kind": "mention", "mention": span(article, "Mouse Cdh1")}).context["page"]
    assert any(row.chosen for row in chosen.listing.rows)
    assert chosen.listing.page > 1


def test_it_links_rows_to_the_text(client, article):
    def rows(kind):
        return client.get(URL, {"kind": kind}).context["page"].listing.rows

    first = rows("normalization")[0]
    assert first.choice_query == span(article, "CDH1")
    marks = {word for row in rows("mention") for word in row.name_keys.split() if row.text in ("CDH1", "E-cadherin")}
    assert marks <= set(first.name_keys.split())


def test_it_links_a_pair_to_the_sentences_that_name_both(client, article):
    queue = article.results.first().producer
    pair = AnnotationData(Kind.PAIR, database="uniprot", identifier="P12830", partner="P35222")
    store_results_superseding_earlier(article, queue, {Kind.PAIR: [pair]})
    (row,) = client.get(URL, {"kind": "pair"}).context["page"].listing.rows
    assert row.choice_query == f"{span(article, 'CDH1')}&beside={span(article, 'beta-catenin')}"


def test_it_takes_the_same_queries_whatever_is_filtered(client, article, django_assert_num_queries):
    for query in ({}, {"server": ["alpha", "beta"], "taxon": "9606", "confidence": "0.1", "agree": "2"}):
        with django_assert_num_queries(QUERIES):
            client.get(URL, query)


def test_it_brings_no_text_to_who_has_it(client, article):
    page = client.get(URL).context["page"]
    live = f"{URL}live/"
    kept = client.get(live, {"keep": page.reading.text_signature, **GENES}).content.decode()
    assert "data-partial" in kept
    assert "<h1" not in kept
    assert 'id="article-browser"' in kept
    other = client.get(live, {"keep": page.reading.text_signature, "server": "beta"}).content.decode()
    assert "data-partial" not in other
    assert "<h1" in other


def test_it_brings_no_rows_to_who_has_them(client, article):
    page = client.get(URL, GENES).context["page"]
    known = {"keep": [page.reading.text_signature, page.rows_signature], "kind": "normalization"}
    kept = client.get(f"{URL}live/", {**known, "mention": span(article, "CTNNB1")})
    assert '<ul id="rows" data-kept data-on="' in kept.content.decode()
    chosen = kept.context["page"].listing.chosen_row_ids
    assert chosen
    assert f'data-on="{chosen}"' in kept.content.decode()
    assert "<summary data-key" not in kept.content.decode().partition('id="rows"')[2].partition('id="article-aside"')[0]
    for change in ({"server": "beta"}, {"order": "confidence", "agree": "2"}, {"unreviewed": "1"}):
        assert "data-kept" not in client.get(f"{URL}live/", {**known, **change}).content.decode(), change


def test_it_brings_rows_anew_once_a_server_has_answered_again(client, article):
    page = client.get(URL, GENES).context["page"]
    known = {"keep": [page.reading.text_signature, page.rows_signature], "kind": "normalization"}
    assert "data-kept" in client.get(f"{URL}live/", known).content.decode()
    store_results_superseding_earlier(article, article.results.first().producer, {Kind.NORMALIZATION: []})
    assert "data-kept" not in client.get(f"{URL}live/", known).content.decode()


def test_it_brings_rows_anew_once_an_entry_has_another_name(client, article):
    page = client.get(URL, GENES).context["page"]
    known = {"keep": [page.reading.text_signature, page.rows_signature], "kind": "normalization"}
    Entry.objects.filter(identifier="P12830").update(name="Cadherin of the epithelium")
    Article.objects.update(counted_version=F("counted_version") + 1)
    assert "Cadherin of the epithelium" in client.get(f"{URL}live/", known).content.decode()


@pytest.mark.parametrize("bad", ["<b>x", "a\0b", "x" * 9999])
def test_it_passes_over_nonsense(client, article, bad):
    query = dict.fromkeys(("server", "taxon", "confidence", "agree", "differ", "show", "page", "beside", "kind"), bad)
    response = client.get(URL, query)
    assert response.status_code == 200
    assert b"<b>x" not in response.content

"""The search for articles: its filters in the address, what it shows of each article, its pages."""

import re
from datetime import timedelta
from itertools import chain

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import strip_tags

from annotations.articles.models import Article, Corpus, CorpusArticle
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.models import Producer
from annotations.results.producers import publish_producers_raising_article_versions
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind, Span, make_mention
from annotations.search import article_search
from bcms.search import views as pages_finding
from bcms.search.forms import NOTHING_WITH_CONFIDENCE
from evaluation.challenges.models import Challenge, Phase
from evaluation.gold.models import GoldStandard
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from tests.integration.evaluation_cast import hide_article

YES = AnnotationData(Kind.CLASSIFICATION, confidence=0.9, relevant=True)
NO = AnnotationData(Kind.CLASSIFICATION, confidence=0.5, relevant=False)
CADHERIN = make_mention([Span(0, 4)], "CDH1", "GENE", confidence=0.9)
CDH1 = AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier="P12830", taxon=9606)


def read_page_text(response):
    return re.sub(r"\s+", " ", strip_tags(response.content.decode()))


def make_articles(count):
    return Article.objects.bulk_create(
        Article(
            pmid=20000000 + number,
            passages=[{"type": "title", "text": f"Kinase {number} <b>binds</b> TNF"}],
            text=f"Kinase {number} <b>binds</b> TNF",
            content_hash=str(number),
            year=2000 + number % 10,
        )
        for number in range(count)
    )


def find(client, **wished):
    response = client.get("/articles/", wished)
    assert response.status_code == 200
    return response.context["search"]


def idents(search):
    return [hit.ident for hit in search.results.hits]


def live(server):
    return contents.get_or_create_queue_and_producer(server, QueueMode.LIVE).producer


@pytest.mark.parametrize("query", ["10000001", " 10000001 ", "PMID 10000001", "pmid:10000001"])
def test_it_goes_to_the_article_of_a_number(client, article, query):
    response = client.get("/articles/", {"q": query})
    assert response.status_code == 302
    assert response.url == "/articles/10000001/"


def test_it_goes_to_the_article_of_a_doi(client, article):
    Article.objects.update(doi="10.1000/Example.1")
    assert client.get("/articles/", {"q": "https://doi.org/10.1000/example.1"}).url == "/articles/10000001/"


def test_it_says_that_a_number_is_unknown(client, db):
    words = read_page_text(client.get("/articles/", {"q": "4711"}))
    assert "No article with PMID 4711 is available." in words
    assert "Below is" not in words
    assert "0 articles" not in words


def test_it_finds_words_and_marks_them_in_the_titles(client, db):
    make_articles(3)
    response = client.get("/articles/", {"q": "binding tnf -nothing"})
    assert "3 articles, most relevant first" in read_page_text(response)
    assert response.context["search"].results.hits[0].title == [
        ("Kinase 2 <b>", False),
        ("binds", True),
        ("</b> ", False),
        ("TNF", True),
    ]
    assert b"<b>" not in response.content


def test_it_counts_no_more_than_anybody_reads(client, db, monkeypatch):
    for module in (article_search, pages_finding):
        monkeypatch.setattr(module, "MOST_COUNTED", 5)
    make_articles(8)
    words = read_page_text(client.get("/articles/", {"sort": "newest"}))
    assert "More than 5 articles, newest first" in words
    assert "Download all (more than 5)" in words
    assert "5 articles, newest first" in read_page_text(
        client.get("/articles/", {"sort": "newest", "year_from": "2003"})
    )


def test_it_ranks_the_newest_of_very_many(client, db, monkeypatch):
    for module in (article_search, pages_finding):
        monkeypatch.setattr(module, "MOST_RANKED", 5)
    make_articles(8)
    search = find(client, q="kinase")
    assert search.results.count == 8
    assert sorted(idents(search)) == [str(20000000 + number) for number in range(3, 8)]
    assert search.results.order.startswith("most relevant first among the newest 5;")
    assert len(find(client, q="kinase", sort="newest").results.hits) == 8
    assert find(client, q='"kinase 2"').results.order == "most relevant first"


@pytest.mark.parametrize("query", ["zebra", "\x00", '"', "a" * 5000, "& | !", "'; --", "the", "\ue000"])
@pytest.mark.parametrize(
    "field",
    [
        *("q", "id", "journal", "gene", "taxon", "server", "servers", "year_from", "cursor"),
        *("type", "mention", "entity", "pair", "relation", "method", "confidence"),
    ],
)
def test_it_survives_whatever_is_typed(client, db, field, query):
    make_articles(2)
    assert client.get("/articles/", {field: query}).status_code == 200


def test_it_says_what_to_do_when_nothing_is_found(client, db):
    assert "No articles contain all keywords. Use fewer keywords" in read_page_text(
        client.get("/articles/", {"q": "zebra"})
    )
    assert "Remove a filter" in read_page_text(client.get("/articles/", {"q": "zebra", "year_from": "2000"}))
    assert "No articles have been imported yet." in read_page_text(client.get("/articles/"))


def test_it_pages_through_all_articles_and_back(client, db):
    make_articles(45)
    assert "45 articles, newest first" in read_page_text(client.get("/articles/"))
    pages, address = [], "/articles/"
    while address:
        shown = client.get(address).context["search"]
        pages.append(idents(shown))
        address = shown.results.following and f"/articles/{shown.results.following}"
    assert [len(page) for page in pages] == [20, 20, 5]
    assert list(chain(*pages)) == [str(20000000 + number) for number in range(44, -1, -1)]
    back = client.get(f"/articles/{shown.results.preceding}").context["search"]
    assert idents(back) == pages[1]
    first = client.get(f"/articles/{back.results.preceding}").context["search"]
    assert (idents(first), first.results.preceding) == (pages[0], "")


def test_its_pages_hold_still_while_articles_come_in(client, db):
    make_articles(25)
    first = find(client)
    Article.objects.create(pmid=30000000, passages=[{"type": "title", "text": "New"}], text="New", content_hash="new")
    second = client.get(f"/articles/{first.results.following}").context["search"]
    assert idents(second) == [str(20000000 + number) for number in (4, 3, 2, 1, 0)]


@pytest.mark.parametrize(
    ("written", "found", "chip"),
    [
        ("PMID: 20000001", ["20000001"], "PMID 20000001"),
        ("20000001, 20000000 PMC7;10.1000/x", ["20000001", "20000000"], "4 identifiers"),
    ],
)
def test_it_finds_the_articles_of_a_list(client, db, written, found, chip):
    make_articles(3)
    shown = find(client, id=written)
    assert (idents(shown), [each.label for each in shown.chips]) == (found, [chip])


def test_it_takes_a_list_of_names_for_one_and_tells_which_are_not_here(client, db):
    make_articles(2)
    response = client.get("/articles/", {"q": "20000001\n20000000 PMC7, 10.1000/x"}, follow=True)
    assert response.redirect_chain == [("/articles/?id=20000001+20000000+PMC7+10.1000%2Fx", 302)]
    shown = response.context["search"]
    assert (idents(shown), shown.missing) == (["20000001", "20000000"], ["PMC7", "10.1000/x"])
    missing = "2 of the 4 articles are not available yet. Select one to fetch it from PubMed: PMC7, 10.1000/x"
    assert missing in read_page_text(response)
    assert b'href="/articles/?q=10.1000%2Fx"' in response.content


def test_it_keeps_the_filters_from_page_to_page(client, db):
    make_articles(100)
    first = find(client, q="kinase", year_from="2003", year_to="2008")
    second = client.get(f"/articles/{first.results.following}").context["search"]
    assert second.results.count == first.results.count == 60
    assert not {*idents(first)} & {*idents(second)}
    assert [chip.label for chip in second.chips] == ["since 2003", "until 2008"]


def test_it_takes_a_filter_away(client, db):
    make_articles(10)
    shown = find(client, q="kinase", year_from="2003", servers="1")
    assert idents(shown) == []
    chips = {chip.label: chip.without for chip in shown.chips}
    without = client.get(f"/articles/{chips['1 server or more']}").context["search"]
    assert (without.words, without.results.count) == ("kinase", 7)


PAIR_ERROR = "Enter two names or identifiers, separated by a semicolon: TP53; MDM2. To find one, use the field Entity."
NO_IDENTIFIER = (
    "“four” is not an identifier. Enter PMIDs (16054130), PMCIDs (PMC3460867) or DOIs (10.1000/x), separated by spaces."
)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("year_from", "abc", "Enter a year as a number from 1500 to 2200."),
        ("year_to", "20000", "Enter a year as a number from 1500 to 2200."),
        ("servers", "0", "Enter a number of servers, from 1 to 10,000."),
        ("id", "4 four", NO_IDENTIFIER),
        ("server", "none", "There is no server “none”. Choose one from the list."),
        ("corpus", "none", "There is no corpus “none”. Choose one from the list."),
        ("sort", "colour", "There is no such order. Choose one of relevance, newest, ppi, servers, disagreement."),
        ("cursor", "x", "Invalid page cursor. Start without a cursor and follow the links to other pages."),
        ("q", "\x00", "Remove the NUL character."),
        ("gene", "x" * 501, "Search with at most 500 characters."),
        ("type", "x" * 101, "Search with at most 100 characters."),
        ("entity", "a;b;c;d;e;f", "Enter at most 5 names or identifiers."),
        ("pair", "TP53", PAIR_ERROR),
        ("pair", "a;b;c", PAIR_ERROR),
        ("confidence", "2", "Enter a confidence as a number from 0 to 1."),
        ("confidence", "nan", "Enter a confidence as a number from 0 to 1."),
        ("confidence", "0.5", NOTHING_WITH_CONFIDENCE),
    ],
)
def test_it_says_at_its_field_what_is_wrong_with_a_value(client, article, field, value, said):
    shown = find(client, **{field: value})
    assert list(shown.form.errors[field]) == [said]
    assert shown.results is None
    response = client.get("/articles/", {field: value})
    assert said in re.sub(r"&#x27;", "'", read_page_text(response))
    refused = client.get("/api/v1/articles/", {field: value})
    assert refused.status_code == 400
    assert [(fault["loc"], fault["message"]) for fault in refused.json()["errors"]] == [(field, said)]


def test_it_says_that_years_are_the_wrong_way_round(client, article):
    shown = find(client, year_from="2010", year_to="2009")
    assert list(shown.form.errors["year_to"]) == ["The last year must not be before the first year."]


def test_it_shows_what_servers_make_of_an_article(client, article, server, team):
    other = Server.objects.create(
        review="accepted", team=team, name="Other", slug="other", url="http://127.0.0.1:9/", kinds=["taxon"]
    )
    store_results_superseding_earlier(article, live(server), {Kind.CLASSIFICATION: [YES]})
    store_results_superseding_earlier(article, live(other), {Kind.CLASSIFICATION: [NO]})
    update_summaries_returning_whether_more_remain()
    [hit] = find(client, q="CDH1").results.hits
    own = hit.opinion
    assert (own.servers, own.yes, own.no, own.balance, own.disagreement) == (2, 1, 1, 60, 100)
    words = read_page_text(client.get("/articles/", {"q": "CDH1"}))
    assert "annotated by 2 servers undecided 1 yes, 1 no 100 % disagreement" in words
    assert find(client, ppi="1").results.hits == []


@pytest.mark.parametrize(
    ("confidences", "likely"),
    [
        # Three servers: 50.3 %, which is shown as 50 %, then 49.7 %, then none of both.
        (((True, 0.5), (True, 0.52), (False, 1.0)), "probably PPI"),
        (((True, 0.5), (True, 0.48), (False, 1.0)), "probably not PPI"),
        (((True, 0.5), (True, 0.5), (False, 1.0)), "undecided"),
        (((True, 0.9), (False, 0.1)), "undecided"),
        (((True, 0.1),), "probably PPI"),
    ],
)
def test_it_finds_exactly_the_articles_that_it_calls_probably_about_ppi(client, article, server, confidences, likely):
    for number, (relevant, confidence) in enumerate(confidences):
        own = Producer.objects.create(sort="server", name=f"S{number}", public=True, server=100 + number)
        said = AnnotationData(Kind.CLASSIFICATION, relevant=relevant, confidence=confidence)
        store_results_superseding_earlier(article, own, {Kind.CLASSIFICATION: [said]})
    update_summaries_returning_whether_more_remain()
    assert [hit.opinion.likely for hit in find(client, q="CDH1").results.hits] == [likely]
    assert len(find(client, q="CDH1", ppi="1").results.hits) == (likely == "probably PPI")


def test_it_says_that_others_than_servers_annotated_an_article(client, article):
    assert "not annotated yet" in read_page_text(client.get("/articles/", {"q": "CDH1"}))
    author = Producer.objects.create(sort="author", name="An author", public=True)
    store_results_superseding_earlier(article, author, {Kind.NORMALIZATION: [CDH1]})
    update_summaries_returning_whether_more_remain()
    assert "annotated, but by no server yet" in read_page_text(client.get("/articles/", {"q": "CDH1"}))


def test_it_finds_what_a_server_annotated(client, article, server):
    store_results_superseding_earlier(article, live(server), {Kind.NORMALIZATION: [CDH1]})
    update_summaries_returning_whether_more_remain()
    make_articles(3)
    update_summaries_returning_whether_more_remain()
    assert idents(find(client, server="genedict")) == ["10000001"]
    assert idents(find(client, gene="P12830", server="genedict", servers="1")) == ["10000001"]


def test_it_tells_nothing_of_what_is_not_public(client, article, server):
    """Not by a number, not by a filter, not by the order; and all of it when the phase is published."""
    hidden = contents.get_or_create_queue_and_producer(server, QueueMode.TEST, "demo").producer
    found = {Kind.CLASSIFICATION: [YES], Kind.NORMALIZATION: [CDH1], Kind.MENTION: [CADHERIN]}
    store_results_superseding_earlier(article, hidden, found)
    update_summaries_returning_whether_more_remain()
    filters = (
        *({"servers": "1"}, {"server": "genedict"}, {"gene": "P12830"}, {"ppi": "1"}),
        *(
            {"type": "Gene"},
            {"mention": "CDH1"},
            {"entity": "uniprot:P12830"},
            {"mention": "CDH1", "confidence": "0.1"},
        ),
        {"type": "Gene", "server": "genedict"},
    )
    for wished in filters:
        assert idents(find(client, **wished)) == []
    [hit] = find(client).results.hits
    assert (hit.opinion.servers, hit.opinion.balance) == (0, None)
    assert list(find(client).entity_types) == []
    publish_producers_raising_article_versions(Producer.objects.filter(pk=hidden.pk))
    update_summaries_returning_whether_more_remain()
    assert sorted(find(client).entity_types) == ["Gene", "Protein"]
    for wished in filters:
        assert idents(find(client, **wished)) == ["10000001"]


def test_it_finds_no_blind_article(client, article):
    hide_article(article, Corpus.objects.create(slug="test", name="Test", blind=True))
    assert "No articles contain all keywords." in read_page_text(client.get("/articles/", {"q": "CDH1"}))
    assert client.get("/articles/", {"q": "10000001"}).status_code == 200
    assert list(find(client, corpus="test").form.errors) == ["corpus"]
    assert idents(find(client, id="10000001")) == []


def make_judged_corpus(server, public):
    """A corpus of 12 articles with a gold standard: six relevant ones, of which the server puts five to the top."""
    articles = make_articles(12)
    corpus = Corpus.objects.create(slug="read", name="Read")
    gold = Producer.objects.create(sort="gold", name="Gold", public=public)
    for position, own in enumerate(articles):
        CorpusArticle.objects.create(corpus=corpus, article=own, position=position)
        relevant = position < 6
        store_results_superseding_earlier(
            own, gold, {Kind.CLASSIFICATION: [AnnotationData(Kind.CLASSIFICATION, relevant=relevant)]}
        )
        sure = 0.9 - position / 100
        said = AnnotationData(Kind.CLASSIFICATION, confidence=sure, relevant=position < 5)
        store_results_superseding_earlier(own, live(server), {Kind.CLASSIFICATION: [said]})
    challenge = Challenge.objects.create(state="listed", name="Demo", slug="demo")
    opened = timezone.now() - timedelta(days=1)
    phase = Phase.objects.create(challenge=challenge, sort="training", corpus=corpus, opens=opened)
    task = challenge.tasks.create(name="ACT", kind=Kind.CLASSIFICATION, title="Relevant", primary="mcc")
    GoldStandard.objects.create(task=task, phase=phase, producer=gold, checksum="0" * 64)
    update_summaries_returning_whether_more_remain()


def test_it_is_a_queue_to_read_in_the_order_of_likelihood(client, server):
    make_judged_corpus(server, public=True)
    shown = find(client, corpus="read", sort="ppi", q="binds")
    assert idents(shown)[:5] == [str(20000000 + number) for number in range(5)]
    saved = shown.results.saved
    assert saved.comparison.relevant == saved.comparison.in_all == 6
    assert (saved.comparison.ranked_others, saved.comparison.keyword_others) == (6, 6)
    words = read_page_text(client.get("/articles/", {"corpus": "read", "sort": "ppi", "q": "kinase"}))
    assert "takes a curator the same time as reading all results of a search for “kinase”" in words
    words = read_page_text(client.get("/articles/", {"corpus": "read", "sort": "ppi", "q": "kinase -5"}))
    assert "takes a curator 38 % less time than reading all results of a search for “kinase -5”" in words


def test_it_says_nothing_of_saved_time_without_a_public_gold_standard(client, server):
    make_judged_corpus(server, public=False)
    assert find(client, corpus="read", sort="ppi", q="binds").results.saved is None


def test_it_takes_the_same_number_of_queries_however_much_there_is(client, server, django_assert_num_queries):
    make_articles(45)
    said = {Kind.NORMALIZATION: [CDH1], Kind.CLASSIFICATION: [YES]}
    store_results_superseding_earlier(Article.objects.get(pmid=20000001), live(server), said)
    update_summaries_returning_whether_more_remain()
    with django_assert_num_queries(6):
        client.get("/articles/")
    with django_assert_num_queries(6):
        client.get("/articles/", {"q": "kinase", "year_from": "2001", "servers": "1", "ppi": "1"})
    everything = {"q": "kinase", "gene": "P12830", "taxon": "human", "server": "genedict", "sort": "ppi"}
    with django_assert_num_queries(10):
        client.get("/articles/", everything)
    with django_assert_num_queries(8):
        assert idents(find(client, type="Protein", entity="uniprot:P12830")) == ["20000001"]


def test_it_leaves_out_of_the_address_what_was_left_empty(client, db):
    make_articles(3)
    sent = client.get("/articles/", {"q": "kinase & 1", "id": "", "gene": "", "year_from": "2000", "sort": ""})
    assert sent.status_code == 302
    assert sent.url == "/articles/?q=kinase+%26+1&year_from=2000"
    assert client.get("/articles/", {"q": ""}).url == "/articles/?"


def test_it_offers_what_it_finds_as_files(client, db):
    make_articles(3)
    page = client.get("/articles/", {"q": "kinase & 1", "year_from": "2000"}).content.decode()
    assert 'href="/api/v1/export/tsv/?q=kinase+%26+1&amp;year_from=2000" download' in page
    assert "download" not in client.get("/articles/", {"q": "zebra"}).content.decode()


def test_it_takes_all_filters_away_but_not_the_words_and_the_order(client, db):
    make_articles(3)
    shown = find(client, q="kinase", year_from="1999", year_to="2020", sort="newest")
    assert shown.without_filters == "?q=kinase&sort=newest"


def test_it_checks_no_box_that_the_address_switches_off(client, article):
    """Django takes any text for a checked box, 0 included."""
    for value, checked in (("on", True), ("1", True), ("0", False), ("false", False)):
        search = find(client, ppi=value)
        assert ("checked" in str(search.form["ppi"]).split()[-1]) is checked, str(search.form["ppi"])
        assert search.results.count == (0 if checked else 1)
    assert "Send true or 1 for yes, false or 0 for no." in read_page_text(client.get("/articles/", {"ppi": "maybe"}))


@pytest.mark.django_db
def test_few_articles_are_found_before_they_are_ordered(client, monkeypatch):
    """Two names that no article shares would else be looked for in all articles, in the order of the list."""
    make_articles(5)
    for few, limited in ((5, True), (4, False)):
        monkeypatch.setattr(article_search, "FEW", few)
        with CaptureQueriesContext(connection) as queries:
            search = find(client, q="kinase", sort="newest")
        assert [search.results.count, len(search.results.hits)] == [5, 5]
        assert any(f"LIMIT {few + 1})" in query["sql"] for query in queries) == limited
        assert client.get("/api/v1/articles/?q=kinase&sort=newest").json()["count"] == 5

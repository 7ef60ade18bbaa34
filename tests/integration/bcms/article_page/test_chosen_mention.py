"""What the page shows of a chosen mention."""

import re
from dataclasses import replace

import pytest

from annotations.articles.models import Article
from annotations.identifiers.models import Entry
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, EntityId, Kind
from bcms.article_page.mentions import shared_articles
from tests.integration.article_cast import (
    URL,
    live_queue,
    make_article_of_three_servers,
    mention,
    read_page_words,
    span,
)

# With two to learn whether the page can be kept for other visitors, and one for the articles with two entities.
QUERIES = 13


@pytest.fixture
def article(team):
    return make_article_of_three_servers(team)


def chosen(client, article, text, nth=0, **more):
    return client.get(URL, {"mention": span(article, text, nth), **more}).context["page"].chosen


def list_marked_excerpts(card):
    return [one.html.replace("<b>", "*").replace("</b>", "*") for one in card.excerpts]


def test_it_says_that_mentions_can_be_selected_until_one_is(client, article):
    assert "Select a highlighted mention" in read_page_words(client.get(URL))
    assert "Select a highlighted" not in read_page_words(client.get(URL, {"mention": span(article, "E-cadherin")}))


def test_it_shows_the_entry_that_most_servers_report_first(client, article):
    meanings = chosen(client, article, "E-cadherin").meanings
    assert [(one.reference.identifier, one.count, one.total) for one in meanings] == [
        ("P12830", 3, 3),
        ("P09803", 1, 3),
    ]


def test_it_shows_what_helps_to_choose(client, article):
    words = read_page_words(client.get(URL, {"mention": span(article, "E-cadherin")}))
    assert "Matched by synonym “E-cadherin”, reported by 3 of 3" in words
    assert "Synonyms E-cadherin, Uvomorulin" in words
    assert "Location Cell membrane" in words
    assert "Function Holds cells together." in words


def test_it_shows_nested_mentions_as_neighbours(client, article):
    outer = chosen(client, article, "Mouse Cdh1")
    assert [one.text for one in outer.neighbours] == ["Cdh1"]
    assert [one.text for one in chosen(client, article, "Cdh1").neighbours] == ["Mouse Cdh1"]


def test_it_marks_a_name_whole_that_has_another_within(client, article, team):
    within = mention(article, "cadherin", 1)
    store_results_superseding_earlier(article, live_queue(team, "Delta").producer, {Kind.MENTION: [within]})
    page = client.get(URL, {"mention": span(article, "E-cadherin")}).context["page"]
    marked = [piece.text for passage in page.reading.passages for piece in passage.pieces if piece.chosen]
    assert marked == ["CDH1", "E-cadherin", "CDH1", "Cdh1", "E-", "cadherin"]
    assert (
        list_marked_excerpts(page.chosen)[-1]
        == 'Without *E-**cadherin*, <span class="other">beta-catenin</span> moves.'
    )


def test_it_shows_every_sentence_that_mentions_it_by_any_of_its_names(client, article):
    card = chosen(client, article, "CTNNB1")
    assert card.sentences == 3
    assert list_marked_excerpts(card) == [
        '<span class="other">E-cadherin</span> (<span class="other">CDH1</span>) binds *beta-catenin*.',
        "*CTNNB1* was lost.",
        'Without <span class="other">E-cadherin</span>, *beta-catenin* moves.',
    ]
    assert card.excerpts[0].goto == span(article, "beta-catenin")


def test_it_shows_the_sentences_that_mention_two_together(client, article):
    card = chosen(client, article, "CTNNB1", beside=span(article, "CDH1"))
    assert card.beside == "CDH1"
    assert list_marked_excerpts(card) == [
        "*E-cadherin* (*CDH1*) binds *beta-catenin*.",
        "Without *E-cadherin*, *beta-catenin* moves.",
    ]
    words = read_page_words(client.get(URL, {"mention": span(article, "CTNNB1"), "beside": span(article, "CDH1")}))
    assert "2 sentences that mention it together with CDH1" in words


def test_it_counts_what_is_named_together_with_it(client, article):
    companions = chosen(client, article, "CTNNB1").companions
    assert [(one.text, one.count, one.on) for one in companions] == [("CDH1", 2, False)]


def test_it_does_not_cut_sentences_at_species_and_numbers(client, article):
    assert chosen(client, article, "Mouse Cdh1").excerpts[0].html.endswith("was not needed (P &lt; 0.05).")
    (title, *_) = chosen(client, article, "CDH1").excerpts
    assert title.html.endswith("in S. cerevisiae and man")


def test_it_does_not_count_what_overlaps_with_it(client, article):
    companions = chosen(client, article, "E-cadherin").companions
    assert [(one.text, one.count) for one in companions] == [("beta-catenin", 2)], "Mouse Cdh1 is around Cdh1"


def test_it_ignores_a_second_mention_that_is_not_there(client, article):
    assert chosen(client, article, "CTNNB1", beside="0-1").beside == ""


def make_other_article(producer, pmid, *identifiers, **more):
    other = Article.objects.create(pmid=pmid, passages=[], text="", content_hash=str(pmid), **more)
    found = [AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier=name) for name in identifiers]
    store_results_superseding_earlier(other, producer, {Kind.NORMALIZATION: found})
    return other


def list_shared(client, article, text):
    page = client.get(URL, {"mention": span(article, text)}).context["page"]
    return [(one.title, one.number, one.query) for one in page.shared_entities]


def test_it_leads_to_other_articles_with_both_entities(client, article, team):
    producer = live_queue(team, "Delta").producer
    make_other_article(producer, 30000001, "P12830")
    make_other_article(producer, 30000002, "P35222", "P12830")
    # An old identifier of CTNNB1.
    Entry.objects.create(
        database="uniprot", identifier="Q8NEW9", exists=True, withdrawn=True, successors=["P35222"], symbol="CTNNB1"
    )
    make_other_article(producer, 30000003, "Q8NEW9", "P12830")
    update_summaries_returning_whether_more_remain()
    query = "entity=uniprot%3AP12830%3B+uniprot%3AP35222"
    assert list_shared(client, article, "CDH1") == [("CTNNB1", "2", query)]
    assert list_shared(client, article, "CTNNB1") == [("CDH1", "2", "entity=uniprot%3AP35222%3B+uniprot%3AP12830")]
    response = client.get(URL, {"mention": span(article, "CDH1")})
    assert "Other articles annotated with CDH1 and CTNNB1 (2)" in read_page_words(response)
    assert f'href="/articles/?{query}"' in response.content.decode()
    hits = client.get(f"/articles/?{query}").context["search"].results.hits
    assert sorted(hit.ident for hit in hits) == ["20000001", "30000002", "30000003"]


def test_it_leads_nowhere_if_no_other_article_has_both(client, article, team):
    producer = live_queue(team, "Delta").producer
    make_other_article(producer, 30000001, "P12830")
    make_other_article(producer, 30000002, "P35222")
    make_other_article(producer, None, "P12830", "P35222", blind=True, opaque="b" * 16)
    update_summaries_returning_whether_more_remain()
    assert list_shared(client, article, "CDH1") == []
    assert "Other articles annotated" not in read_page_words(client.get(URL, {"mention": span(article, "CDH1")}))


def test_it_counts_no_more_articles_than_matter(client, article, team, monkeypatch):
    monkeypatch.setattr(shared_articles, "MOST_COUNTED_ARTICLES", 1)
    for number in range(3):
        make_other_article(live_queue(team, f"Server {number}").producer, 30000001 + number, "P35222", "P12830")
    update_summaries_returning_whether_more_remain()
    assert [number for _, number, _ in list_shared(client, article, "CDH1")] == ["more than 1"]


def test_it_takes_two_queries_more_for_a_chosen_mention(client, article, django_assert_num_queries):
    with django_assert_num_queries(QUERIES):
        client.get(URL, {"mention": span(article, "E-cadherin"), "beside": span(article, "CTNNB1")})


def test_it_says_why_the_text_is_marked(client, article):
    card = chosen(client, article, "beta-catenin", 1)
    assert (
        card.own_sentence.html.replace("<b>", "*").replace("</b>", "*") == "Without E-cadherin, *beta-catenin* moves."
    )
    words = read_page_words(client.get(URL, {"mention": span(article, "beta-catenin", 1)}))
    assert re.search(
        r"Why it is marked Without E-cadherin, beta-catenin moves\. Alpha Gene, confidence 0\.60, \d", words
    )


def test_it_says_what_each_server_reports_for_the_mention(client, article, team):
    linked = replace(mention(article, "CTNNB1"), identifiers=(EntityId("uniprot", "P35222"),), type="protein")
    store_results_superseding_earlier(article, live_queue(team, "Delta").producer, {Kind.MENTION: [linked]})
    lines = [(line.source.slug, line.answer) for line in chosen(client, article, "CTNNB1").votes]
    assert lines == [("alpha", "Gene"), ("delta", "Protein, UniProt P35222")]

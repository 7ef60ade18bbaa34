"""What the page shows of a chosen mention."""

import re
from dataclasses import replace

import pytest

from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import EntityId, Kind
from tests.integration.article_cast import (
    URL,
    live_queue,
    make_article_of_three_servers,
    mention,
    read_page_words,
    span,
)

# With two to learn whether the page can be kept for other visitors.
QUERIES = 12


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


def test_it_takes_one_query_more_for_a_chosen_mention(client, article, django_assert_num_queries):
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

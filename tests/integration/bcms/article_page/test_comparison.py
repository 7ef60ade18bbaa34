"""Two servers side by side on one article."""

import re
from itertools import chain

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape, strip_tags

from annotations.articles.sentences import split_sentences
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.visitor_pages import kept_pages
from servers.registry.models import Server
from tests.integration.article_cast import (
    URL,
    live_queue,
    make_article_of_three_servers,
    make_read_article,
    mention,
    read_page_words,
    span,
)

COMPARE = f"{URL}compare/"
ALPHA_BETA = {"server": ["alpha", "beta"]}
QUERIES = 14


@pytest.fixture
def article(team):
    return make_article_of_three_servers(team)


def get_page(client, query=ALPHA_BETA):
    return client.get(COMPARE, query).context["page"]


def list_marks(html):
    return re.findall(r'data-n="(\d)"[^>]*>([^<]*)</a>', html)


def list_parts(page, kind):
    (compared,) = [each for each in page.kinds if each.kind == kind]
    return {part.label: part.count for part in compared.parts}


def test_each_column_marks_what_its_server_reports_and_what_both_do(client, article):
    title, abstract = get_page(client).passages
    assert [list_marks(text) for text in title.texts] == [[("4", "CDH1")], [("4", "CDH1")]]
    alpha, beta = (list_marks(text) for text in abstract.texts)
    assert beta == [("4", "E-cadherin"), ("4", "CDH1"), ("4", "E-cadherin")]
    assert [text for level, text in alpha if level == "4"] == [text for _, text in beta]
    assert ("1", "beta-catenin") in alpha and ("1", "CTNNB1") in alpha


def test_two_servers_of_one_name_have_their_own_lists(client, article):
    Server.objects.filter(slug__in=["alpha", "beta"]).update(name="Genes")
    (compared,) = [each for each in get_page(client).kinds if each.kind == Kind.MENTION]
    assert [part.label for part in compared.parts] == ["Only Genes", "Both", "Only Genes"]


def test_phones_get_the_texts_of_both_sentence_by_sentence(client, article):
    title, abstract = get_page(client).passages
    assert len(title.sentences) == 1
    marks = [[list_marks(text) for text in texts] for texts in abstract.sentences]
    assert [list(chain.from_iterable(column)) for column in zip(*marks, strict=True)] == [
        list_marks(text) for text in abstract.texts
    ]
    plain = [{strip_tags(text).strip() for text in texts} for texts in abstract.sentences]
    sentences = [article.passages[1]["text"][start:end] for start, end in split_sentences(article.passages[1]["text"])]
    assert plain == [{escape(sentence)} for sentence in sentences] and len(sentences) > 1
    content = client.get(COMPARE, ALPHA_BETA).content.decode()
    assert content.count('class="abstract sentence"') == len(sentences)


def test_a_sentence_that_both_mark_alike_stands_once(client, article, team):
    delta = live_queue(team, "Delta")
    store_results_superseding_earlier(article, delta.producer, {Kind.MENTION: [mention(article, "CDH1")]})
    servers = {"server": ["delta", "beta"]}
    alike = [first == second for first, second in get_page(client, servers).passages[1].sentences]
    assert True in alike and False in alike
    assert client.get(COMPARE, servers).content.decode().count('data-label="Both"') == alike.count(True)


def test_a_mark_across_two_sentences_keeps_them_together(client, article, team):
    abstract = article.passages[1]["text"]
    end, start = (split_sentences(abstract)[number][1 - number] for number in (0, 1))
    across = mention(article, abstract[end - 6 : start + 6])
    store_results_superseding_earlier(article, live_queue(team, "Delta").producer, {Kind.MENTION: [across]})
    passage = get_page(client, {"server": ["delta", "beta"]}).passages[1]
    assert len(passage.sentences) == len(split_sentences(abstract)) - 1
    assert list_marks(passage.sentences[0][0]) == [("1", across.text)]


def test_it_lists_what_both_or_one_of_them_reports(client, article):
    page = get_page(client)
    assert list_parts(page, Kind.NORMALIZATION) == {"Only Alpha": 1, "Both": 2, "Only Beta": 0}
    assert list_parts(page, Kind.MENTION) == {"Only Alpha": 5, "Both": 4, "Only Beta": 0}
    words = read_page_words(client.get(COMPARE, ALPHA_BETA))
    assert "Only Alpha 1" in words and "Alpha, confidence 0.90" in words and "Beta, confidence 0.80" in words


def test_the_order_is_the_readers(client, article):
    page = get_page(client, {"server": ["gamma", "alpha"]})
    assert page.labels == ["Gamma", "Alpha"]
    assert list_parts(page, Kind.NORMALIZATION) == {"Only Gamma": 0, "Both": 1, "Only Alpha": 2}


@pytest.mark.parametrize(
    ("asked", "compared"),
    [
        ([], ["Alpha", "Beta"]),
        (["gamma"], ["Gamma", "Alpha"]),
        (["gamma", "gamma"], ["Gamma", "Alpha"]),
        (["no-such-server", "beta"], ["Beta", "Alpha"]),
        (["alpha", "beta", "gamma"], ["Alpha", "Beta"]),
    ],
)
def test_it_completes_the_choice(client, article, asked, compared):
    assert get_page(client, {"server": asked}).labels == compared


def test_marks_and_rows_lead_to_the_article_with_these_two_servers(client, article):
    content = client.get(COMPARE, ALPHA_BETA).content.decode()
    link = f"{URL}?server=alpha&amp;server=beta&amp;kind=mention&amp;mention={span(article, 'CTNNB1')}#mention"
    assert f'href="{link}"' in content
    chosen = client.get(URL, {**ALPHA_BETA, "kind": "mention", "mention": span(article, "CTNNB1")}).context["page"]
    assert chosen.chosen.text == "CTNNB1" and chosen.chosen.total == 2


def test_a_kind_that_one_of_them_has_not_annotated_says_so(client, article, team):
    queue = live_queue(team, "Delta")
    store_results_superseding_earlier(article, queue.producer, {Kind.MENTION: [mention(article, "CDH1")]})
    words = read_page_words(client.get(COMPARE, {"server": ["alpha", "delta"]}))
    assert "Genes and proteins Delta has not annotated this kind." in words


def test_mentions_that_overlap_stand_apart(client, article, team):
    queue = live_queue(team, "Delta")
    store_results_superseding_earlier(article, queue.producer, {Kind.MENTION: [mention(article, "cadherin", 1)]})
    page = get_page(client, {"server": ["delta", "beta"]})
    assert list_parts(page, Kind.MENTION) == {"Only Delta": 1, "Both": 0, "Only Beta": 4}
    assert list_marks(page.passages[1].texts[0]) == [("1", "cadherin")]
    words = read_page_words(client.get(COMPARE, {"server": ["delta", "beta"]}))
    assert "both mark exactly these words the other server marks other words or none here" in words


def test_text_of_servers_and_articles_is_escaped(client, article, team):
    Server.objects.filter(slug="alpha").update(name="<b>Alpha</b>")
    text = article.text.replace("S. cerevisiae", "<i>cerevisiae", 1)
    passages = [{"type": "title", "text": text.split("\n")[0]}, article.passages[1]]
    type(article).objects.update(text=text, passages=passages)
    content = client.get(COMPARE, ALPHA_BETA).content.decode()
    assert "<b>Alpha" not in content and "<i>cerevisiae" not in content and "&lt;i&gt;cerevisiae" in content


def test_it_needs_two_that_have_answered(client, team):
    article = make_read_article()
    words = read_page_words(client.get(COMPARE))
    assert "Two servers have to answer before they can be compared. None has so far." in words
    store_results_superseding_earlier(article, live_queue(team, "Alpha").producer, {Kind.MENTION: []})
    assert "Only one has so far." in read_page_words(client.get(COMPARE))
    assert reverse("article-compare", args=[20000001]) not in client.get(URL).content.decode()


def test_the_article_links_to_it_with_the_servers_that_the_reader_chose(client, article):
    content = client.get(URL, {"server": "gamma"}).content.decode()
    assert f'href="{COMPARE}?server=gamma&amp;server=alpha"' in content


def test_servers_that_nobody_has_reviewed_are_there_for_those_who_ask(client, article):
    Server.objects.filter(slug="alpha").update(review="unreviewed")
    Producer.objects.filter(queue__server__slug="alpha").update(public=False)
    assert get_page(client).labels == ["Beta", "Gamma"]
    assert get_page(client, {**ALPHA_BETA, "unreviewed": "1"}).slugs == ["alpha", "beta"]


def test_blind_articles_are_for_those_who_see_them(client, article, olga):
    type(article).objects.update(blind=True, pmid=None)
    assert client.get(COMPARE).status_code == 404
    assert client.get(f"/articles/{article.opaque}/compare/").status_code == 404


def test_the_number_of_queries_does_not_grow(client, article, team):
    client.get(COMPARE, ALPHA_BETA)
    kept_pages.forget_pages()
    with CaptureQueriesContext(connection) as before:
        client.get(COMPARE, ALPHA_BETA)
    for name in ("Delta", "Epsilon"):
        found = {Kind.MENTION: [mention(article, "CDH1")]}
        store_results_superseding_earlier(article, live_queue(team, name).producer, found)
    with CaptureQueriesContext(connection) as after:
        client.get(COMPARE, ALPHA_BETA)
    assert len(after) <= len(before) <= QUERIES


@pytest.mark.parametrize(("asked", "slugs"), [([], ["alpha", "beta"]), (["aardvark"], ["aardvark", "delta"])])
def test_the_servers_that_it_adds_report_the_same_kinds(client, article, team, asked, slugs):
    for name in ("Aardvark", "Delta"):
        found = {Kind.TAXON: [AnnotationData(kind=Kind.TAXON, identifier="10090")]}
        store_results_superseding_earlier(article, live_queue(team, name).producer, found)
    assert get_page(client, {"server": asked}).slugs == slugs
    link = f'href="{COMPARE}?' + "&amp;".join(f"server={slug}" for slug in slugs)
    assert link in client.get(URL, {"server": asked}).content.decode()

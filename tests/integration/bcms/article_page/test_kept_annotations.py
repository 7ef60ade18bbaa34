"""The annotations of a long text are kept for the next request, and read anew when anything in them has changed."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotations.articles.models import Article
from annotations.identifiers.models import Entry
from annotations.results.models import Producer, Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from bcms.article_page.collation import loaded_annotations
from bcms.article_page.text.text_portions import PORTION_CHARACTERS
from evaluation.scoring import nonexistent_identifiers
from servers.registry.models import Server
from servers.review.states import ReviewState
from tests.integration.article_cast import (
    URL,
    create_known_genes,
    gene,
    live_queue,
    make_read_article,
    mention,
    read_page_words,
    three_servers,
)

GENES = {"kind": "normalization", "show": "unverified"}


@pytest.fixture
def article(team):
    article = make_read_article()
    filler = "Nothing is named here. " * (2 * PORTION_CHARACTERS // 20)
    article.passages = [*article.passages, {"type": "paragraph", "text": filler}]
    article.text = f"{article.text}\n{filler}"
    article.save()
    create_known_genes()
    three_servers(team, article)
    return article


@pytest.fixture
def reader(article):
    """With a cookie, so that the page itself is not kept."""
    client = Client()
    client.cookies["reader"] = "1"
    return client


def read(client, **query):
    """The words of the page, and whether the annotations were read from the database."""
    with CaptureQueriesContext(connection) as asked:
        response = client.get(URL, {**GENES, **query})
    assert response.status_code == 200
    return read_page_words(response), any('FROM "annotations_annotation"' in each["sql"] for each in asked)


def test_they_are_read_once_for_whatever_is_chosen(reader):
    words, is_read = read(reader)
    assert is_read
    assert read(reader) == (words, False)
    assert not any(
        read(reader, **query)[1]
        for query in (
            {"kind": "mention"},
            {"mention": "8-12"},
            {"server": "alpha"},
            {"taxon": "9606", "order": "confidence"},
            {"portion": "all"},
        )
    )
    assert read(reader) == (words, False)


def test_those_of_a_short_text_are_not_kept(team, reader, article):
    Article.objects.update(text=article.text[:200], passages=article.passages[:2])
    assert read(reader)[1]
    assert read(reader)[1]
    assert not loaded_annotations._kept


def test_a_changed_entry_is_shown_at_once(reader):
    assert "Cadherin-1" in read(reader)[0]
    Entry.objects.filter(identifier="P12830").update(name="Cadherin of the epithelium")
    words, is_read = read(reader)
    assert "Cadherin of the epithelium" in words
    assert is_read


def test_an_outdated_identifier_is_replaced_at_once(reader):
    assert "as P35222" not in read(reader)[0]
    Entry.objects.filter(identifier="P35222").update(withdrawn=True, successors=["Q00001"])
    words, _ = read(reader)
    assert "as P35222" in words
    assert read(reader) == (words, False)


def test_a_new_answer_is_shown_at_once(reader, team, article):
    read(reader)
    queue = live_queue(team, "Delta")
    found = {Kind.MENTION: [mention(article, "man")], Kind.NORMALIZATION: [gene("Q99999")]}
    store_results_superseding_earlier(article, queue.producer, found)
    assert "Q99999" in read(reader)[0]
    store_results_superseding_earlier(article, queue.producer, {Kind.NORMALIZATION: [gene("Q88888")]})
    words, _ = read(reader)
    assert "Q88888" in words
    assert "Q99999" not in words


def test_nobody_sees_what_is_kept_for_another(reader, as_alice, team, article):
    """The server of alice's team is not reviewed yet."""
    queue = live_queue(team, "Delta")
    Server.objects.filter(pk=queue.server_id).update(review=ReviewState.UNREVIEWED)
    Producer.objects.filter(pk=queue.producer_id).update(public=False)
    store_results_superseding_earlier(article, queue.producer, {Kind.NORMALIZATION: [gene("Q99999")]})
    assert "Q99999" in read(as_alice)[0]
    assert "Q99999" not in read(reader)[0]
    assert "Q99999" in read(as_alice)[0]
    assert "Q99999" in read(reader, unreviewed="1")[0]


def test_what_is_deleted_from_the_answer_of_a_server_in_a_test_is_gone_at_once(as_alice, team, article, monkeypatch):
    """Its annotations are not public, so the version of the article is not raised."""
    queue = live_queue(team, "Delta")
    Producer.objects.filter(pk=queue.producer_id).update(public=False)
    given = {Kind.NORMALIZATION: [gene("Q99999"), gene("Q88888")]}
    store_results_superseding_earlier(article, queue.producer, given, call_id=1)
    Entry.objects.create(database="uniprot", identifier="Q99999", exists=False, reported=True)
    before, _ = read(as_alice)
    assert "Q99999" in before and "Q88888" in before
    monkeypatch.setattr(nonexistent_identifiers, "_list_unpublished_test_producers", lambda: {queue.producer_id})
    assert nonexistent_identifiers.delete_servers_nonexistent_identifiers_from_unpublished_tests() == 1
    words, _ = read(as_alice)
    assert "Q99999" not in words and "Q88888" in words
    assert read(as_alice) == (words, False)


def test_what_is_larger_than_all_that_may_be_kept_is_read_each_time(reader, monkeypatch):
    monkeypatch.setattr(loaded_annotations, "MOST_KEPT_ANNOTATIONS", 3)
    assert read(reader)[0] == read(reader)[0]
    assert not loaded_annotations._kept


def test_a_text_without_annotations_takes_room_too(reader, article):
    Result.objects.all().delete()
    read(reader)
    assert loaded_annotations._kept.currsize == len(article.text) // loaded_annotations.CHARACTERS_PER_ANNOTATION


@pytest.mark.parametrize("kind", ["mention", "normalization"])
def test_a_page_from_kept_annotations_is_the_same(reader, kind):
    queries = [{}, {"mention": "8-12"}, {"server": "beta"}, {"agree": "2"}, {"taxon": "10090"}, {"order": "confidence"}]
    kept = [read(reader, **{**query, "kind": kind})[0] for query in queries * 2]
    anew = []
    for query in queries:
        loaded_annotations.forget_annotations()
        anew.append(read(reader, **{**query, "kind": kind})[0])
    assert kept == anew * 2

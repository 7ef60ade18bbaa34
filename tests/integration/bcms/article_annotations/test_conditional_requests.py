"""An article and its annotations are sent again by REST only when they changed, and each to whom it concerns."""

import gzip

import pytest

from annotations.articles.models import Article
from annotations.articles.versions import store_change_if_producer_public
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode

ARTICLE = "/api/v1/articles/10000001/"
ANNOTATIONS = f"{ARTICLE}annotations/"
CDH1 = AnnotationData(Kind.MENTION, confidence=0.9, start=8, end=12, text="CDH1", type="gene")
GENE = AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier="999", taxon=9606)


@pytest.fixture
def live(server, article):
    producer = get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    store_results_superseding_earlier(article, producer, {Kind.MENTION: [CDH1]})
    return producer


def again(client, path, first, **query):
    return client.get(path, query, headers={"If-None-Match": first["ETag"]})


@pytest.mark.parametrize("path", [ARTICLE, ANNOTATIONS])
def test_it_is_not_sent_again_while_nothing_changed(client, article, live, path):
    first = client.get(path)
    known = again(client, path, first)
    assert (known.status_code, known.content, known["ETag"]) == (304, b"", first["ETag"])
    assert first["Cache-Control"] == known["Cache-Control"] == "public, no-cache"


def test_it_is_gzipped_for_who_takes_that(client, article, live):
    store_results_superseding_earlier(article, live, {Kind.MENTION: [CDH1], Kind.NORMALIZATION: [GENE]})
    plain, packed = (client.get(ANNOTATIONS, headers={"Accept-Encoding": way}) for way in ("identity", "gzip"))
    assert (packed["Content-Encoding"], packed["ETag"]) == ("gzip", plain["ETag"])
    assert gzip.decompress(packed.content) == plain.content
    known = client.get(ANNOTATIONS, headers={"Accept-Encoding": "gzip", "If-None-Match": packed["ETag"]})
    assert (known.status_code, known.content) == (304, b"")


@pytest.mark.parametrize("path", [ARTICLE, ANNOTATIONS])
def test_it_is_sent_again_when_the_article_changed(client, article, live, path):
    first = client.get(path)
    store_change_if_producer_public(article.pk, live.pk)
    assert again(client, path, first).status_code == 200


def test_it_is_sent_again_when_a_server_answered(client, article, live):
    first = client.get(ANNOTATIONS)
    store_results_superseding_earlier(article, live, {Kind.MENTION: []})
    assert again(client, ANNOTATIONS, first).json()["results"][0]["annotations"] == []


def test_it_is_sent_again_when_others_are_heard(client, article, live):
    first = client.get(ANNOTATIONS)
    Producer.objects.update(public=False)
    assert again(client, ANNOTATIONS, first).json()["results"] == []


def test_it_is_another_answer_that_is_asked_for(client, article, live):
    first = client.get(ANNOTATIONS)
    assert again(client, ANNOTATIONS, first, kind="pair").status_code == 200


@pytest.mark.parametrize("path", [ARTICLE, ANNOTATIONS])
def test_it_is_kept_by_its_reader_alone_who_is_logged_in(client, article, live, alice, path):
    client.force_login(alice)
    response = client.get(path)
    assert response["Cache-Control"] == "private, no-cache"
    assert {"Cookie", "Authorization"} <= set(response["Vary"].split(", "))


def test_it_is_sent_to_who_sees_more(client, article, live, server, alice):
    """What a team sees differs from what it saw before it logged in."""
    producer = get_or_create_queue_and_producer(server, QueueMode.TRAINING, "demo").producer
    store_results_superseding_earlier(article, producer, {Kind.MENTION: []})
    first = client.get(ANNOTATIONS)
    client.force_login(alice)
    assert len(again(client, ANNOTATIONS, first).json()["results"]) == 2


def test_it_is_not_there_for_who_may_see_it_no_more(client, article, live):
    first = client.get(ARTICLE)
    Article.objects.all().update(pmid=1)
    assert again(client, ARTICLE, first).status_code == 404


@pytest.mark.parametrize(("path", "queries"), [(ARTICLE, 1), (ANNOTATIONS, 3)])
def test_it_costs_little_to_say_that_nothing_changed(client, article, live, django_assert_num_queries, path, queries):
    first = client.get(path)
    with django_assert_num_queries(queries):
        assert again(client, path, first).status_code == 304

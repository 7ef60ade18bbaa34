"""The article page says how to cite it as it is seen, and finds articles with two of its entities."""

import html

import pytest
from django.utils import timezone

from annotations.identifiers.models import Entry
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from tests.integration.evaluation_cast import hide_article

pytestmark = pytest.mark.django_db


def mention(article, text):
    start = article.text.index(text)
    return AnnotationData(Kind.MENTION, start=start, end=start + len(text), text=text)


@pytest.fixture
def annotated(article, server):
    producer = get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    Entry.objects.create(database="uniprot", identifier="P12830", exists=True, symbol="CDH1", synonyms=["E-cadherin"])
    protein = AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier="P12830")
    mentions = [mention(article, "E-cadherin"), mention(article, "beta-catenin")]
    store_results_superseding_earlier(article, producer, {Kind.MENTION: mentions, Kind.NORMALIZATION: [protein]})
    return article


def test_it_cites_what_is_seen(client, annotated, settings):
    settings.SITE_URL = "https://bcms.example/"
    page = html.unescape(client.get("/articles/10000001/?kind=mention&agree=1&differ=1").content.decode())
    address = "https://bcms.example/articles/10000001/?kind=mention&differ=1"
    today = timezone.now()
    assert "GeneDict. Annotations of PMID 10000001: Loss of CDH1 releases CTNNB1." in page
    assert f"{address}, accessed {today:%Y-%m-%d}" in page
    assert "@article{pmid10000001," in page
    assert f"UR  - {address}" in page
    assert f"Annotations by GeneDict, seen on {today.day} {today:%B %Y} at {address}" in page


def test_it_names_only_the_servers_that_are_chosen(client, annotated):
    page = client.get("/articles/10000001/?server=genedict").content.decode()
    assert "Annotations by GeneDict" in page
    page = client.get("/articles/10000001/?server=none").content.decode()
    assert "Annotations by GeneDict" in page


def test_a_blind_article_has_nothing_to_cite(client, annotated, django_user_model):
    hide_article(annotated)
    client.force_login(django_user_model.objects.create_user("root", is_staff=True))
    page = client.get(f"/articles/{annotated.opaque}/").content.decode()
    assert "E-cadherin" in page
    assert "BibTeX" not in page

"""The consensus on the article page: the reader chooses a rule and sees what the listed servers agree on."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.identifiers.models import Entry
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server

pytestmark = pytest.mark.django_db


def protein(identifier, confidence=None):
    return AnnotationData(Kind.NORMALIZATION, confidence, database="uniprot", identifier=identifier)


def mention(article, start, end):
    return AnnotationData(Kind.MENTION, 0.5, start=start, end=end, text=article.text[start:end])


@pytest.fixture
def two(team, article):
    Entry.objects.create(database="uniprot", identifier="P12830", exists=True, symbol="CDH1", name="Cadherin-1")
    said = {
        "one": [protein("P12830", 0.9), protein("P35222"), mention(article, 8, 12)],
        "two": [protein("P12830", 0.5), mention(article, 5, 12)],
    }
    for slug, findings in said.items():
        own = Server.objects.create(
            review="accepted",
            team=team,
            name=slug.title(),
            slug=slug,
            url="http://127.0.0.1:9/",
            kinds=["mention", "normalization"],
        )
        kinds = {kind: [each for each in findings if each.kind == kind] for kind in {each.kind for each in findings}}
        store_results_superseding_earlier(
            article, get_or_create_queue_and_producer(own, QueueMode.LIVE).producer, kinds
        )


def section(client, **query):
    text = client.get("/articles/10000001/", query).content.decode()
    return " ".join(text.split('id="consensus"')[1].split("</details>")[0].split())


def test_it_has_no_consensus_until_a_rule_is_chosen(client, two):
    shown = section(client)
    assert '<option value="majority">Most servers</option>' in shown
    assert "in the consensus of" not in shown


def test_it_shows_what_the_servers_agree_on(client, two):
    shown = section(client, rule="majority")
    assert "1 of 2 annotations in the consensus of 2 servers." in shown
    assert "<b>CDH1</b>" in shown
    assert "2 of 2: One, Two" in shown
    assert ">0.70</span>" in shown
    assert "2 of 2 annotations in the consensus" in section(client, rule="union")


def test_it_takes_a_threshold_and_overlapping_mentions(client, two):
    assert "2 of 2 annotations in the consensus" in section(client, rule="votes", m="1")
    assert "0 of 2 annotations in the consensus" in section(client, rule="intersection", kind="mention")
    shown = section(client, rule="intersection", kind="mention", spans="overlapping")
    assert "1 of 2 annotations in the consensus" in shown
    assert 'mention=5-12#mention"' in shown


def test_it_says_what_is_wrong_with_a_rule(client, two):
    assert "Enter a whole number from 1" in section(client, rule="votes", m="1.5")
    assert "“x” is not a number" in section(client, rule="weighted", weights="one:x")


def test_it_keeps_the_rule_in_its_links_and_takes_no_other(client, two):
    text = client.get("/articles/10000001/", {"rule": "votes", "m": "2"}).content.decode()
    assert "rule=votes&amp;m=2" in text.split("data-version")[0]
    assert (
        "rule=" not in client.get("/articles/10000001/", {"rule": "<most>"}).content.decode().split("data-version")[0]
    )


def test_a_rule_costs_no_more_queries_than_its_cut_offs(client, two, django_assert_max_num_queries):
    with CaptureQueriesContext(connection) as plain:
        client.get("/articles/10000001/")
    with django_assert_max_num_queries(len(plain)):
        client.get("/articles/10000001/", {"rule": "majority"})
    with django_assert_max_num_queries(len(plain) + 1):
        client.get("/articles/10000001/", {"rule": "cut_votes"})

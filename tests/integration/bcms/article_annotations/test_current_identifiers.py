"""Identifiers as they mean today: the same on the page, by REST and by XML-RPC, with what was reported beside them."""

import xmlrpc.client

import pytest

from annotations.identifiers.models import Entry
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode

OLD = AnnotationData(Kind.NORMALIZATION, 0.5, database="uniprot", identifier="Q99999")
NEW = AnnotationData(Kind.NORMALIZATION, 0.4, database="uniprot", identifier="P12830")
PAIR = AnnotationData(Kind.PAIR, 0.3, database="uniprot", identifier="P12830", partner="Q99999")


@pytest.fixture
def live(server, article):
    """GeneDict reports a secondary accession; P35222 is its entry's today."""
    Entry.objects.create(database="uniprot", identifier="Q99999", exists=True, withdrawn=True, successors=["P35222"])
    producer = get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    store_results_superseding_earlier(article, producer, {Kind.NORMALIZATION: [OLD, NEW], Kind.PAIR: [PAIR]})


def test_the_api_gives_them(client, live):
    results = client.get("/api/v1/articles/10000001/annotations/").json()["results"]
    genes, [pair] = (each["annotations"] for each in results)
    assert [(each["identifier"], each["reported"]) for each in genes] == [("P35222", ["Q99999"]), ("P12830", [])]
    assert (pair["identifier"], pair["partner"], pair["reported"]) == ("P12830", "P35222", ["P12830", "Q99999"])


def test_xmlrpc_gives_them(client, live):
    body = xmlrpc.client.dumps((10000001,), "Annotations.getAnnotations")
    [[answer], _] = xmlrpc.client.loads(client.post("/xmlrpc/", body, content_type="text/xml").content)
    first, second = answer["genedict"]["normalizations"]
    assert (first["dbid"], first["reported"]) == ("P35222", ["Q99999"])
    assert (second["dbid"], "reported" in second) == ("P12830", False)
    [pair] = answer["genedict"]["pairs"]
    assert (pair["a"], pair["b"], pair["reported"]) == ("P12830", "P35222", ["P12830", "Q99999"])


def test_the_page_shows_them(client, live):
    text = " ".join(client.get("/articles/10000001/").content.decode().split())
    assert "UniProt P35222" in text
    assert "as Q99999" in text

"""The consensus of public servers on an article, by XML-RPC and by REST: one operation, two ways to ask."""

from xmlrpc.client import Fault, ServerProxy

import pytest

from annotations.articles.models import Article, Corpus
from annotations.identifiers.models import Entry
from annotations.results.consensus.methods import CONSENSUS_METHODS
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, EntityId, Kind, Span, make_mention
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server
from tests.integration.evaluation_cast import hide_article

pytestmark = pytest.mark.django_db


def mention(start, end, confidence=None):
    text = Article.objects.get(pmid=10000001).text[start:end]
    return AnnotationData(Kind.MENTION, confidence, start=start, end=end, text=text)


def protein(identifier, confidence=None):
    return AnnotationData(Kind.NORMALIZATION, confidence, database="uniprot", identifier=identifier)


def relevant(answer, confidence=None):
    return AnnotationData(Kind.CLASSIFICATION, confidence, relevant=answer)


def make_answering_server(team, article, slug, findings, mode=QueueMode.LIVE, name=""):
    kinds = sorted({finding.kind for finding in findings})
    own = Server.objects.create(
        review="accepted", team=team, name=slug.title(), slug=slug, url="http://127.0.0.1:9/", kinds=kinds
    )
    said = {kind: [finding for finding in findings if finding.kind == kind] for kind in kinds}
    store_results_superseding_earlier(article, get_or_create_queue_and_producer(own, mode, name).producer, said)
    return own


@pytest.fixture
def three(team, article):
    """Three servers that agree on CDH1 and partly on the rest."""
    make_answering_server(
        team, article, "one", [mention(8, 12, 0.9), mention(22, 28, 0.4), protein("P35222", 0.8), relevant(True, 0.9)]
    )
    make_answering_server(
        team, article, "two", [mention(8, 12, 0.7), protein("P35222"), protein("Q99999"), relevant(True, 0.5)]
    )
    make_answering_server(team, article, "three", [mention(7, 12, 0.5), protein("P12830", 0.6), relevant(False, 0.8)])


@pytest.fixture
def secondary(db):
    """Q99999 is another name of P35222 today."""
    Entry.objects.create(database="uniprot", identifier="Q99999", exists=True, withdrawn=True, successors=["P35222"])
    Entry.objects.create(database="uniprot", identifier="P35222", exists=True, symbol="CTNNB1")


@pytest.fixture
def service(live_server):
    with ServerProxy(f"{live_server.url}/xmlrpc/", use_builtin_types=True) as proxy:
        yield proxy.Consensus


def get(client, status=200, **query):
    response = client.get("/api/v1/articles/10000001/consensus/", query)
    assert response.status_code == status, response.content
    return response.json()


def list_agreed_annotations(client, kind, **query):
    found = {each["kind"]: each["annotations"] for each in get(client, **query)["results"]}
    return found.get(kind, [])


def catch_xmlrpc_fault(function, *parameters):
    with pytest.raises(Fault) as raised:
        function(*parameters)
    return raised.value.faultCode, raised.value.faultString


def test_it_agrees_by_majority_of_itself(client, three):
    body = get(client)
    assert (body["id"], body["text_version"], body["method"]) == ("10000001", 1, "majority")
    by_kind = {each["kind"]: each for each in body["results"]}
    assert by_kind["mention"]["servers"] == ["one", "three", "two"]
    [found] = by_kind["mention"]["annotations"]
    assert (found["start"], found["end"], found["text"], found["confidence"]) == (8, 12, "CDH1", 0.8)
    assert (found["servers"], found["support"]) == (["one", "two"], pytest.approx(2 / 3))
    [call] = by_kind["classification"]["annotations"]
    assert (call["relevant"], call["confidence"], call["servers"]) == (True, 0.7, ["one", "two"])
    [gene] = by_kind["normalization"]["annotations"]
    assert (gene["identifier"], gene["rank"], gene["confidence"]) == ("P35222", 1, 0.8)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"method": "union"}, {"P35222", "Q99999", "P12830"}),
        ({"method": "intersection"}, set()),
        ({"method": "votes", "threshold": "1"}, {"P35222", "Q99999", "P12830"}),
        ({"method": "votes"}, {"P35222"}),
        ({"method": "intersection", "servers": "one,two"}, {"P35222"}),
        ({"method": "weighted", "weights": "three:3", "threshold": "0.6"}, {"P12830"}),
        ({"method": "weighted", "weights": "one:0, two:0"}, {"P12830"}),
        ({"method": "cut_votes"}, {"P35222"}),
    ],
)
def test_it_agrees_by_the_rule_asked_for(client, three, query, expected):
    assert {each["identifier"] for each in list_agreed_annotations(client, "normalization", **query)} == expected


def test_it_takes_overlapping_mentions_on_wish(client, three):
    [found] = list_agreed_annotations(client, "mention", method="intersection", spans="overlapping")
    assert (found["start"], found["end"], found["servers"]) == (8, 12, ["one", "three", "two"])
    assert list_agreed_annotations(client, "mention", method="intersection") == []


def test_it_tells_of_one_kind_on_wish(client, three):
    assert [each["kind"] for each in get(client, kind="mention")["results"]] == ["mention"]


def test_it_agrees_on_what_identifiers_mean_today(client, three, secondary):
    [one] = list_agreed_annotations(client, "normalization", method="votes")
    assert (one["identifier"], one["servers"]) == ("P35222", ["one", "two"])
    assert {each["identifier"] for each in list_agreed_annotations(client, "normalization", method="union")} == {
        "P35222",
        "P12830",
    }


@pytest.fixture
def one_gene(team, article, secondary):
    """Servers that report one gene in different databases, one of them with an outdated identifier."""
    Entry.objects.filter(identifier="P35222").update(genes=["1499"])
    by_gene = AnnotationData(Kind.NORMALIZATION, 0.9, database="ncbigene", identifier="1499")
    make_answering_server(team, article, "one", [by_gene])
    make_answering_server(team, article, "two", [protein("Q99999", 0.5)])


def test_identifiers_of_one_gene_agree_alike_on_the_page_and_in_both_services(client, service, team, article, one_gene):
    [found] = list_agreed_annotations(client, "normalization", method="intersection")
    assert (found["database"], found["identifier"]) == ("ncbigene", "1499")
    assert (found["servers"], found["confidence"]) == (["one", "two"], 0.7)
    [called] = service.getConsensus(10000001, {"methods": ["intersection"]})["intersection"]["normalizations"]
    assert (called["dbid"], called["servers"]) == ("1499", ["one", "two"])
    page = client.get("/articles/10000001/", {"rule": "intersection"}).content.decode()
    consensus = " ".join(page.split('id="consensus"')[1].split("</details>")[0].split())
    assert "1 of 1 annotations in the consensus of 2 servers." in consensus
    assert ">NCBI Gene 1499</span>" in consensus
    make_answering_server(team, article, "three", [protein("P35222", 0.7)])
    [found] = list_agreed_annotations(client, "normalization", method="intersection")
    assert (found["database"], found["identifier"], found["servers"]) == ("uniprot", "P35222", ["one", "three", "two"])
    page = client.get("/articles/10000001/", {"rule": "intersection"}).content.decode()
    assert ">UniProt P35222</span>" in page.split('id="consensus"')[1].split("</details>")[0]


def test_it_hears_public_servers_only(client, alice, team, article, three):
    make_answering_server(team, article, "tested", [protein("P12830")], QueueMode.TEST, "demo")
    client.force_login(alice)
    assert [each["identifier"] for each in list_agreed_annotations(client, "normalization")] == ["P35222"]
    assert get(client, servers="tested")["results"] == []


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ({"method": "most"}, "method", "Choose one of: union, "),
        ({"method": "votes", "threshold": "0.5"}, "threshold", "whole number"),
        ({"method": "votes", "threshold": "x"}, "threshold", "“x” is not a number"),
        ({"method": "weighted", "threshold": "2"}, "threshold", "at most 1"),
        ({"method": "weighted", "weights": "one:-1"}, "weights", "from 0 to 1,000,000"),
        ({"method": "weighted", "weights": "one:1e308,two:1e308"}, "weights", "from 0 to 1,000,000"),
        ({"method": "weighted", "weights": "one"}, "weights", "like genedict:2"),
        ({"method": "weighted", "weights": "nobody:1"}, "servers", '"nobody"'),
        ({"servers": "one,nobody"}, "servers", "/servers/"),
        ({"spans": "near"}, "spans", "strict, overlapping"),
        ({"match": "name"}, "match", "position, type, identifier"),
        ({"kind": "gene"}, "kind", "mention"),
        ({"method": "votes", "threshold": "nan"}, "threshold", "is not a number"),
        ({"servers": "a\0b"}, "servers", "NUL"),
    ],
)
def test_it_refuses_what_makes_no_rule(client, three, query, field, words):
    [error] = get(client, status=400, **query)["errors"]
    assert (error["loc"], words in error["message"]) == (field, True)


def test_it_does_not_know_blind_articles(client, three, article):
    hide_article(article, Corpus.objects.create(slug="blind", name="Blind", blind=True))
    get(client, status=404)


def test_it_costs_a_fixed_number_of_queries(client, team, article, three, secondary, django_assert_num_queries):
    with django_assert_num_queries(8):
        get(client, method="cut_votes", servers="one,two,three")
    for number in range(3):
        make_answering_server(team, article, f"more{number}", [protein("P35222"), mention(8, 12)])
    with django_assert_num_queries(8):
        get(client, method="cut_votes", servers="one,two,three,more0,more1,more2")


def test_it_lists_its_methods(client, service):
    listed = client.get("/api/v1/consensus-methods/").json()
    assert [method["id"] for method in listed] == list(CONSENSUS_METHODS)
    assert listed == service.getConsensusMethods()
    assert service.getConsensusMethod("votes") == {
        "id": "votes",
        "name": "At least m servers",
        "description": "Annotations of at least as many servers as the threshold.",
        "parameters": service.getConsensusMethod("cut_votes")["parameters"],
    }
    assert [each["name"] for each in service.getConsensusMethod("weighted")["parameters"]] == [
        "servers",
        "spans",
        "match",
        "weights",
        "threshold",
    ]


# XML-RPC


def test_it_gives_each_method_a_struct_as_a_servers(service, three):
    answer = service.getConsensus(10000001, {"methods": ["majority", "union"], "kinds": ["mention", "classification"]})
    assert list(answer) == ["majority", "union"]
    assert answer["majority"]["interaction"] == [True, 0.7]
    [found] = answer["majority"]["mentions"]
    assert found.pop("support") == pytest.approx(2 / 3)
    assert found == {"offset": 8, "section": "title", "mention": "CDH1", "confidence": 0.8, "servers": ["one", "two"]}
    assert len(answer["union"]["mentions"]) == 3


def test_it_takes_weights_threshold_servers_and_spans(service, three):
    options = {"methods": ["weighted"], "weights": {"three": 3, "one": 1.0}, "threshold": 0.6}
    [found] = service.getConsensus(10000001, options)["weighted"]["normalizations"]
    assert (found["dbid"], found["servers"], found["support"]) == ("P12830", ["three"], pytest.approx(0.6))
    pair = {"methods": ["intersection"], "servers": ["one", "three"], "spans": "overlapping", "kinds": ["mention"]}
    [mark] = service.getConsensus("10000001", pair)["intersection"]["mentions"]
    assert (mark["mention"], mark["servers"]) == ("CDH1", ["one", "three"])


def test_mentions_agree_by_type_and_identifiers_if_that_is_chosen(client, service, team, article):
    """Three servers mark the same word: two say that it is a gene, two that it is the same entry."""
    gene, disease = EntityId("ncbigene", "999"), EntityId("mesh", "D001943")
    for slug, entity_type, entity in (("a", "Gene", gene), ("b", "genes", disease), ("c", "Disease", disease)):
        marked = make_mention([Span(8, 12)], "CDH1", entity_type, [entity])
        make_answering_server(team, article, slug, [marked])

    def list_agreeing(**query):
        agreed = get(client, method="union", **query)["results"][0]["annotations"]
        return [(each["type"], each["servers"]) for each in agreed]

    assert list_agreeing() == list_agreeing(match="position") == [("Gene", ["a", "b", "c"])]
    assert list_agreeing(match="type") == [("Gene", ["a", "b"]), ("Disease", ["c"])]
    assert list_agreeing(match="identifier", spans="overlapping") == [
        ("Disease", ["c"]),
        ("Gene", ["a"]),
        ("genes", ["b"]),
    ]
    options = {"methods": ["votes"], "kinds": ["mention"], "match": "type"}
    assert [each["servers"] for each in service.getConsensus(10000001, options)["votes"]["mentions"]] == [["a", "b"]]


def test_it_agrees_by_majority_when_nothing_is_chosen(service, three):
    assert list(service.getConsensus(10000001, {})) == ["majority"]


def test_it_gives_an_empty_struct_where_nobody_looked(service, article):
    assert service.getConsensus(10000001, {}) == {"majority": {}}


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        ([], -32602, "must be a struct with any of servers, methods, weights, threshold, spans, kinds"),
        ({"rule": "majority"}, -32602, "must be a struct with any of"),
        ({"methods": "majority"}, -32602, "arrays of ids"),
        ({"methods": []}, -32602, "arrays of ids"),
        ({"methods": ["most"]}, 4, "Choose one of: union"),
        ({"servers": ["nobody"]}, 2, '"nobody"'),
        ({"weights": {"nobody": 1}}, 2, '"nobody"'),
        ({"weights": [1]}, -32602, "a number for each server"),
        ({"weights": {"one": "1"}}, -32602, "an int or a double"),
        ({"threshold": True}, -32602, "an int or a double"),
        ({"methods": ["votes"], "threshold": 1.5}, -32602, "whole number"),
        ({"methods": ["weighted"], "threshold": 2}, -32602, "at most 1"),
        ({"spans": "near"}, -32602, "strict, overlapping"),
        ({"match": "name"}, -32602, "position, type, identifier"),
        ({"kinds": ["gene"]}, -32602, "mention"),
    ],
)
def test_its_faults_explain(service, three, options, code, words):
    found, text = catch_xmlrpc_fault(service.getConsensus, 10000001, options)
    assert (found, words in text) == (code, True), text


def test_it_says_which_methods_there_are(service, db):
    code, words = catch_xmlrpc_fault(service.getConsensusMethod, "most")
    assert (code, all(method in words for method in CONSENSUS_METHODS)) == (4, True)
    assert catch_xmlrpc_fault(service.getConsensusMethod, 7)[0] == 4
    assert catch_xmlrpc_fault(service.getConsensus, 4711, {})[0] == 1

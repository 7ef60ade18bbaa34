"""The XML-RPC service, asked over HTTP by the standard library's client."""

import xmlrpc.client
from xmlrpc.client import Fault, ServerProxy

import pytest

from annotations.articles.imports.article_storage import store_annotated_articles
from annotations.articles.models import Corpus
from annotations.formats.articles.parsed_article import ArticleIds, ParsedArticle, TextPassage
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.xmlrpc.methods import RPC_METHODS
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.protocols.bcms_xmlrpc import parse_bcms_answer_noting_faults
from servers.registry.models import Server
from tests.integration.evaluation_cast import hide_article

CDH1 = AnnotationData(Kind.MENTION, confidence=0.9, start=8, end=12, text="CDH1", type="gene")
ALPHA = AnnotationData(Kind.MENTION, confidence=0.5, start=88, end=97, text="α-catenin")
GENE = AnnotationData(Kind.NORMALIZATION, confidence=0.75, rank=1, database="ncbigene", identifier="999", taxon=9606)


@pytest.fixture
def live(server, article):
    """GeneDict's LIVE queue answered the article."""
    producer = get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    store_results_superseding_earlier(article, producer, {Kind.MENTION: [CDH1, ALPHA], Kind.NORMALIZATION: [GENE]})
    return producer


@pytest.fixture
def service(live_server):
    with ServerProxy(f"{live_server.url}/xmlrpc/", use_builtin_types=True) as proxy:
        yield proxy


def catch_xmlrpc_fault(function, *parameters):
    with pytest.raises(Fault) as raised:
        function(*parameters)
    return raised.value.faultCode, raised.value.faultString


def test_it_gives_what_every_server_says(service, live):
    answer = service.Annotations.getAnnotations(10000001)
    assert list(answer) == ["genedict"]
    assert answer["genedict"]["mentions"] == [
        {"offset": 8, "section": "title", "mention": "CDH1", "confidence": 0.9},
        {"offset": 59, "section": "abstract", "mention": "α-catenin", "confidence": 0.5},
    ]
    [gene] = answer["genedict"]["normalizations"]
    assert (gene["dbid"], gene["taxid"], gene["confidence"], gene["rank"]) == ("999", 9606, 0.75, 1)


def test_it_gives_what_one_server_says(service, live):
    one = service.Annotations.getAnnotation(10000001, "genedict")
    assert one == service.Annotations.getAnnotations("10000001")["genedict"]


def test_it_tells_nothing_that_was_said_of_an_older_text(service, live, article):
    store_annotated_articles(
        [
            ParsedArticle(
                ArticleIds(article.pmid), (TextPassage("title", "Loss of CDH1"), TextPassage("abstract", "New."))
            )
        ]
    )
    assert service.Annotations.getAnnotations(10000001) == {}
    assert service.Annotations.getAnnotationServerList(10000001) == []
    assert service.Consensus.getConsensus(10000001, {}) == {"majority": {}}
    code, said = catch_xmlrpc_fault(service.Annotations.getAnnotation, 10000001, "genedict")
    assert (code, "has not annotated PMID 10000001 yet" in said) == (3, True)


def test_its_answer_is_read_like_a_servers_answer(service, live, article):
    struct = service.Annotations.getAnnotation(10000001, "genedict")
    body = xmlrpc.client.dumps((struct,), methodresponse=True).encode()
    parsed = parse_bcms_answer_noting_faults(body, len(article.title))
    assert parsed.broken_rules == []
    assert [(found.start, found.end) for found in parsed.annotations[:2]] == [(8, 12), (88, 97)]
    assert parsed.annotations[2] == GENE


def test_it_lists_the_servers_that_have_annotated(service, live, team):
    Server.objects.create(
        review="accepted", team=team, name="Idle", slug="idle", url="http://127.0.0.1:9/", kinds=["taxon"]
    )
    assert service.Annotations.getAnnotationServerList(10000001) == ["genedict"]


def test_it_gives_an_empty_answer_as_an_empty_struct(service, live, article):
    store_results_superseding_earlier(article, live, {Kind.MENTION: [], Kind.NORMALIZATION: []})
    assert service.Annotations.getAnnotations(10000001) == {"genedict": {}}


def test_it_tells_of_a_server(service, server):
    assert service.Resources.getServer("genedict") == {
        "id": "genedict",
        "name": "GeneDict",
        "team": "Team Alpha",
        "description": "",
        "kinds": ["mention", "normalization"],
        "state": "offline",
    }


def test_it_lists_its_methods(service, db):
    assert set(service.system.listMethods()) == set(RPC_METHODS)


def test_it_does_not_tell_what_is_not_public(service, server, article):
    producer = get_or_create_queue_and_producer(server, QueueMode.TEST, "demo").producer
    store_results_superseding_earlier(article, producer, {Kind.MENTION: [CDH1]})
    assert service.Annotations.getAnnotations(10000001) == {}


def test_it_does_not_know_blind_articles(service, live, article):
    hide_article(article, Corpus.objects.create(slug="blind", name="Blind", blind=True))
    faults = [catch_xmlrpc_fault(service.Annotations.getAnnotations, name) for name in (10000001, "10000001")]
    assert {code for code, _ in faults} == {1}
    # As of an opaque id that does not exist.
    assert catch_xmlrpc_fault(service.Annotations.getAnnotations, article.opaque)[0] == -32602


def test_it_keeps_text_that_xml_cannot_carry_readable(service, live, article):
    odd = AnnotationData(Kind.MENTION, start=0, end=4, text="a\x01\r<")
    store_results_superseding_earlier(article, live, {Kind.MENTION: [odd]})
    [mention] = service.Annotations.getAnnotation(10000001, "genedict")["mentions"]
    assert mention["mention"] == "a\N{REPLACEMENT CHARACTER}\r<"


@pytest.mark.parametrize("pmid", [4711, 0, -1, "4711", "9" * 40])
def test_it_says_that_a_pmid_is_unknown(service, db, pmid):
    words = f"There is no article with PMID {str(pmid)[:20]} on this site."
    assert catch_xmlrpc_fault(service.Annotations.getAnnotations, pmid) == (1, words)


@pytest.mark.parametrize("pmid", [True, 1.5, "p53", "", [1], {}, b"1", "B0123456789abcdef"])
def test_it_refuses_what_is_no_pmid(service, db, pmid):
    code, words = catch_xmlrpc_fault(service.Annotations.getAnnotations, pmid)
    assert (code, words) == (-32602, "The PMID must be an int or a string of digits, such as 16054130.")


@pytest.mark.parametrize("name", ["nobody", "", "a'b"])
def test_it_says_that_a_server_is_unknown(service, article, name):
    code, words = catch_xmlrpc_fault(service.Annotations.getAnnotation, 10000001, name)
    assert (code, f'"{name}"' in words) == (2, True)


def test_it_refuses_what_is_no_server_id(service, article):
    assert catch_xmlrpc_fault(service.Resources.getServer, 7)[0] == -32602


def test_it_says_that_a_server_has_not_annotated_yet(service, server, article):
    assert catch_xmlrpc_fault(service.Annotations.getAnnotation, 10000001, "genedict") == (
        3,
        "GeneDict has not annotated PMID 10000001 yet. Try again later.",
    )


def test_it_lists_the_methods_to_who_asks_for_another(service, db):
    code, words = catch_xmlrpc_fault(service.Annotations.getAnnotatoins, 1)
    assert code == -32601
    assert all(name in words for name in RPC_METHODS)


@pytest.mark.parametrize("parameters", [(), (1, {}, 2)])
def test_it_says_which_parameters_a_method_takes(service, db, parameters):
    code, words = catch_xmlrpc_fault(service.Annotations.getAnnotations, *parameters)
    assert (code, words.endswith("takes 1: pmid[, options].")) == (-32602, True)


LAUGHS = b'<!DOCTYPE x [<!ENTITY a "ha">]><methodCall><methodName>&a;</methodName></methodCall>'


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"GET", -32700),
        (b"<methodCall>", -32700),
        (b"\xff<methodCall/>", -32700),
        (b"<html/>", -32600),
        (LAUGHS, -32600),
        (b"<methodResponse><params/></methodResponse>", -32600),
        (xmlrpc.client.dumps(Fault(1, "x"), methodresponse=True).encode(), -32600),
        (b"x" * 70_000, -32600),
    ],
)
def test_it_refuses_what_is_no_method_call(client, db, body, code):
    response = client.post("/xmlrpc/", body, content_type="text/xml")
    assert response.status_code == 200
    with pytest.raises(Fault) as raised:
        xmlrpc.client.loads(response.content)
    assert raised.value.faultCode == code
    assert raised.value.faultString.endswith(".")


def test_it_explains_itself_to_a_browser(client, db):
    response = client.get("/xmlrpc/")
    assert response["Content-Type"].startswith("text/plain")
    assert "Annotations.getAnnotations(pmid[, options])" in response.content.decode()


def test_it_answers_with_eight_queries(client, live, team, article, django_assert_num_queries):
    for number in range(4):
        more = Server.objects.create(
            review="accepted", team=team, name=f"S{number}", slug=f"s{number}", url="http://x/", kinds=["mention"]
        )
        store_results_superseding_earlier(
            article, get_or_create_queue_and_producer(more, QueueMode.LIVE).producer, {Kind.MENTION: [CDH1]}
        )
    body = xmlrpc.client.dumps((10000001,), "Annotations.getAnnotations")
    with django_assert_num_queries(8):
        response = client.post("/xmlrpc/", body, content_type="text/xml")
    assert len(xmlrpc.client.loads(response.content)[0][0]) == 5

"""Mentions with parts and links, entities, relations and labels in REST, XML-RPC and exports; all else as ever."""

import csv
import json
import xmlrpc.client

import pytest

from annotations.identifiers.models import Entry, LoadedNamespace
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)
from bcms.article_annotations.api import AnnotationOfProducer
from bcms.consensus.api import AnnotationOfConsensus
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.protocols.bcms_xmlrpc import parse_bcms_answer_noting_faults
from servers.registry.models import Server

ANNOTATIONS_PATH = "/api/v1/articles/10000001/annotations/"
CONSENSUS_PATH = "/api/v1/articles/10000001/consensus/"
CDH1, VARIANT, METHOD = EntityId("ncbigene", "999"), EntityId("dbsnp", "rs334"), EntityId("psi-mi", "MI:0018")
FLAT = ["confidence", "rank", "start", "end", "text", "type", "database", "identifier", "partner", "taxon", "relevant"]
PLAIN = AnnotationData(Kind.MENTION, confidence=0.9, start=8, end=12, text="CDH1", type="Gene")
LINKED = make_mention([Span(8, 12)], "CDH1", "Gene", [CDH1, METHOD])
SPLIT = make_mention([Span(0, 4), Span(8, 12)], "Loss CDH1", "Gene", [VARIANT])
ENTITY = make_entity(VARIANT, "Variant", text="rs334", confidence=0.5)
RELATION = make_relation(
    "causes",
    [RelationArgument("Gene", (CDH1,), (Span(8, 12),), "Gene", "CDH1"), RelationArgument("Variant", (VARIANT,))],
    directed=True,
    qualifiers={"negated": "true"},
    evidence=[Span(0, 12)],
)
LABEL = make_label("topic", "oncology", confidence=0.75)
OPEN_CONTENT = {
    Kind.MENTION: [LINKED, SPLIT],
    Kind.ENTITY: [ENTITY],
    Kind.RELATION: [RELATION],
    Kind.LABEL: [LABEL],
}
GENE_MEMBERS = {"curie": "ncbigene:999", "database": "ncbigene", "identifier": "999"}
VARIANT_MEMBERS = {"curie": "dbsnp:rs334", "database": "dbsnp", "identifier": "rs334", "checked": False}
RELATION_MEMBERS = {
    "arguments": [
        {"role": "Gene", "identifiers": [GENE_MEMBERS], "spans": [[8, 12]], "type": "Gene", "text": "CDH1"},
        {"role": "Variant", "identifiers": [VARIANT_MEMBERS]},
    ],
    "directed": True,
    "qualifiers": {"negated": "true"},
    "evidence": [[0, 12]],
}


@pytest.fixture
def checked(db):
    """The gene and the method are known, nothing of dbSNP is."""
    for database, identifier in (CDH1, METHOD):
        Entry.objects.create(database=database, identifier=identifier, exists=True)


@pytest.fixture
def live(server, article, checked):
    """GeneDict answered the article in its LIVE queue with open content."""
    producer = get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    store_results_superseding_earlier(article, producer, OPEN_CONTENT)
    return producer


def get_results_by_kind(client, path=ANNOTATIONS_PATH, **query):
    response = client.get(path, query)
    assert response.status_code == 200, response.content
    return {result["kind"]: result["annotations"] for result in response.json()["results"]}


def list_open_members(annotation, own=("reported", "calibrated")):
    return {name: value for name, value in annotation.items() if name not in (*FLAT, *own)}


def call(client, method, *parameters):
    body = xmlrpc.client.dumps(parameters, method)
    [[value], _] = xmlrpc.client.loads(client.post("/xmlrpc/", body, content_type="text/xml").content)
    return value


def test_rest_has_open_members_where_there_are_any(client, live):
    found = get_results_by_kind(client)
    method = {"curie": "mi:0018", "database": "psi-mi", "identifier": "MI:0018"}
    linked, split = found["mention"]
    assert list_open_members(linked) == {"identifiers": [GENE_MEMBERS, method]}
    assert list_open_members(split) == {"spans": [[0, 4], [8, 12]], "identifiers": [VARIANT_MEMBERS]}
    assert (split["start"], split["end"], split["text"], split["identifier"]) == (0, 12, "Loss CDH1", "")
    [entity], [relation], [label] = found["entity"], found["relation"], found["label"]
    assert list_open_members(entity) == {"checked": False}
    assert (entity["database"], entity["identifier"], entity["type"]) == ("dbsnp", "rs334", "Variant")
    assert (relation["type"], list_open_members(relation)) == ("causes", RELATION_MEMBERS)
    assert (label["type"], label["text"], label["confidence"], list_open_members(label)) == (
        *("topic", "oncology", 0.75),
        {},
    )


def test_rest_has_the_members_that_it_always_had_for_all_else(client, server, article):
    producer = get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    gene = AnnotationData(Kind.NORMALIZATION, 0.5, database="ncbigene", identifier="12345")
    store_results_superseding_earlier(article, producer, {Kind.MENTION: [PLAIN], Kind.NORMALIZATION: [gene]})
    for annotations in get_results_by_kind(client).values():
        assert [[*annotation] for annotation in annotations] == [[*FLAT, "reported", "calibrated"]]
    for annotations in get_results_by_kind(client, CONSENSUS_PATH).values():
        assert [[*annotation] for annotation in annotations] == [[*FLAT, "servers", "support"]]


@pytest.mark.parametrize("serializer", [AnnotationOfProducer, AnnotationOfConsensus])
def test_the_document_declares_the_members_in_their_names(serializer):
    own = ["reported", "calibrated"] if serializer is AnnotationOfProducer else ["servers", "support"]
    fields = serializer().fields
    optional = ["spans", "identifiers", "arguments", "directed", "qualifiers", "evidence", "checked"]
    assert [name for name, field in fields.items() if not field.required] == optional
    assert [*fields] == [*FLAT, *optional, *own]


def test_rest_gives_one_of_the_new_kinds_on_request(client, live):
    for path in (ANNOTATIONS_PATH, CONSENSUS_PATH):
        for kind in ("entity", "relation", "label"):
            assert [*get_results_by_kind(client, path, kind=kind)] == [kind]


def test_rest_gives_the_provenance_of_the_new_kinds(client, live):
    for result in client.get(ANNOTATIONS_PATH).json()["results"]:
        provenance = client.get(f"/api/v1/articles/10000001/results/{result['id']}/").json()
        assert (provenance["kind"], provenance["annotations"]) == (result["kind"], len(result["annotations"]))


def test_links_and_arguments_are_current_with_the_curies_reported(client, live):
    Entry.objects.filter(identifier="999").update(successors=["1000"], withdrawn=True)
    Entry.objects.create(database="ncbigene", identifier="1000", exists=True)
    found = get_results_by_kind(client)
    linked, [relation] = found["mention"][0], found["relation"]
    assert [each["curie"] for each in linked["identifiers"]] == ["ncbigene:1000", "mi:0018"]
    assert linked["reported"] == ["ncbigene:999", "mi:0018"]
    assert relation["arguments"][0]["identifiers"] == [
        {"curie": "ncbigene:1000", "database": "ncbigene", "identifier": "1000"}
    ]
    assert relation["reported"] == ["ncbigene:999", "dbsnp:rs334"]
    assert "reported" not in call(client, "Annotations.getAnnotation", 10000001, "genedict")["mentions"][0]


def test_it_reads_open_content_with_fixed_queries(client, live, article, django_assert_num_queries):
    with django_assert_num_queries(9):
        get_results_by_kind(client)
    for number in range(3):
        producer = Producer.objects.create(sort="author", name=f"Author {number}", public=True)
        store_results_superseding_earlier(article, producer, OPEN_CONTENT)
    with django_assert_num_queries(9):
        assert len(client.get(ANNOTATIONS_PATH).json()["results"]) == 16


def test_it_is_sent_again_when_a_table_of_identifiers_is_loaded(client, live):
    first = client.get(ANNOTATIONS_PATH)
    again = {"If-None-Match": first["ETag"]}
    assert client.get(ANNOTATIONS_PATH, headers=again).status_code == 304
    Entry.objects.create(database="dbsnp", identifier="rs334", exists=True)
    LoadedNamespace.objects.create(database="dbsnp", entries=1, loaded="2026-01-01T00:00:00Z")
    second = client.get(ANNOTATIONS_PATH, headers=again)
    assert second.status_code == 200
    assert b'"checked"' in first.content
    assert b'"checked"' not in second.content


@pytest.fixture
def second(team, article, live):
    """Another server that agrees with GeneDict, its relation in the other form of the same."""
    made = Server.objects.create(
        review="accepted", team=team, name="Second", slug="second", url="http://127.0.0.1:9/", kinds=["mention"]
    )
    arguments = [RelationArgument("Variant", (VARIANT,)), RelationArgument("Gene", (CDH1,))]
    other = make_relation("causes", arguments, directed=True, qualifiers={"negated": "true"})
    content = {**OPEN_CONTENT, Kind.MENTION: [LINKED], Kind.RELATION: [other], Kind.LABEL: []}
    producer = get_or_create_queue_and_producer(made, QueueMode.LIVE).producer
    store_results_superseding_earlier(article, producer, content)


def test_rest_gives_the_consensus_on_open_content(client, second):
    found = get_results_by_kind(client, CONSENSUS_PATH, method="intersection")
    [mention], [entity], [relation] = found["mention"], found["entity"], found["relation"]
    assert [each["curie"] for each in mention["identifiers"]] == ["ncbigene:999", "mi:0018"]
    assert (entity["identifier"], entity["rank"], entity["checked"]) == ("rs334", 1, False)
    assert {each["role"]: each["identifiers"] for each in relation["arguments"]} == {
        "Gene": [GENE_MEMBERS],
        "Variant": [VARIANT_MEMBERS],
    }
    assert (relation["servers"], relation["support"], found["label"]) == (["genedict", "second"], 1.0, [])
    [label] = get_results_by_kind(client, CONSENSUS_PATH, method="union")["label"]
    assert (label["type"], label["text"], label["rank"]) == ("topic", "oncology", None)


def test_xmlrpc_gives_old_clients_what_they_know(client, live, article):
    struct = call(client, "Annotations.getAnnotation", 10000001, "genedict")
    assert struct == {"mentions": [{"section": "title", "offset": 8, "mention": "CDH1"}]}
    assert call(client, "Annotations.getAnnotations", 10000001, {"open": False}) == {"genedict": struct}
    [consensus] = call(client, "Consensus.getConsensus", 10000001, {}).values()
    [mention] = consensus.pop("mentions")
    assert (consensus, {*mention}) == ({}, {"section", "offset", "mention", "servers", "support"})


def test_xmlrpc_gives_open_content_that_is_read_like_a_servers_answer(client, live, article):
    struct = call(client, "Annotations.getAnnotation", 10000001, "genedict", {"open": True})
    assert struct["mentions"][1] == {
        "section": "title",
        "offset": 0,
        "mention": "Loss CDH1",
        "type": "Gene",
        "spans": [[0, 4], [8, 4]],
        "identifiers": ["dbsnp:rs334"],
    }
    assert struct["labels"] == [{"name": "topic", "value": "oncology", "confidence": 0.75}]
    body = xmlrpc.client.dumps((struct,), methodresponse=True).encode()
    parsed = parse_bcms_answer_noting_faults(body, len(article.title), tuple(Kind), article_text=article.text)
    assert parsed.broken_rules == []
    assert parsed.annotations == [own for annotations in OPEN_CONTENT.values() for own in annotations]


def test_xmlrpc_gives_the_consensus_on_open_content(client, second):
    options = {"methods": ["intersection"], "kinds": ["relation", "entity"], "open": True}
    consensus = call(client, "Consensus.getConsensus", 10000001, options)["intersection"]
    [relation], [entity] = consensus["relations"], consensus["entities"]
    assert (relation["type"], relation["servers"], entity["dbid"]) == ("causes", ["genedict", "second"], "rs334")


def test_xmlrpc_lists_servers_that_have_what_the_client_knows(client, server, article):
    producer = get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    store_results_superseding_earlier(article, producer, {Kind.LABEL: [LABEL]})
    assert call(client, "Annotations.getAnnotationServerList", 10000001) == []
    assert call(client, "Annotations.getAnnotationServerList", 10000001, {"open": True}) == ["genedict"]


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("Annotations.getAnnotations", {"open": 1}, "open must be a boolean"),
        ("Annotations.getAnnotations", {"opened": True}, "any of unreviewed and open"),
        ("Consensus.getConsensus", {"open": "yes"}, "open must be a boolean"),
        ("Consensus.getConsensus", {"kinds": ["relation"]}, "need the option open"),
        ("Consensus.getConsensus", {"kinds": ["gene"], "open": True}, "passage, entity, relation, label"),
    ],
)
def test_xmlrpc_explains_its_option(client, article, method, options, words):
    with pytest.raises(xmlrpc.client.Fault, match=words):
        call(client, method, 10000001, options)


def test_exports_have_open_content(client, live):
    response = client.get("/api/v1/articles/10000001/export/ndjson/", {"kind": "relation"})
    [result] = json.loads(b"".join(response.streaming_content))["results"]
    [relation] = result["annotations"]
    # Files are not made for one site, so they do not say what is checked there.
    assert relation == {"type": "causes"} | json.loads(json.dumps(RELATION_MEMBERS).replace(', "checked": false', ""))
    lines = b"".join(client.get("/api/v1/articles/10000001/export/tsv/").streaming_content).decode().splitlines()
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    assert [(row["kind"], [*json.loads(row["details"] or "{}")]) for row in rows] == [
        ("mention", ["identifiers"]),
        ("mention", ["spans", "identifiers"]),
        ("entity", []),
        ("relation", ["arguments", "directed", "qualifiers", "evidence"]),
        ("label", []),
    ]

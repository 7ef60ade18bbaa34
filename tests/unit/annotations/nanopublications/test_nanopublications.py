"""Interactions are signed as nanopublications, which `nanopub` and rdflib read and verify; nothing uses the network."""

import base64
import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import nanopub
import pytest
import rdflib
from hypothesis import given, settings
from rdflib import OWL, PROV, RDF, RDFS
from rdflib.namespace import DCTERMS, FOAF

from annotations.digital_abstract import DigitalAbstract, Interaction, Participant
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.formats.nanopublications.graphs import OBO, PAV
from annotations.nanopublications.errors import NanopublicationError
from annotations.nanopublications.signing import CC_BY_4, write_signed_nanopublications
from annotations.nanopublications.verification import verify_nanopublications
from annotations.schema import EntityId
from bcms.lib.sealing import encode_public_key, generate_public_and_private_key, parse_optional_private_key
from tests.digital_abstract_samples import ARTICLE, BINDING, COMPLEX, DIGITAL_ABSTRACTS, DIMER, FULL, NEGATIVE, export

ROOT = Path(__file__).parents[4]
CREATED = datetime(2026, 11, 24, 10, 11, 12, tzinfo=UTC)
KEY, OTHER_KEY = (
    parse_optional_private_key(generate_public_and_private_key(2048)[1], "KEY", "make_nanopub_key") for _ in range(2)
)
NP = rdflib.Namespace("http://www.nanopub.org/nschema#")
BRCA2, RAD51, P53 = (
    rdflib.URIRef(f"https://identifiers.org/uniprot:{each}") for each in ("P51587", "Q06609", "P04637")
)
ORCID = rdflib.URIRef("https://orcid.org/0000-0002-1825-0097")
PUBMED = rdflib.URIRef("https://pubmed.ncbi.nlm.nih.gov/10373512/")


def sign(*interactions, abstract=FULL, article=ARTICLE, key=KEY):
    exported = export(replace(abstract, interactions=interactions), article)
    sentences = [f"Sentence {number}." for number in range(len(interactions))]
    return list(write_signed_nanopublications(exported, sentences, CREATED, key))


class Parts:
    """The graphs of the only nanopublication in a document of TriG, and the nodes that are named in it."""

    def __init__(self, trig):
        document = rdflib.Dataset()
        document.parse(data=trig, format="trig")
        [(self.address, _, _, head)] = document.quads((None, RDF.type, NP.Nanopublication, None))
        self.assertion, self.provenance, self.information = (
            document.graph(document.graph(head).value(self.address, NP[name]))
            for name in ("hasAssertion", "hasProvenance", "hasPublicationInfo")
        )
        self.own = rdflib.Namespace(f"{self.address}#")


def read_with_nanopub(trig):
    graph = rdflib.ConjunctiveGraph()
    graph.parse(data=trig, format="trig")
    return nanopub.Nanopub(rdf=graph)


def test_nanopub_reads_and_verifies_each():
    documents = sign(BINDING, NEGATIVE, DIMER, COMPLEX)
    assert len(documents) == 4
    for document in documents:
        read = read_with_nanopub(document)
        assert read.is_valid and read.has_valid_trusty and read.has_valid_signature
        assert read.signed_with_public_key.toPython() == encode_public_key(KEY.public_key())


def test_it_verifies_several_in_one_document():
    verified = verify_nanopublications("".join(sign(BINDING, NEGATIVE)))
    assert len({each.address for each in verified}) == 2
    assert {each.public_key for each in verified} == {encode_public_key(KEY.public_key())}
    assert all(re.fullmatch(r"http://purl\.org/np/RA[\w-]{43}", each.address) for each in verified)


def test_the_same_content_has_the_same_address_and_another_has_another():
    [first], [second], [other] = sign(BINDING), sign(BINDING), sign(replace(BINDING, comment="x"))
    assert Parts(first).address == Parts(second).address != Parts(other).address


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(abstract=DIGITAL_ABSTRACTS)
def test_it_signs_any_record(abstract):
    documents = sign(*abstract.interactions, abstract=abstract)
    assert verify_nanopublications("".join(documents))
    assert all(read_with_nanopub(document).has_valid_trusty for document in documents)


def test_the_assertion_states_the_interaction():
    parts = Parts(sign(BINDING)[0])
    graph, node = parts.assertion, parts.own.interaction
    assert (node, RDF.type, OBO.MI_0407) in graph
    participants = set(graph.objects(node, OBO.RO_0000057))
    assert {graph.value(each, OBO.IAO_0000136) for each in participants} == {BRCA2, RAD51}
    bait = next(graph.subjects(OBO.RO_0000087, OBO.MI_0496))
    assert graph.value(bait, OBO.IAO_0000136) == BRCA2
    assert (node, OBO.RO_0002608, bait) in graph
    methods = {graph.value(each, RDF.type) for each in graph.objects(node, OBO.RO_0002558)}
    assert methods == {OBO.MI_0018, OBO.MI_0019}
    assert str(graph.value(OBO.MI_0018, RDFS.label)) == "two hybrid"
    assert (BRCA2, OBO.RO_0002436, RAD51) in graph
    assert (BRCA2, OBO.RO_0002162, OBO.NCBITaxon_9606) in graph
    assert str(graph.value(RAD51, RDFS.label)) == "Rad51 & co"


def test_a_negative_interaction_is_not_asserted():
    parts = Parts(sign(NEGATIVE)[0])
    graph, node = parts.assertion, parts.own["negative-1"]
    assert (node, RDF.type, OWL.NegativePropertyAssertion) in graph
    assert [graph.value(node, OWL[name]) for name in ("sourceIndividual", "assertionProperty", "targetIndividual")] == [
        *(BRCA2, OBO.RO_0002436, P53)
    ]
    assert not set(graph.triples((None, OBO.RO_0002436, None)))
    assert not set(graph.subjects(RDF.type, OBO.MI_0915))
    assert [graph.value(each, RDF.type) for each in graph.objects(node, OBO.RO_0002558)] == [OBO.MI_0018]


def test_it_names_entities_without_iris_in_the_nanopublication():
    graph = Parts(sign(COMPLEX)[0]).assertion
    [unknown] = graph.subjects(RDFS.label, rdflib.Literal("X"))
    assert str(unknown).endswith("#entity-3")
    assert str(graph.value(unknown, DCTERMS.identifier)) == "an unknown: protein"
    assert len(set(graph.triples((None, OBO.RO_0002436, None)))) == 3


def test_a_molecule_may_interact_with_itself():
    graph = Parts(sign(DIMER)[0]).assertion
    assert (RAD51, OBO.RO_0002436, RAD51) in graph
    assert set(graph.objects(None, RDF.type)) == {OBO.MI_0190}


def test_the_provenance_names_article_passages_people_and_systems():
    parts = Parts(sign(BINDING)[0])
    graph, assertion = parts.provenance, parts.own.assertion
    assert PUBMED in set(graph.objects(assertion, PROV.wasDerivedFrom))
    passages = set(graph.subjects(PROV.wasQuotedFrom, PUBMED))
    assert {str(graph.value(each, PROV.value)) for each in passages} == {each.text for each in BINDING.iter_evidence()}
    assert set(graph.objects(parts.own["detection-1"], PROV.wasDerivedFrom)) == passages
    assert "Figure 2A" in {str(each) for each in graph.objects(None, RDFS.label)}
    assert (assertion, PAV.curatedBy, ORCID) in graph
    [author] = graph.objects(assertion, PAV.authoredBy)
    assert str(graph.value(author, FOAF.name)) == "Jo <Doe>"
    sources = graph.objects(assertion, PROV.wasInfluencedBy)
    assert {str(graph.value(each, FOAF.name)) for each in sources} == {"GNormPlus 2", "Doe & Daughters"}


def test_an_article_without_identifiers_is_its_page():
    parts = Parts(sign(BINDING, article=replace(ARTICLE, ids=ArticleIds()))[0])
    assert rdflib.URIRef("https://bcms.example/articles/12/") in set(
        parts.provenance.objects(parts.own.assertion, PROV.wasDerivedFrom)
    )


def test_the_publication_information_has_date_licence_and_creators():
    parts = Parts(sign(BINDING)[0])
    graph = parts.information
    assert graph.value(parts.address, DCTERMS.created).toPython() == CREATED
    assert graph.value(parts.address, DCTERMS.license) == rdflib.URIRef(CC_BY_4)
    assert str(graph.value(parts.address, RDFS.label)) == "Sentence 0."
    assert ORCID in set(graph.objects(parts.address, DCTERMS.creator))


def resign(document, key):
    """The document with the public key of another key, an address that fits, and the old signature."""
    changed = document.replace(encode_public_key(KEY.public_key()), encode_public_key(key.public_key()))
    return give_fitting_address(changed)


def give_fitting_address(document):
    """The document with the address that its content has, as if it were not signed."""
    from nanopub.trustyuri.rdf import RdfHasher, RdfUtils

    graph = rdflib.ConjunctiveGraph()
    graph.parse(data=document, format="trig")
    address = str(Parts(document).address)
    fitting = RdfHasher.make_hash(RdfUtils.get_quads(graph), " ", f"{address}#")
    return document.replace(address.rpartition("/")[2], fitting)


def break_signature(document):
    signature = re.search(r'hasSignature "([^"]+)"', document)[1]
    changed = bytearray(base64.b64decode(signature))
    changed[7] ^= 1
    return give_fitting_address(document.replace(signature, base64.b64encode(bytes(changed)).decode()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda document: document.replace("Checked twice.", "Checked once."), "is not what its address was made from"),
        (lambda document: give_fitting_address(document.replace("twice", "once")), "was not signed with the key"),
        (lambda document: resign(document, OTHER_KEY), "was not signed with the key"),
        (break_signature, "was not signed with the key"),
        (lambda document: re.sub(r'hasSignature "[^"]+"', 'hasNothing "x"', document), "address was made from"),
        (
            lambda document: give_fitting_address(re.sub(r'hasSignature "[^"]+"', 'hasNothing "x"', document)),
            "has 0 values of http://purl.org/nanopub/x/hasSignature",
        ),
        (lambda document: document.replace("np:hasProvenance", "np:hasNone"), "has 0 graphs"),
        (lambda document: document.replace("a np:Nanopublication", "a np:Other"), "has no nanopublication"),
        (lambda document: document[:-200], "is not TriG: "),
        (lambda document: "", "has no nanopublication"),
    ],
)
def test_it_refuses_what_was_changed(change, message):
    [document] = sign(BINDING)
    assert verify_nanopublications(give_fitting_address(document))
    with pytest.raises(NanopublicationError, match=message):
        verify_nanopublications(change(document))


def test_it_refuses_an_interaction_that_is_too_large():
    participants = tuple(Participant(EntityId("ncbigene", str(number)), "", 9606) for number in range(1, 60))
    with pytest.raises(NanopublicationError, match="more than the 1200 authorized"):
        sign(Interaction(participants))


def test_it_needs_a_sentence_for_each_interaction():
    with pytest.raises(ValueError, match="shorter"):
        list(write_signed_nanopublications(export(DigitalAbstract((BINDING,))), [], CREATED, KEY))


OFFLINE = """
import sys
def refuse(event, arguments):
    if event.startswith("socket."):
        raise RuntimeError(f"network: {event}")
sys.addaudithook(refuse)
from tests.unit.annotations.nanopublications import test_nanopublications as test
[document] = test.sign(test.BINDING)
assert test.verify_nanopublications(document)
assert test.read_with_nanopub(document).has_valid_trusty
"""
LAZY = """
import sys
import annotations.nanopublications.signing, annotations.nanopublications.verification
assert not {"nanopub", "rdflib"} & set(sys.modules)
"""


@pytest.mark.parametrize("script", [OFFLINE, LAZY])
def test_it_imports_and_works_without_network_and_only_when_used(script):
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nanopub_itself_does_not_notice_a_changed_signature():
    """The reason for verifying signatures ourselves; once this fails, `nanopub` can do it."""
    assert read_with_nanopub(break_signature(sign(BINDING)[0])).has_valid_signature

"""Continuing the organisms and other annotations of a record in JSON: with their sources, and what is left out."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.curation.models import Curation, DecidedItem
from annotations.curation.session import load_digital_abstract
from annotations.digital_abstract import DigitalAbstract, Origin, Source, SourcedAnnotation
from annotations.digital_abstract_json import build_abstract_json
from annotations.identifiers.models import Entry
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_label,
    make_relation,
)
from annotations.schema import make_mention as make_schema_mention
from tests.integration.article_cast import create_known_genes, make_read_article, read_page_words
from tests.integration.curation_cast import begin, decide, propose_gene
from tests.integration.published_cast import make_interaction

pytestmark = pytest.mark.django_db
ALPHA, DOE = Source("Alpha", Origin.SYSTEM), Source("Doe J", Origin.AUTHOR)
CARBERRY = Source("Carberry", Origin.CURATOR)
CDH1, CTNNB1 = EntityId("uniprot", "P12830"), EntityId("uniprot", "P35222")


@pytest.fixture
def article():
    create_known_genes()
    return make_read_article()


@pytest.fixture
def curation(client, article, alice):
    client.force_login(alice)
    return begin(alice, article)


def make_mention(article, text="CTNNB1", shift=0):
    start = article.text.index(text) + shift
    return make_schema_mention([Span(start, start + len(text))], text, "gene", [CTNNB1])


def make_gene(identifier="P12830"):
    return AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier=identifier)


def make_record(*annotations, **members):
    sourced = tuple(each if isinstance(each, SourcedAnnotation) else SourcedAnnotation(each) for each in annotations)
    return build_abstract_json(DigitalAbstract(annotations=sourced, **members))


def send(client, curation, record, **fields):
    file = SimpleUploadedFile("record.json", json.dumps(record).encode())
    fields = {"origin": "curator", "basis": "Carberry", **fields}
    return client.post(f"/api/v1/curations/{curation.pk}/file/", {"file": file, **fields})


def load(curation):
    return load_digital_abstract(Curation.objects.get(pk=curation.pk))


def test_it_takes_over_annotations_of_every_kind_with_their_sources(client, curation, article):
    relation = make_relation("binds", [RelationArgument("", (CDH1,)), RelationArgument("", (CTNNB1,))])
    method = AnnotationData(Kind.METHOD, database="psi-mi", identifier="MI:0018")
    given = [
        SourcedAnnotation(make_gene(), (ALPHA,)),
        SourcedAnnotation(make_mention(article), (ALPHA, DOE)),
        SourcedAnnotation(make_entity(EntityId("mesh", "D001943"), "Disease")),
        SourcedAnnotation(relation, (DOE,)),
        SourcedAnnotation(method),
        SourcedAnnotation(make_label("kind", "research"), (CARBERRY,)),
    ]
    record = make_record(*given, organisms=(9606, 10090), organism_sources={9606: (ALPHA,)})
    assert send(client, curation, record).json() == {
        **{"added": 8, "interactions": 0, "annotations": 8, "known": 0, "left_out": []}
    }
    continued = load(curation)
    expected = [(each.annotation, tuple(dict.fromkeys((*each.sources, CARBERRY)))) for each in given]
    assert [(each.annotation, each.sources) for each in continued.annotations] == expected
    assert continued.organisms == (9606, 10090)
    assert continued.organism_sources == {9606: (ALPHA, CARBERRY), 10090: (CARBERRY,)}
    again = send(client, curation, record).json()
    assert (again["added"], again["known"]) == (0, 8)
    decide(curation, "undo")
    assert load(curation) == DigitalAbstract()


def test_the_workspace_says_from_where_and_a_correction_keeps_it(client, curation, article):
    send(client, curation, make_record(make_gene(), make_mention(article), organisms=(9606,)))
    for step in ("organisms", "entities", "check"):
        words = read_page_words(client.get(f"/curation/{curation.pk}/?step={step}"))
        assert "taken over from Carberry" in words.replace("Taken over", "taken over")
    form = {"action": "edit", "kind": "entity", "key": "uniprot:P12830", "identifier": "uniprot:P09803"}
    client.post(f"/curation/{curation.pk}/decide/", {**form, "seen": "1", "token": "token-of-mine"})
    corrected = [each for each in load(curation).annotations if each.annotation.kind is Kind.NORMALIZATION]
    assert [(each.annotation.identifier, each.sources) for each in corrected] == [("P09803", (CARBERRY,))]


def test_what_the_curator_has_decided_stays(client, curation):
    decide(curation, "reject", propose_gene("P12830"))
    taken = send(client, curation, make_record(make_gene(), make_gene("P35222"))).json()
    assert (taken["added"], taken["known"]) == (1, 1)
    assert [each.annotation.identifier for each in load(curation).annotations] == ["P35222"]


LEFT_OUT = {
    "words that are not there": (lambda article: make_mention(article, shift=1), "The article has"),
    "a position beyond the text": (
        lambda _: make_schema_mention([Span(10**6, 10**6 + 2)], "ab", "gene"),
        "the text has",
    ),
    "an entry that was replaced": (lambda _: make_gene("Q00000"), "Q00000 was replaced by P35222. Use that one."),
    "a malformed identifier": (lambda _: make_gene("not one"), "not one"),
    "no method": (
        lambda _: AnnotationData(Kind.METHOD, database="psi-mi", identifier="MI:0915"),
        "is not an interaction",
    ),
    "a pair": (
        lambda _: AnnotationData(Kind.PAIR, database="uniprot", identifier="P12830", partner="P35222"),
        "follows from the interactions",
    ),
    "a class": (lambda _: AnnotationData(Kind.CLASSIFICATION, relevant=True), "follows from the interactions"),
    "another annotation of the same item": (
        lambda _: SourcedAnnotation(make_gene("P35222"), (ALPHA,)),
        "the file has it twice",
    ),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_cannot_be_taken_over_is_left_out_and_listed(client, curation, article, name):
    make, reason = LEFT_OUT[name]
    Entry.objects.create(database="uniprot", identifier="Q00000", exists=True, successors=["P35222"])
    taken = send(client, curation, make_record(make_gene("P35222"), make(article))).json()
    assert taken["added"] == 1
    [left_out] = taken["left_out"]
    assert left_out["line"] == 0 and left_out["part"]
    assert reason in left_out["reason"]
    assert [item.key for item in DecidedItem.objects.all()] == ["uniprot:P35222"]


def test_annotations_of_other_articles_are_counted(client, curation):
    record = make_record(make_gene(), interactions=(make_interaction(),), organisms=(9606,)) | {"pmid": 12345}
    reply = send(client, curation, record)
    assert reply.status_code == 400
    assert "It has interactions of 12345." in reply.content.decode()
    record = make_record(make_gene()) | {"pmid": 12345}
    assert "It has annotations of 12345." in send(client, curation, record).content.decode()


def test_the_page_says_how_much_was_added(client, curation):
    record = make_record(make_gene(), interactions=(make_interaction(),), organisms=(9606,))
    file = SimpleUploadedFile("record.json", json.dumps(record).encode())
    reply = client.post(f"/curation/{curation.pk}/file/", {"file": file, "origin": "system"}, follow=True)
    assert "1 interaction and 2 annotations were added. Undo takes them back as one." in read_page_words(reply)


def test_it_needs_the_same_queries_for_any_number(client, curation):
    numbers = []
    for identifiers in (["P12830"], ["P35222", "P09803"]):
        record = make_record(*map(make_gene, identifiers), organisms=(9606, 10090)[: len(identifiers)])
        with CaptureQueriesContext(connection) as queries:
            assert send(client, curation, record).status_code == 200
        numbers.append(len(queries))
    assert numbers[0] == numbers[1]

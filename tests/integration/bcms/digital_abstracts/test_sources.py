"""Annotations and organisms of a published record say whose proposals they were, as interactions do."""

import json

import pytest

from annotations.curation.models import PublishedAbstract
from annotations.curation.publishing import publish_curation
from annotations.curation.session import finish_curation
from annotations.curation.states import ItemKind
from annotations.digital_abstract import SourcedAnnotation
from annotations.digital_abstract_json import build_annotation_json
from annotations.results.models import Producer
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, Span, make_mention, make_relation
from bcms.digital_abstracts.serializers import RecordedAnnotation
from tests.integration.article_cast import create_known_genes, make_read_article, read_page_words
from tests.integration.curation_cast import NOON, begin, decide, propose, propose_gene

pytestmark = pytest.mark.django_db
ONE = "/api/v1/articles/20000001/digital-abstract/"
SYSTEM, AUTHOR = {"name": "Alpha", "origin": "system"}, {"name": "Author of the article", "origin": "author"}


@pytest.fixture
def published(alice):
    """An organism and a mention from a server and an author, a gene from the server, and one that alice added."""
    create_known_genes()
    article = make_read_article()
    server = Producer.objects.create(sort=Producer.Type.SERVER, name="Alpha").pk
    author = Producer.objects.create(sort=Producer.Type.AUTHOR, name="Author of the article").pk
    curation = begin(alice, article)
    start = article.text.index("CTNNB1")
    mention = make_mention([Span(start, start + 6)], "CTNNB1", "gene", [])
    organism = AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="9606")
    decide(
        curation,
        "accept",
        propose(ItemKind.ORGANISM, "ncbitaxon:9606", organism, (server, author)),
        propose(ItemKind.MENTION, f"{start}-{start + 6}:gene", mention, (server, author)),
        propose_gene("P12830", (server,)),
    )
    decide(curation, "add", propose_gene("P35222"))
    finish_curation(curation.pk, 2, NOON)
    return publish_curation(curation.pk, None, NOON)


def test_rest_and_ndjson_name_them(client, published):
    record = client.get(ONE).json()
    assert record["organisms"] == [9606]
    assert record["organism_sources"] == [{"organism": 9606, "sources": [SYSTEM, AUTHOR]}]
    sources = {each.get("identifier") or each["text"]: each["sources"] for each in record["annotations"]}
    assert sources == {"CTNNB1": [SYSTEM, AUTHOR], "P12830": [SYSTEM], "P35222": []}
    line = json.loads(b"".join(client.get(f"{ONE}ndjson/").streaming_content))
    assert (line["annotations"], line["organism_sources"]) == (record["annotations"], record["organism_sources"])


def test_the_document_of_rest_has_every_member_of_an_annotation():
    gene = EntityId("uniprot", "P12830")
    mention = make_mention([Span(0, 2), Span(5, 7)], "ab cd", "gene", [gene], confidence=0.5, rank=1)
    arguments = [RelationArgument("cause", (gene,)), RelationArgument("", (), (Span(0, 2),), "ab", "gene")]
    relation = make_relation("binds", arguments, directed=True, qualifiers={"a": "b"}, evidence=[Span(0, 7)])
    documented = set(RecordedAnnotation().fields)
    for each in (
        mention,
        relation,
        AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier="P1", taxon=9606),
    ):
        assert set(build_annotation_json(SourcedAnnotation(each))) <= documented


def test_the_pages_name_them(client, published):
    words = read_page_words(client.get("/articles/20000001/"))
    assert "Organisms: Homo sapiens Taken over from Alpha, Author of the article " in words
    assert "Genes and proteins: CDH1 (UniProt:P12830); CTNNB1 (UniProt:P35222)" in words
    assert "Taken over from Alpha: CDH1 (UniProt:P12830) " in words
    page = b"".join(client.get(f"{ONE}html/").streaming_content).decode()
    assert "[proposed by Alpha (system), Author of the article (author)]" in page


def test_records_that_were_published_without_them_are_shown(client, published):
    record = dict(published.record)
    del record["organism_sources"]
    record["annotations"] = [
        {name: value for name, value in each.items() if name != "sources"} for each in record["annotations"]
    ]
    PublishedAbstract.objects.filter(pk=published.pk).update(record=record)
    shown = client.get(ONE).json()
    assert shown["organism_sources"] == []
    assert [each["sources"] for each in shown["annotations"]] == [[], [], []]
    assert "Organisms: Homo sapiens" in read_page_words(client.get("/articles/20000001/"))

"""Published digital abstracts by REST and XML-RPC, and as files: of an article, of a search, and as a data set."""

import io
import json
import re
import xmlrpc.client
import zipfile

import pytest
from lxml import etree

from annotations.articles.models import Article, ArticleTakedown
from annotations.curation.publishing import withdraw_published_abstract
from annotations.curation.session import finish_curation
from annotations.formats.exports import EXPORTS
from bcms.lib.sealing import generate_public_and_private_key, parse_optional_private_key
from tests.integration.article_cast import create_known_genes, make_read_article, read_page_words
from tests.integration.curation_cast import NOON
from tests.integration.published_cast import PASSAGE, SENTENCE, publish_interaction, record_interaction
from tests.unit.export_readers import READERS

pytestmark = pytest.mark.django_db
ONE = "/api/v1/articles/20000001/digital-abstract/"
ALL = "/api/v1/digital-abstracts/"
DATA_SET = "/api/v1/data/curations/"
# Formats whose relations the readers of the tests do not know.
WITH_RELATIONS = ("bioc-xml", "bioc-json", "pubannotation")
FORMATS = ("sentences", "ndjson", "mitab", "psi-mi-xml-2.5.4", "psi-mi-xml-3.0.0", "html")


@pytest.fixture
def article(db):
    create_known_genes()
    return make_read_article()


@pytest.fixture
def published(alice, article):
    return publish_interaction(alice, article)


@pytest.fixture
def key(settings):
    _, private = generate_public_and_private_key(2048)
    settings.NANOPUB_KEY = parse_optional_private_key(private, "KEY", "make")


def read(reply):
    assert reply.status_code == 200, reply.content
    return b"".join(reply.streaming_content)


def call(client, pmid):
    body = xmlrpc.client.dumps((pmid,), "Annotations.getDigitalAbstract")
    return xmlrpc.client.loads(client.post("/xmlrpc/", body, content_type="text/xml").content)[0][0]


def test_it_gives_the_record_of_an_article(client, published):
    record = client.get(ONE).json()
    assert record["sentences"] == [SENTENCE]
    assert (record["article"], record["state"], record["text_version"]) == ("20000001", "published", 1)
    assert record["contributors"] == [{"name": "alice", "origin": "curator", "orcid": ""}]
    assert record["licence"] == "https://creativecommons.org/licenses/by/4.0/"
    (interaction,) = record["interactions"]
    assert [each["identifier"] for each in interaction["participants"]] == ["P12830", "P35222"]
    assert interaction["detections"][0]["evidence"][0]["text"] == PASSAGE


def test_it_says_that_there_is_none(client, alice, article):
    finish_curation(record_interaction(alice, article).pk, 2, NOON)
    for address in (ONE, f"{ONE}mitab/"):
        reply = client.get(address)
        assert reply.status_code == 404
        assert reply.json()["detail"] == "This article has no published digital abstract."
    with pytest.raises(xmlrpc.client.Fault, match="PMID 20000001 has no published digital abstract") as fault:
        call(client, 20000001)
    assert fault.value.faultCode == 5


def test_it_answers_by_xmlrpc(client, published):
    record = call(client, "20000001")
    assert record["sentences"] == [SENTENCE]
    assert "confidence" not in record["interactions"][0]
    assert record["interactions"][0]["participants"][0]["taxon"] == 9606


@pytest.mark.parametrize("slug", FORMATS)
def test_it_writes_a_file_in_each_format(client, published, slug):
    reply = client.get(f"{ONE}{slug}/")
    body = read(reply).decode()
    assert "P12830" in body
    assert 'attachment; filename="20000001-digital-abstract.' in reply.headers["Content-Disposition"]


def test_its_files_have_sentences_rows_and_xml(client, published):
    assert read(client.get(f"{ONE}sentences/")).decode() == f"PMID 20000001\n{SENTENCE}\n"
    assert [len(line.split("\t")) for line in read(client.get(f"{ONE}mitab/")).decode().splitlines()] == [42, 42]
    for version in ("2.5.4", "3.0.0"):
        assert etree.fromstring(read(client.get(f"{ONE}psi-mi-xml-{version}/"))).tag.endswith("entrySet")
    assert "application/ld+json" in read(client.get(f"{ONE}html/")).decode()


def test_it_makes_nanopublications_only_with_a_key(client, published):
    assert "NANOPUB_KEY_FILE" in client.get(f"{ONE}nanopublications/").json()["detail"]
    assert client.get(f"{ONE}prose/").json()["detail"].startswith("There is no format prose. The formats are sentences")
    assert [each["slug"] for each in client.get(ALL).json()] == [*FORMATS]


def test_it_signs_nanopublications(client, key, published):
    body = read(client.get(f"{ONE}nanopublications/")).decode()
    assert "sub:assertion" in body or "assertion" in body
    assert "hasSignature" in body
    assert "alice" in body


def test_it_exports_the_digital_abstracts_of_a_search(client, published, article):
    Article.objects.create(pmid=5, passages=[{"type": "title", "text": "Other"}], text="Other", content_hash="5" * 64)
    (line,) = read(client.get(f"{ALL}ndjson/")).decode().splitlines()
    assert json.loads(line)["article"] == "20000001"
    assert read(client.get(f"{ALL}ndjson/?q=nothing")).decode() == ""
    with zipfile.ZipFile(io.BytesIO(read(client.get(f"{ALL}html/?q=cadherin")))) as archive:
        assert archive.namelist() == ["20000001.html"]
    assert client.get(f"{ALL}ndjson/?what=ever").status_code == 400
    assert client.get(f"{ALL}ndjson/?year_from=x").status_code == 400


def test_it_takes_the_same_queries_however_many_there_are(
    client, published, article, alice, django_assert_max_num_queries
):
    with django_assert_max_num_queries(4):
        read(client.get(f"{ALL}ndjson/"))
    for pmid in (20000002, 20000003):
        other = make_copy(article, pmid)
        publish_interaction(alice, other)
    with django_assert_max_num_queries(4):
        assert read(client.get(f"{ALL}ndjson/")).count(b"\n") == 3


def make_copy(article, pmid):
    fields = {"passages": article.passages, "text": article.text, "content_hash": f"{pmid:064}"}
    return Article.objects.create(pmid=pmid, **fields)


def test_the_search_finds_curated_articles(client, published, article):
    make_copy(article, 20000002)
    assert client.get("/api/v1/articles/?curated=1").json()["count"] == 1
    assert client.get("/api/v1/articles/?curated=false").json()["count"] == 2
    words = read_page_words(client.get("/articles/?curated=1"))
    assert "One article" in words or "1 article" in words
    assert "with a published digital abstract" in words
    page = client.get("/articles/?curated=1").content.decode()
    assert "/api/v1/digital-abstracts/mitab/?curated=1" in page
    exported = read(client.get("/api/v1/export/ndjson/?curated=1")).decode()
    assert exported.count("\n") == 1
    withdraw_published_abstract(article.pk, NOON)
    assert client.get("/api/v1/articles/?curated=1").json()["count"] == 0


def test_downloads_of_a_sorted_search_work(client, published):
    page = client.get("/articles/?curated=1&sort=newest").content.decode()
    links = re.findall(r'href="(/api/v1/(?:export|digital-abstracts)/[^"]+)"', page)
    assert len(links) > len(EXPORTS)
    assert client.get("/api/v1/export/ndjson/?curated=1&sort=newest").status_code == 400
    for address in ("/api/v1/export/ndjson/?curated=1", "/api/v1/digital-abstracts/ndjson/?curated=1"):
        assert address in links
        assert read(client.get(address)).count(b"\n") == 1


def test_it_shows_nothing_of_an_article_that_was_taken_down(client, published, article, alice):
    ArticleTakedown.objects.create(article=article)
    assert client.get(ONE).status_code == client.get(f"{ONE}mitab/").status_code == 404
    assert read(client.get(f"{ALL}ndjson/")) == b""
    assert client.get(DATA_SET).json()["articles"] == 0


def test_published_curations_are_a_data_set(client, published):
    facts = client.get(DATA_SET).json()
    assert (facts["articles"], facts["interactions"], facts["licence"]) == (1, 1, "CC-BY-4.0")
    words = read_page_words(client.get("/data/curations/"))
    assert "1 article, 1 interaction" in words
    assert "Interaction pairs 1" in words
    assert "Published curations" in read_page_words(client.get("/data/"))


@pytest.mark.parametrize("slug", sorted({*READERS} - {*WITH_RELATIONS}))
def test_it_has_the_annotations_in_every_export_format(client, published, slug):
    (found,) = READERS[slug](read(client.get(f"{DATA_SET}files/{slug}/"))).values()
    assert {producer.name for producer, _ in found.said} == {"Published curations"}
    assert {annotation.identifier for _, annotation in found.said} > {"P12830", "P35222", "9606"}


@pytest.mark.parametrize("slug", WITH_RELATIONS)
def test_it_names_the_producer_in_formats_of_relations(client, published, slug):
    body = read(client.get(f"{DATA_SET}files/{slug}/")).decode()
    assert "Published curations" in body
    assert "P12830" in body


@pytest.mark.parametrize("slug", sorted({*EXPORTS} - {*READERS}))
def test_it_has_the_articles_in_formats_without_producers(client, published, slug):
    assert read(client.get(f"{DATA_SET}files/{slug}/"))


def test_it_has_a_croissant_description(client, published):
    described = client.get(f"{DATA_SET}files/croissant/").json()
    assert described["license"] == "https://creativecommons.org/licenses/by/4.0/"
    assert described["url"].endswith("/data/curations/")


def test_the_data_set_may_be_empty(client, db):
    assert "0 articles, 0 interactions" in read_page_words(client.get("/data/curations/"))
    assert client.get(DATA_SET).json()["last"] is None
    assert read(client.get(f"{DATA_SET}files/ndjson/")) == b""
    assert read(client.get(f"{ALL}sentences/")) == b""


def test_its_page_takes_a_fixed_number_of_queries(client, published, alice, article, django_assert_num_queries):
    with django_assert_num_queries(3):
        client.get("/data/curations/")
    publish_interaction(alice, make_copy(article, 20000002))
    with django_assert_num_queries(3):
        client.get("/data/curations/")

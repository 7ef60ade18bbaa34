"""Exports of an article and of a search: what is in them for whom, at what cost, and how they are sent."""

import gzip
import json
import re

import pytest

from annotations.articles.models import Article, Corpus
from annotations.formats.exports import DOWNLOADS, EXPORTS
from annotations.identifiers.models import Entry
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, Span, make_mention, make_relation
from bcms.search.exports import exported_articles
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from tests.integration.evaluation_cast import hide_article
from tests.unit.export_readers import READERS, ReadExport

CDH1 = AnnotationData(Kind.MENTION, confidence=0.9, start=8, end=12, text="CDH1", type="gene")
GENE = AnnotationData(Kind.NORMALIZATION, confidence=0.8, rank=1, database="uniprot", identifier="P12830")
PAIR = AnnotationData(Kind.PAIR, confidence=0.6, database="uniprot", identifier="P12830", partner="P35222")


@pytest.fixture
def live(server, article):
    """GeneDict answered the article in its LIVE queue."""
    producer = get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    findings = {Kind.MENTION: [CDH1], Kind.NORMALIZATION: [GENE], Kind.PAIR: []}
    store_results_superseding_earlier(article, producer, findings, stated_version="2.5")
    return producer


@pytest.fixture
def author(article):
    producer = Producer.objects.create(sort="author", name="An author", public=True)
    store_results_superseding_earlier(article, producer, {Kind.PAIR: [PAIR]})
    return producer


@pytest.fixture
def training(server, article):
    """GeneDict answered the same article in its TRAINING queue, which only its team may see."""
    producer = get_or_create_queue_and_producer(server, QueueMode.TRAINING, "demo").producer
    store_results_superseding_earlier(
        article, producer, {Kind.TAXON: [AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="10090")]}
    )
    return producer


@pytest.fixture
def blind(article):
    """The article is one of a blind test set."""
    hide_article(article, Corpus.objects.create(slug="blind", name="Blind test", blind=True))


def make_articles(count):
    made = Article.objects.bulk_create(
        Article(
            pmid=20000000 + number,
            passages=[{"type": "title", "text": f"Kinase {number}"}],
            text=f"Kinase {number}",
            content_hash=str(number),
        )
        for number in range(count)
    )
    producer = Producer.objects.create(sort="author", name="Reader", public=True)
    for one in made:
        kinase = AnnotationData(Kind.MENTION, start=0, end=6, text="Kinase")
        store_results_superseding_earlier(one, producer, {Kind.MENTION: [kinase], Kind.NORMALIZATION: [GENE]})
    return made


def body(response):
    assert response.status_code == 200, response.content
    return b"".join(response.streaming_content)


def fetch_article_export(client, slug="ndjson", **query) -> ReadExport:
    return READERS[slug](body(client.get(f"/api/v1/articles/10000001/export/{slug}/", query)))["10000001"]


def ids_of_search(client, **query):
    return [json.loads(line)["id"] for line in body(client.get("/api/v1/export/ndjson/", query)).splitlines()]


def list_exported_kinds(back):
    return {(producer.name, finding.kind.value) for producer, finding in back.said}


@pytest.mark.parametrize("slug", READERS)
def test_it_exports_an_article_in_every_format(client, article, live, author, slug):
    back = fetch_article_export(client, slug)
    assert list_exported_kinds(back) == {("GeneDict", "mention"), ("GeneDict", "normalization"), ("An author", "pair")}
    who = {(producer.server, producer.producer_kind, producer.stated_version) for producer, _ in back.said}
    assert who == {("genedict", "server", "2.5"), ("", "author", "")}
    assert back.text in (None, article.text)


@pytest.mark.parametrize("slug", EXPORTS)
def test_it_names_files_and_formats(client, article, live, slug):
    for address in (f"/articles/10000001/export/{slug}/", f"/api/v1/articles/10000001/export/{slug}/"):
        response = client.get(address)
        assert body(response)
        assert response["Content-Type"].split(";")[0] == EXPORTS[slug].media_type
        assert response["Content-Disposition"] == f'attachment; filename="10000001.{EXPORTS[slug].suffix}"'
        assert response["Link"].startswith('<http://testserver/manual/api/#exports>; rel="describedby"')


@pytest.mark.parametrize(
    "address", ["/articles/10000001/export/pubtator/", "/api/v1/articles/10000001/export/pubtator/?kind=normalization"]
)
def test_it_links_to_what_a_format_leaves_out(client, article, live, address):
    related = client.get(address)["Link"].partition(", ")[2]
    left_out = address.replace("pubtator", "pubtator-left-out")
    assert related == f'<http://testserver{left_out}>; rel="related"; title="Annotations that are left out"'
    response = client.get(left_out)
    assert response["Content-Disposition"] == 'attachment; filename="10000001.pubtator-left-out.tsv"'
    header, line = body(response).decode().splitlines()
    fields = dict(zip(header.split("\t"), line.split("\t"), strict=True))
    assert (fields["producer"], fields["kind"], fields["identifier"]) == ("GeneDict", "normalization", "P12830")


def test_it_exports_what_a_search_in_mitab_leaves_out(client, article, live, author):
    response = client.get("/api/v1/export/mitab-left-out/", {"q": "cadherin"})
    lines = body(response).decode().splitlines()
    assert [line.split("\t")[lines[0].split("\t").index("kind")] for line in lines[1:]] == ["mention", "normalization"]


def test_web_annotations_have_the_address_of_the_file(client, article, live, settings):
    settings.SITE_URL = "https://example.org"
    page = json.loads(body(client.get("/api/v1/articles/10000001/export/web-annotation/", {"kind": "mention"})))
    assert page["id"] == "https://example.org/api/v1/articles/10000001/export/web-annotation/?kind=mention"
    assert [each["id"] for each in page["items"]] == [f"{page['id']}#10000001", f"{page['id']}#10000001-1"]


def test_it_is_offered_on_the_page(client, article):
    page = client.get("/articles/10000001/").content.decode()
    assert [slug for slug in DOWNLOADS if f'href="/articles/10000001/export/{slug}/"' not in page] == []


def test_it_is_not_offered_for_a_blind_article(client, article, blind, admin_user):
    client.force_login(admin_user)
    assert "/export/" not in client.get("/articles/10000001/").content.decode()


@pytest.mark.parametrize("slug", EXPORTS)
def test_it_exports_a_search_in_every_format(client, article, live, slug):
    response = client.get(f"/api/v1/export/{slug}/", {"q": "cadherin"})
    assert response["Content-Disposition"] == f'attachment; filename="bcms.{EXPORTS[slug].suffix}"'
    content = body(response)
    assert slug not in READERS or list(READERS[slug](content)) == ["10000001"]
    assert slug != "pubtator" or content.startswith(b"10000001|t|Loss of CDH1")


def test_it_finds_what_is_searched_for(client, article):
    make_articles(3)
    assert sorted(ids_of_search(client)) == ["10000001", "20000000", "20000001", "20000002"]
    assert ids_of_search(client, q="kinase") == ["20000000", "20000001", "20000002"]
    assert ids_of_search(client, q="nothing") == []


def test_it_narrows_by_server_and_kind(client, article, live, author):
    assert list_exported_kinds(fetch_article_export(client, server="genedict")) == {
        ("GeneDict", "mention"),
        ("GeneDict", "normalization"),
    }
    assert list_exported_kinds(fetch_article_export(client, kind="pair")) == {("An author", "pair")}
    assert fetch_article_export(client, server="genedict", kind="pair").silent != set()
    assert list_exported_kinds(fetch_article_export(client, server="nobody")) == set()


def test_it_gives_current_results_of_the_present_text_only(client, article, live):
    store_results_superseding_earlier(article, live, {Kind.MENTION: []})
    assert list_exported_kinds(fetch_article_export(client)) == {("GeneDict", "normalization")}
    Article.objects.update(text_version=2)
    assert list_exported_kinds(fetch_article_export(client)) == set()


def test_it_gives_todays_identifiers_with_those_reported(client, article, author):
    Entry.objects.create(database="uniprot", identifier="P35222", successors=["Q00001"], withdrawn=True)
    [(_, pair)] = fetch_article_export(client).said
    assert (pair.identifier, pair.partner, pair.reported) == ("P12830", "Q00001", "P12830 P35222")


def test_it_has_current_links_and_arguments(article):
    for old, new in (("999", "1000"), ("7", "8")):
        Entry.objects.create(database="ncbigene", identifier=old, successors=[new], withdrawn=True)
    old, other, argument = (EntityId("ncbigene", name) for name in ("999", "1", "7"))
    mentions = [make_mention([Span(8, 12)], "CDH1", "Gene", links) for links in ([old], [other, old], [other])]
    relation = make_relation("Bind", [RelationArgument(identifiers=(each,)) for each in (argument, other)])
    producer = Producer.objects.create(sort="author", name="An author", public=True)
    store_results_superseding_earlier(article, producer, {Kind.MENTION: mentions, Kind.RELATION: [relation]})
    [exported] = exported_articles.iter_public_articles_for_export([article.pk], exported_articles.ExportFilter())
    current = [each for _, each in exported.iter_annotations(Kind.MENTION, Kind.RELATION)]
    assert [[name.curie for name in each.iter_entity_ids()] for each in current] == [
        ["ncbigene:1000"],
        ["ncbigene:1", "ncbigene:1000"],
        ["ncbigene:1"],
        ["ncbigene:8", "ncbigene:1"],
    ]
    assert [getattr(each, "reported", "") for each in current] == [
        "ncbigene:999",
        "ncbigene:1 ncbigene:999",
        "",
        "ncbigene:7 ncbigene:1",
    ]


@pytest.mark.parametrize("who", [None, "alice"])
def test_it_gives_everybody_the_same(client, article, live, training, request, who):
    """What only a team may see is in no export, so that an answer may be kept by any cache."""
    if who:
        client.force_login(request.getfixturevalue(who))
    assert list_exported_kinds(fetch_article_export(client)) == {("GeneDict", "mention"), ("GeneDict", "normalization")}


@pytest.mark.parametrize("who", [None, "alice", "olga"])
def test_it_never_exports_a_blind_article(client, article, live, blind, request, who):
    if who:
        client.force_login(request.getfixturevalue(who))
    for name in ("10000001", article.opaque):
        assert client.get(f"/api/v1/articles/{name}/export/tsv/").status_code == 404
        assert client.get(f"/articles/{name}/export/tsv/").status_code == 404
    assert ids_of_search(client) == []


def test_it_leaves_out_what_became_blind_meanwhile(client, article, live):
    pieces = client.get("/api/v1/export/ndjson/").streaming_content
    hide_article(article, Corpus.objects.create(slug="blind", name="Blind test", blind=True))
    assert b"".join(pieces) == b""


def test_it_tells_which_formats_there_are(client, db):
    refused = client.get("/api/v1/export/latin/")
    assert (refused.status_code, refused["Content-Type"]) == (404, "application/problem+json")
    assert "The formats are bioc-xml, bioc-json," in refused.json()["detail"]
    assert client.get("/articles/10000001/export/latin/").status_code == 404
    told = {each["slug"]: each for each in client.get("/api/v1/export/").json()}
    assert list(told) == list(EXPORTS)
    assert "who says it" in told["pubtator"]["lost"]
    assert "who says it" in told["brat"]["carries"]


@pytest.mark.parametrize("query", [{"q": "\0"}, {"q": "x" * 501}, {"kind": "colour"}, {"server": "nobody"}])
def test_it_refuses_what_it_does_not_understand(client, db, query):
    assert client.get("/api/v1/export/tsv/", query).status_code == 400


def test_it_sends_gzip_to_who_accepts_it(client, article, live):
    plain = client.get("/api/v1/export/tsv/")
    packed = client.get("/api/v1/export/tsv/", headers={"Accept-Encoding": "br, gzip;q=0.5"})
    assert (packed["Content-Encoding"], plain.has_header("Content-Encoding")) == ("gzip", False)
    assert gzip.decompress(body(packed)) == body(plain)
    assert "Accept-Encoding" in plain["Vary"]


@pytest.mark.parametrize(("slug", "accepted"), [("tsv", "gzip;q=0"), ("tsv", "br"), ("brat", "gzip")])
def test_it_packs_nothing_else(client, article, slug, accepted):
    response = client.get(f"/api/v1/export/{slug}/", headers={"Accept-Encoding": accepted})
    assert not response.has_header("Content-Encoding")


def test_it_answers_whatever_is_accepted(client, article):
    assert client.get("/api/v1/export/bioc-xml/", headers={"Accept": "application/xml"}).status_code == 200


def test_it_reads_nothing_to_tell_what_it_would_send(client, article, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = client.head("/api/v1/export/bioc-xml/")
    assert response.status_code == 200


def test_it_is_not_sent_again_to_who_has_it(client, article, live):
    address = "/api/v1/articles/10000001/export/tsv/"
    first = client.get(address)
    again = {"If-None-Match": first["ETag"]}
    assert first["Cache-Control"] == "public, no-cache"
    assert client.get(address, headers=again).status_code == 304
    assert client.get(address, {"kind": "pair"}, headers=again).status_code == 200
    assert client.get("/api/v1/articles/10000001/export/ndjson/", headers=again).status_code == 200
    store_results_superseding_earlier(article, live, {Kind.MENTION: []})
    assert client.get(address, headers=again).status_code == 200


def test_it_is_sent_again_when_a_producer_is_heard_no_more(client, article, live):
    first = client.get("/api/v1/articles/10000001/export/tsv/")
    Producer.objects.update(public=False)
    again = client.get("/api/v1/articles/10000001/export/tsv/", headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 200


def test_it_writes_what_the_entries_of_pairs_say(client, article, live):
    store_results_superseding_earlier(article, live, {Kind.PAIR: [PAIR]})
    Entry.objects.update_or_create(
        database="uniprot", identifier="P12830", defaults={"symbol": "CDH1", "taxon": 9606, "exists": True}
    )
    header, row = body(client.get("/api/v1/articles/10000001/export/mitab/")).decode().splitlines()
    fields = dict(zip(header.split("\t"), row.split("\t"), strict=True))
    assert fields["Alias(es) interactor A"].startswith("psi-mi:CDH1(display_short)|uniprotkb:CDH1(gene name)")
    assert fields["Taxid interactor A"] == "taxid:9606"


@pytest.mark.parametrize("count", [1, 10])
def test_it_takes_the_same_number_of_queries_however_many_there_are(client, db, django_assert_num_queries, count):
    """Articles, producers; then articles, Results, identifiers, partners, entries, pairs and annotations."""
    make_articles(count)
    with django_assert_num_queries(9):
        body(client.get("/api/v1/export/bioc-json/"))


def test_it_goes_on_batch_by_batch(client, db, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(exported_articles, "ARTICLES_PER_BATCH", 3)
    make_articles(7)
    with django_assert_num_queries(2 + 3 * 7):
        content = body(client.get("/api/v1/export/ndjson/")).decode()
    assert re.findall(r'"id": "(\d+)"', content) == [str(20000000 + number) for number in range(7)]
    assert content.count('"Kinase"') == 7

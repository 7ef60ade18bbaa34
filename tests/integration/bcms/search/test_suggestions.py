"""Entries that are suggested while somebody types a name: which, in what order, and that none of them is hidden."""

import pytest
from django.utils import timezone

from annotations.articles.models import Article
from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_storage import upsert_entries_unless_second_hand_replaces_first
from annotations.identifiers.reported_identifiers import mark_result_batch_noted_queueing_identifiers
from annotations.results.annotated_terms import count_articles_of_annotated_terms
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.models import AnnotatedTerm, Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import EntityId, Kind, make_entity
from annotations.tasks import count_articles_of_annotated_terms_unless_busy
from tests.integration.evaluation_cast import hide_article

BREAST = EntryRecord("mesh", "D001943", "MeSH", name="Breast Neoplasms", synonyms=("Breast Cancer", "Cancer of Breast"))
BREATH = EntryRecord("mesh", "D001944", "MeSH", name="Breath Holding")
TNF = EntryRecord(
    "ncbigene", "7124", "NCBI", symbol="TNF", name="tumor necrosis factor", synonyms=("TNF-α",), taxon=9606
)
ALIAS = EntryRecord("ncbigene", "99999", "NCBI", symbol="TNF", withdrawn=True, successors=("7124",))
HUMAN = EntryRecord("ncbitaxon", "9606", "NCBI", name="Homo sapiens")


@pytest.fixture
def tables(db):
    records = [BREAST, BREATH, TNF, ALIAS, HUMAN]
    upsert_entries_unless_second_hand_replaces_first(records, timezone.now(), from_table=True)


def annotate(number, *entities, public=True):
    article, _ = Article.objects.get_or_create(pmid=number, passages=[], text="", content_hash=str(number))
    producer, _ = Producer.objects.get_or_create(sort="server", name=f"Server {public}", public=public)
    found = [make_entity(EntityId(database, identifier), "Disease") for database, identifier in entities]
    store_results_superseding_earlier(article, producer, {Kind.ENTITY: found})
    mark_result_batch_noted_queueing_identifiers()
    update_summaries_returning_whether_more_remain()
    return article


def suggest(client, q, **parameters):
    response = client.get("/api/v1/entries/", {"q": q, **parameters})
    assert response.status_code == 200, response.json()
    return response.json()["results"]


def curies(client, q, **parameters):
    return [entry["curie"] for entry in suggest(client, q, **parameters)]


def test_it_describes_an_entry(client, tables):
    annotate(1, ("ncbigene", "7124"))
    [entry] = suggest(client, "tnf alpha")
    assert entry == {
        "curie": "NCBIGene:7124",
        "database": "ncbigene",
        "identifier": "7124",
        "namespace": "NCBI Gene",
        "symbol": "TNF",
        "name": "tumor necrosis factor",
        "matched": "TNF-α",
        "taxon": 9606,
        "organism": "Homo sapiens",
        "articles": 1,
        "page": "https://www.ncbi.nlm.nih.gov/gene/7124",
    }


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("brea", ["MESH:D001944", "MESH:D001943"]),
        ("BREAST c", ["MESH:D001943"]),
        ("breast-neo", ["MESH:D001943"]),
        ("d001943", ["MESH:D001943"]),
        ("MESH:D00194", ["MESH:D001944", "MESH:D001943"]),
        ("mesh: breath", ["MESH:D001944"]),
        ("TNF", ["NCBIGene:7124"]),
        ("neoplasms", []),
        ("b", []),
        ("", []),
        ("'", []),
        ("\\':* | '", []),
    ],
)
def test_it_suggests_what_begins_so(client, tables, q, found):
    assert curies(client, q) == found


def test_it_puts_the_most_frequent_first_and_an_exact_name_before_it(client, tables):
    for number in (1, 2):
        annotate(number, ("mesh", "D001943"))
    assert count_articles_of_annotated_terms() == 2
    assert curies(client, "brea") == ["MESH:D001943", "MESH:D001944"]
    assert curies(client, "breath holding") == ["MESH:D001944"]
    assert curies(client, "brea", limit="1") == ["MESH:D001943"]
    assert curies(client, "brea", namespace=["MeSH", "descriptors"][0]) == ["MESH:D001943", "MESH:D001944"]
    assert curies(client, "brea", namespace="NCBI Gene") == curies(client, "mesh:brea", namespace="ncbigene") == []


def test_it_does_not_tell_of_what_is_not_public(client, tables):
    """Of an entry that is here because of a hidden annotation, and of its number of articles."""
    annotate(1, ("mesh", "D001943"), ("mesh", "D000001"), public=False)
    looked_up = EntryRecord("mesh", "D000001", "MeSH", name="Breaking News")
    upsert_entries_unless_second_hand_replaces_first([looked_up], timezone.now())
    count_articles_of_annotated_terms()
    assert [(each["curie"], each["articles"]) for each in suggest(client, "brea")] == [
        ("MESH:D001944", 0),
        ("MESH:D001943", 0),
    ]
    annotate(2, ("mesh", "D000001"))
    assert curies(client, "break") == ["MESH:D000001"]
    hide_article(Article.objects.get(pmid=2))
    count_articles_of_annotated_terms()
    assert curies(client, "break") == []


def test_it_forgets_what_no_article_has(tables):
    annotate(1, ("mesh", "D001943"))
    annotate(1)
    assert AnnotatedTerm.objects.count() == 2
    assert count_articles_of_annotated_terms_unless_busy() == "done"
    assert not AnnotatedTerm.objects.exists()


@pytest.mark.parametrize(
    ("parameters", "field"),
    [({"namespace": "unicorn"}, "namespace"), ({"limit": "51"}, "limit"), ({"q": "x" * 501}, "q"), ({"n": "1"}, "n")],
)
def test_it_says_what_is_wrong_with_a_request(client, db, parameters, field):
    response = client.get("/api/v1/entries/", {"q": "tnf", **parameters})
    assert response.status_code == 400
    assert [fault["loc"] for fault in response.json()["errors"]] == [field]


def test_it_takes_two_queries_however_many_there_are(client, tables, django_assert_num_queries):
    annotate(1, ("mesh", "D001943"))
    for q in ("brea", "tnf"):
        with django_assert_num_queries(2 if q == "tnf" else 1):
            suggest(client, q)

"""Entries that are suggested while somebody types a name: which, in what order, and that none of them is hidden."""

import pytest
from django.utils import timezone

from annotations.articles.models import Article
from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_storage import upsert_entries_unless_second_hand_replaces_first
from annotations.identifiers.models import Entry
from annotations.identifiers.reported_identifiers import mark_result_batch_noted_queueing_identifiers
from annotations.results.annotated_terms import count_articles_of_annotated_terms
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.models import AnnotatedTerm, Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import EntityId, Kind, make_entity
from annotations.search.entry_matches import MOST_MATCHES
from annotations.search.entry_suggestions import suggest_entries
from annotations.tasks import count_articles_of_annotated_terms_unless_busy
from tests.integration.evaluation_cast import hide_article

BREAST = EntryRecord("mesh", "D001943", "MeSH", name="Breast Neoplasms", synonyms=("Breast Cancer", "Cancer of Breast"))
BREATH = EntryRecord("mesh", "D001944", "MeSH", name="Breath Holding")
TNF = EntryRecord(
    *("ncbigene", "7124", "NCBI"),
    symbol="TNF",
    name="tumor necrosis factor",
    synonyms=("TNF-α", "5'-tumor \\ factor"),
    taxon=9606,
    location="6p21.33",
    function="A cytokine.",
)
MOUSE_TNF = EntryRecord("ncbigene", "21926", "NCBI", symbol="Tnf", name="tumor necrosis factor", taxon=10090)
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
        "match": "exact",
        "matched": "TNF-α",
        "taxon": 9606,
        "organism": "Homo sapiens",
        "chosen_organism": False,
        "location": "6p21.33",
        "function": "A cytokine.",
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
        ("MESH:D001943", ["MESH:D001943"]),
        ("https://meshb.nlm.nih.gov/record/ui?ui=D001943", ["MESH:D001943"]),
        ("https://www.ncbi.nlm.nih.gov/gene/7124", ["NCBIGene:7124"]),
        ("99999", ["NCBIGene:7124"]),
        ("NCBI Gene:99999", ["NCBIGene:7124"]),
        ("5'-tumor \\ f", ["NCBIGene:7124"]),
        ("neoplasms", ["MESH:D001943"]),
        ("neopl breast", ["MESH:D001943"]),
        ("cancer of", ["MESH:D001943"]),
        ("neoplasms unicorn", []),
        ("b", []),
        ("", []),
        ("'", []),
        ("\\':* | '", []),
    ],
)
def test_it_suggests_what_begins_so(client, tables, q, found):
    assert curies(client, q) == found


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("brast neop", ["MESH:D001943"]),
        ("breasst neop", ["MESH:D001943"]),
        ("breazt neop", ["MESH:D001943"]),
        ("braest neop", ["MESH:D001943"]),
        ("breats cancer", ["MESH:D001943"]),
        ("reath hold", ["MESH:D001944"]),
        ("breath holdx", ["MESH:D001944"]),
        ("neoplsams", ["MESH:D001943"]),
        ("neoplsams breast", ["MESH:D001943"]),
        ("necorsis tumor", ["NCBIGene:7124"]),
        ("5'-tunor \\ f", ["NCBIGene:7124"]),
        ("MESH:breats", ["MESH:D001944", "MESH:D001943"]),
        ("brxxst neop", []),
        ("tmf", []),
        ("D001942", []),
        ("7125", []),
        ("P04638", []),
        ("MESH:D001945", []),
        ("x" * 100, []),
        ("breats " * 12, []),
    ],
)
def test_it_tolerates_one_typing_error(client, tables, q, found):
    protein = EntryRecord("uniprot", "P04637", "UniProt", name="Cellular tumor antigen")
    upsert_entries_unless_second_hand_replaces_first([protein], timezone.now(), from_table=True)
    entries = suggest(client, q)
    assert [entry["curie"] for entry in entries] == found
    assert {entry["match"] for entry in entries} <= {"typing error"}


def test_it_says_which_name_matches(client, tables):
    matches = {q: [(each["match"], each["matched"]) for each in suggest(client, q)] for q in ("canser of", "of breast")}
    assert matches == {
        "canser of": [("typing error", "Cancer of Breast")],
        "of breast": [("words", "Cancer of Breast")],
    }


def test_it_puts_better_matches_first(client, tables):
    names = {"1": "Beating", "2": "breathless", "3": "Loss of Breath", "4": "Breath"}
    records = [EntryRecord("mesh", f"D00000{key}", "MeSH", name=name) for key, name in names.items()]
    upsert_entries_unless_second_hand_replaces_first(records, timezone.now(), from_table=True)
    for number in (1, 2):
        annotate(number, ("mesh", "D000001"), ("mesh", "D000003"))
    annotate(3, ("mesh", "D000002"))
    found = [(each["identifier"], each["match"]) for each in suggest(client, "breath")]
    beginnings = [("D000004", "exact"), ("D000002", "beginning"), ("D001944", "beginning")]
    assert found == [*beginnings, ("D000003", "words")]
    assert curies(client, "bearing") == ["MESH:D000001"]
    assert curies(client, "breath", limit="3") == ["MESH:D000004", "MESH:D000002", "MESH:D001944"]


@pytest.mark.parametrize(
    ("q", "organisms", "found"),
    [
        ("tnf", "", ["NCBIGene:21926", "NCBIGene:7124"]),
        ("tnf", "9606", ["NCBIGene:7124*", "NCBIGene:21926"]),
        ("tnf", "559292,10090", ["NCBIGene:21926*", "NCBIGene:7124"]),
        ("tnf human", "", ["NCBIGene:7124*", "NCBIGene:21926"]),
        ("tnf (Homo sapiens)", "10090", ["NCBIGene:7124*", "NCBIGene:21926"]),
        ("murine tnf", "9606", ["NCBIGene:21926*", "NCBIGene:7124"]),
        ("necrosis factor mouse", "", ["NCBIGene:21926*", "NCBIGene:7124"]),
        ("tumor necosis factor, human", "", ["NCBIGene:7124*", "NCBIGene:21926"]),
        ("human", "", ["NCBITaxon:9606"]),
    ],
)
def test_it_puts_organisms_first(client, tables, q, organisms, found):
    human = EntryRecord("ncbitaxon", "9606", "NCBI", name="Homo sapiens", synonyms=("human",))
    upsert_entries_unless_second_hand_replaces_first([MOUSE_TNF, human], timezone.now(), from_table=True)
    entries = suggest(client, q, **({"organisms": organisms} if organisms else {}))
    assert [each["curie"] + "*" * each["chosen_organism"] for each in entries] == found


def test_it_takes_a_name_with_an_organism_in_it(client, tables):
    records = [
        EntryRecord("mesh", "D000001", "MeSH", name="Mouse Tnf"),
        EntryRecord("ncbigene", "21926", "NCBI", symbol="Tnf", taxon=10090),
    ]
    upsert_entries_unless_second_hand_replaces_first(records, timezone.now(), from_table=True)
    assert curies(client, "mouse tnf") == ["MESH:D000001", "NCBIGene:21926", "NCBIGene:7124"]


def test_it_puts_the_most_frequent_first_and_an_exact_name_before_it(client, tables):
    for number in (1, 2):
        annotate(number, ("mesh", "D001943"))
    assert count_articles_of_annotated_terms() == 2
    assert curies(client, "brea") == ["MESH:D001943", "MESH:D001944"]
    assert curies(client, "breath holding") == ["MESH:D001944"]
    assert curies(client, "brea", limit="1") == ["MESH:D001943"]
    assert curies(client, "brea", namespace=["MeSH", "descriptors"][0]) == ["MESH:D001943", "MESH:D001944"]
    assert curies(client, "brea", namespace="NCBI Gene") == curies(client, "mesh:brea", namespace="ncbigene") == []


def test_it_puts_names_that_begin_so_before_synonyms_that_do(client, db):
    names = {"1": ("Neoplasms", "Tumors"), "2": ("Stomach Cancer", "neoplasm of stomach"), "3": ("A%_\\", "B")}
    records = [
        EntryRecord("mesh", f"D00000{key}", "MeSH", name=name, synonyms=(synonym,))
        for key, (name, synonym) in names.items()
    ]
    upsert_entries_unless_second_hand_replaces_first(records, timezone.now(), from_table=True)
    annotate(1, ("mesh", "D000002"))
    assert curies(client, "neopla") == ["MESH:D000001", "MESH:D000002"]
    assert curies(client, "a%_\\", namespace="mesh") == ["MESH:D000003"]


def test_it_finds_what_most_articles_have_among_thousands_that_begin_so(client, db):
    """Of so many, not all are ordered."""
    Entry.objects.bulk_create(
        Entry(database="mesh", identifier=f"C{n:06}", name=f"zeta {n}", exists=True, listed=True, taxon=n % 50)
        for n in range(MOST_MATCHES + 200)
    )
    last, before = (f"C{MOST_MATCHES + number:06}" for number in (199, 198))
    AnnotatedTerm.objects.bulk_create(
        AnnotatedTerm(category="entity", value=f"mesh:{name}", articles=articles)
        for name, articles in ((last, 9), (before, 7), ("C000001", 8))
    )
    assert curies(client, "zet", limit="3") == [f"MESH:{last}", "MESH:C000001", f"MESH:{before}"]
    of_chosen = (MOST_MATCHES + 198) % 50
    assert curies(client, "zet", limit="1", organisms=str(of_chosen)) == [f"MESH:{before}"]
    assert curies(client, "zeta 77", limit="1") == ["MESH:C000077"]


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
    alias = EntryRecord("mesh", "D000009", "MeSH", withdrawn=True, successors=("D001943",))
    upsert_entries_unless_second_hand_replaces_first([alias], timezone.now())
    # By beginning, words and with an error, and by the identifier of a hidden alias
    hidden_names = ("breaking", "news", "braeking", "news breaxing", "MESH:D000001", "D000001", "MESH:D000009")
    assert {q: curies(client, q, namespace="mesh") for q in hidden_names} == {q: [] for q in hidden_names}
    annotate(2, ("mesh", "D000001"))
    assert {q: curies(client, q) for q in hidden_names[:6]} == {q: ["MESH:D000001"] for q in hidden_names[:6]}
    hide_article(Article.objects.get(pmid=2))
    count_articles_of_annotated_terms()
    assert {q: curies(client, q) for q in hidden_names} == {q: [] for q in hidden_names}


def test_it_forgets_what_no_article_has(tables):
    annotate(1, ("mesh", "D001943"))
    annotate(1)
    assert AnnotatedTerm.objects.count() == 2
    assert count_articles_of_annotated_terms_unless_busy() == "done"
    assert not AnnotatedTerm.objects.exists()


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"namespace": "unicorn"}, "namespace"),
        ({"limit": "51"}, "limit"),
        ({"organisms": "mouse"}, "organisms"),
        ({"organisms": "9606, 10090"}, "organisms"),
        ({"organisms": ""}, "organisms"),
        ({"organisms": ",".join(["9606"] * 21)}, "organisms"),
        ({"q": "x" * 501}, "q"),
        ({"q": " " * 501}, "q"),
        ({"n": "1"}, "n"),
    ],
)
def test_it_says_what_is_wrong_with_a_request(client, db, parameters, field):
    response = client.get("/api/v1/entries/", {"q": "tnf", **parameters})
    assert response.status_code == 400
    assert [fault["loc"] for fault in response.json()["errors"]] == [field]


@pytest.mark.parametrize(
    ("q", "queries"), [("brea", 3), ("breath holding", 2), ("tnf", 3), ("tumor necosis", 4), ("x", 0), ("zzzz", 3)]
)
def test_it_takes_at_most_four_queries(client, tables, django_assert_num_queries, q, queries):
    """One for each way to match until there are enough, and one for the names of organisms."""
    for number in range(2):
        annotate(number + 1, ("mesh", "D001943"))
        with django_assert_num_queries(queries):
            suggest(client, q)
        upsert_entries_unless_second_hand_replaces_first([MOUSE_TNF], timezone.now(), from_table=True)


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("Two-Hybrid", [("MI:0018", "exact", "")]),
        ("yeast two hybrid", [("MI:0018", "exact", "")]),
        ("y2h", [("MI:0018", "exact", "Y-2H")]),
        ("MI:0018", [("MI:0018", "exact", "")]),
        ("psi-mi:two hybrid po", [("MI:0398", "beginning", "")]),
        ("pooling hybrid prey two", [("MI:1112", "words", "")]),
        ("two hybird", []),
    ],
)
def test_it_suggests_shipped_terms_by_beginning_and_words(client, db, q, found):
    entries = suggest(client, q, namespace="psi-mi", limit="1")
    assert [(each["curie"], each["match"], each["matched"]) for each in entries] == found


def test_it_puts_shipped_terms_after_entries_and_those_in_most_articles_first(client, tables):
    hybrid = EntryRecord("mesh", "D000005", "MeSH", name="Case of two hybrids")
    upsert_entries_unless_second_hand_replaces_first([hybrid], timezone.now(), from_table=True)
    assert curies(client, "two hybrid", limit="2") == ["MESH:D000005", "MI:0018"]
    annotate(1, ("psi-mi", "MI:1112"))
    assert curies(client, "two hybrid", limit="3") == ["MESH:D000005", "MI:0018", "MI:1112"]
    assert curies(client, "two hybrid", limit="1") == ["MESH:D000005"]


def test_it_suggests_shipped_terms_until_the_ontology_is_loaded(client, tables, django_assert_num_queries):
    assert [entry["name"] for entry in suggest(client, "two hyb", limit=2)] == ["two hybrid", "two hybrid array"]
    assert curies(client, "y2h", namespace="psi-mi")[0] == "MI:0018"
    assert curies(client, "two hyb", namespace="mesh") == []
    annotate(1, ("psi-mi", "MI:0018"))
    assert suggest(client, "two hyb")[0]["articles"] == 1
    with django_assert_num_queries(5):
        suggest_entries("two hyb", ["psi-mi"], 10)
    loaded = EntryRecord("psi-mi", "MI:9000", "PSI-MI", name="two hybrid of tomorrow", parents=("MI:0018",))
    upsert_entries_unless_second_hand_replaces_first([loaded], timezone.now(), from_table=True)
    assert curies(client, "two hyb") == ["MI:9000"]

"""Who looks for a gene or an organism that no article is annotated with is told so, and what is called nearly so."""

import re

import pytest
from django.utils.html import strip_tags

from annotations.articles.models import Article
from annotations.identifiers.models import Entry
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.models import ArticleSummary, Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, make_relation
from annotations.search import near_names
from annotations.search.near_names import make_single_edits_if_name_length_allowed

pytestmark = pytest.mark.django_db
CADHERIN, HUMAN = EntityId("uniprot", "P12830"), EntityId("ncbitaxon", "9606")


@pytest.fixture
def annotated(article):
    """Annotated with one protein for everybody, and with another one that nobody sees."""
    Entry.objects.create(
        database="uniprot", identifier="P12830", symbol="CDH1", name="Cadherin-1", synonyms=["E-cadherin"], taxon=9606
    )
    Entry.objects.create(database="uniprot", identifier="P55283", symbol="CDH4", name="Cadherin-4", reported=True)
    store_normalization(article, "open", "P12830", public=True)
    store_normalization(article, "hidden", "P55283", public=False)
    update_summaries_returning_whether_more_remain()
    return article


def store_normalization(article, name, identifier, *, public):
    producer = Producer.objects.create(sort="server", name=name, public=public)
    finding = AnnotationData(
        Kind.NORMALIZATION, database="uniprot", identifier=identifier, taxon=9606 if public else 7955
    )
    store_results_superseding_earlier(article, producer, {Kind.NORMALIZATION: [finding]})


def unknown(client, **wished):
    """What REST says of names, after having seen that the page says it too."""
    reply = client.get("/api/v1/articles/", wished).json()
    page = re.sub(r"\s+", " ", strip_tags(client.get("/articles/", wished).content.decode()))
    for name in reply["unknown_names"]:
        assert name["message"] in page
    return [(name["loc"], name["message"]) for name in reply["unknown_names"]]


@pytest.mark.parametrize(
    ("written", "meant"),
    [("CDH", "CDH1"), ("CDH11", "CDH1"), ("CHD1", "CDH1"), ("cdh2", "CDH1"), ("E-cadherim", "E-cadherin")],
)
def test_it_says_which_gene_is_unknown_and_what_is_called_nearly_so(client, annotated, written, meant):
    said = f"No article is annotated with a gene or protein “{written}”. Did you mean {meant}?"
    assert unknown(client, gene=written) == [("gene", said)]
    assert f'href="?gene={meant}"' in client.get("/articles/", {"gene": written}).content.decode()


def test_it_looks_at_the_same_articles_wherever_they_lie(annotated, monkeypatch):
    monkeypatch.setattr(near_names, "MOST_ARTICLES", 1)
    other = Article.objects.create(pmid=10000002, passages=[], text="", content_hash="1" * 64)
    store_normalization(other, "another", "P55283", public=True)
    update_summaries_returning_whether_more_remain()
    # What is changed is written anew, after all others.
    ArticleSummary.objects.filter(article=annotated).update(servers=7)
    Article.objects.filter(pk=annotated.pk).update(pmid=10000003)
    assert near_names.suggest_similar_annotated_gene_names("CDH2", Article.objects.all()) == ["CDH1"]


def test_it_says_which_organism_is_unknown(client, annotated):
    said = "No article is annotated with an organism “Homo sapeins”. Did you mean Homo sapiens?"
    assert unknown(client, taxon="Homo sapeins", gene="CDH1") == [("taxon", said)]


@pytest.mark.parametrize(
    ("field", "written", "label", "meant", "value"),
    [
        ("type", "Protien", "the entity type", "Protein", "Protein"),
        ("type", "Specie", "the entity type", "Species", "Species"),
        ("entity", "CDH11", "an entity", "CDH1", "CDH1"),
        ("entity", "CDH11; homo sapiens", "an entity", "CDH1", "CDH1%3B+homo+sapiens"),
        ("pair", "CDH11; homo sapiens", "an entity", "CDH1", "CDH1%3B+homo+sapiens"),
        ("relation", "Asociation", "the type of relation", "Association", "Association"),
        ("method", "two hybrit", "the method", "two hybrid", "two+hybrid"),
    ],
)
def test_it_says_which_type_or_entity_is_unknown(client, annotated, field, written, label, meant, value):
    Entry.objects.create(database="psi-mi", identifier="MI:0018", name="two hybrid")
    found = {
        Kind.TAXON: [AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="9606")],
        Kind.METHOD: [AnnotationData(Kind.METHOD, database="psi-mi", identifier="MI:0018")],
        Kind.RELATION: [
            make_relation("Association", [RelationArgument("", (CADHERIN,)), RelationArgument("", (HUMAN,))])
        ],
    }
    store_results_superseding_earlier(annotated, Producer.objects.get(name="open"), found)
    update_summaries_returning_whether_more_remain()
    name = written.partition(";")[0]
    said = f"No article is annotated with {label} “{name}”. Did you mean {meant}?"
    assert unknown(client, **{field: written}) == [(field, said)]
    assert f'href="?{field}={value}"' in client.get("/articles/", {field: written}).content.decode()


def test_it_says_how_else_to_look_when_nothing_is_near(client, annotated):
    said = "No article is annotated with a gene or protein “unicorn”. "
    mend = "Check the spelling, or enter an identifier such as uniprot:P04637."
    assert unknown(client, gene="unicorn") == [("gene", said + mend)]


def test_it_does_not_advise_to_enter_what_was_entered(client, annotated):
    problem = "No article is annotated with the type of relation “Association”."
    assert unknown(client, relation="Association") == [("relation", problem)]
    [(_, said)] = unknown(client, method="mi:0018")
    assert said == "No article is annotated with the method “mi:0018”."


def test_it_says_nothing_of_names_that_are_not_to_blame(client, annotated):
    assert unknown(client, gene="CDH1", year_to="1990") == []
    assert unknown(client, gene="CDH1") == []


def test_it_does_not_tell_of_what_is_not_public(client, annotated):
    """A name that only a hidden producer reports is as unknown as any other."""
    [(_, said)] = unknown(client, gene="CDH4")
    assert said.endswith("Did you mean CDH1?")
    assert unknown(client, taxon="Danio rerioo")[0][1].endswith("such as 9606.")


def test_it_takes_a_fixed_number_of_queries(client, annotated, django_assert_num_queries):
    with django_assert_num_queries(15):
        client.get("/articles/", {"gene": "cdh11", "taxon": "humann"})


def test_it_makes_all_single_slips_and_no_more():
    slips = make_single_edits_if_name_length_allowed("cdh1")
    assert {"cdh", "cdh11", "cdh2", "chd1", "acdh1"} <= slips
    assert not slips & {"cdh1", "cdh22", "dch11"}
    assert make_single_edits_if_name_length_allowed("p5") == make_single_edits_if_name_length_allowed("x" * 41) == set()

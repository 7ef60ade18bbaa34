"""Producers compared by each type: only those that report it, by what they report of it, whatever its spelling."""

import re

import pytest

from annotations.articles.models import Article
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import EntityId, Kind, Span, make_entity, make_label, make_mention
from evaluation.agreement import answer_counts
from evaluation.agreement.candidates import list_comparison_candidates
from evaluation.agreement.comparison import compare_producers_and_their_earlier_answers
from evaluation.measures.agreement import PairwiseAgreement
from tests.integration.evaluation_cast import PMIDS, make_corpus

pytestmark = pytest.mark.django_db
URL, API = "/corpora/four/compare/", "/api/v1/corpora/four/compare/"
# {producer: [(PMID, start, type)]}; two are dictionaries of one type each.
REPORTED = {
    "Chemicals": [(101, 0, "Chemical"), (101, 4, "Chemical"), (102, 0, "Chemical")],
    "Diseases": [(101, 8, "Disease"), (102, 4, "Disease"), (103, 0, "Disease")],
    "Both": [(101, 0, "ChemicalEntity"), (101, 8, "Disease"), (102, 0, "Disease"), (103, 0, "disease"), (103, 4, "")],
}


@pytest.fixture
def corpus():
    corpus = make_corpus()
    for name in REPORTED:
        store_mentions(name)
    return corpus


def store_mentions(name, reported=None):
    producer, _ = Producer.objects.get_or_create(name=name, sort="server", public=True)
    for pmid in PMIDS:
        found = [make_mention([Span(at, at + 2)], "xx", own) for p, at, own in reported or REPORTED[name] if p == pmid]
        store_results_superseding_earlier(Article.objects.get(pmid=pmid), producer, {Kind.MENTION: found})
    return producer


def compare(corpus, kind=Kind.MENTION, *names):
    producers = Producer.objects.filter(name__in=names) if names else Producer.objects.all()
    candidates = [own for own in list_comparison_candidates(corpus, producers) if own.kind == kind]
    return compare_producers_and_their_earlier_answers(corpus, kind, candidates)


def format_query(*names, **others):
    chosen = [f"producer={own.pk}" for own in Producer.objects.filter(name__in=names).order_by("name")]
    return "?" + "&".join(["kind=mention", *chosen, *(f"{name}={value}" for name, value in others.items())])


def test_dictionaries_of_one_type_each_agree_with_who_reports_both(corpus):
    compared = compare(corpus)
    assert compared.agreements.pairs[1, 2] == PairwiseAgreement(7, 1 / 7, pytest.approx(-0.75), 0.0)
    assert list(compared.by_type) == ["Disease", "Chemical"]
    chemicals, diseases = compared.by_type["Chemical"], compared.by_type["Disease"]
    assert (chemicals.names, diseases.names) == (["Both", "Chemicals"], ["Both", "Diseases"])
    assert chemicals.agreements.pairs == {(0, 1): PairwiseAgreement(3, 1 / 3, None, 0.5)}
    assert diseases.agreements.pairs == {(0, 1): PairwiseAgreement(4, 0.5, None, 2 / 3)}
    assert {own.producers: own.items for own in chemicals.overlap.regions} == {(1,): 2, (0, 1): 1}


def test_a_type_is_compared_over_the_articles_that_its_producers_answered(corpus):
    chemicals = Producer.objects.get(name="Chemicals")
    chemicals.results.filter(article__pmid=103).delete()
    compared = compare(corpus)
    assert compared.articles == 3
    assert {name: own.articles for name, own in compared.by_type.items()} == {"Disease": 4, "Chemical": 3}


def test_two_types_at_one_place_are_one_mention_among_all_and_one_of_each_type():
    corpus = make_corpus()
    store_mentions("One", [(101, 0, "Gene"), (101, 0, "Protein")])
    store_mentions("Two", [(101, 0, "Protein")])
    compared = compare(corpus)
    assert compared.agreements.pairs[0, 1].f1 == 1.0 and compared.agreements.instances == 1
    assert {name: own.names for name, own in compared.by_type.items()} == {"Protein": ["One", "Two"], "Gene": ["One"]}
    assert compared.by_type["Gene"].agreements is None


def test_a_second_answer_is_compared_by_type(corpus):
    store_mentions("Chemicals", [(101, 0, "Chemical"), (101, 8, "Disease")])
    compared = compare(corpus, Kind.MENTION, "Chemicals")
    assert compared.itself[0].agreement.f1 == pytest.approx(2 / 5)
    assert compared.by_type["Chemical"].itself[0].agreement.f1 == 0.5
    assert compared.by_type["Disease"].itself[0].agreement.f1 == 0.0


def test_entities_and_labels_have_types(corpus):
    article = Article.objects.get(pmid=101)
    for name, values in (("Chemicals", ("a", "b")), ("Both", ("b",))):
        entities = [make_entity(EntityId("mesh", f"D00000{value}"), "Chemical") for value in values]
        labels = [make_label("topic", value) for value in values] + [make_label("tissue", name)]
        producer = Producer.objects.get(name=name)
        store_results_superseding_earlier(article, producer, {Kind.ENTITY: entities, Kind.LABEL: labels})
    f1_by_type = {
        kind: {name: own.agreements.pairs[0, 1].f1 for name, own in compare(corpus, kind).by_type.items()}
        for kind in (Kind.ENTITY, Kind.LABEL)
    }
    assert f1_by_type == {
        Kind.ENTITY: {"Chemical": pytest.approx(2 / 3)},
        Kind.LABEL: {"topic": pytest.approx(2 / 3), "tissue": 0.0},
    }


def test_the_types_of_one_producer_do_not_displace_those_of_two(corpus, monkeypatch):
    monkeypatch.setattr(answer_counts, "MAX_COUNTED_TYPES", 2)
    store_mentions("Chemicals", [(101, at, name) for name in ("A", "B", "C", "Chemical") for at in range(5)])
    assert list(compare(corpus).by_type) == ["Chemical", "Disease"]


def test_the_page_has_a_row_for_each_type_and_shows_the_chosen_one(client, corpus):
    page = client.get(URL + format_query(*REPORTED)).content.decode()
    table = page[page.index('id="by-type-table"') :].partition("</table>")[0]
    rows = [re.sub(r"<[^>]+>", " ", row).split() for row in re.findall(r"<tr>.*?</tr>", table)[1:]]
    assert rows == [
        ["Disease", "Both,", "Diseases", "4", "4", "0.667", "-"],
        ["Chemical", "Both,", "Chemicals", "4", "3", "0.500", "-"],
    ]
    (address,) = [link for link in re.findall(r'href="([^"]+)"', table) if "Chemical" in link]
    chosen = client.get(address.replace("&amp;", "&"))
    assert chosen.context["found"].names == ["Both", "Chemicals"] and chosen.context["type"] == "Chemical"
    assert "<option selected>Chemical</option>" in chosen.content.decode()


def test_the_page_says_that_nobody_reports_a_type(client, corpus):
    page = client.get(URL + format_query(*REPORTED, type="Gene")).content.decode()
    assert "None of these producers reports Gene, so all types are shown." in page


def test_rest_has_the_types_and_compares_one(client, corpus):
    read = client.get(API + format_query(*REPORTED)).json()
    assert read["type"] is None and len(read["pairs"]) == 3
    assert read["types"][1] == {
        "type": "Chemical",
        "producers": ["Both", "Chemicals"],
        "articles": 4,
        "instances": 3,
        "mean_f1": 0.5,
        "fleiss_kappa": None,
    }
    chosen = client.get(API + format_query(*REPORTED, type="chemicalentity")).json()
    (pair,) = chosen["pairs"]
    assert (chosen["type"], pair["first"], pair["second"], pair["f1"]) == ("Chemical", "Both", "Chemicals", 0.5)
    assert chosen["regions"] and chosen["types"] == read["types"]
    unknown = client.get(API + format_query(*REPORTED, type="Gene")).json()
    assert (unknown["type"], unknown["pairs"], unknown["articles"]) == ("Gene", [], None)


@pytest.mark.parametrize("number", [2, 4])
def test_it_takes_as_many_queries_however_many_types(client, number, django_assert_num_queries):
    make_corpus()
    for name in ("One", "Two"):
        store_mentions(name, [(101, at, f"Type {at % number}") for at in range(10)])
    with django_assert_num_queries(8):
        client.get(URL + format_query("One", "Two"))
    with django_assert_num_queries(6):
        client.get(URL + format_query("One", "Two", type="type 1"))

"""The list of genes and proteins: one row for a gene, verified ones first, and no server fills it."""

import pytest

from annotations.identifiers.models import Entry
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.article_page.collation.collated_annotations import MOST_SINGLE
from tests.integration.article_cast import (
    URL,
    create_known_genes,
    gene,
    live_queue,
    make_read_article,
    mention,
    read_page_words,
    span,
    three_servers,
)

GENES = {"kind": "normalization"}
JUNK = [f"P{number:05}" for number in range(400)]


def ncbi(identifier, confidence=None):
    return AnnotationData(Kind.NORMALIZATION, confidence, database="ncbigene", identifier=identifier)


def pair(database, identifier, partner):
    return AnnotationData(Kind.PAIR, database=database, identifier=identifier, partner=partner)


@pytest.fixture
def article(team):
    """Three servers name proteins; a fourth names the gene of one of them."""
    article = make_read_article()
    create_known_genes()
    Entry.objects.filter(identifier="P12830").update(genes=["999"])
    Entry.objects.filter(identifier="P35222").update(genes=["1499"])
    Entry.objects.create(
        database="ncbigene",
        identifier="999",
        exists=True,
        symbol="CDH1",
        name="cadherin 1",
        taxon=9606,
        synonyms=["UVO"],
        location="16q22.1",
    )
    three_servers(team, article)
    delta = live_queue(team, "Delta")
    store_results_superseding_earlier(
        article, delta.producer, {Kind.MENTION: [mention(article, "CDH1")], Kind.NORMALIZATION: [ncbi("999", 0.4)]}
    )
    return article


@pytest.fixture
def junk(team, article):
    """A server that reports 400 identifiers with full confidence."""
    queue = live_queue(team, "Junk")
    found = {Kind.NORMALIZATION: [gene(identifier, 1.0) for identifier in JUNK]}
    store_results_superseding_earlier(article, queue.producer, found)
    return queue


def get_page(client, **query):
    return client.get(URL, {**GENES, **query}).context["page"]


def list_rows(page):
    return [
        (row.entities[0].title, [one.identifier for one in row.entities[0].references], row.count)
        for row in page.listing.rows
    ]


def test_it_lists_the_identifiers_of_one_gene_in_one_row(client, article):
    page = get_page(client)
    assert list_rows(page) == [
        ("CDH1", ["999", "P12830"], 4),
        ("CTNNB1", ["P35222"], 2),
        ("Cdh1", ["P09803"], 1),
    ]
    first = page.listing.rows[0]
    assert first.mean == pytest.approx((0.9 + 0.8 + 0.4) / 3)
    assert [(line.source.name, line.answer) for line in first.lines] == [
        ("Alpha", "UniProt P12830"),
        ("Beta", "UniProt P12830"),
        ("Gamma", "UniProt P12830"),
        ("Delta", "NCBI Gene 999"),
    ]
    assert [(tab.kind, tab.count) for tab in page.reading.tabs] == [("mention", 9), ("normalization", 3)]


def test_it_links_every_identifier_of_a_gene(client, article):
    html = client.get(URL, GENES).content.decode()
    assert 'href="https://www.ncbi.nlm.nih.gov/gene/999"' in html
    assert 'href="https://www.uniprot.org/uniprotkb/P12830/entry"' in html


def test_it_leaves_a_protein_of_several_genes_alone(client, article):
    Entry.objects.filter(identifier="P12830").update(genes=["999", "1000"])
    assert [count for _, _, count in list_rows(get_page(client))] == [3, 2, 1, 1]


def test_it_groups_pairs_by_their_genes(client, article, team):
    Entry.objects.create(database="ncbigene", identifier="1499", exists=True, symbol="CTNNB1")
    pairs = {"Alpha": pair("uniprot", "P35222", "P12830"), "Delta": pair("ncbigene", "999", "1499")}
    for result in article.results.filter(kind=Kind.MENTION, producer__queue__server__name__in=pairs):
        server = result.producer.queue.server.name
        store_results_superseding_earlier(article, result.producer, {Kind.PAIR: [pairs[server]]})
    (row,) = get_page(client, kind="pair").listing.rows
    assert row.count == 2
    assert [entity.title for entity in row.entities] == ["CDH1", "CTNNB1"]
    assert [[one.identifier for one in entity.references] for entity in row.entities] == [
        ["999", "P12830"],
        ["1499", "P35222"],
    ]


def test_it_names_both_of_a_protein_that_binds_itself(client, article):
    store_results_superseding_earlier(
        article, article.results.first().producer, {Kind.PAIR: [pair("uniprot", "P12830", "P12830")]}
    )
    (row,) = get_page(client, kind="pair").listing.rows
    assert [entity.title for entity in row.entities] == ["CDH1", "CDH1"]


def test_it_shows_a_gene_once_in_the_card_of_a_mention(client, article):
    chosen = get_page(client, mention=span(article, "CDH1")).chosen
    assert [(one.entity.title, one.count, one.total) for one in chosen.genes] == [("CDH1", 4, 4), ("Cdh1", 1, 4)]
    words = read_page_words(client.get(URL, {"mention": span(article, "CDH1")}))
    assert "UniProt P12830, NCBI Gene 999 Matched by symbol “CDH1”, reported by 4 of 4 servers" in words
    assert "Synonyms E-cadherin, Uvomorulin, UVO" in words


def test_it_keeps_identifiers_apart_in_rest(client, article):
    groups = client.get(f"/api/v1/articles/{article.pmid}/annotations/").json()
    assert '"999"' in str(groups).replace("'", '"')
    meanings = client.get(f"/api/v1/articles/{article.pmid}/mentions/{span(article, 'CDH1')}/").json()["meanings"]
    assert sorted((one["entry"]["identifier"], one["servers"]) for one in meanings) == [
        ("999", 1),
        ("P09803", 1),
        ("P12830", 3),
    ]


def test_it_folds_what_is_not_verified(client, article, junk):
    response = client.get(URL, GENES)
    assert list_rows(response.context["page"])[0] == ("CDH1", ["999", "P12830"], 4)
    assert len(response.context["page"].listing.rows) == 3
    assert "400 unverified: not found or not yet looked up in their databases. Show unverified" in read_page_words(
        response
    )
    assert response.context["page"].reading.numbers[Kind.NORMALIZATION] == 3
    opened = client.get(URL + response.context["page"].unverified_query).context["page"]
    assert [count for _, _, count in list_rows(opened)[:3]] == [4, 2, 1]
    assert len(opened.listing.open_groups) == 403
    assert "Show fewer" in read_page_words(client.get(URL + response.context["page"].unverified_query))


def test_it_lists_a_few_of_what_one_server_alone_reports(client, article, junk):
    Entry.objects.bulk_create(Entry(database="uniprot", identifier=name, exists=True) for name in JUNK)
    page = get_page(client)
    assert len(page.listing.rows) == 3 + MOST_SINGLE
    words = read_page_words(client.get(URL, GENES))
    assert "380 more are reported by one server alone. Show all 403" in words
    assert len(get_page(client, show="single").listing.open_groups) == 403
    chosen = get_page(client, server="junk")
    assert len(chosen.listing.rows) == MOST_SINGLE


def test_it_opens_both_folds_one_after_the_other(client, article, junk):
    Entry.objects.bulk_create(Entry(database="uniprot", identifier=name, exists=True) for name in JUNK[:100])
    page = get_page(client)
    assert len(page.listing.rows) == 3 + MOST_SINGLE
    single = client.get(URL + page.single_query).context["page"]
    assert len(single.listing.open_groups) == 103
    everything = client.get(URL + single.unverified_query).context["page"]
    assert len(everything.listing.open_groups) == 403
    assert everything.folded_query == page.build_query()
    assert "show=all" in everything.live_url


@pytest.mark.parametrize("known", [0, 400])
def test_it_stays_small_whatever_one_server_sends(client, article, team, known):
    before = len(client.get(URL, GENES).content)
    Entry.objects.bulk_create(Entry(database="uniprot", identifier=name, exists=True) for name in JUNK[:known])
    queue = live_queue(team, "Junk")
    found = {Kind.NORMALIZATION: [gene(identifier, 1.0) for identifier in JUNK]}
    store_results_superseding_earlier(article, queue.producer, found)
    assert len(client.get(URL, GENES).content) < before + (1500 + 1000 * MOST_SINGLE if known else 1500)


def test_it_lists_a_few_mentions_of_one_server_alone(client, article, team):
    every = [
        AnnotationData(Kind.MENTION, start=at, end=at + 1, text=article.text[at]) for at in range(len(article.text))
    ]
    store_results_superseding_earlier(article, live_queue(team, "Junk").producer, {Kind.MENTION: every})
    page = get_page(client, kind="mention")
    assert len(page.listing.rows) < 2 * MOST_SINGLE
    assert page.listing.rows[0].count == 4

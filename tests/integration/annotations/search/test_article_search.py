"""What finds an article: each filter alone and all together, the orders, and the weights of words."""

from itertools import chain

import pytest

from annotations.articles.models import Article, Corpus, CorpusArticle
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.identifiers.models import Entry
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from annotations.search.article_search import (
    SearchCriteria,
    SearchOrder,
    build_order_expression,
    filter_articles,
)
from annotations.search.entity_curies import list_gene_curies_by_name_or_id, list_organism_curies_by_name_or_taxon
from annotations.search.paging import fetch_page_keys_after_or_before_cursor


def write(pmid, title, *sections, **fields):
    passages = [{"type": "title", "text": title}, *({"type": sort, "text": text} for sort, text in sections)]
    text = "\n".join(own["text"] for own in passages)
    return Article.objects.create(pmid=pmid, passages=passages, text=text, content_hash=str(pmid), **fields)


@pytest.fixture
def articles(db):
    """Three articles; two servers say something of the first, one of the second, nobody of the third."""
    first = write(1, "E-cadherin binds catenin", journal="J Cell Biol", year=2001, doi="10.1083/JCB.1", pmcid="PMC11")
    second = write(2, "Yeast kinases", ("abstract", "Their substrates."), journal="Cell", year=2005)
    third = write(3, "A review", ("abstract", "Of cadherin."), journal="Nature", year=2009)
    one, two = (Producer.objects.create(sort="server", name=name, public=True) for name in ("one", "two"))
    yes, no = (AnnotationData(Kind.CLASSIFICATION, relevant=own) for own in (True, False))
    cadherin = AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier="P12830", taxon=9606)
    yeast = AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="4932")
    store_results_superseding_earlier(first, one, {Kind.CLASSIFICATION: [yes], Kind.NORMALIZATION: [cadherin]})
    store_results_superseding_earlier(first, two, {Kind.CLASSIFICATION: [yes]})
    store_results_superseding_earlier(second, two, {Kind.CLASSIFICATION: [no], Kind.TAXON: [yeast]})
    corpus = Corpus.objects.create(slug="two", name="Two")
    for position, own in enumerate((second, third)):
        CorpusArticle.objects.create(corpus=corpus, article=own, position=position)
    update_summaries_returning_whether_more_remain()
    return first, second, third


def pmids(**wished):
    wish = SearchCriteria(**wished)
    page = fetch_page_keys_after_or_before_cursor(
        filter_articles(Article.objects.all(), wish), build_order_expression(wish), None, 10
    )
    by_key = Article.objects.in_bulk(page.keys)
    return [by_key[key].pmid for key in page.keys]


@pytest.mark.parametrize(
    ("wished", "expected"),
    [
        ({}, [3, 2, 1]),
        ({"words": "cadherin"}, [1, 3]),
        ({"words": '"binds catenin"'}, [1]),
        ({"words": "kinase or review"}, [3, 2]),
        ({"words": "cadherin -review"}, [1]),
        ({"names": (ArticleIds(pmid=2),)}, [2]),
        ({"names": (ArticleIds(pmcid="PMC11"),)}, [1]),
        ({"names": (ArticleIds(doi="10.1083/jcb.1"),)}, [1]),
        ({"names": (ArticleIds(pmid=3), ArticleIds(pmid=4), ArticleIds(doi="10.1083/jcb.1"))}, [3, 1]),
        ({"journal": "cell"}, [2, 1]),
        ({"journal": "j cell biol"}, [1]),
        ({"since": 2005}, [3, 2]),
        ({"until": 2005}, [2, 1]),
        ({"since": 2002, "until": 2008}, [2]),
        ({"gene": "P12830"}, [1]),
        ({"gene": "p12830"}, [1]),
        ({"gene": "uniprot:P12830"}, [1]),
        ({"gene": "uniprot:P99999"}, []),
        ({"taxon": "9606"}, [1]),
        ({"taxon": "Human"}, [1]),
        ({"taxon": "Saccharomyces cerevisiae"}, [2]),
        ({"taxon": "unicorn"}, []),
        ({"servers": 1}, [2, 1]),
        ({"servers": 2}, [1]),
        ({"likely": True}, [1]),
        ({"disagreeing": True}, []),
        ({"words": "cadherin", "servers": 1, "until": 2005, "gene": "P12830", "likely": True}, [1]),
        ({"words": "cadherin", "servers": 1, "since": 2005}, []),
    ],
)
def test_it_finds_what_has_all_that_is_wished_for(articles, wished, expected):
    assert pmids(**wished) == expected


def test_it_finds_what_a_producer_annotated(articles):
    one, two = Producer.objects.order_by("pk").values_list("pk", flat=True)
    assert pmids(producers=(one,)) == [1]
    assert pmids(producers=(two,)) == [2, 1]
    assert pmids(producers=()) == []


def test_it_finds_within_a_corpus(articles):
    assert pmids(corpus=Corpus.objects.get().pk) == [3, 2]
    assert pmids(corpus=Corpus.objects.get().pk, words="cadherin") == [3]


def test_it_finds_where_servers_disagree(articles):
    no = AnnotationData(Kind.CLASSIFICATION, relevant=False)
    store_results_superseding_earlier(articles[0], Producer.objects.get(name="two"), {Kind.CLASSIFICATION: [no]})
    update_summaries_returning_whether_more_remain()
    assert pmids(disagreeing=True) == [1]
    assert pmids(order=SearchOrder.DISAGREEMENT)[0] == 1


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (SearchOrder.PPI, [1, 2, 3]),
        (SearchOrder.SERVERS, [1, 2, 3]),
        (SearchOrder.NEWEST, [3, 2, 1]),
        (SearchOrder.RELEVANCE, [3, 2, 1]),
    ],
)
def test_it_orders(articles, order, expected):
    assert pmids(order=order) == expected


def test_it_weighs_the_title_over_the_abstract_over_the_rest(db):
    write(1, "Methods", ("abstract", "Of counting."), ("introduction", "The ribosome is large."))
    write(2, "Methods", ("abstract", "The ribosome is large."), ("introduction", "Of counting."))
    write(3, "The ribosome is large", ("abstract", "Of counting."), ("introduction", "Methods"))
    assert pmids(words="ribosome") == [3, 2, 1]


def test_it_finds_greek_letters_by_their_names_and_names_by_their_letters(db):
    write(1, "TNF-α in macrophages")
    write(2, "TNF-alpha and NF-kappaB")
    assert set(pmids(words="TNF-alpha")) == set(pmids(words="tnf-α")) == {1, 2}
    assert pmids(words="NF-κB") == [2]
    assert pmids(words="TNF -alpha") == [1]


def test_it_finds_words_with_accents_without_them_too(db):
    write(1, "Sjögren and Müller")
    write(2, "Sjogren")
    write(3, "A distance of 5")
    assert set(pmids(words="sjögren")) == {1, 2}
    assert pmids(words="sjögren -müller") == [2]
    # The text is stored as it is written.
    assert pmids(words="sjogren") == [2]
    assert pmids(words="5 Å") == []


def test_it_finds_a_changed_text(articles):
    Article.objects.filter(pmid=3).update(passages=[{"type": "title", "text": "Of ferrets"}])
    assert pmids(words="ferret") == [3]
    assert pmids(words="review") == []


def test_it_reads_no_words_with_an_article(articles):
    assert Article.objects.get(pmid=1).words is None


def entry(identifier, **fields):
    return Entry.objects.create(database="uniprot", identifier=identifier, **fields)


def test_it_knows_a_gene_by_all_its_names(db):
    entry("P12830", symbol="CDH1", name="Cadherin-1", synonyms=["E-cadherin", "Uvomorulin"])
    entry("P35222", symbol="CTNNB1", synonyms=["beta-catenin"])
    assert list_gene_curies_by_name_or_id("β-catenin") == ["uniprot:P35222"]
    for name in ("CDH1", "cdh-1", "cadherin 1", "E cadherin", "e\u2010cadherin", "UVOMORULIN"):
        assert list_gene_curies_by_name_or_id(name) == ["uniprot:P12830"], name
    assert list_gene_curies_by_name_or_id("cadherin") == []


def test_it_knows_a_gene_by_its_old_identifiers(db):
    entry("P12830", symbol="CDH1", successors=[])
    entry("Q13799", withdrawn=True, successors=["P12830"])
    assert list_gene_curies_by_name_or_id("P12830") == ["uniprot:P12830", "uniprot:Q13799"]
    assert set(list_gene_curies_by_name_or_id("Q13799")) == {"uniprot:Q13799", "uniprot:P12830"}
    assert set(list_gene_curies_by_name_or_id("uniprot:P12830")) == {"uniprot:Q13799", "uniprot:P12830"}


def test_it_takes_a_number_for_a_gene_or_an_organism(db):
    assert list_gene_curies_by_name_or_id("999") == ["ncbigene:999"]
    assert list_organism_curies_by_name_or_taxon("10090") == ["ncbitaxon:10090"]
    assert list_organism_curies_by_name_or_taxon("mouse") == ["ncbitaxon:10090"]


def test_it_keeps_genes_and_organisms_apart(db):
    Entry.objects.create(database="ncbitaxon", identifier="7227", name="Drosophila", synonyms=["Kinase fly"])
    assert list_gene_curies_by_name_or_id("kinase fly") == []
    assert list_organism_curies_by_name_or_taxon("kinase fly") == ["ncbitaxon:7227"]


@pytest.mark.parametrize("order", [SearchOrder.PPI, SearchOrder.SERVERS, SearchOrder.NEWEST, SearchOrder.RELEVANCE])
def test_its_pages_are_complete_whatever_is_equal(db, order):
    """Many articles of one rank: each is on exactly one page, and the way back is the way there."""
    for number in range(1, 12):
        write(number, "Same words")
    update_summaries_returning_whether_more_remain()
    wish = SearchCriteria(words="words", order=order)
    rows, seen, cursor = filter_articles(Article.objects.all(), wish), [], None
    while True:
        page = fetch_page_keys_after_or_before_cursor(rows, build_order_expression(wish), cursor, 4)
        seen.append(list(page.keys))
        if page.following is None:
            break
        cursor = page.following
    assert [len(keys) for keys in seen] == [4, 4, 3]
    assert sorted(chain(*seen)) == sorted(Article.objects.values_list("pk", flat=True))
    assert (
        list(fetch_page_keys_after_or_before_cursor(rows, build_order_expression(wish), page.preceding, 4).keys)
        == seen[1]
    )

"""Open annotations go out and come back: mentions with parts and links, entities, relations, labels, and the rest."""

import gzip
from dataclasses import replace
from functools import cache
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.formats.annotated_text.article_reader import read_annotated_articles_skipping_textless
from annotations.formats.annotated_text.open_annotations import build_open_annotations
from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer, ProducerResult
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.exports import EXPORTS
from annotations.formats.result_sniffing import ResultFormat
from annotations.schema import Kind
from tests.drawn_annotations import ANNOTATIONS
from tests.shared_data import require_shared_path
from tests.unit.export_readers import READERS

TEXT = "Loss of CDH1 and α-catenin \U0001f9ec in breast and ovarian cancers"
ARTICLE = AnnotatedArticle("7", ArticleIds(7), [TextPassage("title", TEXT), TextPassage("abstract", "ERK1/2 binds.")])
PRODUCER = ExportedProducer("Alpha", "server", "alpha", "2.1")
LOSSLESS = {
    "bioc-xml": ResultFormat.BIOC_XML,
    "bioc-json": ResultFormat.BIOC_JSON,
    "pubannotation": ResultFormat.PUBANNOTATION,
    "brat": ResultFormat.BRAT,
    "uima-xmi": ResultFormat.XMI,
    "web-annotation": ResultFormat.WEB_ANNOTATION,
    "web-annotation-turtle": ResultFormat.WEB_ANNOTATION_TURTLE,
}
FORMATS = LOSSLESS | {"pubtator": ResultFormat.PUBTATOR}
CORPORA = {
    "BioRED": (("biored", "Dev.BioC.XML.gz"), ResultFormat.BIOC_XML),
    "BC6PM": (("bc6pm", "PMtask_Relations_TrainingSet.xml.gz"), ResultFormat.BIOC_XML),
    "tmVar3": (("tmvar3", "tmVar3_Train.PubTator.gz"), ResultFormat.PUBTATOR),
    "NLM-Gene": (("nlmgene", "NLMgene_Train.PubTator.gz"), ResultFormat.PUBTATOR),
}

EACH_CORPUS = pytest.mark.parametrize(
    "name", [name if name == "BioRED" else pytest.param(name, marks=pytest.mark.long) for name in CORPORA]
)


def make_article(annotations):
    results = [
        ProducerResult(PRODUCER, kind, [each for each in annotations if each.kind is kind])
        for kind in Kind
        if any(each.kind is kind for each in annotations)
    ]
    return replace(ARTICLE, results=results)


def batched(articles, size):
    return (articles[start : start + size] for start in range(0, len(articles), size))


def write_and_read(slug, *articles):
    content = b"".join(EXPORTS[slug].write(articles))
    return read_annotated_articles_skipping_textless(BytesIO(content), "x", FORMATS[slug]).articles


def join_texts_of_parts(annotation, text):
    """The annotation, with the text of the article for each mention in several parts."""

    def join(spans, own):
        return " ".join(text[start:end] for start, end in spans) if len(spans) > 1 else own

    if annotation.relation is not None:
        arguments = [replace(each, text=join(each.spans, each.text)) for each in annotation.relation.arguments]
        return replace(annotation, relation=replace(annotation.relation, arguments=tuple(arguments)))
    return replace(annotation, text=join(annotation.spans, annotation.text))


@pytest.mark.parametrize("slug", LOSSLESS)
@settings(deadline=None, max_examples=40)
@given(
    annotations=st.lists(
        ANNOTATIONS,
        max_size=6,
        unique_by=lambda each: replace(each, confidence=None, rank=None, identifiers=()),
    )
)
def test_it_brings_back_annotations_of_all_kinds(slug, annotations):
    annotations = [join_texts_of_parts(each, ARTICLE.text) for each in annotations]
    article = make_article(annotations)
    [back] = write_and_read(slug, article)
    assert back.text == ARTICLE.text
    expected = {result.kind: set(result.annotations) for result in article.results} or {Kind.MENTION: set()}
    assert {kind: set(found) for kind, found in build_open_annotations(back).items()} == expected


@cache
def read_corpus(name):
    path, text_format = CORPORA[name]
    content = gzip.decompress(require_shared_path("corpora", *path).read_bytes())
    return read_annotated_articles_skipping_textless(BytesIO(content), name, text_format).articles


def export_corpus(parsed):
    """The articles with their annotations, and these by kind."""
    sent = [build_open_annotations(article) for article in parsed]
    articles = [
        AnnotatedArticle(
            str(article.ids.pmid),
            article.ids,
            article.passages,
            results=[ProducerResult(PRODUCER, kind, found) for kind, found in annotations.items()],
        )
        for article, annotations in zip(parsed, sent, strict=True)
    ]
    return articles, sent


# A graph takes much time and memory, so files in Turtle are small.
ARTICLES_PER_FILE = {"web-annotation-turtle": 50}
EACH_LOSSLESS = [pytest.param(slug, marks=[pytest.mark.long] * (slug == "web-annotation-turtle")) for slug in LOSSLESS]


@pytest.mark.long
@pytest.mark.parametrize("slug", EACH_LOSSLESS)
@EACH_CORPUS
def test_it_brings_back_a_published_corpus(name, slug):
    parsed = read_corpus(name)
    articles, sent = export_corpus(parsed)
    batches = batched(articles, ARTICLES_PER_FILE.get(slug, len(articles)))
    back = [article for batch in batches for article in write_and_read(slug, *batch)]
    assert [article.text for article in back] == [article.text for article in parsed]
    for article, annotations in zip(back, sent, strict=True):
        received = build_open_annotations(article)
        assert {kind: set(found) for kind, found in received.items()} == {
            kind: set(found) for kind, found in annotations.items()
        }


@EACH_CORPUS
def test_it_brings_back_a_published_corpus_in_pubtator_but_for_discontinuous_mentions(name):
    parsed = read_corpus(name)
    articles, sent = export_corpus(parsed)
    back = write_and_read("pubtator", *articles)
    assert [article.text for article in back] == [article.text for article in parsed]
    for article, annotations in zip(back, sent, strict=True):
        received = build_open_annotations(article)
        mentions = {replace(each, type=each.type.strip()) for each in annotations[Kind.MENTION] if not each.spans}
        assert set(received[Kind.MENTION]) == mentions
        assert set(received.get(Kind.RELATION, ())) == set(annotations.get(Kind.RELATION, ()))


@pytest.mark.long
@pytest.mark.parametrize("slug", ["tsv", "ndjson", "ndjson-annotations", "parquet-annotations"])
@EACH_CORPUS
def test_a_reader_of_the_format_alone_finds_a_published_corpus(name, slug):
    """These formats are not imported as articles."""
    articles, sent = export_corpus(read_corpus(name))
    read = READERS[slug](b"".join(EXPORTS[slug].write(articles)))
    for article, annotations in zip(articles, sent, strict=True):
        found = {annotation for _, annotation in read[article.id].said} if article.id in read else set()
        assert found == {each for of_kind in annotations.values() for each in of_kind}

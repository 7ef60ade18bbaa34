"""Exports of a corpus and of an article with everything, read by bioc and bconv, which others have written."""

import gzip
from collections import Counter
from io import BytesIO, StringIO, TextIOWrapper

import bconv
import pytest
from bioc import biocjson, biocxml
from bioc import pubtator as bioc_pubtator

from annotations.formats.annotated_text.article_reader import read_annotated_articles_skipping_textless
from annotations.formats.annotated_text.open_annotations import build_open_annotations
from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer, ProducerResult
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.exports import EXPORTS
from annotations.formats.result_sniffing import ResultFormat
from annotations.schema import EntityId, Kind, RelationArgument, Span, make_label, make_mention, make_relation
from tests.shared_data import require_shared_path

PRODUCER = ExportedProducer("Alpha", "server", "alpha", "2.1")
TITLE, ABSTRACT = "Loss of α-catenin \U0001f9ec\u2028in mice", "Breast and ovarian cancer\u0085needs ERK 1/2."
TEXT = f"{TITLE}\n{ABSTRACT}"
CANCER, MICE = EntityId("mesh", "D001943"), EntityId("ncbitaxon", "10090")


def find(text):
    return Span(TEXT.index(text), TEXT.index(text) + len(text))


MENTIONS = [
    make_mention([find("mice")], "mice", "Species", [MICE]),
    make_mention([find("Breast"), find("cancer")], "Breast cancer", "Disease", [CANCER]),
    make_mention([find("ERK 1/2")], "ERK 1/2", "Gene", [EntityId("ncbigene", "5594"), EntityId("ncbigene", "5595")]),
]
RELATION = make_relation(
    "model of",
    [
        RelationArgument("organism", (MICE,), (find("mice"),), "Species", "mice"),
        RelationArgument("disease", (CANCER,), (find("Breast"), find("cancer")), "Disease", "Breast cancer"),
    ],
    directed=True,
    qualifiers={"novelty": "Novel"},
)


def make_article(mentions):
    results = [
        ProducerResult(PRODUCER, Kind.MENTION, mentions),
        ProducerResult(PRODUCER, Kind.RELATION, [RELATION]),
        ProducerResult(PRODUCER, Kind.LABEL, [make_label("topic", "cancer")]),
    ]
    return AnnotatedArticle(
        "7", ArticleIds(7), [TextPassage("title", TITLE), TextPassage("abstract", ABSTRACT)], results=results
    )


def write(slug, *articles):
    return b"".join(EXPORTS[slug].write(articles))


def load_bioc(slug, content):
    if slug == "bioc-xml":
        return biocxml.load(BytesIO(content))
    return biocjson.load(StringIO(content.decode()))


def list_annotations(document):
    return [each for passage in document.passages for each in passage.annotations] + list(document.annotations)


def list_relations(document):
    return [each for passage in document.passages for each in passage.relations] + list(document.relations)


def join_parts(text, annotation):
    return " ".join(text[each.offset : each.offset + each.length] for each in annotation.locations)


@pytest.mark.parametrize("slug", ["bioc-xml", "bioc-json"])
def test_bioc_reads_parts_identifiers_and_roles(slug):
    [document] = load_bioc(slug, write(slug, make_article(MENTIONS))).documents
    assert [passage.text for passage in document.passages] == [TITLE, ABSTRACT]
    found = {each.id: each for each in list_annotations(document)}
    assert [join_parts(TEXT, each) for each in found.values()] == [each.text for each in MENTIONS]
    assert [each.text for each in found.values()] == [each.text for each in MENTIONS]
    assert [each.infons["identifier"] for each in found.values()] == [
        "ncbitaxon:10090",
        "mesh:D001943",
        "ncbigene:5594;ncbigene:5595",
    ]
    [relation] = [each for each in list_relations(document) if each.nodes]
    ends = {node.role: found[node.refid].text for node in relation.nodes}
    assert ends == {"organism": "mice", "disease": "Breast cancer"}


def test_bioc_reads_mentions_and_relations_of_pubtator():
    [document] = bioc_pubtator.load(StringIO(write("pubtator", make_article(MENTIONS)).decode(), newline=None))
    written = [each for each in MENTIONS if not each.spans]
    assert [(each.start, each.end, each.text) for each in document.annotations] == [
        (each.start, each.end, each.text) for each in written
    ]
    assert [document.text[each.start : each.end] for each in document.annotations] == [each.text for each in written]
    assert len(document.text) == len(TEXT)
    [relation] = document.relations
    assert (relation.type, {relation.id1, relation.id2}) == ("model of", {"10090", "MESH:D001943"})


@pytest.mark.parametrize(
    ("slug", "form", "options"),
    [
        ("bioc-xml", "bioc_xml", {"byte_offsets": False}),
        ("bioc-json", "bioc_json", {"byte_offsets": False}),
        ("pubtator", "pubtator", {}),
    ],
)
def test_bconv_reads_mentions_in_one_part(slug, form, options):
    mentions = [each for each in MENTIONS if not each.spans]
    article = make_article(mentions)
    article.results.pop(1)
    source = TextIOWrapper(BytesIO(write(slug, article)), encoding="utf-8", newline="")
    [document] = bconv.load(source if slug != "bioc-xml" else source.buffer, fmt=form, **options)
    assert [(each.start, each.end, each.text) for each in document.iter_entities()] == [
        (each.start, each.end, each.text) for each in mentions
    ]


@pytest.mark.shared
@pytest.mark.parametrize("slug", ["bioc-xml", "bioc-json"])
def test_bioc_reads_every_mention_and_relation_of_biored(slug):
    content = gzip.decompress(require_shared_path("corpora", "biored", "Dev.BioC.XML.gz").read_bytes())
    parsed = read_annotated_articles_skipping_textless(BytesIO(content), "x", ResultFormat.BIOC_XML).articles
    articles, sent = [], Counter()
    for article in parsed:
        annotations = build_open_annotations(article)
        results = [ProducerResult(PRODUCER, kind, found) for kind, found in annotations.items()]
        articles.append(AnnotatedArticle(str(article.ids.pmid), article.ids, article.passages, results=results))
        sent += Counter({kind: len(found) for kind, found in annotations.items()})
    read: Counter[Kind] = Counter()
    for document, article in zip(load_bioc(slug, write(slug, *articles)).documents, parsed, strict=True):
        annotations, relations = list_annotations(document), list_relations(document)
        assert all(join_parts(article.text, each) == each.text for each in annotations)
        read[Kind.MENTION] += len(annotations)
        read[Kind.RELATION] += sum("entity1" in each.infons for each in relations)
    assert read == {Kind.MENTION: sent[Kind.MENTION], Kind.RELATION: sent[Kind.RELATION]}
    assert sent[Kind.MENTION] == 3533
    assert sent[Kind.RELATION] == 1162

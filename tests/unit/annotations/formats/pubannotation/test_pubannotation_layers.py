"""Denotations in parts, attributes, relations and modifications of PubAnnotation, and what other programs read."""

import json
from io import BytesIO

import bconv
import pytest

from annotations.formats.annotated_text.article_reader import read_annotated_articles_skipping_textless
from annotations.formats.annotated_text.open_annotations import build_open_annotations, build_open_content
from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer, ProducerResult
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.content_report import build_content_report
from annotations.formats.pubannotation.chains import join_chains
from annotations.formats.pubannotation.writer import write_pubannotation
from annotations.formats.result_sniffing import ResultFormat
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    Qualifier,
    RelationArgument,
    Span,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)

TEXT = "ERK1/2 and BRCA1 in breast cancer"
ERK2, BRCA1, CANCER = EntityId("ncbigene", "5594"), EntityId("ncbigene", "672"), EntityId("mesh", "D001943")
ERK_2 = make_mention([Span(0, 3), Span(5, 6)], "ERK 2", "Gene", [ERK2])
PRODUCERS = [ExportedProducer("Alpha", "server", "alpha", "2.1"), ExportedProducer("Gold", "gold")]


def make_denotation(number, begin, end, object_text, **values):
    return {"id": f"T{number}", "span": {"begin": begin, "end": end}, "obj": object_text, **values}


def relate(subject, predicate, object_, **values):
    return {"id": f"R-{subject}-{object_}", "subj": subject, "pred": predicate, "obj": object_, **values}


def assign(subject, predicate, value):
    return {"subj": subject, "pred": predicate, "obj": value}


def read_document(**members):
    content = json.dumps({"sourceid": "7", "text": TEXT, **members}).encode()
    return read_annotated_articles_skipping_textless(BytesIO(content), "x", ResultFormat.PUBANNOTATION).articles


def read_annotations(**members):
    [article] = read_document(**members)
    return build_open_annotations(article)


def list_left_out(**members):
    [article] = read_document(**members)
    return [(each.part, each.reason) for each in build_open_content(article).left_out]


@pytest.mark.parametrize(
    "members",
    [
        {
            "denotations": [{"id": "T1", "span": [{"begin": 0, "end": 3}, {"begin": 5, "end": 6}], "obj": "Gene"}],
            "attributes": [assign("T1", "identifier", "NCBIGene:5594")],
        },
        {
            "denotations": [make_denotation(1, 0, 3, "_FRAGMENT"), make_denotation(2, 5, 6, "Gene")],
            "relations": [relate("T2", "_lexicallyChainedTo", "T1")],
            "attributes": [assign("T2", "ncbi_gene", "5594")],
        },
    ],
)
def test_it_reads_both_forms_of_discontinuous_mentions(members):
    assert read_annotations(**members)[Kind.MENTION] == [ERK_2]


def test_it_reads_attributes_relations_and_modifications():
    found = read_annotations(
        denotations=[
            make_denotation(1, 11, 16, "Gene"),
            make_denotation(2, 20, 33, "http://id.nlm.nih.gov/mesh/D001943"),
        ],
        attributes=[
            assign("T1", "identifier", "ncbigene:672"),
            assign("T1", "identifier", "uniprot:P38398"),
            assign("T1", "entry", "http://identifiers.org/hgnc/1100"),
            assign("T1", "score", 0.5),
            assign("R-T1-T2", "method", "mi:0018"),
        ],
        relations=[relate("T1", "associated", "T2", confidence=0.25)],
        modifications=[{"id": "M1", "pred": "Negation", "obj": "R-T1-T2"}],
    )
    gene, disease = found[Kind.MENTION]
    assert gene.identifiers == (BRCA1, EntityId("uniprot", "P38398"), EntityId("hgnc", "1100"))
    assert (gene.confidence, disease.identifiers) == (0.5, (CANCER,))
    [relation] = found[Kind.RELATION]
    assert (relation.type, relation.is_directed, relation.confidence) == ("associated", True, 0.25)
    assert [argument.text for argument in relation.arguments] == ["BRCA1", "breast cancer"]
    assert relation.relation.qualifiers == (Qualifier("method", "mi:0018"), Qualifier("negated", "true"))


CHAIN = "_lexicallyChainedTo"
FRAGMENTS = [make_denotation(1, 0, 3, "_FRAGMENT"), make_denotation(2, 5, 6, "Gene")]


@pytest.mark.parametrize(
    ("members", "left_out"),
    [
        (
            {"relations": [relate("T2", CHAIN, "T1"), relate("T1", CHAIN, "T2")]},
            [("mentions", "its fragments are chained in a circle")] * 2,
        ),
        (
            {"relations": [relate("T2", CHAIN, "T1"), relate("T2", CHAIN, "T9")]},
            [("relations", "it chains what is not a denotation of the document")],
        ),
        ({}, [("mentions", "it is a fragment that no chain refers to")]),
        (
            {"relations": [relate("T2", CHAIN, "T1"), relate("T2", "binds", "T9")]},
            [("relations", "it refers to what is not an annotation of the document")],
        ),
        (
            {"relations": [relate("T2", CHAIN, "T1")], "attributes": [assign("T9", "identifier", "672")]},
            [("attributes", "its subject is neither a denotation nor a relation of the document")],
        ),
        (
            {"relations": [relate("T2", CHAIN, "T1")], "attributes": [assign("T2", "mood", "sad")]},
            [("attributes", "a mention has no attribute “mood”")],
        ),
        (
            {"relations": [relate("T2", CHAIN, "T1")], "modifications": [{"pred": "Negation", "obj": "T2"}]},
            [("modifications", "“Negation” is not the negation or speculation of a relation")],
        ),
    ],
)
def test_it_lists_what_it_does_not_keep(members, left_out):
    assert list_left_out(denotations=FRAGMENTS, **members) == left_out


def test_it_lists_a_mention_of_the_whole_document():
    denotation = make_denotation(1, 0, 5, "Gene")
    attributes = [assign("T1", *pair) for pair in (("kind", "mention"), ("scope", "document"), ("identifier", "672"))]
    assert list_left_out(sort="gold", kinds=["mention"], denotations=[denotation], attributes=attributes) == [
        ("mentions", "it has no position in the text")
    ]


def test_it_reports_it_with_the_first_line():
    articles = read_document(denotations=FRAGMENTS[1:], attributes=[assign("T2", "mood", "sad")])
    assert list(build_content_report(articles).iter_lines()) == [
        "Kept: mentions 1.",
        "Left out (R660): attributes 1 (a mention has no attribute “mood”; first in line 1, document “7”).",
    ]


def test_it_cuts_long_chains_and_finds_circles_beyond_them():
    links = [(str(number), str(number + 1)) for number in range(10_000)]
    chains = join_chains([*links, ("a", "b"), ("b", "a"), ("c", "c")])
    assert (len(chains.fragments["0"]), chains.circular) == (101, {"a", "b", "c"})


def make_exported_article(producers=PRODUCERS[:1]):
    arguments = [
        RelationArgument("Gene", (BRCA1,), (Span(11, 16),), "Gene", "BRCA1"),
        RelationArgument("", (CANCER,)),
        RelationArgument("site", (), (Span(20, 26),), "", "breast"),
    ]
    annotations = {
        Kind.MENTION: [ERK_2, make_mention([Span(11, 16)], "BRCA1", "Gene", [BRCA1], confidence=0.5)],
        Kind.CLASSIFICATION: [AnnotationData(Kind.CLASSIFICATION, relevant=False)],
        Kind.ENTITY: [make_entity(CANCER, "Disease", text="cancer")],
        Kind.RELATION: [
            make_relation("a:b", arguments[:2], qualifiers={"novelty": "Novel"}, evidence=[Span(0, 33)], directed=True),
            make_relation("event", arguments, qualifiers={"n": ""}, evidence=[Span(0, 3), Span(5, 6)], confidence=0.5),
        ],
        Kind.LABEL: [make_label("topic", "oncology")],
        Kind.PAIR: [],
    }
    results = [ProducerResult(producer, kind, own) for producer in producers for kind, own in annotations.items()]
    return AnnotatedArticle("7", ArticleIds(7), [TextPassage("title", TEXT)], results=results)


@pytest.mark.parametrize("producers", [PRODUCERS[:1], PRODUCERS])
def test_it_writes_all_kinds_and_reads_them_back(producers):
    article = make_exported_article(producers)
    content = "".join(write_pubannotation([article])).encode()
    [back] = read_annotated_articles_skipping_textless(BytesIO(content), "x", ResultFormat.PUBANNOTATION).articles
    expected = {result.kind: list(result.annotations) for result in article.results}
    assert build_open_annotations(back) == expected


def test_one_producer_has_a_single_document_and_several_have_tracks():
    one, two = (
        json.loads("".join(write_pubannotation([make_exported_article(own)]))) for own in ([PRODUCERS[0]], PRODUCERS)
    )
    assert (one["producer"], one["denotations"][0]["obj"], "tracks" in one) == ("Alpha", "Gene", False)
    assert ([track["producer"] for track in two["tracks"]], "denotations" in two) == (["Alpha", "Gold"], False)


def test_bconv_reads_the_mentions_and_relations_of_one_producer(tmp_path):
    path = tmp_path / "export.json"
    path.write_text("".join(write_pubannotation([make_exported_article()])), encoding="utf-8")
    document = bconv.load(path, fmt="pubanno_json")
    entities = [each for each in document.iter_entities() if "scope" not in each.metadata]
    assert [(each.spans, each.metadata["type"], each.metadata.get("identifier")) for each in entities] == [
        ([(0, 3), (5, 6)], "Gene", "ncbigene:5594"),
        ([(11, 16)], "Gene", "ncbigene:672"),
        ([(20, 26)], "mention", None),
    ]
    assert [each.metadata["type"] for each in document.iter_relations()] == ["a:b", "Gene", "argument", "site"]

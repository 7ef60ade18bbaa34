"""A file of annotated text as an annotation server."""

import gzip
import json
from dataclasses import replace

import pytest

from annotations.annotation_rules import list_broken_annotation_rules
from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer, ProducerResult
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.exports import EXPORTS
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)
from bcms.manual.protocol_examples import BCMS_EXAMPLE
from servers.kit.articles import KitArticle
from servers.kit.replay import ReplayAnnotator, main, read_annotated_text_file, read_pmid_by_document_id
from servers.protocols.bcms_xmlrpc import build_method_response_xml, parse_bcms_answer_noting_faults
from servers.protocols.rest import build_rest_answer, parse_rest_answer_noting_faults
from tests.shared_data import require_shared_path

TITLE, ABSTRACT = "CDH1 binds CTNNB1", "CDH1 in mouse."
FILE = f"""7|t|{TITLE}
7|a|{ABSTRACT}
7\t0\t4\tCDH1\tGene\t999
7\t11\t17\tCTNNB1\tGene\t1499
7\t18\t22\tcdh1\tGene\tNCBI Gene:999
7\t26\t31\tmouse\tSpecies\t10090
7\t26\t31\tmouse\tDisease\t-

"""
ARTICLE = KitArticle("7", 7, TITLE, ABSTRACT, f"{TITLE}\n{ABSTRACT}")


def replay(tmp_path, content=FILE, names=None):
    path = tmp_path / "run.txt"
    path.write_text(content)
    return ReplayAnnotator(read_annotated_text_file(path), names or {})


def test_it_says_mentions_and_ranked_entries(tmp_path):
    findings = list(replay(tmp_path)(ARTICLE))
    assert findings == [
        make_mention([Span(0, 4)], "CDH1", "Gene", [EntityId("ncbigene", "999")]),
        make_mention([Span(11, 17)], "CTNNB1", "Gene", [EntityId("ncbigene", "1499")]),
        make_mention([Span(18, 22)], "CDH1", "Gene", [EntityId("ncbigene", "999")]),
        make_mention([Span(26, 31)], "mouse", "Species", [EntityId("ncbitaxon", "10090")]),
        AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier="999", rank=1),
        AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier="1499", rank=2),
        AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="10090", rank=1),
    ]
    assert list_broken_annotation_rules(findings, ARTICLE.text, len(TITLE)) == []


def test_it_answers_with_relations_of_entities(tmp_path):
    content = FILE.rstrip("\n") + "\n7\tBind\t999\t1499\tNovel\n\n"
    [relation] = [each for each in replay(tmp_path, content)(ARTICLE) if each.kind is Kind.RELATION]
    assert relation.type == "Bind"
    assert [each.identifiers for each in relation.arguments] == [
        (EntityId("ncbigene", "999"),),
        (EntityId("ncbigene", "1499"),),
    ]
    assert relation.relation.qualifiers == (("novelty", "Novel"),)


def make_exported_article():
    """What a producer annotated: linked mentions in one part and in two, an entity, a relation of mentions, a label."""
    beta = make_mention([Span(0, 3), Span(11, 17)], "CDH CTNNB1", "Gene", [EntityId("ncbigene", "1499")])
    mouse = make_mention([Span(26, 31)], "mouse", "Species", [EntityId("ncbitaxon", "10090")], confidence=0.5)
    arguments = [
        RelationArgument(role, each.identifiers, each.parts, each.type, each.text)
        for role, each in (("gene", beta), ("species", mouse))
    ]
    relation = make_relation(
        "found in", arguments, directed=True, qualifiers={"novelty": "No"}, evidence=[Span(18, 31)]
    )
    annotations = [
        *(beta, mouse, AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="10090")),
        *(make_entity(EntityId("mesh", "D051379"), "Species"), relation, make_label("topic", "mice", confidence=0.9)),
    ]
    producer = ExportedProducer("Alpha", "server", "alpha", "2.1")
    results = [ProducerResult(producer, each.kind, [each]) for each in annotations[1:]]
    results[0] = ProducerResult(producer, Kind.MENTION, annotations[:2])
    passages = [TextPassage("title", TITLE), TextPassage("abstract", ABSTRACT)]
    return annotations, AnnotatedArticle("7", ArticleIds(7), passages, results=results)


@pytest.mark.parametrize("slug", ["bioc-xml", "bioc-json", "pubannotation", "brat", "uima-xmi", "web-annotation"])
@pytest.mark.parametrize("protocol", ["rest", "bcms"])
def test_stored_annotations_are_answered_as_they_were_exported(tmp_path, slug, protocol):
    annotations, article = make_exported_article()
    path = tmp_path / "export"
    path.write_bytes(b"".join(EXPORTS[slug].write([article])))
    replayed = list(ReplayAnnotator(read_annotated_text_file(path), {})(ARTICLE))
    assert replayed == annotations
    question = replace(BCMS_EXAMPLE, kinds=tuple(Kind), identifier="7", pmid=7, title=TITLE, text=ARTICLE.text)
    if protocol == "rest":
        parsed = parse_rest_answer_noting_faults(json.dumps(build_rest_answer(replayed, "7")).encode(), question)
    else:
        body = build_method_response_xml(replayed, len(TITLE), with_open_members=True)
        parsed = parse_bcms_answer_noting_faults(body, len(TITLE), tuple(Kind), article_text=ARTICLE.text)
    assert parsed.annotations == annotations
    assert not parsed.broken_rules
    assert list_broken_annotation_rules(replayed, ARTICLE.text, len(TITLE)) == []


def test_it_answers_with_the_links_and_relations_of_a_corpus():
    path = require_shared_path("corpora", "biored", "Dev.BioC.XML.gz")
    file, replayed = read_annotated_text_file(path), ReplayAnnotator(read_annotated_text_file(path), {})
    answers = [annotation for name in file.documents for annotation in replayed(KitArticle(name, None, "", "", ""))]
    assert sum(each.kind is Kind.RELATION for each in answers) == len(file.relations) == 1162
    mentions = [each for each in answers if each.kind is Kind.MENTION]
    linked = sum(bool(each.list_links()) for each in file.mentions)
    assert (len(mentions), sum(bool(each.identifiers) for each in mentions)) == (len(file.mentions), linked)
    assert linked > 3500


def test_it_says_nothing_of_an_article_that_the_file_has_not(tmp_path):
    assert list(replay(tmp_path)(KitArticle("8", 8, "", "", ""))) == []


def test_it_knows_articles_by_other_names(tmp_path):
    names = tmp_path / "names.tsv"
    names.write_text("7\t22104738\n")
    article = KitArticle("22104738", 22104738, TITLE, ABSTRACT, ARTICLE.text)
    assert len(list(replay(tmp_path, names=read_pmid_by_document_id(names))(article))) == 7


def test_it_reads_packed_files(tmp_path):
    path = tmp_path / "run.txt.gz"
    path.write_bytes(gzip.compress(FILE.encode()))
    assert len(read_annotated_text_file(path).mentions) == 5


@pytest.mark.parametrize(
    ("content", "words"),
    [("7\t1\n", "none of the formats of annotated text"), ("7|t|A\n7|a|B\n7\t9\t4\tCDH1\tGene\t1\n", "run.txt:3")],
)
def test_it_says_why_a_file_cannot_be_served(tmp_path, content, words):
    path = tmp_path / "run.txt"
    path.write_text(content)
    with pytest.raises(SystemExit, match=words):
        main([str(path), "--port", "0"])


def test_it_serves_real_systems():
    folder = require_shared_path("system_runs/tmvar3")
    names = read_pmid_by_document_id(folder / "doc_map.tsv")
    for name in ("pubtator_central", "bern2", "hunflair2", "bent"):
        replayed = ReplayAnnotator(read_annotated_text_file(folder / f"{name}.txt.gz"), names)
        assert len(set(replayed.documents) & set(names.values())) > 300

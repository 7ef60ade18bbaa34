"""UIMA XMI: dkpro-cassis reads exports, types of other programs are read as mentions, faults have a place."""

from io import BytesIO
from zipfile import ZipFile

import pytest
from cassis import load_cas_from_xmi, load_typesystem

from annotations.formats.annotated_text.article_reader import read_annotated_articles_skipping_textless
from annotations.formats.annotated_text.open_annotations import build_open_annotations
from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer, ProducerResult
from annotations.formats.articles.article_sniffing import ArticleFormat, sniff_format_else_text_refusing_non_articles
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.content_report import build_content_report
from annotations.formats.errors import RefusedFileError
from annotations.formats.exports import EXPORTS
from annotations.formats.result_sniffing import ResultFormat
from annotations.schema import (
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_mention,
    make_relation,
)

TEXT = "\U0001f9ec BRCA1 and ERK1/2\nin \U0001d6fc cancer."
GENE, CANCER = EntityId("ncbigene", "672"), EntityId("mesh", "D001943")
BRCA1 = make_mention([Span(2, 7)], "BRCA1", "Gene", [GENE], confidence=0.5)
ERK2 = make_mention([Span(12, 15), Span(17, 18)], "ERK 2", "Gene")
LINKED = make_relation(
    "Association",
    [RelationArgument("Gene", (GENE,), (Span(2, 7),), "Gene", "BRCA1"), RelationArgument("", (CANCER,))],
    directed=True,
    qualifiers={"novelty": "Novel"},
    evidence=[Span(19, 31)],
)
ALPHA = ExportedProducer("Alpha", "server", "alpha")
ARTICLE = AnnotatedArticle(
    "12",
    ArticleIds(12),
    [TextPassage("title", TEXT[:18]), TextPassage("abstract", TEXT[19:])],
    results=[
        ProducerResult(ALPHA, Kind.MENTION, [BRCA1, ERK2]),
        ProducerResult(ALPHA, Kind.ENTITY, [make_entity(CANCER, "Disease")]),
        ProducerResult(ALPHA, Kind.RELATION, [LINKED]),
        ProducerResult(ALPHA, Kind.TAXON, []),
    ],
)
HEAD = (
    '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:bcms="http:///bcms.ecore"\n'
    ' xmlns:ner="http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore" xmlns:t="http:///jcore.ecore">\n'
)


def read(content):
    stream = BytesIO(content if isinstance(content, bytes) else content.encode())
    assert sniff_format_else_text_refusing_non_articles(stream, "x") is ArticleFormat.XMI
    return read_annotated_articles_skipping_textless(stream, "mine.xmi", ResultFormat.XMI)


def write(elements, text="\U0001f9ec p53 binds.", sofa='xmi:id="1"'):
    return f'{HEAD}{elements}\n<cas:Sofa {sofa} sofaString="{text}"/></xmi:XMI>'


def test_cassis_reads_an_export():
    archive = ZipFile(BytesIO(b"".join(EXPORTS["uima-xmi"].write([ARTICLE]))))
    type_system = load_typesystem(archive.open("TypeSystem.xml"))
    cas = load_cas_from_xmi(archive.open("12.xmi"), typesystem=type_system, lenient=False)
    assert cas.sofa_string == TEXT
    assert [passage.get_covered_text() for passage in cas.select("bcms.Passage")] == [TEXT[:18], TEXT[19:]]
    findings = {each.text or each.kind: each for each in cas.select("bcms.Finding") if each.found is None}
    gene, erk2, relation = findings["BRCA1"], findings["ERK 2"], findings["relation"]
    assert [span.get_covered_text() for span in erk2.spans.elements] == ["ERK", "2"]
    assert [(each.curie, each.database) for each in gene.identifiers.elements] == [("ncbigene:672", "ncbigene")]
    first, second = relation.arguments.elements
    assert [span.get_covered_text() for span in first.spans.elements] == ["BRCA1"]
    assert [each.curie for each in second.identifiers.elements] == ["mesh:D001943"]
    assert [span.get_covered_text() for span in relation.evidence.elements] == [TEXT[19:31]]
    assert [(each.name, each.value) for each in relation.qualifiers.elements] == [("novelty", "Novel")]
    [nothing] = [each for each in cas.select("bcms.Finding") if each.found]
    assert (nothing.kind, nothing.found) == ("taxon", "nothing")


def test_it_reads_annotations_of_other_programs():
    [article] = read(
        write(
            '<ner:NamedEntity xmi:id="2" sofa="1" begin="3" end="6" value="GENE" identifier="ncbigene:7157"/>'
            '<t:Disease xmi:id="3" sofa="1" begin="7" end="12" confidence="0.5"/>'
            '<t:Sentence xmi:id="4" sofa="1" begin="0" end="13"/>\n<t:Empty xmi:id="5" sofa="1" begin="3" end="3"/>'
        )
    ).articles
    assert build_open_annotations(article)[Kind.MENTION] == [
        make_mention([Span(2, 5)], "p53", "GENE", [EntityId("ncbigene", "7157")]),
        make_mention([Span(6, 11)], "binds", "Disease", confidence=0.5),
    ]
    assert article.source_id == "mine"
    assert list(build_content_report([article]).iter_lines())[-2:] == [
        "Left out (R660): structures 1 (“Sentence” is a part of the text; first in line 3, document “mine”).",
        "Left out (R660): mentions 1 (they have no text; first in line 4, document “mine”).",
    ]


def test_it_reads_several_views_as_documents():
    second = '<cas:Sofa xmi:id="9" sofaID="German" sofaString="Bindet."/>'
    content = write(f'{second}<t:Verb xmi:id="2" sofa="9" begin="0" end="6"/>', sofa='xmi:id="1" sofaID="English"')
    german, english = read(content).articles
    assert (german.source_id, german.text, german.mentions[0].text) == ("mine German", "Bindet.", "Bindet")
    assert (english.source_id, english.mentions) == ("mine English", ())


@pytest.mark.parametrize(
    ("elements", "fault"),
    [
        ('<t:Gene xmi:id="2" sofa="1" begin="0" end="99"/>', "R677 0 to 99 is not a span of the text, which has 13"),
        ('<t:Gene xmi:id="2" sofa="1" begin="6" end="3"/>', "R677 6 to 3 is not a span of the text"),
        ('<t:Gene xmi:id="2" sofa="1" begin="1" end="3"/>', "R677 the annotation begins or ends inside a character - "),
        (
            '<t:Gene xmi:id="2" sofa="1" begin="-1" end="x"/>',
            "R677 “-1” and “x” are not begin and end",
        ),
        (
            '<bcms:Finding xmi:id="2" sofa="1" begin="0" end="9" sort="a" kind="relation" arguments="7 8"/>',
            "R677 “7” in arguments is not the ID of a bcms.Argument - refer to an element of the file",
        ),
        ('<bcms:Finding xmi:id="2" sofa="1" begin="0" end="9" sort="a" kind="x"/>', "R677 “x” is not a kind of annot"),
        (
            '<bcms:Finding xmi:id="2" sofa="1" begin="0" end="9" kind="mention" confidence="7"/>',
            "R677 “7.0” is not a confidence - write a number above 0 and at most 1",
        ),
        ("<t:Gene", "R663 the XML is not well-formed here, "),
    ],
)
def test_it_names_the_place_of_a_fault(elements, fault):
    with pytest.raises(RefusedFileError) as refused:
        read(write(elements))
    [told] = refused.value.faults
    assert str(told).startswith(f"mine.xmi:{3 if 'R677' in fault else 4}:")
    assert fault in str(told)


def test_it_refuses_files_without_text_and_with_entities():
    for content, rule in [
        (f"{HEAD}</xmi:XMI>", "R677 the file has no text"),
        (f'<!DOCTYPE x [<!ENTITY a "b">]>{write("")}', "R664 the file declares an entity"),
    ]:
        with pytest.raises(RefusedFileError, match=rule):
            read(content)

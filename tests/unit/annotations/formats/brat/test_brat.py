"""brat standoff: what other programs write is read, what somebody changes in an export counts, faults have a place."""

from dataclasses import replace
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from pybrat.parser import BratParser

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
    Qualifier,
    RelationArgument,
    Span,
    make_label,
    make_mention,
    make_relation,
)
from tests.shared_data import require_shared_path

TEXT = "BRCA1 and ERK1/2 in breast cancer\nTrx1 binds."
GENE, CANCER = EntityId("ncbigene", "672"), EntityId("mesh", "D001943")


def pack(files):
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def read(standoff, text=TEXT, **more):
    content = pack({"docs/12.txt": text, "docs/12.ann": standoff, **more})
    return read_annotated_articles_skipping_textless(BytesIO(content), "mine.zip", ResultFormat.BRAT).articles[0]


def find(article, kind):
    return build_open_annotations(article).get(kind, [])


def list_faults(standoff, text=TEXT, **more):
    with pytest.raises(RefusedFileError) as refused:
        read(standoff, text, **more)
    return [str(fault) for fault in refused.value.faults]


def test_it_reads_what_other_programs_write():
    article = read(
        "T1\tGene 0 5\tBRCA1\nN1\tReference T1 672\tBRCA1\n"
        "T2\tGene 10 13;15 16\tERK ... 2\nT3\tDisease 20 33\tbreast cancer\n"
        "N2\tReference T3 MESH:D001943\tbreast cancer\n"
        "A1\tConfidence T1 0.5\nA2\tFocus T3\nR1\tAssociation Gene:T1 Disease:T3\n"
        "A3\tNegation R1\nA4\tnovelty R1 Novel\n"
        "*\tEquiv T1 T2 T3\n#1\tAnnotatorNotes T1\tsure?\n# free\n"
    )
    assert article.ids == ArticleIds(12)
    assert find(article, Kind.MENTION) == [
        make_mention([Span(0, 5)], "BRCA1", "Gene", [GENE], confidence=0.5),
        make_mention([Span(10, 13), Span(15, 16)], "ERK 2", "Gene"),
        make_mention([Span(20, 33)], "breast cancer", "Disease", [CANCER]),
    ]
    association, equivalence = find(article, Kind.RELATION)
    gene, cancer = association.arguments
    assert (gene.role, gene.identifiers, cancer.spans) == ("Gene", (GENE,), (Span(20, 33),))
    assert association.relation.qualifiers == (Qualifier("negated", "true"), Qualifier("novelty", "Novel"))
    assert (association.is_directed, equivalence.is_directed, len(equivalence.arguments)) == (True, False, 3)
    report = "\n".join(build_content_report([article]).iter_lines())
    assert "Left out (R660): notes 2 (they are text for people; first in line 12, document “12”)." in report
    assert (
        "Left out (R660): attributes 1 (a mention has no attribute “Focus”; first in line 4, document “12”)." in report
    )


def test_it_reads_events_with_their_triggers():
    article = read(
        "T1\tGene 0 5\tBRCA1\nT2\tGene 34 38\tTrx1\nT3\tBinding 39 44\tbinds\nT4\tRegulation 17 19\tin\n"
        "E1\tBinding:T3 Theme:T1 Theme2:T2\nE2\tRegulation:T4 Cause:E1\nE3\tBinding:T3\n"
    )
    assert [each.type for each in find(article, Kind.MENTION)] == ["Gene", "Gene"]
    binding, regulation = find(article, Kind.RELATION)
    assert [(each.role, each.spans) for each in binding.arguments] == [
        ("Theme", (Span(0, 5),)),
        ("Theme", (Span(34, 38),)),
    ]
    assert binding.evidence == (Span(39, 44),)
    assert [(each.role, each.text) for each in regulation.arguments] == [("Trigger", "in"), ("Cause", "binds")]
    assert [(each.part, each.line) for each in article.left_out] == [("events in events", 6), ("relations", 7)]


def test_it_takes_relations_for_symmetric_that_the_configuration_says_are():
    configuration = "[relations]\nBinds\tArg1:Gene, Arg2:Gene, <REL-TYPE>:symmetric-transitive\n"
    lines = "T1\tGene 0 5\tBRCA1\nT2\tGene 34 38\tTrx1\nR1\tBinds Arg1:T1 Arg2:T2\nR2\tPart Arg1:T1 Arg2:T2\n"
    relations = find(read(lines, **{"annotation.conf": configuration}), Kind.RELATION)
    assert [each.is_directed for each in relations] == [False, True]


def test_it_skips_texts_without_annotations_and_counts_a_byte_order_mark():
    content = pack({"a.txt": "\ufeffp53 binds.\n\nWell.", "a.ann": "T1\tGene 1 4\tp53\n", "readme.txt": "x"})
    stream = BytesIO(content)
    assert sniff_format_else_text_refusing_non_articles(stream, "x") is ArticleFormat.BRAT
    read_file = read_annotated_articles_skipping_textless(stream, "x", ResultFormat.BRAT)
    [article] = read_file.articles
    assert (article.text, article.mentions[0].start) == ("p53 binds.\n\nWell.", 0)
    [warning] = read_file.warnings
    assert str(warning).startswith("x:0:0: R671 there are no annotations “readme.ann”")


@pytest.mark.parametrize(
    ("standoff", "fault"),
    [
        ("T1\tGene 0 99\tBRCA1\n", "1:9: R655 the mention ends at 99, but the text has only 45 characters - "),
        ("T1\tGene 5 5\t\n", "1:9: R654 the mention ends at 5, but starts at 5 - "),
        ("T1\tGene zero 5\tBRCA1\n", "1:1: R672 “T1�Gene zero 5�BRCA1” is not a line of brat standoff - "),
        ("\nwhat\n", "2:1: R672 “what” is not a line of brat standoff - begin the line with "),
        ("T1\tGene 0 5\tBRCA1\nT1\tGene 0 5\tBRCA1\n", "2:1: R673 there is already an annotation “T1” - "),
        ("T1\tGene 0 5\tBRCA1\nR1\tBinds Arg1:T1 Arg2:T7\n", "2:1: R673 there is no annotation “T7” - "),
        ("T1\tGene 0 5\tBRCA1\nR1\tBinds Arg1:T1\n", "2:1: R672 “R1�Binds Arg1:T1” is not a line"),
        ("N1\tReference T9 MESH:D1\tx\n", "1:1: R673 there is no annotation “T9” - "),
        (
            "T1\tUp 0 5\tBRCA1\nE1\tUp:T1 Theme:E2\nE2\tUp:T1 Theme:E1\n",
            "2:1: R674 the event “E1” is an argument of itself, directly or through others - ",
        ),
        (
            '#1\tAnnotatorNotes T1\t{"sort": "gold", "kind": "mention", "start": 0, "end": 99}\nT1\tGene 0 5\tBRCA1\n',
            "1:1: R668 0 to 99 is not a span of the text, which has 45 characters - ",
        ),
        ('T1\tGene 0 5\tBRCA1\n#1\tAnnotatorNotes T1\t{"sort": "x", "kind": "x"}\n', "2:1: R668 “x” is not a kind"),
    ],
)
def test_it_names_the_place_of_a_fault(standoff, fault):
    [told] = list_faults(standoff)
    assert told.startswith(f"mine.zip/docs/12.ann:{fault}")


def test_it_refuses_an_archive_with_faults_as_a_whole():
    assert list_faults("", b"\xff")[0].startswith("mine.zip/docs/12.txt:1:1: R651 this byte is not UTF-8")
    assert list_faults("", **{"13.ann": ""}) == [
        "mine.zip:0:0: R671 there is no text “13.txt” for “13.ann” - add it to the archive"
    ]
    bomb = pack({"1.txt": bytes(65 * 1024 * 1024), "1.ann": ""})
    cut = pack({"1.txt": "x" * 99, "1.ann": ""}).replace(b"xxxx", b"xyxx")
    for content in (bomb, cut[:-30]):
        with pytest.raises(RefusedFileError, match=r"R448|R401"):
            read_annotated_articles_skipping_textless(BytesIO(content), "x", ResultFormat.BRAT)


ALPHA = ExportedProducer("Alpha", "server", "alpha")
MENTION = make_mention([Span(0, 5)], "BRCA1", "Gene", [GENE], confidence=0.5)
CLEAVED = make_mention([Span(20, 38)], "breast cancer\nTrx1", "a disease:x", [CANCER])
ARGUMENTS = [
    RelationArgument("Gene", (GENE,), (Span(0, 5),), "Gene", "BRCA1"),
    RelationArgument("", (), (Span(20, 26),), "Disease", "breast"),
    RelationArgument("", (), (Span(27, 33),), "Disease", "cancer"),
]
PAIRED = make_relation("Association", ARGUMENTS[:2], qualifiers={"negated": "true"}, confidence=0.25)
EVENT = make_relation("Three things", ARGUMENTS, directed=True, evidence=[Span(34, 45)])
ARTICLE = AnnotatedArticle(
    "12",
    ArticleIds(12),
    [TextPassage("title", TEXT[:33]), TextPassage("abstract", TEXT[34:])],
    results=[
        ProducerResult(ALPHA, Kind.MENTION, [MENTION, CLEAVED]),
        ProducerResult(ALPHA, Kind.RELATION, [PAIRED, EVENT]),
        ProducerResult(ALPHA, Kind.LABEL, [make_label("topic", "oncology")]),
    ],
)


def export(article=ARTICLE):
    archive = ZipFile(BytesIO(b"".join(EXPORTS["brat"].write([article]))))
    return archive, archive.read("12.ann").decode()


def test_it_writes_relations_and_events_as_brat_has_them():
    archive, standoff = export()
    lines = [line for line in standoff.splitlines() if not line.startswith("#")]
    assert lines[1:] == [
        "T2\tGene 0 5\tBRCA1",
        "N1\tReference T2 ncbigene:672\tBRCA1",
        "A1\tConfidence T2 0.5",
        "T3\ta_disease_x 20 33;34 38\tbreast cancer Trx1",
        "N2\tReference T3 mesh:D001943\tbreast cancer Trx1",
        "T4\tDisease 20 26\tbreast",
        "R1\tAssociation Arg1:T2 Arg2:T4",
        "A2\tConfidence R1 0.25",
        "A3\tNegation R1",
        "T5\tDisease 27 33\tcancer",
        "T6\tThree_things 34 45\tTrx1 binds.",
        "E1\tThree_things:T6 Gene:T2 Arg:T4 Arg2:T5",
    ]
    configuration = archive.read("annotation.conf").decode()
    assert "[relations]\nAssociation\tArg1:<ANY>, Arg2:<ANY>\n" in configuration
    assert "[events]\nThree_things\tGene*:<ANY>, Arg*:<ANY>\n" in configuration
    assert "Confidence\tArg:<ANY>, Value:0.5|0.25\nNegation\tArg:<ANY>\n" in configuration


def test_pybrat_reads_an_export(tmp_path):
    archive, _ = export()
    archive.extractall(tmp_path)
    [example] = BratParser(error="raise").parse(tmp_path)
    assert example.text == TEXT
    for entity in example.entities:
        assert entity.mention == " ".join(TEXT[span.start : span.end] for span in entity.spans)
    assert {(entity.type, *((each.rid, each.eid) for each in entity.references)) for entity in example.entities} >= {
        ("Gene", ("ncbigene", "672")),
        ("a_disease_x", ("mesh", "D001943")),
    }
    [relation], [event] = example.relations, example.events
    assert (relation.type, relation.arg1.mention, relation.arg2.mention) == ("Association", "BRCA1", "breast")
    assert (event.type, [each.mention for each in event.arguments]) == ("Three_things", ["BRCA1", "breast", "cancer"])


def test_what_somebody_changes_in_an_export_counts():
    _, standoff = export()
    for old, new in [
        ("T2\tGene 0 5\tBRCA1", "T2\tProtein 0 4\tBRCA"),
        ("ncbigene:672\tBRCA1", "uniprot:P38398\tBRCA1"),
        ("A2\tConfidence R1 0.25", "A2\tConfidence R1 0.75"),
        ("R1\tAssociation", "R1\tCause"),
    ]:
        assert old in standoff
        standoff = standoff.replace(old, new)
    article = read(standoff + "T9\tGene 34 38\tTrx1\nR9\tBinds Arg1:T2 Arg2:T9\n")
    protein = EntityId("uniprot", "P38398")
    changed = make_mention([Span(0, 4)], "BRCA", "Protein", [protein], confidence=0.5)
    added = make_mention([Span(34, 38)], "Trx1", "Gene")
    assert set(find(article, Kind.MENTION)) == {changed, CLEAVED, added}
    relations = {each.type: each for each in find(article, Kind.RELATION)}
    assert list(relations) == ["Cause", "Binds", "Three things"]
    assert relations["Cause"].confidence == 0.75
    assert relations["Cause"].relation.qualifiers == PAIRED.relation.qualifiers
    assert relations["Cause"].arguments[0].spans == (Span(0, 4),)
    assert find(article, Kind.LABEL) == [make_label("topic", "oncology")]


def test_it_keeps_a_mention_of_line_breaks_alone():
    mention = make_mention([Span(33, 34)], "\n", "Gap")
    article = replace(ARTICLE, results=[ProducerResult(ALPHA, Kind.MENTION, [mention])])
    content = b"".join(EXPORTS["brat"].write([article]))
    [back] = read_annotated_articles_skipping_textless(BytesIO(content), "x", ResultFormat.BRAT).articles
    assert find(back, Kind.MENTION) == [mention]


@pytest.mark.shared
def test_it_reads_the_output_of_a_published_tagger():
    folder = require_shared_path("system_runs", "jensenlab_tagger_brat")
    paths = [*folder.glob("*.ann"), *folder.glob("*.txt")]
    content = pack({path.name: path.read_bytes() for path in paths if path.name != "README.txt"})
    read_file = read_annotated_articles_skipping_textless(BytesIO(content), "x", ResultFormat.BRAT)
    assert len(read_file.articles) == 40
    assert not [warning for warning in read_file.warnings if warning.rule == "R657"]
    mentions = [mention for article in read_file.articles for mention in article.mentions]
    assert {mention.type for mention in mentions} == {"Protein"}
    assert all(
        article.text[each.start : each.end] == each.text for article in read_file.articles for each in article.mentions
    )

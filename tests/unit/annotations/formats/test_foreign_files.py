"""Files of other programs are read, or refused by one clear sentence; what they say and is not kept is named."""

import json
from io import BytesIO
from zipfile import ZipFile

import pytest

from annotations.articles.imports.article_files import (
    read_unpacked_non_pubmed_article_file,
    sniff_article_format_unpacking_gzip,
)
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.content_report import build_content_report
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.result_sniffing import sniff_result_format_else_tsv

CONTEXT = "http://www.w3.org/ns/anno.jsonld"
# An id relative to the page, several bodies and targets, and a quotation without positions.
OTHER_ANNOTATION = {
    "id": "anno1",
    "type": "Annotation",
    "body": [{"type": "TextualBody", "value": "Gene"}, "https://identifiers.org/ncbigene:7157"],
    "target": [
        {"source": "https://pubmed.ncbi.nlm.nih.gov/12", "selector": {"type": "TextQuoteSelector", "exact": "p53"}},
        "https://pubmed.ncbi.nlm.nih.gov/13",
    ],
}
PAGE = {"id": "page1", "type": "AnnotationPage", "items": [OTHER_ANNOTATION]}
TURTLE = 'PREFIX_LINE\n<http://e.org/a1> a oa:Annotation ; oa:hasBody "x" .\n'
PUBTATOR = "12|t|p53 binds.\n12|a|Mdm2 too.\n12\t0\t3\tp53\tGene\t7157\n12\t11\t15\tMdm2\tGene\t4193\n"
PUBANNOTATION = {
    "sourceid": "12",
    "text": "p53 binds Mdm2.",
    "denotations": [
        {"id": "T1", "span": {"begin": 0, "end": 3}, "obj": "Gene", "colour": "red"},
        {"id": "T2", "span": {"begin": 10, "end": 14}, "obj": "Gene"},
    ],
    "relations": [{"id": "R1", "subj": "T1", "pred": "binds", "obj": "T2"}],
    "namespaces": [{"prefix": "_base", "uri": "http://e.org/"}],
}


def write_bioc(infons="", relation="", second_id="2", length=4):
    mention = '<annotation id="{}"><infon key="type">Gene</infon>{}<location offset="{}" length="{}"/><text>{}</text>'
    first = mention.format("1", infons, 0, 3, "p53")
    second = mention.format(second_id, "", 10, length, "Mdm2")
    return (
        "<collection><source/><date/><key/><document><id>12</id><passage><offset>0</offset>"
        f"<text>p53 binds Mdm2</text>{first}</annotation>{second}</annotation>{relation}"
        "</passage></document></collection>"
    )


def write_relation(*nodes):
    refs = "".join(f'<node refid="{node}" role="{role}"/>' for node, role in nodes)
    return f'<relation id="R1"><infon key="type">Binding</infon>{refs}</relation>'


def write_xmi(elements):
    spaces = 'xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:a="http:///org/other.ecore"'
    sofa = '<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" sofaString="p53 binds Mdm2"/>'
    return f"<xmi:XMI {spaces}>{elements}{sofa}</xmi:XMI>"


def zip_brat(standoff):
    stream = BytesIO()
    with ZipFile(stream, "w") as archive:
        archive.writestr("corpus/12.txt", "p53 binds Mdm2")
        archive.writestr("corpus/12.ann", standoff)
    return stream.getvalue()


def read_article_file(content):
    stream = BytesIO(content if isinstance(content, bytes) else content.encode())
    return read_unpacked_non_pubmed_article_file(stream, "mine", sniff_article_format_unpacking_gzip(stream, "mine"))


def read_run_file(content):
    stream = BytesIO(content if isinstance(content, bytes) else content.encode())
    return ANNOTATED_TEXT_FORMATS[sniff_result_format_else_tsv(stream)].read(stream, "mine")


WEB_ANNOTATIONS = {
    "page": json.dumps({"@context": CONTEXT, **PAGE}),
    "page with a context of its own": json.dumps({"@context": [{"x": "http://e.org/"}, CONTEXT], **PAGE}),
    "page with its context last": json.dumps({**PAGE, "@context": CONTEXT}),
    "page of the first draft": json.dumps({"@context": "https://www.w3.org/ns/oa.jsonld", **PAGE}),
    "graph": json.dumps({"@context": {"oa": "http://www.w3.org/ns/oa#"}, "@graph": [{"@type": "oa:Annotation"}]}),
    "annotation": json.dumps({"@context": CONTEXT, **OTHER_ANNOTATION}),
    "list": json.dumps([{"@context": CONTEXT, **OTHER_ANNOTATION}]),
    "collection": json.dumps({"@context": CONTEXT, "type": "AnnotationCollection", "first": PAGE}),
    "turtle": TURTLE.replace(
        "PREFIX_LINE", "# by hand\n@base <http://e.org/> .\n@prefix oa: <http://www.w3.org/ns/oa#> ."
    ),
    "turtle as in queries": TURTLE.replace("PREFIX_LINE", "PREFIX oa: <http://www.w3.org/ns/oa#>"),
}


@pytest.mark.parametrize("read", [read_article_file, read_run_file])
@pytest.mark.parametrize("content", WEB_ANNOTATIONS.values(), ids=WEB_ANNOTATIONS)
def test_it_refuses_web_annotations_of_other_programs_by_one_sentence(content, read):
    with pytest.raises(RefusedFileError) as refused:
        read(content)
    assert [(fault.rule, fault.mend) for fault in refused.value.faults] == [
        ("R675", "use BioC, PubAnnotation, PubTator or brat for annotations of other programs")
    ]


NAMED = {
    "infons of BioC": (
        write_bioc('<infon key="normalized">TP53</infon><infon key="NCBI Homologene">460</infon>'),
        [
            "attributes 1 (a mention has no attribute “normalized”",
            "attributes 1 (a mention has no attribute “ncbihomo",
        ],
    ),
    "a relation of BioC to another one": (
        write_bioc(relation=write_relation(("R9", "theme"), ("2", "cause"))),
        ["relations 1 (it refers to what is not an annotation of the document"],
    ),
    "a relation of BioC to one of two annotations with its ID": (
        write_bioc(relation=write_relation(("1", "a"), ("1", "b")), second_id="1"),
        ["relations 1 (several annotations have the ID “1”"],
    ),
    "columns of PubTator": (
        PUBTATOR.replace("7157", "7157\tTP53").replace("4193", "4193\t0.9\tMDM2"),
        ["attributes 1 (a mention has no attribute “column 7”", "attributes 1 (a mention has no attribute “column 8”"],
    ),
    "members of PubAnnotation": (
        json.dumps({**PUBANNOTATION, "catanns": [{"id": "C1"}]}),
        ["attributes 1 (a mention has no attribute “colour”", "layers 1 (“catanns” is no layer of annotations"],
    ),
    "notes and attributes of brat": (
        zip_brat("T1\tGene 0 3\tp53\nA1\tCertain T1 High\n#1\tAnnotatorNotes T1\tReally?\n"),
        ["attributes 1 (a mention has no attribute “Certain”", "notes 1 (they are text for people"],
    ),
    "an event in an event of brat": (
        zip_brat(
            "T1\tGene 0 3\tp53\nT2\tBinds 4 9\tbinds\nE1\tBinds:T2 Theme:T1\nE2\tReg:T2 Theme:E1 Cause:T1\n"
            "N1\tReference T1 NCBIGene:7157\tp53\n"
        ),
        ["events in events 1 (the trigger stands for an event that is an argument"],
    ),
    "structures of UIMA": (
        write_xmi(
            '<a:Gene xmi:id="2" sofa="1" begin="0" end="3" symbol="TP53"/><a:Gene xmi:id="3" sofa="1" begin="10" '
            'end="14"/><a:Token xmi:id="4" sofa="1" begin="0" end="3"/><a:Binding xmi:id="5" arg1="2" arg2="3"/>'
        ),
        [
            "structures 1 (“Token” is a part of the text",
            "structures 1 (“Binding” has no position in the text",
            "attributes 1 (a mention has no attribute “Gene.symbol”",
        ],
    ),
}


@pytest.mark.parametrize(("content", "left_out"), NAMED.values(), ids=NAMED)
def test_it_names_what_it_leaves_out_in_imports_and_scores(content, left_out):
    report = [line for line in build_content_report(read_article_file(content).articles).iter_lines() if "Left" in line]
    warnings = [fault for fault in read_run_file(content).warnings if fault.rule == "R660"]
    assert len(report) == len(warnings) == len(left_out)
    for line, warning, expected in zip(report, warnings, left_out, strict=True):
        assert line.startswith(f"Left out (R660): {expected}")
        assert warning.message.startswith(f"left out: {expected}")
        assert "document “" in line


WHOLE = {
    "BioC with any roles": write_bioc(relation=write_relation(("1", "Theme 1/α"), ("2", ""))),
    "PubTator of Windows": PUBTATOR.replace("\n", "\r\n"),
    "PubTator with blank lines": PUBTATOR.replace("\n", "\n\n"),
    "PubAnnotation": json.dumps({**PUBANNOTATION, "denotations": PUBANNOTATION["denotations"][1:], "relations": []}),
    "UIMA": write_xmi('<a:Gene xmi:id="2" sofa="1" begin="0" end="3" ncbiGeneId="7157"/>'),
}


@pytest.mark.parametrize("content", WHOLE.values(), ids=WHOLE)
def test_it_reads_other_files_whole(content):
    assert not read_article_file(content).warnings
    assert not read_run_file(content).warnings
    assert not any("Left" in line for line in build_content_report(read_article_file(content).articles).iter_lines())


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (PUBTATOR.replace("\n", "\r"), "R652"),
        (PUBTATOR.replace("\t", "  "), "R652"),
        (zip_brat("T1\tGene 0 3\tp53\nR1\tBinds Arg1:T1 Arg2:T9\n"), "R673"),
    ],
    ids=["carriage returns", "spaces", "missing mention"],
)
def test_it_refuses_what_it_would_misread(content, rule):
    for read in (read_article_file, read_run_file):
        with pytest.raises(RefusedFileError) as refused:
            read(content)
        assert {fault.rule for fault in refused.value.faults} == {rule}


@pytest.mark.parametrize(
    "content",
    [
        write_bioc(length=40),
        PUBTATOR.replace("11\t15", "11\t150"),
        json.dumps({**PUBANNOTATION, "denotations": [{"id": "T1", "span": {"begin": 10, "end": 99}, "obj": "Gene"}]}),
    ],
    ids=["BioC", "PubTator", "PubAnnotation"],
)
def test_it_warns_of_a_mention_that_crosses_the_end_of_the_text(content):
    for read in (read_article_file, read_run_file):
        assert "R655" in [fault.rule for fault in read(content).warnings]


def test_it_says_which_archives_can_be_read():
    stream = BytesIO()
    with ZipFile(stream, "w") as archive:
        archive.writestr("12.xml", write_bioc())
    with pytest.raises(FormatError) as refused:
        sniffed = sniff_article_format_unpacking_gzip(stream, "mine")
        read_unpacked_non_pubmed_article_file(stream, "mine", sniffed)
    assert refused.value.mend == "unpack it, and send the files inside"


IDENTIFIER = '<infon key="identifier">{}</infon>'


@pytest.mark.parametrize(
    "content",
    [
        write_bioc(infons=IDENTIFIER.format("NCBIGene:p53")),
        PUBTATOR.replace("Gene\t7157", "Gene\tNCBIGene:p53"),
        json.dumps({**PUBANNOTATION, "attributes": [{"subj": "T1", "pred": "identifier", "obj": "ncbigene:p53"}]}),
        zip_brat("T1\tGene 0 3\tp53\nN1\tReference T1 NCBIGene:p53\tp53\n"),
    ],
    ids=["BioC", "PubTator", "PubAnnotation", "brat"],
)
def test_it_names_identifiers_that_their_database_refuses(content):
    [line] = [
        line
        for line in build_content_report(read_article_file(content).articles).iter_lines()
        if line.startswith("Malformed")
    ]
    assert line.startswith(
        "Malformed (R118): 1 identifier that NCBI Gene does not have in this form is kept (“p53” in "
    )
    assert "document “12”" in line
    assert line.endswith(" - correct it in the file.")


def test_it_counts_malformed_identifiers_by_database():
    content = PUBTATOR.replace("Gene\t7157", "Gene\tNCBIGene:p53,NCBIGene:p54,MESH:cancer")
    lines = list(build_content_report(read_article_file(content).articles).iter_lines())
    assert lines[2:] == [
        "Malformed (R118): 2 identifiers that NCBI Gene does not have in this form are kept (first “p53” in line 3, "
        "document “12”) - correct them in the file.",
        "Malformed (R118): 1 identifier that MeSH does not have in this form is kept (“cancer” in line 3, document "
        "“12”) - correct it in the file.",
    ]


@pytest.mark.parametrize(
    ("novelties", "told"),
    [
        (["Novel", "No"], []),
        (
            ["Perhaps"],
            '1 value is kept in line 5, document “12”: novelty is "Perhaps", which is neither Novel nor No - correct '
            "it in the file.",
        ),
        (
            ["Perhaps", "Maybe"],
            '2 values of novelty are kept; the first in line 5, document “12”: novelty is "Perhaps", which is neither '
            "Novel nor No - correct them in the file.",
        ),
    ],
)
def test_it_names_values_that_a_qualifier_does_not_have(novelties, told):
    relations = "".join(f"12\tBind{number}\t7157\t4193\t{each}\n" for number, each in enumerate(novelties))
    lines = build_content_report(read_article_file(PUBTATOR.rstrip("\n") + f"\n{relations}\n").articles).iter_lines()
    assert [line for line in lines if line.startswith("Qualifiers")] == ([f"Qualifiers (R131): {told}"] if told else [])


def test_it_says_that_a_long_type_is_cut():
    content = PUBTATOR.replace("Gene\t7157", f"{'t' * 101}\t7157")
    *_, line = build_content_report(read_article_file(content).articles).iter_lines()
    assert line == (
        "Left out (R660): types 1 (only their first 100 characters are kept; first in line 3, document “12”)."
    )

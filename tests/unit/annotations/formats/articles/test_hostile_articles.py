"""Whatever a file of articles holds, it is read, or refused by one clear sentence with the place; nothing else happens,
and soon. What is read can be stored, and its mentions lie within its text.
"""

import gzip
import json
import re
import time
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.articles.imports.article_files import (
    read_unpacked_non_pubmed_article_file,
    sniff_article_format_unpacking_gzip,
    unpack_if_gzipped_within_limit,
)
from annotations.formats.annotated_text.open_annotations import build_open_annotations
from annotations.formats.articles.article_sniffing import ArticleFormat
from annotations.formats.articles.parsed_article import UNSTORABLE, check_article_size_and_characters
from annotations.formats.docx.reader import read_docx
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.pubmed.reader import Citation, iter_citations_and_deletions
from tests.documents import docx, pdf
from tests.unit.annotations.formats.articles.test_article_formats import BIOC, HTML, JATS
from tests.unit.damaged_files import SPLINTERS, damage_content

PUBMED = """<?xml version="1.0"?><PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version="1">12</PMID>
<DateRevised><Year>2026</Year><Month>01</Month><Day>31</Day></DateRevised><Article><Journal><JournalIssue>
<PubDate><MedlineDate>1979 Jul</MedlineDate></PubDate></JournalIssue></Journal><ArticleTitle>p<i>53</i> &amp; &#945;
</ArticleTitle><Abstract><AbstractText Label="AIM">Binds.</AbstractText></Abstract></Article></MedlineCitation>
</PubmedArticle><DeleteCitation><PMID>13</PMID></DeleteCitation></PubmedArticleSet>"""
BIOC_JSON = json.dumps(
    {
        "documents": [
            {
                "id": "12",
                "infons": {"relevant": "yes"},
                "passages": [
                    {
                        "offset": 0,
                        "infons": {"type": "title"},
                        "text": "p53 \U0001d6fc",
                        "annotations": [
                            {
                                "id": "1",
                                "infons": {"type": "Gene", "identifier": "7157"},
                                "text": "p53",
                                "locations": [{"offset": 0, "length": 3}],
                            }
                        ],
                        "relations": [],
                    }
                ],
                "relations": [
                    {"id": "R1", "infons": {"relation": "PPIm", "Gene1": "7157", "Gene2": "4193"}, "nodes": []}
                ],
            }
        ]
    }
)
PUBTATOR = "12|t|p53 binds.\n12|a|So \U0001d6fc.\n12\t0\t3\tp53\tGene\t7157\n12\tPPIm\t7157\t4193\n\n13|t|Mdm2\n"
PUBANNOTATION = json.dumps(
    {
        "sourcedb": "PubMed",
        "sourceid": "12",
        "text": "p53 binds.",
        "denotations": [{"id": "T1", "span": {"begin": 0, "end": 3}, "obj": "Gene"}],
        "attributes": [{"subj": "T1", "pred": "identifier", "obj": "7157"}],
        "relations": [{"id": "R1", "subj": "T1", "pred": "binds", "obj": "T1"}],
        "tracks": [{"project": "a", "denotations": []}],
    }
)
BRAT = (
    "T1\tGene 0 3\tp53\nT2\tBinding 4 9\tbinds\nT3\tGene 14 15\t\U0001d6fc\nE1\tBinding:T2 Theme:T1 Theme2:T3\n"
    "N1\tReference T1 ncbigene:7157\tp53\nA1\tConfidence T1 0.5\nR1\tBinds Arg1:T1 Arg2:T3\n"
    '#1\tAnnotatorNotes R1\t{"sort": "gold", "kind": "relation", '
    '"arguments": [{"spans": [[0, 3]]}, {"spans": [[14, 15]]}]}\n'
    '#2\tAnnotatorNotes T1\t{"sort": "gold", "kind": "mention", "start": 0, "end": 3, "text": "p53"}\n'
)


WEB_ANNOTATION = json.dumps(
    {
        "@context": "http://www.w3.org/ns/anno.jsonld",
        "type": "AnnotationPage",
        "items": [
            {
                "body": {"value": "p53 \U0001d6fc"},
                "article": {"article": "12", "passages": [{"type": "title", "start": 0, "end": 5}]},
            },
            {"finding": {"article": "12", "sort": "gold", "kind": "mention", "start": 0, "end": 3, "text": "p53"}},
        ],
    }
)


XMI = (
    '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:bcms="http:///bcms.ecore" '
    'xmlns:a="http:///a.ecore"><bcms:Finding xmi:id="3" sofa="1" begin="0" end="6" sort="gold" kind="relation" '
    'arguments="4 5"/><bcms:Argument xmi:id="4" spans="6"/><bcms:Argument xmi:id="5" identifiers="7"/>'
    '<bcms:Span xmi:id="6" sofa="1" begin="0" end="3"/><bcms:Identifier xmi:id="7" curie="ncbigene:7157"/>'
    '<a:Gene xmi:id="8" sofa="1" begin="4" end="6"/><cas:Sofa xmi:id="1" sofaString="p53 \U0001d6fc"/></xmi:XMI>'
)


def zip_parts(parts: dict[str, bytes]) -> bytes:
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return stream.getvalue()


def pack_brat(standoff: bytes) -> bytes:
    return zip_parts({"12.txt": "p53 binds.\n\nSo \U0001d6fc.\n".encode(), "12.ann": standoff})


GOOD = {
    ArticleFormat.PUBMED: PUBMED.encode(),
    ArticleFormat.JATS: JATS.encode(),
    ArticleFormat.BIOC_XML: BIOC.encode(),
    ArticleFormat.BIOC_JSON: BIOC_JSON.encode(),
    ArticleFormat.PUBTATOR: PUBTATOR.encode(),
    ArticleFormat.PUBANNOTATION: PUBANNOTATION.encode(),
    ArticleFormat.BRAT: pack_brat(BRAT.encode()),
    ArticleFormat.WEB_ANNOTATION: WEB_ANNOTATION.encode(),
    ArticleFormat.XMI: XMI.encode(),
    ArticleFormat.HTML: HTML.encode(),
    ArticleFormat.TEXT: "p53 binds.\n\nSo \U0001d6fc.\n".encode(),
    ArticleFormat.DOCX: docx(("Title", "p53"), ("Heading 1", "Abstract"), ("Normal", "Binds.")),
}
# Read in a process of their own, which takes a while: they have tests of their own.
SANDBOXED_FORMATS = (ArticleFormat.PDF, ArticleFormat.DOCX)
# Milliseconds; on a machine with other work, a little file takes its time, too.
SOON = 20_000
# As of an upload.
LARGEST = 64 * 1024 * 1024
TEXT_FORMATS = [form for form in GOOD if form is not ArticleFormat.DOCX]
FAULT_SENTENCE = re.compile(r"[^\n\r\t]*?:\d+:\d+: R[4-7]\d\d [^\n]* - [^\n]*")


def check_read_or_refused(content: bytes, form: ArticleFormat | None) -> None:
    """Reads as the pages and the API do; every fault is a sentence with its place and how to mend it."""
    try:
        stream = BytesIO(content)
        if form is None and (form := sniff_article_format_unpacking_gzip(stream, "mine")) in SANDBOXED_FORMATS:
            return
        unpack = unpack_if_gzipped_within_limit(stream, "mine", LARGEST)
        if form is ArticleFormat.PUBMED:
            texts = [
                record.text for record in iter_citations_and_deletions(unpack, "mine") if isinstance(record, Citation)
            ]
            assert not UNSTORABLE.search("".join(texts))
            return
        read = read_unpacked_non_pubmed_article_file(unpack, "mine", form)
    except RefusedFileError as error:
        assert error.faults
        for fault in error.faults:
            assert FAULT_SENTENCE.fullmatch(str(fault)), str(fault)
    except FormatError as error:
        assert FAULT_SENTENCE.fullmatch(str(error)), str(error)
    else:
        for article in read.articles:
            check_article_size_and_characters(article, "mine")
            for finding in (each for some in build_open_annotations(article).values() for each in some):
                assert all(0 <= start < end <= len(article.text) for start, end in finding.parts + finding.evidence)
        for warning in read.warnings:
            assert FAULT_SENTENCE.fullmatch(str(warning)), str(warning)


@pytest.mark.parametrize("form", TEXT_FORMATS)
@settings(max_examples=60, deadline=SOON)
@given(st.data())
def test_it_reads_or_refuses_a_damaged_file(form, data):
    content = data.draw(damage_content(GOOD[form]))
    check_read_or_refused(content, data.draw(st.sampled_from([form, None])))


@pytest.mark.parametrize("form", TEXT_FORMATS)
@settings(max_examples=40, deadline=SOON)
@given(st.one_of(st.binary(max_size=60), st.text(max_size=60).map(str.encode), st.sampled_from(list(GOOD.values()))))
def test_it_reads_or_refuses_what_is_said_to_be_of_a_format(form, content):
    check_read_or_refused(content, form)


@pytest.mark.parametrize("form", TEXT_FORMATS)
def test_it_reads_or_refuses_a_file_cut_off_anywhere(form):
    for end in range(len(GOOD[form])):
        check_read_or_refused(GOOD[form][:end], form)


@settings(max_examples=30, deadline=SOON)
@given(st.data())
def test_it_reads_or_refuses_a_damaged_document_of_word(data):
    """The archive as it came, and with one of its parts damaged."""
    content = data.draw(st.one_of(damage_content(GOOD[ArticleFormat.DOCX]), damage_docx_part()))
    try:
        read_docx(content, "mine")
    except FormatError as error:
        assert FAULT_SENTENCE.fullmatch(str(error)), str(error)


@settings(max_examples=60, deadline=SOON)
@given(damage_content(BRAT.encode()))
def test_it_reads_or_refuses_damaged_standoff(standoff):
    check_read_or_refused(pack_brat(standoff), ArticleFormat.BRAT)


@st.composite
def damage_docx_part(draw) -> bytes:
    archive = ZipFile(BytesIO(GOOD[ArticleFormat.DOCX]))
    parts = {name: archive.read(name) for name in archive.namelist()}
    name = draw(st.sampled_from(sorted(parts)))
    at = draw(st.integers(0, len(parts[name])))
    parts[name] = parts[name][:at] + draw(st.sampled_from(SPLINTERS)) + parts[name][at:]
    if draw(st.booleans()):
        del parts[draw(st.sampled_from(sorted(parts)))]
    return zip_parts(parts)


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
LAUGHS = f'<!DOCTYPE x [<!ENTITY l0 "lol">{LAUGHS}]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY o SYSTEM "file:///etc/passwd">]>'
DEEP = 100_000


def prepend_document_type(head: str, text: str) -> bytes:
    """A document type before the root."""
    return (head + re.sub(r"<\?xml.*?\?>|<!DOCTYPE[^>]*>", "", text)).encode()


# Reading takes a second or two; a reader whose time grows with the square of the input would take minutes.
MOST_CPU_SECONDS = 15
# What takes long to make is made for its test.
HOSTILE = {
    "laughs in pubmed": prepend_document_type(LAUGHS, PUBMED.replace("Binds.", "&l9;")),
    "laughs in jats": prepend_document_type(LAUGHS, JATS.replace("Two.", "&l9;")),
    "laughs in bioc": prepend_document_type(LAUGHS, BIOC.replace("Mdm2 binds.", "&l9;")),
    "file in pubmed": prepend_document_type(OUTSIDE, PUBMED.replace("Binds.", "&o;")),
    "file in jats": prepend_document_type(OUTSIDE, JATS.replace("Two.", "&o;")),
    "file in bioc": prepend_document_type(OUTSIDE, BIOC.replace("Mdm2 binds.", "&o;")),
    "deep pubmed": PUBMED.replace("Binds.", "<i>" * DEEP + "</i>" * DEEP).encode(),
    "deep jats": JATS.replace("Two.", "<sec>" * DEEP + "</sec>" * DEEP).encode(),
    "deep bioc": BIOC.replace("Mdm2 binds.", "<a>" * DEEP + "</a>" * DEEP).encode(),
    "deep html": HTML.replace("Well.", "<div>" * DEEP).encode(),
    "deep inline html": HTML.replace("Well.", "<b>" * DEEP + "x").encode(),
    "deep json": b"[" * DEEP + b"]" * DEEP,
    "deep objects": b'{"a":' * DEEP,
    "deep in bioc json": BIOC_JSON.replace('"relevant": "yes"', f'"a": {"[" * DEEP}{"]" * DEEP}').encode(),
    "deep in pubannotation": PUBANNOTATION.replace('"a"', "[" * DEEP + "]" * DEEP).encode(),
    "long number": BIOC_JSON.replace('"offset": 0', f'"offset": {"9" * 10_000}').encode(),
    "huge offset": BIOC.replace("<offset>0<", f"<offset>{10**18}<").encode(),
    "far passages": BIOC.replace("<offset>20<", f"<offset>{2**31}<").encode(),
    "negative length": BIOC.replace('length="4"', 'length="-4"').encode(),
    "negative span": PUBANNOTATION.replace('"begin": 0', '"begin": -9').encode(),
    "huge column": PUBTATOR.replace("12\t0\t3", f"12\t0\t{10**18}").encode(),
    "lone surrogates": BIOC_JSON.replace("p53", "\\ud800").encode(),
    "nul in a name": PUBANNOTATION.replace('"12"', '"\\u0000"').encode(),
    "right to left": PUBTATOR.replace("binds", "\u202ebinds\u200f").encode(),
    "many attributes": ("<article " + " ".join(f'a{n}="x"' for n in range(20_000)) + "><front/></article>").encode(),
    "long name": b"<" + b"a" * 1_000_000 + b"/>",
    "many blocks": HTML.replace("Well.", "<p>x" * 60_000).encode(),
    "many lines": b"12|t|x\n" * 100_000,
    "many faults": b"12|t|x\n" + b"12\tx\ty\tz\n" * 50_000,
    "long line": b"12|t|" + b"x" * 4_000_000,
    "laughs in xmi": prepend_document_type(LAUGHS, XMI.replace("p53", "&l9;")),
    "file in xmi": prepend_document_type(OUTSIDE, XMI.replace("p53", "&o;")),
    "deep xmi": XMI.replace("<a:Gene", "<a:Gene>" * DEEP + "<a:Gene").encode(),
    "far annotation": XMI.replace('end="3"', f'end="{10**14}"').encode(),
    "many references": XMI.replace('"4 5"', f'"{"4 " * 300_000}"').encode(),
    "finding in itself": XMI.replace('arguments="4 5"', 'arguments="3 3"').encode(),
    "events in a ring": lambda: pack_brat(
        b"T1\tUp 0 3\tp53\n"
        + b"".join(b"E%d\tUp:T1 Theme:E%d Theme2:T1\n" % (number, number % 10_000 + 1) for number in range(1, 10_001))
    ),
    "many parts": lambda: pack_brat(b"T1\tGene " + b";".join([b"0 3"] * 200_000) + b"\tp53\n"),
    "long equivalence": lambda: pack_brat(b"T1\tGene 0 3\tp53\n*\tEquiv" + b" T1" * 200_000),
    "brat of many lines": lambda: pack_brat(b"x\ty\n" * 100_000),
    "deep note": pack_brat(b"T1\tGene 0 3\tp53\n#1\tAnnotatorNotes T1\t" + b'{"a":' * DEEP),
    "brat full of zeros": lambda: zip_parts({"12.txt": bytes(32 * 1024 * 1024), "12.ann": b""}),
    "zeros packed": lambda: gzip.compress(bytes(80 * 1024 * 1024)),
    "packed twice": gzip.compress(gzip.compress(PUBTATOR.encode(), mtime=0), mtime=0),
    "utf-16": PUBTATOR.encode("utf-16"),
    "utf-16 without a mark": JATS.encode("utf-16-le"),
    "another encoding": JATS.replace('"1.0"', '"1.0" encoding="utf-7"').encode(),
    "latin-1": PUBTATOR.replace("binds", "b\xefnds").replace("\U0001d6fc", "").encode("latin-1"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_reads_or_refuses_what_is_made_to_hurt_and_soon(name):
    content = HOSTILE[name]() if callable(HOSTILE[name]) else HOSTILE[name]
    began = time.process_time()
    check_read_or_refused(content, None)
    assert time.process_time() - began < MOST_CPU_SECONDS


WORD_FILE = docx(("Title", "p53"))
BODY = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'

END = b"</w:body></w:document>"


def make_word_file(body: bytes) -> bytes:
    archive = ZipFile(BytesIO(WORD_FILE))
    return zip_parts({name: archive.read(name) for name in archive.namelist()} | {"word/document.xml": body})


@pytest.mark.parametrize(
    "make_content",
    [
        lambda: make_word_file(LAUGHS.encode() + BODY + b"<w:p><w:r><w:t>&l9;</w:t></w:r></w:p>" + END),
        lambda: make_word_file(OUTSIDE.encode() + BODY + b"<w:p><w:r><w:t>&o;</w:t></w:r></w:p>" + END),
        lambda: make_word_file(BODY + b"<w:p>" * 20_000),
        lambda: make_word_file(
            BODY + b"<w:tbl><w:tr><w:tc>" * 5_000 + b"</w:tc></w:tr></w:tbl>" * 5_000 + b"</w:body></w:document>"
        ),
        lambda: make_word_file(BODY + b"<w:p/>" * 100_000 + END),
        lambda: zip_parts({"word/document.xml": b"", "[Content_Types].xml": b"<Types/>"}),
        lambda: zip_parts({"../../word/document.xml": BODY}),
        lambda: zip_parts({f"part{number}": b"" for number in range(6000)}),
        lambda: WORD_FILE[:-30],
    ],
    ids=["laughs", "file", "deep", "tables in tables", "empty", "no parts", "outside", "many parts", "cut off"],
)
def test_it_refuses_a_document_of_word_that_is_made_to_hurt_and_soon(make_content):
    content = make_content()
    began = time.process_time()
    try:
        told = [passage.text for passage in read_docx(content, "mine").articles[0].passages]
    except FormatError as error:
        assert FAULT_SENTENCE.fullmatch(str(error)), str(error)
    else:
        assert "root:" not in "".join(told)
    assert time.process_time() - began < MOST_CPU_SECONDS


LOOP = pdf(["p53"]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]")


@pytest.mark.parametrize(
    "content",
    [LOOP, pdf(["p53"])[:400], pdf(["p53"]).replace(b"/Count 1", b"/Count 999999999"), b"%PDF-1.4\n" + b"[" * 100_000],
    ids=["pages in a loop", "cut off", "wrong count", "deep"],
)
def test_it_reads_or_refuses_a_pdf_that_is_made_to_hurt(content):
    check_read_or_refused(content, ArticleFormat.PDF)


def test_it_reads_the_good_ones():
    for form, content in GOOD.items():
        if form is ArticleFormat.PUBMED:
            records = list(iter_citations_and_deletions(BytesIO(content), "mine"))
            assert [type(record) for record in records[:1]] == [Citation]
        elif form is not ArticleFormat.DOCX:
            assert read_unpacked_non_pubmed_article_file(
                unpack_if_gzipped_within_limit(BytesIO(content), "mine"), "mine", form
            ).articles

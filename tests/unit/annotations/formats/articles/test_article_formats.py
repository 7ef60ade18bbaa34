"""Articles from JATS, HTML, DOCX, PDF, annotated and plain text: what is text, what is not, and what is refused."""

import gzip
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from annotations.articles.imports.article_files import (
    read_unpacked_non_pubmed_article_file,
    sniff_article_format_unpacking_gzip,
    unpack_if_gzipped_within_limit,
)
from annotations.articles.imports.sandbox import read_pdf_or_docx_in_sandbox
from annotations.formats.annotated_text.open_annotations import build_open_annotations
from annotations.formats.articles.article_sniffing import ArticleFormat
from annotations.formats.articles.parsed_article import ArticleIds, parse_article_id_or_empty
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.rules import FILE_RULES
from annotations.schema import AnnotationData, Kind
from tests.documents import docx, pdf
from tests.shared_data import require_shared_path

JATS = """<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving DTD v1.0//EN" "JATS-archivearticle1.dtd">
<article xmlns:mml="http://www.w3.org/1998/Math/MathML"><front>
 <journal-meta><journal-id journal-id-type="nlm-ta">J Ex</journal-id></journal-meta>
 <article-meta>
  <article-id pub-id-type="pmid">12</article-id><article-id pub-id-type="pmc">77</article-id>
  <article-id pub-id-type="doi">10.1000/x</article-id>
  <title-group><article-title>Loss of <italic>CDH1</italic></article-title></title-group>
  <pub-date><year>2012</year></pub-date><fpage>5</fpage>
  <abstract><title>Abstract</title>
   <sec><title>Background:</title><p>&#x1D6FC; &alpha;-catenin
 binds.</p></sec><sec><title>Methods</title><p>Two.</p></sec></abstract>
 </article-meta></front>
 <body><sec><label>1</label><title>Results</title><p>It <bold>b</bold>inds<fig><label>Figure 1</label>
  <caption><p>A gel.</p></caption></fig> well.</p><sec><title>Of p53</title><p><inline-formula><alternatives>
  <tex-math>\\frac</tex-math><mml:math><mml:mi>x</mml:mi></mml:math></alternatives></inline-formula> is.</p></sec></sec>
 </body><back><ref-list><ref><mixed-citation>Left out</mixed-citation></ref></ref-list></back></article>"""
HTML = """<!DOCTYPE html><html><head><title>Site | Loss</title><meta name="citation_pmid" content="12">
<meta name="citation_title" content="Loss of CDH1"><style>p {}</style></head><body><nav>Menu</nav><main>
<h1>Loss of CDH1</h1><h2>Abstract</h2><p>&beta;-catenin
 binds.<script>alert(1)</script></p><p onclick="x()">Well.</p><h2>Results</h2><p>One<br>two</p>
<table><tr><td>a</td><td>b</td></tr></table></main><footer>Foot</footer></body></html>"""
BIOC = """<collection><document><id>12</id>
<passage><infon key="type">title</infon><offset>0</offset><text>p53</text></passage>
<passage><infon key="section_type">ABSTRACT</infon><infon key="type">abstract_title_1</infon><offset>10</offset>
<text>AIM</text></passage>
<passage><infon key="section_type">ABSTRACT</infon><infon key="type">abstract</infon><offset>20</offset>
<sentence><offset>20</offset><text>Mdm2 binds.</text></sentence><sentence><offset>33</offset><text>So 𝛼.</text>
<annotation id="1"><infon key="type">Gene</infon><infon key="identifier">4193</infon>
<location offset="20" length="4"/><text>Mdm2</text></annotation>
<annotation id="2"><infon key="type">Gene</infon><location offset="36" length="1"/><text>𝛼</text></annotation>
<annotation id="3"><infon key="type">Gene</infon><location offset="17" length="1"/><text>x</text></annotation>
</sentence></passage></document></collection>"""


def read_article_content(content: bytes | str, name: str = "mine"):
    stream = BytesIO(content.encode() if isinstance(content, str) else content)
    return read_unpacked_non_pubmed_article_file(
        unpack_if_gzipped_within_limit(stream, name), name, sniff_article_format_unpacking_gzip(stream, name)
    )


def passages(content: bytes | str) -> list[tuple[str, str]]:
    (article,) = read_article_content(content).articles
    return [(passage.type, passage.text) for passage in article.passages]


def refusal(content: bytes | str) -> str:
    with pytest.raises((FormatError, RefusedFileError)) as refused:
        read_article_content(content)
    return str(refused.value)


def test_it_reads_jats():
    (article,) = read_article_content(JATS).articles
    assert article.ids == ArticleIds(12, "PMC77", "10.1000/x")
    assert (article.journal, article.year, article.pages) == ("J Ex", 2012, "5")
    assert [(passage.type, passage.text) for passage in article.passages] == [
        ("title", "Loss of CDH1"),
        ("abstract", "Background: 𝛼 α-catenin\n binds. Methods: Two."),
        ("heading", "Results"),
        ("Results", "It binds"),
        ("figure", "Figure 1"),
        ("figure", "A gel."),
        ("Results", "well."),
        ("heading", "Of p53"),
        ("Results", "x is."),
    ]


def test_it_reads_html_without_what_surrounds_the_article():
    (article,) = read_article_content(HTML).articles
    assert article.ids == ArticleIds(12)
    assert passages(HTML) == [
        ("title", "Loss of CDH1"),
        ("abstract", "β-catenin\n binds. Well."),
        ("heading", "Results"),
        ("Results", "One\ntwo"),
        ("table", "a\tb"),
    ]


def test_it_reads_word():
    word = docx(("Title", "Loss of CDH1"), ("Heading 1", "Abstract"), ("Normal", "β\tbinds."), ("Normal", "Well."))
    assert passages(word) == [("title", "Loss of CDH1"), ("abstract", "β\tbinds. Well.")]


def test_it_reads_pdf():
    assert passages(pdf(["Loss of CDH1", "It binds."], [], ["More."])) == [
        ("title", "Loss of CDH1"),
        ("page 1", "It binds."),
        ("page 3", "More."),
    ]
    assert passages(pdf(["Journal"], title="Loss of CDH1"))[0] == ("title", "Loss of CDH1")


@pytest.mark.parametrize("text", ["T", "T\n", "\n T\r\n\r\n\r\na\n b \n\n\nc\n\n", "T\nα\n𝛼\n\n\u202eb"])
def test_it_loses_no_character_of_plain_text(text):
    (article,) = read_article_content(text).articles
    assert article.text == text
    assert article.passages[0].text.strip() == "T"


def test_it_takes_no_sign_for_markup():
    assert passages("<5 % of cells\n\n[p53] binds.") == [("title", "<5 % of cells"), ("abstract", "\n[p53] binds.")]


def test_it_brings_positions_of_bioc_to_the_canonical_text():
    own = read_article_content(BIOC)
    (article,) = own.articles
    assert [(passage.type, passage.text) for passage in article.passages] == [
        ("title", "p53"),
        ("abstract", "AIM Mdm2 binds.  So 𝛼."),
    ]
    assert [article.text[mention.start : mention.end] for mention in article.mentions] == ["Mdm2", "𝛼"]
    assert [warning.rule for warning in own.warnings] == ["R657", "R655"]


def test_it_puts_an_empty_title_before_a_lone_abstract():
    (article,) = read_article_content("12|a|p53 binds.\n12\t0\t3\tp53\tGene\t7157\n").articles
    assert article.text == "\np53 binds."
    assert article.text[article.mentions[0].start : article.mentions[0].end] == "p53"


def test_it_takes_what_the_file_says_as_findings():
    lines = ["12|t|p53 binds p53", "12\t0\t3\tp53\tGene\t7157;P04637;x", "12\t10\t13\tp53\tSpecies\t9606"]
    (article,) = read_article_content("\n".join([*lines, "12\tPPI\t7157\t4193"])).articles
    found = build_open_annotations(article)
    assert [finding.identifier for finding in found[Kind.NORMALIZATION]] == ["7157", "P04637"]
    assert [finding.identifier for finding in found[Kind.TAXON]] == ["9606"]
    assert found[Kind.PAIR] == [AnnotationData(Kind.PAIR, database="ncbigene", identifier="4193", partner="7157")]
    assert len(found[Kind.MENTION]) == 2


def test_it_leaves_out_documents_without_text():
    own = read_article_content("12\t0\t3\tp53\tGene\t7157\n13|t|Text\n")
    assert [article.ids.pmid for article in own.articles] == [13]
    assert [warning.rule for warning in own.warnings] == ["R446"]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("16054130", ArticleIds(16054130)),
        ("PMID: 5", ArticleIds(5)),
        ("pmc3460867", ArticleIds(pmcid="PMC3460867")),
        ("https://doi.org/10.1371/journal.pone.0046493", ArticleIds(doi="10.1371/journal.pone.0046493")),
        ("doi: 10.1371/journal.pone.0046493.", ArticleIds(doi="10.1371/journal.pone.0046493")),
        ("https://pubmed.ncbi.nlm.nih.gov/16054130/", ArticleIds(16054130)),
        ("https://pubmed.ncbi.nlm.nih.gov/16054130/?from=p53#abstract", ArticleIds(16054130)),
        ("http://www.ncbi.nlm.nih.gov/pubmed/16054130", ArticleIds(16054130)),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC3460867/", ArticleIds(pmcid="PMC3460867")),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC3460867/pdf/a.pdf", ArticleIds(pmcid="PMC3460867")),
        ("https://www.ncbi.nlm.nih.gov/gene/7157", ArticleIds()),
        ("P02196565T0000", ArticleIds()),
        ("0", ArticleIds()),
    ],
)
def test_it_knows_the_names_of_articles(written, name):
    assert parse_article_id_or_empty(written) == name


def bomb() -> bytes:
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * (201 * 1024 * 1024))
    return stream.getvalue()


def cut_in_half(content: bytes) -> bytes:
    return content[: len(content) // 2]


LAUGHS = '<!DOCTYPE article [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><article><front/><body><p>&b;</p></body></article>'
LOCKED = b"/Encrypt << /Filter /Standard /V 1 /R 2 /O (%s) /U (%s) /P -4 >> /ID [(a) (a)]" % (b"x" * 32, b"y" * 32)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (LAUGHS, "R443 the file defines its own entities"),
        (JATS.replace("&alpha;", "&mine;"), "R443 the entity &mine; is not defined"),
        (JATS[:-20], "R441 the XML is not well-formed here"),
        ("<article><front/></article>", "R447 the article has no text"),
        ("<svg/>", "R450 XML with the root <svg> is not supported"),
        ("<html><body></body></html>", "R447 the article has no text"),
        ("<html><meta charset=nonsense><p>a", "R445 the page declares the character set nonsense"),
        ("", "R447 the article has no text"),
        (b"caf\xe9", "mine:1:4: R445 this byte is not UTF-8"),
        ("a\0b".encode("utf-16"), "R450 this is UTF-16"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), "R450 this is a document of an old Word"),
        (b"GIF89a\0\0\0", "R450 this is neither text nor in a supported format"),
        ("\nPMID- 12230038\nOWN - NLM\nTI  - p53\n", "R450 this is a list of citations in MEDLINE's format"),
        ("TY  - JOUR\nTI  - p53\nER  - \n", "R450 this is a list of references (RIS)"),
        ("@article{a,\n  title = {Loss of CDH1}}", "R450 this is a list of references (BibTeX)"),
        ('PMID,Title,Journal/Book\n"12","Loss of CDH1","J Ex"\n', "R450 this is a table"),
        ("<xml><records/></xml>", "R450 this is a list of references of EndNote"),
        ('[{"type": "article-journal"}]', "R450 this is a list of references (JSON)"),
        ("16054130\n16054131\n", "R450 this is a list of PMIDs"),
        ("T1\tGene 0 3\tp53\n", "R450 these are brat annotations without their text"),
        ('{"text": "a\\u0000b", "denotations": []}', "R449 the article mine has the invalid character U+0000"),
        ('{"text": "a\\ud800b", "denotations": []}', "R449 the article mine has the invalid character U+D800"),
        ("a\n" + "x" * 3_000_000, "R448 the article has 3,000,001 characters in 2 passages"),
        (gzip.compress(b"a text", mtime=0)[:-9], "R401 the gzip archive is truncated or damaged"),
        (cut_in_half(docx(("Normal", "a"))), "R451 the document is damaged"),
        (b"PK\x03\x04" + bytes(50), "R451 the document is damaged"),
        (bomb, "R452 the file unpacks to 210,763,776 bytes in 1 parts"),
        (b"%PDF-1.7\nnonsense", "R454 the PDF is damaged"),
        (pdf(["Secret"], end=LOCKED), "R455 the file has a password"),
        (pdf([], []), "R457 the pages have no text; they may be scanned"),
        (pdf(*[[]] * 2001), "R456 the file has 2,001 pages"),
    ],
)
def test_it_refuses_with_a_sentence_that_says_how_to_mend(content, said):
    told = refusal(content() if callable(content) else content)
    assert said in told
    assert " - " in told


def test_it_unpacks_no_more_than_it_may():
    with pytest.raises(FormatError, match="R448 the file is larger than 1 MiB - split it"):
        unpack_if_gzipped_within_limit(BytesIO(gzip.compress(bytes(2**21))), "mine", 2**20)


def test_it_gives_up_on_a_reader_that_breaks(monkeypatch):
    monkeypatch.setattr("annotations.articles.imports.sandbox.sys.executable", "/bin/false")
    with pytest.raises(FormatError, match="R458 reading the file takes more than 60 seconds"):
        read_pdf_or_docx_in_sandbox(pdf(["a"]), "mine", ArticleFormat.PDF)


def test_it_has_a_paragraph_for_each_rule():
    codes = {rule.code for rule in FILE_RULES}
    assert {f"R{number}" for number in range(441, 459)} <= codes


@pytest.mark.shared
def test_it_reads_the_full_texts_of_pubmed_central():
    (article,) = read_article_content(
        require_shared_path("samples", "pmc_fulltext", "pone.0046493.nxml.gz").read_bytes()
    ).articles
    assert article.ids == ArticleIds(23029536, "PMC3460867", "10.1371/journal.pone.0046493")
    assert article.passages[0].text.startswith("MmPPOX Inhibits")
    assert {"heading", "Introduction", "figure", "abstract"} <= {passage.type for passage in article.passages}
    assert len(article.text) > 40_000

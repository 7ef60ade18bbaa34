"""Reading PubMed XML: what the text is, to the character, and what is said of a broken file."""

import gzip
from io import BytesIO

import pytest

from annotations.formats.errors import FormatError
from annotations.formats.pubmed.reader import Citation, Deletion, iter_citations_and_deletions
from tests.shared_data import require_shared_path

ARTICLE = """<PubmedArticle><MedlineCitation><PMID Version="2">123</PMID><Article>
<Journal><JournalIssue><Volume>50</Volume><Issue>2</Issue><PubDate><MedlineDate>1979 Jul-Sep</MedlineDate></PubDate>
</JournalIssue><Title>Journal of Examples</Title></Journal>
<ArticleTitle>Role of <i>CDH1</i> &amp; &#946;-catenin.</ArticleTitle>
<Pagination><MedlinePgn>123-33</MedlinePgn></Pagination>
<ELocationID EIdType="doi">10.1000/of-the-article</ELocationID>
<Abstract><AbstractText Label="AIM" NlmCategory="OBJECTIVE">Ca<sup>2+</sup>  binds.\r\nIt does. </AbstractText>
<AbstractText Label="LEVEL: 4"/><AbstractText/><AbstractText>No label.</AbstractText>
<CopyrightInformation>All rights</CopyrightInformation></Abstract>
<AuthorList><Author><LastName>McCulloch</LastName><ForeName>Bea</ForeName><Initials>B</Initials></Author>
<Author ValidYN="N"><LastName>Struck</LastName></Author><Author><CollectiveName>The Group</CollectiveName></Author>
</AuthorList><Language>eng</Language></Article>
<MedlineJournalInfo><MedlineTA>J Ex</MedlineTA></MedlineJournalInfo>
<MeshHeadingList><MeshHeading><DescriptorName UI="D1">Humans</DescriptorName></MeshHeading>
<MeshHeading><DescriptorName UI="D2">Protein Binding</DescriptorName><QualifierName>drug effects</QualifierName>
</MeshHeading></MeshHeadingList></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pubmed">123</ArticleId><ArticleId IdType="doi">10.1000/x</ArticleId>
<ArticleId IdType="pmc">PMC7</ArticleId></ArticleIdList><ReferenceList><Reference><ArticleIdList>
<ArticleId IdType="doi">10.1000/cited</ArticleId></ArticleIdList></Reference></ReferenceList></PubmedData>
</PubmedArticle>"""
DOCTYPE = '<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle//EN" "http://dtd.example.org/pubmed.dtd">'


def a_set(*records, prolog=DOCTYPE):
    return f'<?xml version="1.0"?>\n{prolog}\n<PubmedArticleSet>{"".join(records)}</PubmedArticleSet>'.encode()


def format_titled_record(pmid, title="<ArticleTitle>T</ArticleTitle>", rest=""):
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article>{title}{rest}</Article></MedlineCitation>"
        "</PubmedArticle>"
    )


def list_citations_read(content):
    return list(iter_citations_and_deletions(BytesIO(content), "made.xml"))


def read_pubmed_refusal(content):
    with pytest.raises(FormatError) as caught:
        list_citations_read(content)
    return str(caught.value)


def test_it_keeps_the_text_as_it_came():
    (citation,) = list_citations_read(a_set(ARTICLE))
    assert citation.title == "Role of CDH1 & β-catenin."
    assert citation.abstract == "AIM: Ca2+  binds.\nIt does.  LEVEL: 4: No label."
    assert citation.text == citation.title + "\n" + citation.abstract
    assert [passage.type for passage in citation.passages] == ["title", "abstract"]


def test_it_reads_what_surrounds_the_text():
    (citation,) = list_citations_read(a_set(ARTICLE))
    assert (citation.pmid, citation.version, citation.doi, citation.pmcid) == (123, 2, "10.1000/x", "PMC7")
    assert (citation.journal, citation.year) == ("J Ex", 1979)
    assert (citation.volume, citation.issue, citation.pages) == ("50", "2", "123-33")
    assert citation.authors == ("McCulloch B", "The Group")
    assert citation.languages == ("eng",)
    assert citation.mesh == ("Humans", "Protein Binding")


def test_it_takes_the_vernacular_title_when_there_is_no_other():
    title = "<ArticleTitle/><VernacularTitle>Ein Strang.</VernacularTitle>"
    (citation,) = list_citations_read(a_set(format_titled_record(1, title)))
    assert citation.title == "Ein Strang."
    assert citation.abstract == ""
    assert len(citation.passages) == 1


def test_it_reads_a_record_without_title_and_abstract():
    (citation,) = list_citations_read(a_set(format_titled_record(1, title="")))
    assert citation.text == ""


def test_it_takes_no_abstract_of_white_space_only():
    (citation,) = list_citations_read(
        a_set(format_titled_record(1, rest="<Abstract><AbstractText> \n</AbstractText></Abstract>"))
    )
    assert citation.abstract == ""


def test_it_leaves_out_comments_inside_the_text():
    (citation,) = list_citations_read(
        a_set(format_titled_record(1, "<ArticleTitle>one<!-- two --><?three?> four</ArticleTitle>"))
    )
    assert citation.title == "one four"


def test_it_reads_books_with_the_chapter_as_title():
    book = (
        "<PubmedBookArticle><BookDocument><PMID Version='1'>20301295</PMID><ArticleIdList>"
        "<ArticleId IdType='bookaccession'>NBK1116</ArticleId></ArticleIdList>"
        "<Book><PubDate><Year>1993</Year></PubDate>"
        "<BookTitle>GeneReviews</BookTitle><AuthorList><Author><LastName>Adam</LastName><Initials>MP</Initials></Author>"
        "</AuthorList></Book><ArticleTitle>Ataxia.</ArticleTitle><Language>eng</Language>"
        "<Abstract><AbstractText Label='CLINICAL'>Slow.</AbstractText></Abstract></BookDocument></PubmedBookArticle>"
    )
    (citation,) = list_citations_read(a_set(book))
    assert (citation.text, citation.journal, citation.year) == ("Ataxia.\nCLINICAL: Slow.", "GeneReviews", 1993)
    assert citation.authors == ("Adam MP",)


def test_it_reads_withdrawals_in_their_place():
    withdrawn = "<DeleteCitation><PMID Version='1'>5</PMID><PMID Version='3'>6</PMID></DeleteCitation>"
    records = list_citations_read(a_set(format_titled_record(4), withdrawn))
    assert records[1:] == [Deletion(5, 1), Deletion(6, 3)]


def test_it_reads_gzip_the_same():
    assert list_citations_read(gzip.compress(a_set(ARTICLE))) == list_citations_read(a_set(ARTICLE))


def test_it_leaves_the_stream_open_for_its_owner():
    stream = BytesIO(gzip.compress(a_set(ARTICLE)))
    list(iter_citations_and_deletions(stream, "made.xml"))
    assert not stream.closed


def test_it_yields_what_came_whole_before_the_archive_is_cut_off():
    whole = gzip.compress(a_set(*(format_titled_record(n) for n in range(1, 20000))))
    records = iter_citations_and_deletions(BytesIO(whole[:-2000]), "cut.xml.gz")
    seen = []
    with pytest.raises(FormatError, match=r"^cut\.xml\.gz:0:0: R401 the gzip archive is truncated - "):
        for record in records:
            seen.append(record.pmid)
    assert len(seen) > 10000
    assert seen == list(range(1, len(seen) + 1))


def test_it_says_that_an_archive_is_damaged():
    damaged = bytearray(gzip.compress(a_set(ARTICLE), mtime=0))
    damaged[-6] ^= 0xFF
    assert read_pubmed_refusal(bytes(damaged)).startswith("made.xml:0:0: R401 the gzip archive is damaged")


def test_it_says_where_the_xml_breaks():
    broken = a_set(format_titled_record(1)).replace(b"</Article>", b"</Artikel>")
    assert read_pubmed_refusal(broken).startswith("made.xml:3:")
    assert "R404 the XML is not well-formed here, “Opening and ending tag mismatch" in read_pubmed_refusal(broken)


def test_it_yields_what_came_whole_before_the_xml_breaks():
    records = iter_citations_and_deletions(
        BytesIO(a_set(format_titled_record(1), format_titled_record(2))[:-40]), "made.xml"
    )
    assert next(records).pmid == 1
    with pytest.raises(FormatError, match="R404"):
        list(records)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "made.xml:1:1: R402 the file is empty"),
        (b" \n ", "made.xml:1:1: R402 the file is empty"),
        (
            b"<!DOCTYPE html><html><body>Sorry</body></html>",
            "R402 the file is an HTML page from a server or proxy, not PubMed XML",
        ),
        (b"<html><head/></html>", "R402 the file is an HTML page from a server or proxy, not PubMed XML"),
        (b"<?xml version='1.0'?><TaxaSet/>", "R402 the root element is “TaxaSet”, not PubMed's <PubmedArticleSet>"),
        (b"PMID- 123\nTI  - Title", "R402 the file is not XML"),
        (
            b"<eFetchResult><ERROR>Empty id list\n</ERROR></eFetchResult>",
            "R403 NCBI sent an error instead of articles, “Empty id list”",
        ),
        (b"<x><ERROR>a\x1b[31m&#10;\n" + b"b" * 300 + b"</ERROR></x>", "“a\ufffd[31m&#10; " + "b" * 188 + "…”"),
        (b'{"error":"API rate limit exceeded","count":"4"}', "“API rate limit exceeded”"),
        (a_set(format_titled_record("12x")), "R406 a record has “12x” instead of a PMID"),
        (a_set(format_titled_record("9" * 30)), "R406"),
    ],
)
def test_it_refuses_what_is_no_pubmed_xml_in_one_sentence(content, said):
    assert said in read_pubmed_refusal(content)


def test_it_refuses_entities_before_they_grow():
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    assert "R405 the file defines its own entities" in read_pubmed_refusal(
        a_set(format_titled_record("&b;"), prolog=bomb)
    )


def test_it_opens_no_file_and_no_address(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("top secret")
    outside = f'<!DOCTYPE x [<!ENTITY a SYSTEM "file://{secret}">]>'
    title = "<ArticleTitle>&a;</ArticleTitle>"
    assert "R405" in read_pubmed_refusal(a_set(format_titled_record(1, title), prolog=outside))
    by_dtd = f'<!DOCTYPE x SYSTEM "file://{secret}">'
    (citation,) = list_citations_read(a_set(format_titled_record(1, title), prolog=by_dtd))
    assert "secret" not in citation.title


def test_it_is_not_fooled_by_a_comment_before_the_root():
    (citation,) = list_citations_read(
        b"<!-- <html> <!DOCTYPE x [ -->"
        + b"<PubmedArticleSet>"
        + format_titled_record(7).encode()
        + b"</PubmedArticleSet>"
    )
    assert citation.pmid == 7


def test_it_reads_every_real_answer_of_pubmed():
    paths = sorted(require_shared_path("samples", "pubmed_xml").glob("*.xml"))
    citations = []
    for path in paths:
        with path.open("rb") as stream:
            citations += iter_citations_and_deletions(stream, path.name)
    assert len(citations) == len(paths) == 107
    assert all(isinstance(citation, Citation) and citation.title and citation.year for citation in citations)
    assert sum(bool(citation.abstract) for citation in citations) == 93
    assert all(str(citation.pmid) in path.name for citation, path in zip(citations, paths, strict=True))


def test_it_reads_or_refuses_every_real_answer_of_the_e_utilities():
    said = {}
    for path in sorted(require_shared_path("samples", "eutils").iterdir()):
        with path.open("rb") as stream:
            try:
                said[path.name] = len(list(iter_citations_and_deletions(stream, path.name)))
            except FormatError as error:
                said[path.name] = error.rule
    read_well = {f"pubmed{n}.xml": count for n, count in ((1, 2), (2, 2), (4, 1), (5, 1), (6, 1), (7, 1))}
    assert {name: result for name, result in said.items() if isinstance(result, int)} == read_well
    assert said["esummary8.xml"] == said["epost2.xml"] == "R403"
    assert said["pubmed3.html"] == said["einfo4.xml"] == "R402"

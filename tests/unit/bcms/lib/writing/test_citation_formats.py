"""References as text, BibTeX and RIS: nothing in a title or a name can begin another field."""

from datetime import date

from bcms.lib.writing.citation_formats import (
    CitedReference,
    format_reference_as_bibtex,
    format_reference_as_ris,
    format_reference_as_text,
)

ARTICLE = CitedReference(
    key="pmid7",
    title="Loss of {CDH1} & 5% of β_1.",
    authors=["Doe J", "van der Berg AB", "The 3D Consortium"],
    journal="J Cell Ex",
    year=2026,
    volume="3",
    issue="2",
    pages="10-12",
    doi="10.1000/x_1",
    pmid=7,
)
SEEN = CitedReference(
    key="bcms7",
    title="Annotations of PMID 7",
    authors=["GeneDict"],
    year=2026,
    url="https://example.org/articles/7/?kind=pair",
    publisher="BCMS 1",
    accessed=date(2026, 3, 2),
)


def test_an_article_as_text():
    assert format_reference_as_text(ARTICLE) == (
        "Doe J, van der Berg AB, The 3D Consortium. Loss of {CDH1} & 5% of β_1. J Cell Ex (2026) 3(2):10-12, "
        "doi:10.1000/x_1, PMID 7"
    )


def test_what_was_seen_as_text():
    assert format_reference_as_text(SEEN) == (
        "GeneDict. Annotations of PMID 7. BCMS 1, https://example.org/articles/7/?kind=pair, accessed 2026-03-02"
    )


def test_an_article_as_bibtex():
    assert format_reference_as_bibtex(ARTICLE).split("\n") == [
        "@article{pmid7,",
        r"  title = {{Loss of \textbraceleft{}CDH1\textbraceright{} \& 5\% of β\_1.}},",
        "  author = {Doe, J and van der Berg, AB and {The 3D Consortium}},",
        "  journal = {J Cell Ex},",
        "  year = {2026},",
        "  volume = {3},",
        "  number = {2},",
        "  pages = {10--12},",
        "  doi = {10.1000/x_1},",
        "  pmid = {7}",
        "}",
    ]


def test_an_article_as_ris():
    assert format_reference_as_ris(ARTICLE).split("\n") == [
        "TY  - JOUR",
        "TI  - Loss of {CDH1} & 5% of β_1.",
        "AU  - Doe, J",
        "AU  - van der Berg, AB",
        "AU  - The 3D Consortium",
        "JO  - J Cell Ex",
        "PY  - 2026",
        "VL  - 3",
        "IS  - 2",
        "SP  - 10",
        "EP  - 12",
        "DO  - 10.1000/x_1",
        "AN  - 7",
        "ER  -",
    ]


def test_what_was_seen_as_ris_and_bibtex():
    assert format_reference_as_ris(SEEN).split("\n")[0] == "TY  - DATA"
    assert "Y2  - 2026/03/02" in format_reference_as_ris(SEEN)
    assert format_reference_as_bibtex(SEEN).startswith("@misc{bcms7,\n")
    assert "  urldate = {2026-03-02}" in format_reference_as_bibtex(SEEN)


def test_breaks_begin_no_other_field():
    hostile = CitedReference(key="x", title="A\nER  - \r\nTY  - JOUR \u2028},\n@misc{y}", authors=["B\nAU  - C"])
    assert [line[:2] for line in format_reference_as_ris(hostile).splitlines()] == ["TY", "TI", "AU", "ER"]
    assert len(format_reference_as_bibtex(hostile).splitlines()) == 4
    assert r"\textbraceright{}," in format_reference_as_bibtex(hostile)


def test_every_brace_of_bibtex_has_a_partner():
    text = "a}b{c\\}"
    hostile = CitedReference(
        key="x", title=text, authors=["{ et al", "X}, Y"], journal=text, pages=text, doi=f"10.1000/{text}", url=text
    )
    open_braces = 0
    for character in format_reference_as_bibtex(hostile)[:-1]:
        open_braces += {"{": 1, "}": -1}.get(character, 0)
        assert open_braces >= 1 or character in "@articlemisc"
    assert open_braces == 1


def test_control_characters_are_spaces():
    hostile = CitedReference(key="x", title="A\x1b[2Jb\x00\x85c", authors=["D\x07"])
    for write in (format_reference_as_text, format_reference_as_bibtex, format_reference_as_ris):
        assert write(hostile).replace("\n", "").isprintable()

"""The mention annotator finds what looks like a gene or protein, at the right place."""

from itertools import pairwise

import pytest

from servers.kit.articles import parse_xmlrpc_article_parameter
from servers.reference.abbreviations import extract_long_form_by_abbreviation
from servers.reference.word_shapes import annotate_gene_mentions_by_word_shape


def mentions(text):
    return [finding.text for finding in annotate_gene_mentions_by_word_shape(parse_xmlrpc_article_parameter(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CDH1 and p53\nAre they linked?", ["CDH1", "p53"]),
        ("TNF-α and IL-1β-induced fever\nOf anti-CD20.", ["TNF-α", "IL-1β", "CD20"]),
        ("A kinase and catalase\nIn phase one of the disease.", ["kinase", "catalase"]),
        ("β-catenin, E-cadherin\nIn the skin; heparin and penicillin.", ["β-catenin", "E-cadherin"]),
        ("The epidermal growth factor receptor\nis a risk factor.", ["epidermal growth factor receptor"]),
        ("Interferon gamma\nand PI3K/AKT", ["PI3K", "AKT"]),
        ("DNA and RNA by PCR in HeLa and MCF-7\nR175H, rs4680, Ca2, pH, HIV-1, COVID-19", []),
    ],
)
def test_it_finds_mentions(text, expected):
    assert mentions(text) == expected


def test_it_counts_positions_in_code_points_of_the_whole_text():
    text = "𝛼 before\nthen TNF-α here"
    (finding,) = annotate_gene_mentions_by_word_shape(parse_xmlrpc_article_parameter(text))
    assert (finding.start, finding.end, text[finding.start : finding.end]) == (14, 19, "TNF-α")


def test_it_believes_what_an_abbreviation_is_explained_to_mean():
    text = "Thyroid\nThe thyrotropin receptor (TSR) and the iodide transport defect (IDT). TSR, not IDT."
    assert mentions(text) == ["thyrotropin receptor", "TSR", "TSR"]


def test_it_gives_no_overlapping_mentions():
    found = annotate_gene_mentions_by_word_shape(
        parse_xmlrpc_article_parameter("MAP\nmitogen-activated protein kinase 3 and p38 kinase of TGF-β1 receptor type")
    )
    assert all(left.end <= right.start for left, right in pairwise(found))


def test_it_reads_explained_abbreviations():
    text = "the body mass index (BMI), tumour necrosis factor-alpha (TNF-α) and a thing (see Fig)."
    assert extract_long_form_by_abbreviation(text) == {
        "BMI": "body mass index",
        "TNF-α": "tumour necrosis factor-alpha",
    }

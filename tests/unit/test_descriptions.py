"""What tells entries of one name apart, in few words."""

import pytest

from annotations.identifiers.entry_descriptions import (
    clean_subcellular_location,
    format_gene_location,
    shorten_description,
    unwrap_lines,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("Binds DNA (PubMed:1, PubMed:23). Ends it. {ECO:0000269|PubMed:1}.", "Binds DNA. Ends it."),
        ("Binds (By similarity) zinc.", "Binds zinc."),
        ("Gene with protein product", "Gene with protein product."),
    ],
)
def test_it_leaves_evidence_and_references_out(text, expected):
    assert shorten_description(text) == expected


def test_it_cuts_after_a_sentence_or_else_after_a_word():
    assert (
        shorten_description("One two three. Four five six. Seven eight nine ten.", 32)
        == "One two three. Four five six."
    )
    assert shorten_description("One two three four five six seven eight", 20) == "One two three four…"


def test_it_takes_places_without_notes():
    text = "Cell membrane {ECO:0000250|UniProtKB:P22888}; Multi-pass membrane protein. Secreted. Note=Some isoforms. X."
    assert clean_subcellular_location(text) == "Cell membrane; Multi-pass membrane protein. Secreted"


@pytest.mark.parametrize(
    ("chromosome", "band", "place"),
    [("16", "16q22.1", "16q22.1"), ("XII", "-", "chromosome XII"), ("-", "-", ""), ("", "", ""), ("Un", "-", "")],
)
def test_it_tells_where_a_gene_is(chromosome, band, place):
    assert format_gene_location(chromosome, band) == place


def test_it_joins_the_lines_of_a_comment():
    assert unwrap_lines([" FUNCTION of zinc-", "    finger and homo-", "    and heteromers"]) == (
        "FUNCTION of zinc-finger and homo- and heteromers"
    )

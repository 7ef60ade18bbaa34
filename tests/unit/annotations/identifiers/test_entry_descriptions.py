"""What tells entries of one name apart, in few words."""

import pytest

from annotations.identifiers.entry_descriptions import (
    clip_location_without_notes_and_evidence,
    format_band_or_else_chromosome,
    join_wrapped_lines_keeping_hyphens,
    strip_evidence_and_shorten_description,
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
    assert strip_evidence_and_shorten_description(text) == expected


def test_it_cuts_after_a_sentence_or_else_after_a_word():
    assert (
        strip_evidence_and_shorten_description("One two three. Four five six. Seven eight nine ten.", 32)
        == "One two three. Four five six."
    )
    assert (
        strip_evidence_and_shorten_description("One two three four five six seven eight", 20) == "One two three four…"
    )


def test_it_takes_places_without_notes():
    text = "Cell membrane {ECO:0000250|UniProtKB:P22888}; Multi-pass membrane protein. Secreted. Note=Some isoforms. X."
    assert clip_location_without_notes_and_evidence(text) == "Cell membrane; Multi-pass membrane protein. Secreted"


@pytest.mark.parametrize(
    ("chromosome", "band", "place"),
    [("16", "16q22.1", "16q22.1"), ("XII", "-", "chromosome XII"), ("-", "-", ""), ("", "", ""), ("Un", "-", "")],
)
def test_it_tells_where_a_gene_is(chromosome, band, place):
    assert format_band_or_else_chromosome(chromosome, band) == place


def test_it_joins_the_lines_of_a_comment():
    assert join_wrapped_lines_keeping_hyphens([" FUNCTION of zinc-", "    finger and homo-", "    and heteromers"]) == (
        "FUNCTION of zinc-finger and homo- and heteromers"
    )

"""Values in the fields of PSI-MITAB: quoted where they must be, and read in every form that real files have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.formats.mitab.fields import MitabValue, format_mitab_value, format_mitab_values, parse_mitab_values


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("-", []),
        ("", []),
        ("uniprotkb:P04637", [("uniprotkb", "P04637", "")]),
        ('psi-mi:"MI:0018"(two hybrid)', [("psi-mi", "MI:0018", "two hybrid")]),
        (
            'psi-mi:"MI:0007"("anti tag coimmunoprecipitation")',
            [("psi-mi", "MI:0007", "anti tag coimmunoprecipitation")],
        ),
        ('psi-mi:"MI:0974(innatedb)"(innatedb)', [("psi-mi", "MI:0974(innatedb)", "innatedb")]),
        ("MI:0676(tap)", [("MI", "0676", "tap")]),
        ("taxid:9606(human)|taxid:9606(Homo sapiens)", [("taxid", "9606", "human"), ("taxid", "9606", "Homo sapiens")]),
        ('taxid:-1("In vitro (In vitro)")', [("taxid", "-1", "In vitro (In vitro)")]),
        ("lpr:2|hpr:2|", [("lpr", "2", ""), ("hpr", "2", "")]),
        ("uniprotkb:Protein (alpha)(gene name)", [("uniprotkb", "Protein (alpha)", "gene name")]),
        ("interpro:IPR1(a (b), c)", [("interpro", "IPR1", "a (b), c")]),
        (r'comment:"yes|no: \"maybe\" \\"', [("comment", 'yes|no: "maybe" \\', "")]),
        ("entrez gene/locuslink:7157", [("entrez gene/locuslink", "7157", "")]),
        ("kd:1.62x10^-8(molar)", [("kd", "1.62x10^-8", "molar")]),
        ("Spoke|doi:10.1/x", [None, ("doi", "10.1/x", "")]),
        (":P04637", [None]),
        ("uniprotkb:", [("uniprotkb", "", "")]),
        ("a:b)", [("a", "b)", "")]),
    ],
)
def test_it_reads_values(field, values):
    assert parse_mitab_values(field) == values


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (MitabValue("uniprotkb", "P04637-2"), "uniprotkb:P04637-2"),
        (MitabValue("psi-mi", "MI:0018", "two hybrid"), 'psi-mi:"MI:0018"(two hybrid)'),
        (MitabValue("chebi", "CHEBI:15422"), 'chebi:"CHEBI:15422"'),
        (MitabValue("comment", 'a "b"\tc\\'), r'comment:"a \"b\" c\\"'),
        (MitabValue("x", ""), 'x:""'),
        (MitabValue("x", "-"), 'x:"-"'),
    ],
)
def test_it_quotes_what_is_reserved(value, field):
    assert format_mitab_value(value) == field


TEXTS = st.text(st.characters(exclude_characters="\t\r\n", exclude_categories=["Cs"])).map(str.strip)


@given(st.lists(st.builds(MitabValue, st.sampled_from(["uniprotkb", "psi-mi", "sda-evidence"]), TEXTS, TEXTS)))
def test_it_reads_what_it_writes(values):
    assert parse_mitab_values(format_mitab_values(values)) == values

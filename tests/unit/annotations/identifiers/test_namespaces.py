"""Links to outside databases: only an identifier of the database's own form becomes part of an address."""

import pytest

from annotations.identifiers.namespaces import build_entry_url_or_empty, namespace_title_or_raw_name


@pytest.mark.parametrize(
    ("database", "identifier", "page"),
    [
        ("uniprot", "P04637", "https://www.uniprot.org/uniprotkb/P04637/entry"),
        ("uniprot", "P04637-2", "https://www.uniprot.org/uniprotkb/P04637-2/entry"),
        ("uniprot", "A0A023GPI8", "https://www.uniprot.org/uniprotkb/A0A023GPI8/entry"),
        ("ncbigene", "7157", "https://www.ncbi.nlm.nih.gov/gene/7157"),
        ("ncbitaxon", "9606", "https://www.ncbi.nlm.nih.gov/Taxonomy/Browser/wwwtax.cgi?id=9606"),
        ("psi-mi", "MI:0006", "https://www.ebi.ac.uk/ols4/ontologies/mi/classes?obo_id=MI%3A0006"),
        ("pubmed", "16054130", "https://pubmed.ncbi.nlm.nih.gov/16054130/"),
        ("doi", "10.1000/a(b)?c", "https://doi.org/10.1000/a%28b%29%3Fc"),
    ],
)
def test_it_builds_the_address_of_an_entry(database, identifier, page):
    assert build_entry_url_or_empty(database, identifier) == page


@pytest.mark.parametrize(
    ("database", "identifier"),
    [
        ("uniprot", "P53_HUMAN"),
        ("uniprot", "P04637/../evil"),
        ("uniprot", "P04637\n"),
        ("uniprot", ""),
        ("ncbigene", "7157?x=1"),
        ("ncbigene", "٧١٥٧"),
        ("ncbitaxon", "0"),
        ("psi-mi", "MI:6"),
        ("doi", 'javascript:alert("1")'),
        ("doi", '10.1000/"><script>'),
        ("nowhere", "P04637"),
    ],
)
def test_it_builds_no_address_from_anything_else(database, identifier):
    assert build_entry_url_or_empty(database, identifier) == ""


def test_it_calls_databases_by_their_names():
    assert [namespace_title_or_raw_name(name) for name in ("uniprot", "psi-mi", "nowhere")] == [
        "UniProt",
        "PSI-MI",
        "nowhere",
    ]

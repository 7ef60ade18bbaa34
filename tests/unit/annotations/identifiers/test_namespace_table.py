"""The table of the Bioregistry's namespaces: what its script writes, and what becomes of each row."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from annotations.identifiers.curies import format_curie, parse_curie
from annotations.identifiers.namespace_table import NAMESPACE_TABLE, find_bioregistry_namespace
from annotations.identifiers.namespaces import (
    NAMESPACES,
    OTHER_SPELLINGS,
    build_entry_url_or_empty,
    find_database_by_spelling,
    find_namespace,
)
from annotations.schema import EntityId
from servers.protocols.entry_labels import DATABASES_BY_PREFIX

ROOT = Path(__file__).resolve().parents[4]
PREFIXES = [line.split("\t", 1)[0] for line in NAMESPACE_TABLE.read_text(encoding="utf-8").splitlines()[1:]]


@pytest.mark.long
@pytest.mark.skipif(find_spec("bioregistry") is None, reason="bioregistry is not installed")
def test_its_script_writes_the_table_that_is_checked_in(tmp_path):
    written = tmp_path / "namespaces.tsv"
    command = [sys.executable, str(ROOT / "tools" / "make_namespaces.py"), str(written)]
    subprocess.run(command, check=True, env={**os.environ, "PYSTOW_HOME": str(tmp_path)})
    assert written.read_bytes() == NAMESPACE_TABLE.read_bytes()


def test_each_row_is_a_namespace():
    assert len(PREFIXES) > 2900
    assert len(set(PREFIXES)) == len(PREFIXES)
    for prefix in PREFIXES:
        namespace = find_bioregistry_namespace(prefix)
        assert namespace.title
        assert namespace.prefix
        assert namespace.url_template.startswith(("http://", "https://", ""))
        assert namespace.url_template == "" or namespace.url_template.format("X").count("X") >= 1


def test_each_prefix_can_be_read_again():
    others = [prefix for prefix in PREFIXES if prefix != "mi"]
    entities = [EntityId(prefix, "12345") for prefix in others]
    assert [parse_curie(format_curie(entity)) for entity in entities] == entities


def test_our_databases_keep_their_patterns_and_urls():
    assert {name: find_namespace(name) for name in NAMESPACES} == NAMESPACES
    assert find_namespace("ncbigene").pattern.fullmatch("0") is None
    assert find_namespace("uniprot").pattern.fullmatch("P04637-2")
    assert find_namespace("mi") is None


def test_it_knows_databases_by_every_spelling_of_the_protocols():
    found = {spelling: find_database_by_spelling(spelling) for spelling in DATABASES_BY_PREFIX}
    assert found == DATABASES_BY_PREFIX
    assert set(OTHER_SPELLINGS.values()) <= {*NAMESPACES, *PREFIXES}


@pytest.mark.parametrize(
    ("spelling", "database"),
    [
        ("MESH", "mesh"),
        ("MeSH", "mesh"),
        ("NCBI Gene", "ncbigene"),
        ("entrez-gene", "ncbigene"),
        ("ChEBI", "chebi"),
        ("CVCL", "cellosaurus"),
        ("PSI-MI", "psi-mi"),
        ("MI", "psi-mi"),
        ("MIM", "omim"),
        ("nothing like it", None),
        ("", None),
    ],
)
def test_it_knows_spellings(spelling, database):
    assert find_database_by_spelling(spelling) == database


@pytest.mark.parametrize(
    ("database", "identifier", "page"),
    [
        ("mesh", "D001943", "https://meshb.nlm.nih.gov/record/ui?ui=D001943"),
        ("chebi", "15377", "http://purl.obolibrary.org/obo/CHEBI_15377"),
        ("cellosaurus", "0440", "https://www.cellosaurus.org/CVCL_0440"),
        ("dbsnp", "rs334", "https://www.ncbi.nlm.nih.gov/snp/rs334"),
        ("mesh", "D001943\n", ""),
        ("mesh", "C0004096", ""),
        ("chebi", "٣", ""),
        ("dbsnp", 'rs334"><script>', ""),
    ],
)
def test_it_builds_addresses(database, identifier, page):
    assert build_entry_url_or_empty(database, identifier) == page

"""Types of entities: an open vocabulary with many spellings, shown by colour, letter and pattern."""

import os
import subprocess
import sys

import pytest

from annotations.entity_types import (
    COLUMNS,
    GENE_TYPES,
    SITE_TABLE_VARIABLE,
    SPECIES_TYPES,
    find_known_entity_type,
    fold_type_spelling,
    list_known_entity_types,
    normalize_entity_type,
)
from annotations.identifiers.namespaces import find_namespace
from tests.contrast import compute_contrast
from tests.unit.test_colours import COLOURS


@pytest.mark.parametrize(
    ("name", "spellings"),
    [
        ("Gene", ["Gene", "GENE", "GeneOrGeneProduct", "gene/protein", "NCBI Gene"]),
        ("Protein", ["Protein", "PROTEIN"]),
        ("Disease", ["Disease", "DiseaseOrPhenotypicFeature", "DISO", "SpecificDisease"]),
        ("Chemical", ["Chemical", "ChemicalEntity", "CHEM"]),
        ("Species", ["Species", "OrganismTaxon", "ORGANISM", "NCBITaxon"]),
        ("Variant", ["SequenceVariant", "DNAMutation", "ProteinMutation", "SNP", "AcidChange", "MUTATION"]),
        ("CellLine", ["CellLine", "cell line", "Cell_Line"]),
        ("CellType", ["Cell", "Cell type"]),
        ("Tissue", ["TISSUE_AND_ORGAN"]),
    ],
)
def test_it_knows_the_spellings_of_corpora_and_servers(name, spellings):
    assert [normalize_entity_type(spelling) for spelling in spellings] == [name] * len(spellings)


@pytest.mark.parametrize("spelling", ["FamilyName", "ChromosomeLocation", "PATHWAY", "Étoile", "", "?"])
def test_it_keeps_other_types_as_they_are_written(spelling):
    assert find_known_entity_type(spelling) is None
    assert normalize_entity_type(spelling) == spelling


def test_its_genes_and_species_are_those_of_tasks():
    types = {spelling: normalize_entity_type(spelling) for spelling in (*GENE_TYPES, *SPECIES_TYPES)}
    assert {types[spelling] for spelling in GENE_TYPES} == {"Gene", "Protein"}
    assert {types[spelling] for spelling in SPECIES_TYPES} == {"Species"}


def test_no_two_types_are_alike():
    types = list_known_entity_types()
    for values in zip(*((t.name, t.label, t.colour, t.letter, t.pattern) for t in types), strict=True):
        assert len(set(values)) == len(types)
    spellings = [spelling for known_type in types for spelling in known_type.spellings]
    assert len(set(spellings)) == len(spellings)
    assert [fold_type_spelling(spelling) for spelling in spellings] == spellings


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("known_type", list_known_entity_types(), ids=lambda known_type: known_type.name)
def test_its_colours_are_visible_in_both_themes(known_type, theme):
    grounds = [COLOURS[theme][ground] for ground in ("paper", "card")]
    assert min(compute_contrast(known_type.colour, ground) for ground in grounds) >= 3


def test_its_databases_are_known():
    databases = {database for known_type in list_known_entity_types() for database in known_type.databases}
    assert [database for database in databases if find_namespace(database) is None] == []


def read_with_site_table(tmp_path, *rows):
    """What a process that has this table prints: each type, and the types of three spellings."""
    table = tmp_path / "types.tsv"
    table.write_text("\n".join(["\t".join(COLUMNS), *("\t".join(row) for row in rows)]) + "\n")
    code = (
        "from annotations.entity_types import *\n"
        "for t in list_known_entity_types()[-2:]: print(t.name, t.label, t.letter, t.look, *t.databases)\n"
        "print(*map(normalize_entity_type, ['pathways', 'disease', 'Signalling-Pathway']))"
    )
    environment = os.environ | {SITE_TABLE_VARIABLE: str(table)}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


def test_a_site_adds_types_and_changes_those_that_are_there(tmp_path):
    rows = [
        ["Pathway", "Pathways", "#d73337", "W", "", "reactome", "pathways|Signalling pathway"],
        ["Complex", "Assemblies", "", "A", "", "", "complexes"],
    ]
    read = read_with_site_table(tmp_path, *rows)
    assert read.stdout.splitlines() == [
        "Complex Assemblies A other",
        "Pathway Pathways W Disease reactome",
        "Pathway Disease Pathway",
    ], read.stderr


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (["Pathway", "Pathways"], "a row has 7 cells separated by tabs"),
        (["Pathway", "Pathways", "#000000", "W", "", "", ""], "#000000 is no colour of a type"),
        (["Pathway", "Pathways", "", "Pw", "", "", ""], "the letter of a type is one character"),
        (["?", "Pathways", "", "W", "", "", ""], "a type has a name with a letter or digit"),
    ],
)
def test_it_says_what_is_wrong_with_the_table_of_a_site(tmp_path, row, problem):
    read = read_with_site_table(tmp_path, row)
    assert f"types.tsv:2: {problem}" in read.stderr

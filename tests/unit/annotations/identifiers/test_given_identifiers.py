"""Fields of identifiers as the corpora have them: divided, with the database of each identifier."""

import gzip
from collections import Counter

import pytest

from annotations.identifiers.given_identifiers import (
    parse_given_identifier,
    parse_identifier_field,
    split_given_identifiers,
)
from annotations.schema import EntityId
from tests.shared_data import require_shared_path


@pytest.mark.parametrize(
    ("text", "entity_type", "parts"),
    [
        ("7157", "Gene", ["7157"]),
        ("7157,672;1956", "Gene", ["7157", "672", "1956"]),
        ("D007674|D008107", "Disease", ["D007674", "D008107"]),
        ("10434(Tax:9606),7157(tax:)", "Gene", ["10434", "7157"]),
        (" CVCL_1452 ", "CellLine", ["CVCL_1452"]),
        ("7157,-,-1,", "Gene", ["7157"]),
        ("-", "Gene", []),
        ("-1", "", []),
        ("", "", []),
        ("c|SUB|C|1858|T", "SequenceVariant", ["c|SUB|C|1858|T"]),
        ("c|SUB|C||1858;Gene:672;Disease:D001943;VariantGroup:3", "DNAMutation", None),
        ("p|SUB|V|600|E", "ProteinMutation", None),
        ("p|SUB|V|600|E", "", None),
        ("|INS||AA", "", None),
        ("c|Allele|G|93", "", None),
        ("rs334,rs335;rs336", "SequenceVariant", ["rs334", "rs335", "rs336"]),
        ("rs334;Disease:D001943", "SNP", None),
        ("inchi:InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3", "Chemical", None),
        ("https://doi.org/10.1000/a;b", "", None),
    ],
)
def test_it_divides_fields(text, entity_type, parts):
    assert split_given_identifiers(text, entity_type) == tuple([text] if parts is None else parts)


@pytest.mark.parametrize(
    ("text", "entity_type", "databases", "entity"),
    [
        ("7157", "GeneOrGeneProduct", (), EntityId("ncbigene", "7157")),
        ("P04637", "Gene", (), EntityId("uniprot", "P04637")),
        ("D001943", "DiseaseOrPhenotypicFeature", (), EntityId("mesh", "D001943")),
        ("C535480", "Disease", (), EntityId("mesh", "C535480")),
        ("C0006142", "Disease", (), EntityId("umls", "C0006142")),
        ("9606", "OrganismTaxon", (), EntityId("ncbitaxon", "9606")),
        ("rs334", "SNP", (), EntityId("dbsnp", "rs334")),
        ("7157", "", ("ncbigene",), EntityId("ncbigene", "7157")),
        ("7157", "Chemical", (), EntityId("", "7157")),
        ("1234", "CellLine", (), EntityId("", "1234")),
        ("D001943", "", (), EntityId("", "D001943")),
        ("MESH:D001943", "Gene", ("ncbigene",), EntityId("mesh", "D001943")),
        ("MESH:-", "Disease", (), None),
        ("-", "Gene", (), None),
        (" - ", "Gene", (), None),
        ("BRCA1 c.68_69del", "Variant", (), EntityId("", "BRCA1 c.68_69del")),
    ],
)
def test_it_finds_the_database(text, entity_type, databases, entity):
    assert parse_given_identifier(text, entity_type, databases) == entity


def test_the_database_of_an_identifier_may_be_that_of_the_one_before_it():
    kidney, liver = EntityId("mesh", "D007674"), EntityId("mesh", "D008107")
    assert parse_identifier_field("MESH:D007674|D008107|D007674") == (kidney, liver)
    assert parse_identifier_field("-|MESH:D007674") == (kidney,)


@pytest.mark.shared
@pytest.mark.parametrize(
    ("path", "unknown"),
    [
        ("biored/Train.PubTator.gz", {"SequenceVariant": 362}),
        ("gnormplus/GNormPlus_Train.PubTator.gz", {"FamilyName": 20}),
    ],
)
def test_it_knows_the_databases_of_corpora(path, unknown):
    """All but the variants that dbSNP does not have, and numbers of families, whose type does not name a database."""
    found = Counter()
    with gzip.open(require_shared_path("corpora", *path.split("/")), "rt", encoding="utf-8") as lines:
        for columns in (line.rstrip("\n").split("\t") for line in lines):
            if len(columns) >= 6 and columns[1].isdigit():
                entities = parse_identifier_field(columns[5], columns[4])
                found.update(columns[4] for entity in entities if not entity.database)
    assert found == unknown

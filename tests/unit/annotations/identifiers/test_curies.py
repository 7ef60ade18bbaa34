"""CURIEs and URLs: many spellings of one entity are read, one is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.identifiers.curies import format_curie, format_curie_for_readers, parse_curie_or_url
from annotations.schema import EntityId
from servers.protocols.entry_labels import find_curie_or_url_entry_id


@pytest.mark.parametrize(
    ("entity", "texts"),
    [
        (
            EntityId("mesh", "D001943"),
            [
                *("MESH:D001943", "mesh:D001943", "MeSH: D001943", "MESH:MESH:D001943", "MESH_D001943"),
                *("https://identifiers.org/mesh:D001943", "http://identifiers.org/mesh/D001943"),
                *("http://id.nlm.nih.gov/mesh/D001943", "https://meshb.nlm.nih.gov/record/ui?ui=D001943"),
            ],
        ),
        (
            EntityId("ncbigene", "7157"),
            [
                *("NCBI Gene:7157", "EntrezGene:7157", "ncbigene:7157", "Gene:7157", "NCBI:gene:7157"),
                *("https://www.ncbi.nlm.nih.gov/gene/7157", "http://www.ncbi.nlm.nih.gov/gene/7157/"),
            ],
        ),
        (
            EntityId("uniprot", "P04637"),
            [
                *("UniProtKB/Swiss-Prot:P04637", "UP:P04637", "http://purl.uniprot.org/uniprot/P04637"),
                *("https://www.uniprot.org/uniprotkb/P04637/entry", "http://www.uniprot.org/uniprot/P04637"),
            ],
        ),
        (
            EntityId("chebi", "15377"),
            ["CHEBI_15377", "ChEBI:CHEBI:15377", "https://www.ebi.ac.uk/chebi/searchId.do?chebiId=CHEBI:15377"],
        ),
        (
            EntityId("ncbitaxon", "9606"),
            ["taxonomy:9606", "http://purl.obolibrary.org/obo/NCBITaxon_9606", "http://identifiers.org/taxonomy/9606"],
        ),
        (
            EntityId("psi-mi", "MI:0006"),
            [
                *("MI:0006", "mi:0006", "psi-mi:MI:0006", "https://identifiers.org/mi/MI:0006"),
                *("http://purl.obolibrary.org/obo/MI_0006", "http://identifiers.org/psimi/0006"),
            ],
        ),
        (
            EntityId("chebi", "15377"),
            ["CHEBI:15377", "chebi:15377", "CHEBI:CHEBI:15377", "http://purl.obolibrary.org/obo/CHEBI_15377"],
        ),
        (
            EntityId("cellosaurus", "0440"),
            ["CVCL_0440", "cellosaurus:CVCL_0440", "https://www.cellosaurus.org/CVCL_0440"],
        ),
        (EntityId("omim", "114480"), ["OMIM:114480", "OMIM_114480", "MIM:114480", "https://omim.org/entry/114480"]),
        (EntityId("hgnc", "1100"), ["HGNC:1100", "hgnc:HGNC:1100"]),
        (EntityId("mesh", "nonsense"), ["MESH:nonsense"]),
    ],
)
def test_it_reads_every_spelling(entity, texts):
    assert {text: parse_curie_or_url(text) for text in texts} == dict.fromkeys(texts, entity)
    assert parse_curie_or_url(format_curie(entity)) == entity
    assert parse_curie_or_url(format_curie_for_readers(entity)) == entity


@pytest.mark.parametrize(
    "text",
    [
        *("D001943", "c|SUB|C|1858|T", "c|SUB|C|1858|T;Gene:672;VariantGroup:3", "NM_000059.3:c.68_69del", "TAU_HUMAN"),
        *("p53", ":", ":x", "mesh:", "do: these are words", "https://example.org/mesh", "https://", "VariantGroup:3"),
        *("MESH_nonsense", "https://identifiers.org/mesh:nonsense", "http://purl.obolibrary.org/obo/unknown_12"),
    ],
)
def test_it_leaves_other_texts_alone(text):
    assert parse_curie_or_url(text) is None


@pytest.mark.parametrize(
    ("entity", "curie", "for_readers"),
    [
        (EntityId("mesh", "D001943"), "mesh:D001943", "MESH:D001943"),
        (EntityId("psi-mi", "MI:0006"), "mi:0006", "MI:0006"),
        (EntityId("cellosaurus", "0440"), "cellosaurus:0440", "CVCL_0440"),
        (EntityId("chebi", "15377"), "chebi:15377", "CHEBI:15377"),
        (EntityId("ncbigene", "7157"), "ncbigene:7157", "NCBIGene:7157"),
        (EntityId("", "c|SUB|C|1858|T"), "c|SUB|C|1858|T", "c|SUB|C|1858|T"),
    ],
)
def test_it_writes_curies(entity, curie, for_readers):
    assert (format_curie(entity), format_curie_for_readers(entity)) == (curie, for_readers)


@pytest.mark.parametrize(
    "label",
    [
        *("uniprot:P04637", "UniProtKB:P04637", "ncbigene:672", "EntrezGene:672", "gene:672", "GeneID:672"),
        *("sp:P04637", "taxon:9606", "NCBITaxon:9606", "taxonomy:9606", "MI:0006", "psi-mi:0006", "mi:MI:0006"),
        *("http://identifiers.org/ncbigene/672", "https://identifiers.org/uniprot:P04637", "ncbigene:TP53"),
        *("http://identifiers.org/taxonomy/9606/", "http://purl.obolibrary.org/obo/NCBITaxon_9606"),
    ],
)
def test_it_reads_our_databases_as_the_protocols_do(label):
    assert parse_curie_or_url(label) == find_curie_or_url_entry_id(label)


@given(st.text(max_size=80), st.sampled_from(["", "MESH:", "https://identifiers.org/", "http://omim.org/mim/", "go_"]))
def test_it_reads_or_leaves_any_text(text, start):
    entity = parse_curie_or_url(f"{start}{text}")
    assert entity is None or (entity.database and entity.identifier)

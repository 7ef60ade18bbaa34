"""The table of human genes becomes entries of two databases."""

from io import BytesIO

import pytest

from annotations.formats.errors import RefusedFileError
from annotations.identifiers.tables.hgnc import (
    COMPLETE_SET_COLUMNS,
    DOWNLOAD_COLUMNS,
    read_approved_hgnc_genes,
    read_complete_hgnc_genes_then_proteins,
    read_hgnc_download_ncbi_genes_then_uniprot,
)
from annotations.identifiers.tables.table_lines import FaultNotingTableLines

ROWS = (
    ("TNF", "tumor necrosis factor", "Approved", "TNFSF2, DIF, TNF-alpha", "TNFA", "7124", "P01375"),
    ("H4C1", "H4 clustered histone 1", "Approved", "H4FA", "", "8359", "P62805"),
    ("H4C2", "H4 clustered histone 2", "Approved", "H4/I", "", "8366", "P62805"),
    ("GNAS", "GNAS complex locus", "Approved", "", "GNAS1", "2778", "O95467, P63092"),
    ("A12M1~withdrawn", "symbol withdrawn, see X", "Symbol Withdrawn", "", "", "", ""),
    ("NOID", "gene without identifiers", "Approved", "", "", "", ""),
)


def table(rows=ROWS, columns=DOWNLOAD_COLUMNS):
    text = "\n".join("\t".join(row) for row in (columns, *rows)) + "\n"
    return FaultNotingTableLines(BytesIO(text.encode()), "hgnc.tsv")


def test_it_reads_the_approved_genes():
    genes = list(read_approved_hgnc_genes(table()))
    assert [gene.symbol for gene in genes] == ["TNF", "H4C1", "H4C2", "GNAS", "NOID"]
    assert genes[0].synonyms == ("TNFSF2", "DIF", "TNF-alpha", "TNFA")
    assert genes[3].proteins == ("O95467", "P63092")


def test_it_gives_a_gene_and_its_proteins_an_entry_each():
    entries = {
        (entry.database, entry.identifier): entry for entry in read_hgnc_download_ncbi_genes_then_uniprot(table())
    }
    assert list(entries) == [
        ("ncbigene", "7124"),
        ("ncbigene", "8359"),
        ("ncbigene", "8366"),
        ("ncbigene", "2778"),
        ("uniprot", "P01375"),
        ("uniprot", "P62805"),
        ("uniprot", "O95467"),
        ("uniprot", "P63092"),
    ]
    tnf = entries["uniprot", "P01375"]
    assert (tnf.symbol, tnf.name, tnf.taxon, tnf.exists) == ("TNF", "tumor necrosis factor", 9606, True)


def test_it_gives_a_protein_of_several_genes_all_their_names():
    entries = {entry.identifier: entry for entry in read_hgnc_download_ncbi_genes_then_uniprot(table())}
    assert entries["P62805"].symbol == "H4C1"
    assert entries["P62805"].synonyms == ("H4FA", "H4C2", "H4/I")


def test_it_links_proteins_to_their_genes():
    entries = {entry.identifier: entry for entry in read_hgnc_download_ncbi_genes_then_uniprot(table())}
    genes = {identifier: entry.genes for identifier, entry in entries.items() if entry.genes}
    assert genes == {"P01375": ("7124",), "P62805": ("8359", "8366"), "O95467": ("2778",), "P63092": ("2778",)}


def test_it_reads_the_complete_set():
    row = ("TNF", "tumor necrosis factor", "Approved", '"TNFSF2|DIF"', "TNFA", "7124", "P01375")
    gene, protein = read_complete_hgnc_genes_then_proteins(table([row], COMPLETE_SET_COLUMNS))
    assert gene.synonyms == protein.synonyms == ("TNFSF2", "DIF", "TNFA")


def test_it_says_which_column_is_missing():
    with pytest.raises(RefusedFileError, match=r"^hgnc\.tsv:1:1: R433 the column “Status” is missing"):
        list(read_hgnc_download_ncbi_genes_then_uniprot(table((), ("Approved symbol", "Approved name"))))


def test_it_says_which_identifier_is_none():
    row = ("TNF", "tumor necrosis factor", "Approved", "", "", "seven", "P01375, TNFA_HUMAN")
    lines = table([row])
    assert list(read_hgnc_download_ncbi_genes_then_uniprot(lines)) == []
    assert [str(fault).split(" of ")[0] for fault in lines.faults] == [
        "hgnc.tsv:2:1: R411 “TNFA_HUMAN”",
        "hgnc.tsv:2:1: R411 “seven”",
    ]

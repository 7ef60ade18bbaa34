"""Detects which table a file is by its first lines."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.tables import hgnc, ncbi, obo, species, uniprot
from annotations.identifiers.tables.table_lines import FaultNotingTableLines

UNKNOWN_TABLE = "R430"
# The UniProt species list begins with lines about its publisher.
FIRST_LINES = 20


@dataclass(frozen=True, slots=True)
class IdentifierTable:
    """A kind of table: its title in messages, the pattern of its first line, and its reader."""

    title: str
    first_line_pattern: re.Pattern[str]
    read: Callable[[FaultNotingTableLines], Iterator[EntryRecord]]


def _header_pattern(*columns: str) -> re.Pattern[str]:
    """The pattern of a header line that has these columns."""
    return re.compile("".join(rf"(?=#?(?:.*\t)?{re.escape(column)}(?:\t|$))" for column in columns))


TABLES = (
    IdentifierTable("NCBI gene_info", _header_pattern("tax_id", "GeneID", "Symbol"), ncbi.read_gene_info),
    IdentifierTable("NCBI gene_history", _header_pattern("tax_id", "Discontinued_GeneID"), ncbi.read_gene_history),
    IdentifierTable(
        "NCBI Taxonomy names.dmp", re.compile(r"[0-9]+\t\|\t.*\t\|\t.*\t\|\t.*\t\|$"), ncbi.read_taxon_names
    ),
    IdentifierTable("NCBI Taxonomy merged.dmp", re.compile(r"[0-9]+\t\|\t[0-9]+\t\|$"), ncbi.read_merged_taxa),
    IdentifierTable("NCBI Taxonomy delnodes.dmp", re.compile(r"[0-9]+\t\|$"), ncbi.read_deleted_taxa),
    IdentifierTable("HGNC genes", _header_pattern("Approved symbol"), hgnc.read_hgnc_download_ncbi_genes_then_uniprot),
    IdentifierTable(
        "HGNC complete set", _header_pattern("hgnc_id", "symbol"), hgnc.read_complete_hgnc_genes_then_proteins
    ),
    IdentifierTable("UniProt flat file", re.compile(r"ID   "), uniprot.read_uniprot_flat_file_with_aliases),
    IdentifierTable("UniProt table", _header_pattern("Entry", "Entry Name"), uniprot.read_uniprot_tsv_with_entry_names),
    IdentifierTable("PSI-MI ontology", re.compile(r"format-version:"), obo.read_psi_mi_terms_with_aliases),
    IdentifierTable("species table", _header_pattern("taxon", "name", "words"), species.read_species_entries),
)
SPECLIST = IdentifierTable("UniProt species list", re.compile(r"Name: +speclist\.txt"), uniprot.read_speclist)
KNOWN_TABLE_TITLES = ", ".join(table.title for table in (*TABLES, SPECLIST))


def recognize_table_by_first_lines(stream: BinaryIO, file_name: str) -> IdentifierTable:
    """The kind of table in a stream, which is rewound. Raises RefusedFileError (R430) if it is none of them."""
    lines = FaultNotingTableLines(stream, file_name)
    first_lines = [text for text, _ in zip(lines, range(FIRST_LINES), strict=False)]
    stream.seek(0)
    if any(SPECLIST.first_line_pattern.match(text) for text in first_lines):
        return SPECLIST
    header = first_lines[0] if first_lines else ""
    table = next((table for table in TABLES if header and table.first_line_pattern.match(header)), None)
    if table is None:
        lines.number = 1
        lines.refuse(1, UNKNOWN_TABLE, f"this table is not supported - use one of: {KNOWN_TABLE_TITLES}")
    return table

"""Detects which table a file is by its first lines."""

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.tables import dbsnp, hgnc, mesh, ncbi, obo, obo_graph_json, species, uniprot
from annotations.identifiers.tables.table_lines import FaultNotingTableLines

UNKNOWN_TABLE = "R430"
PSI_MI_TITLE = "PSI-MI ontology"
# The UniProt species list begins with lines about its publisher, MeSH with an XML declaration.
FIRST_LINES = 20
# An OBO file has its terms after a header.
MOST_HEADER_LINES = 5_000
MOST_BYTES_BEFORE_JSON = 64
OBO_NAME_OR_ID = re.compile(r"(?P<tag>ontology|id): *(?P<prefix>[^:_\s]*)")


@dataclass(frozen=True, slots=True)
class IdentifierTable:
    """A kind of table: its title in messages, the pattern of its first line, and its reader."""

    title: str
    first_line_pattern: re.Pattern[str]
    read: Callable[[FaultNotingTableLines], Iterator[EntryRecord]]


def _read_obo(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    # Most processes never read OBO, and the library takes its time and memory to load.
    from annotations.identifiers.tables import obo_file

    return obo_file.read_obo_terms_with_aliases(lines)


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
    IdentifierTable(PSI_MI_TITLE, re.compile(r"format-version:"), obo.read_psi_mi_terms_with_aliases),
    IdentifierTable("MeSH labels", re.compile(r"[CDQ][0-9]{6,9}\t[^\t]+\t"), mesh.read_mesh_labels),
    IdentifierTable("dbSNP VCF", re.compile(r"##fileformat=VCF"), dbsnp.read_reference_snps),
    IdentifierTable("species table", _header_pattern("taxon", "name", "words"), species.read_species_entries),
)
SPECLIST = IdentifierTable("UniProt species list", re.compile(r"Name: +speclist\.txt"), uniprot.read_speclist)
MESH_XML = IdentifierTable(
    "MeSH XML",
    re.compile(r".*<!?(?:DOCTYPE )?(?:Descriptor|Supplemental|Qualifier)RecordSet\b"),
    mesh.read_mesh_xml_records,
)
OBO_FILE = IdentifierTable("OBO ontology", re.compile(r"format-version:"), _read_obo)
ONTOLOGY_JSON = IdentifierTable(
    "ontology in JSON", re.compile(r"\s*[\[{]"), obo_graph_json.read_ontology_json_with_aliases
)
# What is not recognized by its first line.
OTHER_TABLES = (SPECLIST, MESH_XML, OBO_FILE, ONTOLOGY_JSON)
KNOWN_TABLE_TITLES = ", ".join(table.title for table in (*TABLES, *OTHER_TABLES))


def recognize_table_by_first_lines(stream: BinaryIO, file_name: str) -> IdentifierTable:
    """The kind of table in a stream, which is rewound. Raises RefusedFileError (R430) if it is none of them."""
    # JSON may be one line of many megabytes.
    if ONTOLOGY_JSON.first_line_pattern.match(_read_first_characters(stream, file_name)):
        return ONTOLOGY_JSON
    lines = FaultNotingTableLines(stream, file_name)
    first_lines = [text for text, _ in zip(lines, range(FIRST_LINES), strict=False)]
    stream.seek(0)
    for table in (SPECLIST, MESH_XML):
        if any(table.first_line_pattern.match(text) for text in first_lines):
            return table
    header = first_lines[0] if first_lines else ""
    found = next((table for table in TABLES if header and table.first_line_pattern.match(header)), None)
    if found is None:
        lines.number = 1
        lines.refuse(1, UNKNOWN_TABLE, f"this table is not supported - use one of: {KNOWN_TABLE_TITLES}")
    return OBO_FILE if found.title == PSI_MI_TITLE and not _has_psi_mi_terms(stream, file_name) else found


def _read_first_characters(stream: BinaryIO, file_name: str) -> str:
    """The first characters of a file, "" if it is damaged; the stream is rewound."""
    try:
        content = FaultNotingTableLines(stream, file_name).content.read(MOST_BYTES_BEFORE_JSON)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        content = b""
    stream.seek(0)
    return content.decode("utf-8-sig", "ignore")


def _has_psi_mi_terms(stream: BinaryIO, file_name: str) -> bool:
    """Whether an OBO file is PSI-MI by its name or, without one, by any of its first terms; the stream is rewound."""
    lines = FaultNotingTableLines(stream, file_name)
    matches = (OBO_NAME_OR_ID.match(text) for text, _ in zip(lines, range(MOST_HEADER_LINES), strict=False))
    found = [(match["tag"], match["prefix"]) for match in matches if match]
    stream.seek(0)
    names = [name for tag, name in found if tag == "ontology"]
    return names[0].lower() == "mi" if names else not found or ("id", "MI") in found

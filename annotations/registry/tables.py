"""Which table a file is, by its content: its name and its first lines are all that is looked at."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from annotations.registry import hgnc, ncbi_tables, obo, taxonomy, uniprot_tables
from annotations.registry.entries import EntryRecord
from annotations.registry.table_lines import TableLines

UNKNOWN_TABLE = "R430"
# The list of species begins with who made it.
FIRST_LINES = 20


@dataclass(frozen=True, slots=True)
class Table:
    """title is what the command calls the table; shows tells it by its first line."""

    title: str
    shows: re.Pattern[str]
    read: Callable[[TableLines], Iterator[EntryRecord]]


def _headed(*columns: str) -> re.Pattern[str]:
    """A header line that has these columns."""
    return re.compile("".join(rf"(?=#?(?:.*\t)?{re.escape(column)}(?:\t|$))" for column in columns))


TABLES = (
    Table("NCBI gene_info", _headed("tax_id", "GeneID", "Symbol"), ncbi_tables.read_gene_info),
    Table("NCBI gene_history", _headed("tax_id", "Discontinued_GeneID"), ncbi_tables.read_gene_history),
    Table("NCBI Taxonomy names.dmp", re.compile(r"[0-9]+\t\|\t.*\t\|\t.*\t\|\t.*\t\|$"), ncbi_tables.read_names),
    Table("NCBI Taxonomy merged.dmp", re.compile(r"[0-9]+\t\|\t[0-9]+\t\|$"), ncbi_tables.read_merged),
    Table("NCBI Taxonomy delnodes.dmp", re.compile(r"[0-9]+\t\|$"), ncbi_tables.read_deleted),
    Table("HGNC genes", _headed("Approved symbol"), hgnc.read_entries),
    Table("HGNC complete set", _headed("hgnc_id", "symbol"), hgnc.read_complete_set),
    Table("UniProt flat file", re.compile(r"ID   "), uniprot_tables.read_flat_file),
    Table("UniProt table", _headed("Entry", "Entry Name"), uniprot_tables.read_tsv),
    Table("PSI-MI ontology", re.compile(r"format-version:"), obo.read_obo),
    Table("species table", _headed("taxon", "name", "words"), taxonomy.read_entries),
)
SPECLIST = Table("UniProt species list", re.compile(r"Name: +speclist\.txt"), uniprot_tables.read_speclist)
KNOWN = ", ".join(table.title for table in (*TABLES, SPECLIST))


def recognized(stream: BinaryIO, source: str) -> Table:
    """The table that the file is; the stream is at its beginning again. RefusedFileError (R430) when it is none."""
    lines = TableLines(stream, source)
    first = [text for text, _ in zip(lines, range(FIRST_LINES), strict=False)]
    stream.seek(0)
    if any(SPECLIST.shows.match(text) for text in first):
        return SPECLIST
    found = next((table for table in TABLES if first and table.shows.match(first[0])), None)
    if found is None:
        lines.number = 1
        lines.refuse(1, UNKNOWN_TABLE, f"this is none of the tables that are known - bring one of: {KNOWN}")
    return found

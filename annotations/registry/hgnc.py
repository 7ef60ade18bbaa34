"""The HGNC's table of human genes: NCBI Gene and UniProt identifiers with symbols, names and synonyms.

Tab-separated with a header; the columns read are named below, their order is free. Source: https://www.genenames.org/
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TextIO

from annotations.formats.errors import FormatError
from annotations.registry.entries import EntryRecord

NOT_HGNC = "R411"
HUMAN = 9606
SYMBOL = "Approved symbol"
NAME = "Approved name"
STATUS = "Status"
ALIASES = "Alias symbols"
GENE = "NCBI Gene ID(supplied by NCBI)"
PROTEINS = "UniProt ID(supplied by UniProt)"
PREVIOUS = "Previous symbols"
COLUMNS = (SYMBOL, NAME, STATUS, ALIASES, GENE, PROTEINS, PREVIOUS)


@dataclass(frozen=True, slots=True)
class Gene:
    """One approved human gene. gene is its NCBI Gene id or "", proteins its UniProt accessions."""

    symbol: str
    name: str
    synonyms: tuple[str, ...]  # alias symbols, then previous symbols
    gene: str
    proteins: tuple[str, ...]


def read_genes(lines: TextIO, source: str) -> Iterator[Gene]:
    """The approved genes in the order of the table; withdrawn ones are left out.

    Raises FormatError (R411) when a column is missing or the table is not text.
    """
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, restval="")
    try:
        _check_columns(rows.fieldnames or (), source)
        for row in rows:
            if row[STATUS] == "Approved" and row[SYMBOL]:
                yield _gene(row)
    except (UnicodeDecodeError, csv.Error):
        text = "the table is not text in UTF-8 - take hgnc_entries.tsv as it was published"
        raise FormatError(source, rows.line_num + 1, 1, NOT_HGNC, text) from None


def read_entries(lines: TextIO, source: str) -> Iterator[EntryRecord]:
    """Entries of `ncbigene` as the table is read, then those of `uniprot`, both of taxon 9606.

    A protein of several genes (histones) has the first gene's name and symbol and all others' among its synonyms.
    Raises FormatError (R411) as read_genes does.
    """
    proteins: dict[str, EntryRecord] = {}
    for gene in read_genes(lines, source):
        if gene.gene:
            yield _entry("ncbigene", gene.gene, gene)
        for accession in gene.proteins:
            before = proteins.get(accession)
            proteins[accession] = _joined(before, gene) if before else _entry("uniprot", accession, gene)
    yield from proteins.values()


def _check_columns(found: Sequence[str], source: str) -> None:
    missing = [column for column in COLUMNS if column not in found]
    if missing:
        text = f"the column “{missing[0]}” is missing - take the HGNC table hgnc_entries.tsv, header line included"
        raise FormatError(source, 1, 1, NOT_HGNC, text)


def _gene(row: dict[str, str]) -> Gene:
    synonyms = dict.fromkeys((*_several(row[ALIASES]), *_several(row[PREVIOUS])))
    synonyms.pop(row[SYMBOL], None)
    return Gene(row[SYMBOL], row[NAME], tuple(synonyms), row[GENE].strip(), _several(row[PROTEINS]))


def _several(cell: str) -> tuple[str, ...]:
    return tuple(value for part in cell.split(", ") if (value := part.strip()))


def _entry(database: str, identifier: str, gene: Gene) -> EntryRecord:
    return EntryRecord(
        database,
        identifier,
        source="HGNC",
        name=gene.name,
        symbol=gene.symbol,
        synonyms=gene.synonyms,
        taxon=HUMAN,
    )


def _joined(entry: EntryRecord, gene: Gene) -> EntryRecord:
    known = dict.fromkeys((*entry.synonyms, gene.symbol, *gene.synonyms))
    known.pop(entry.symbol, None)
    return replace(entry, synonyms=tuple(known))

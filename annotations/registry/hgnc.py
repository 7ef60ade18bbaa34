"""The HGNC's table of human genes: NCBI Gene and UniProt identifiers with symbols, names and synonyms.

Tab-separated with a header, as its custom downloads give it (“Approved symbol”, several values parted by a comma) or as
hgnc_complete_set.txt (“symbol”, several values parted by | within quotes). Source: https://www.genenames.org/download/
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from annotations.databases import DATABASES
from annotations.registry.entries import EntryRecord
from annotations.registry.names import distinct
from annotations.registry.table_lines import TableLines, rows

NOT_HGNC = "R411"
HUMAN = 9606
# Symbol, name, status, alias symbols, previous symbols, NCBI Gene number, UniProt accessions.
COLUMNS = (
    "Approved symbol",
    "Approved name",
    "Status",
    "Alias symbols",
    "Previous symbols",
    "NCBI Gene ID(supplied by NCBI)",
    "UniProt ID(supplied by UniProt)",
)
COMPLETE_SET = ("symbol", "name", "status", "alias_symbol", "prev_symbol", "entrez_id", "uniprot_ids")


@dataclass(frozen=True, slots=True)
class Gene:
    """One approved human gene. gene is its NCBI Gene id or "", proteins its UniProt accessions."""

    symbol: str
    name: str
    synonyms: tuple[str, ...]  # alias symbols, then previous symbols
    gene: str
    proteins: tuple[str, ...]


def read_genes(lines: TableLines, columns: tuple[str, ...] = COLUMNS, separator: str = ", ") -> Iterator[Gene]:
    """The approved genes in the order of the table; withdrawn ones are left out.

    A malformed identifier is a fault (R411); RefusedFileError when a column is missing.
    """
    for symbol, name, status, aliases, previous, gene, proteins in rows(lines, columns):
        if status != "Approved" or not symbol:
            continue
        several = (*_several(aliases, separator), *_several(previous, separator))
        found = Gene(symbol, name, distinct(several, but=(symbol,)), gene.strip(), _several(proteins, separator))
        if _well_formed(lines, found):
            yield found


def read_entries(lines: TableLines) -> Iterator[EntryRecord]:
    """Entries of `ncbigene` as the custom download is read, then those of `uniprot`, both of taxon 9606.

    A protein of several genes (histones) has the first gene's name and symbol and all others' among its synonyms.
    """
    return entries_of(read_genes(lines))


def read_complete_set(lines: TableLines) -> Iterator[EntryRecord]:
    """The same of hgnc_complete_set.txt."""
    return entries_of(read_genes(lines, COMPLETE_SET, "|"))


def entries_of(genes: Iterator[Gene]) -> Iterator[EntryRecord]:
    proteins: dict[str, EntryRecord] = {}
    for gene in genes:
        if gene.gene:
            yield _entry("ncbigene", gene.gene, gene)
        for accession in gene.proteins:
            before = proteins.get(accession)
            proteins[accession] = _joined(before, gene) if before else _entry("uniprot", accession, gene)
    yield from proteins.values()


def _well_formed(lines: TableLines, gene: Gene) -> bool:
    wrong = [name for name in gene.proteins if not DATABASES["uniprot"].pattern.fullmatch(name)]
    if gene.gene and not DATABASES["ncbigene"].pattern.fullmatch(gene.gene):
        wrong.append(gene.gene)
    for name in wrong:
        text = f"“{name[:40]}” of {gene.symbol[:40]} is no NCBI Gene number or UniProt accession - download it again"
        lines.fault(1, NOT_HGNC, text)
    return not wrong


def _several(cell: str, separator: str) -> tuple[str, ...]:
    return tuple(value for part in cell.strip('"').split(separator) if (value := part.strip()))


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
    names = (*entry.synonyms, gene.symbol, *gene.synonyms)
    return replace(entry, synonyms=distinct(names, but=(entry.symbol,)))

"""Reader of the HGNC's table of human genes: HGNC, NCBI Gene and UniProt identifiers with symbols, names and synonyms.

The table is tab-separated with a header, either a custom download (“Approved symbol”, multiple values separated by
commas) or hgnc_complete_set.txt (“symbol”, multiple values in quotes, separated by |). Source:
https://www.genenames.org/download/
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_names import list_distinct_nonempty_names
from annotations.identifiers.namespaces import NAMESPACES
from annotations.identifiers.tables.table_lines import FaultNotingTableLines, iter_cells_of_named_columns

NOT_HGNC = "R411"
HUMAN = 9606
HGNC = "hgnc"
# Symbol, name, status, alias symbols, previous symbols, NCBI Gene number, UniProt accessions.
DOWNLOAD_COLUMNS = (
    "Approved symbol",
    "Approved name",
    "Status",
    "Alias symbols",
    "Previous symbols",
    "NCBI Gene ID(supplied by NCBI)",
    "UniProt ID(supplied by UniProt)",
)
# These tables may be downloaded without it.
NUMBER_COLUMNS = ("HGNC ID", "hgnc_id")
APPROVED = "Approved"
HGNC_NUMBER = re.compile(r"HGNC:([0-9]{1,5})", re.ASCII)
COMPLETE_SET_COLUMNS = ("symbol", "name", "status", "alias_symbol", "prev_symbol", "entrez_id", "uniprot_ids")


@dataclass(frozen=True, slots=True)
class HgncGene:
    """An approved human gene; gene is its NCBI Gene id or "", proteins are its UniProt accessions.

    number: that of the HGNC id, "" if the table does not have it.
    """

    symbol: str
    name: str
    synonyms: tuple[str, ...]  # alias symbols, then previous symbols
    gene: str
    proteins: tuple[str, ...]
    number: str = ""


def read_approved_hgnc_genes(
    lines: FaultNotingTableLines, columns: tuple[str, ...] = DOWNLOAD_COLUMNS, value_separator: str = ", "
) -> Iterator[HgncGene]:
    """The approved genes in the order of the table, without withdrawn ones.

    A malformed identifier is a fault (R411). Raises RefusedFileError if a column is missing.
    """
    return (row for row in _read_hgnc_rows(lines, columns, value_separator) if isinstance(row, HgncGene))


def _read_hgnc_rows(
    lines: FaultNotingTableLines, columns: tuple[str, ...], value_separator: str
) -> Iterator[HgncGene | EntryRecord]:
    """The approved genes, and the entries of withdrawn ones that have an HGNC id."""
    rows = iter_cells_of_named_columns(lines, columns, NUMBER_COLUMNS)
    for symbol, name, status, aliases, previous, gene, proteins, *ids in rows:
        number = _parse_hgnc_number_noting_fault(lines, next(filter(None, ids), ""))
        if status != APPROVED or not symbol:
            if number:
                yield _make_withdrawn_record(number, symbol, name)
            continue
        synonyms = (*_split_hgnc_cell(aliases, value_separator), *_split_hgnc_cell(previous, value_separator))
        record = HgncGene(
            symbol,
            name,
            list_distinct_nonempty_names(synonyms, exclude=(symbol,)),
            gene.strip(),
            _split_hgnc_cell(proteins, value_separator),
            number,
        )
        if _check_gene_identifiers(lines, record):
            yield record


def _parse_hgnc_number_noting_fault(lines: FaultNotingTableLines, cell: str) -> str:
    """`5` for `HGNC:5`, "" for an empty cell."""
    match = HGNC_NUMBER.fullmatch(cell.strip())
    if cell and match is None:
        lines.add_fault(1, NOT_HGNC, f"“{cell[:40]}” is not an HGNC identifier - download the table again")
    return match[1] if match else ""


def _make_withdrawn_record(number: str, symbol: str, name: str) -> EntryRecord:
    """The entry of a withdrawn gene; its name says what has replaced it: `symbol withdrawn, see [HGNC:5](...)`."""
    successors = tuple(dict.fromkeys(HGNC_NUMBER.findall(name)))
    return EntryRecord(
        HGNC,
        number,
        source="HGNC",
        symbol=symbol.removesuffix("~withdrawn"),
        taxon=HUMAN,
        withdrawn=True,
        successors=successors,
    )


def read_hgnc_download_ncbi_genes_then_uniprot(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The entries of a custom download: those of `ncbigene` and `hgnc` first, then those of `uniprot`, of taxon 9606.

    A table with withdrawn genes is complete for `hgnc`. A protein has the NCBI Gene identifiers of its genes. One of
    several genes (histones) has the name and symbol of the first gene; those of the others are synonyms.
    """
    return _iter_hgnc_entries(lines, _read_hgnc_rows(lines, DOWNLOAD_COLUMNS, ", "))


def read_complete_hgnc_genes_then_proteins(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The entries of hgnc_complete_set.txt, in the order and form of read_hgnc_download_ncbi_genes_then_uniprot()."""
    return _iter_hgnc_entries(lines, _read_hgnc_rows(lines, COMPLETE_SET_COLUMNS, "|"))


def _iter_hgnc_entries(lines: FaultNotingTableLines, rows: Iterator[HgncGene | EntryRecord]) -> Iterator[EntryRecord]:
    """The NCBI Gene and HGNC entries of the genes, then the UniProt entries of their proteins."""
    proteins: dict[str, EntryRecord] = {}
    for gene in rows:
        if isinstance(gene, EntryRecord):
            lines.note_complete_database(HGNC)
            yield gene
            continue
        if gene.number:
            yield _make_gene_record(HGNC, gene.number, gene)
        if gene.gene:
            yield _make_gene_record("ncbigene", gene.gene, gene)
        for accession in gene.proteins:
            earlier = proteins.get(accession)
            proteins[accession] = (
                _add_gene_names(earlier, gene) if earlier else _make_gene_record("uniprot", accession, gene)
            )
    yield from proteins.values()


def _check_gene_identifiers(lines: FaultNotingTableLines, gene: HgncGene) -> bool:
    malformed = [name for name in gene.proteins if not NAMESPACES["uniprot"].pattern.fullmatch(name)]
    if gene.gene and not NAMESPACES["ncbigene"].pattern.fullmatch(gene.gene):
        malformed.append(gene.gene)
    for name in malformed:
        problem = f"“{name[:40]}” of {gene.symbol[:40]} is not an NCBI Gene identifier or UniProt accession"
        lines.add_fault(1, NOT_HGNC, f"{problem} - download the table again")
    return not malformed


def _split_hgnc_cell(cell: str, separator: str) -> tuple[str, ...]:
    return tuple(value for part in cell.strip('"').split(separator) if (value := part.strip()))


def _make_gene_record(database: str, identifier: str, gene: HgncGene) -> EntryRecord:
    return EntryRecord(
        database,
        identifier,
        source="HGNC",
        name=gene.name,
        symbol=gene.symbol,
        synonyms=gene.synonyms,
        taxon=HUMAN,
        genes=(gene.gene,) if database != "ncbigene" and gene.gene else (),
    )


def _add_gene_names(entry: EntryRecord, gene: HgncGene) -> EntryRecord:
    names = (*entry.synonyms, gene.symbol, *gene.synonyms)
    return replace(
        entry,
        synonyms=list_distinct_nonempty_names(names, exclude=(entry.symbol,)),
        genes=list_distinct_nonempty_names((*entry.genes, gene.gene)),
    )

"""Readers of NCBI's tables of genes (gene_info, gene_history) and organisms (names.dmp, merged.dmp, delnodes.dmp).

Formats: https://ftp.ncbi.nlm.nih.gov/gene/DATA/README and https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/taxdump_readme.txt
"""

from collections.abc import Iterator
from itertools import groupby

from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_descriptions import format_band_or_else_chromosome
from annotations.identifiers.entry_names import (
    abbreviate_binomial_or_empty,
    list_distinct_nonempty_names,
    parse_taxon_id,
)
from annotations.identifiers.namespaces import NAMESPACES
from annotations.identifiers.tables.table_lines import (
    NOT_IDENTIFIER,
    WRONG_COLUMNS,
    FaultNotingTableLines,
    iter_cells_of_named_columns,
)

GENES = "NCBI Gene"
ORGANISMS = "NCBI Taxonomy"
ABSENT = "-"
# The classes of names that authors may use for an organism.
LISTED_NAME_CLASSES = {"genbank common name", "common name", "synonym", "equivalent name", "acronym", "genbank acronym"}
SCIENTIFIC_NAME_CLASS = "scientific name"
# The values in gene_info for a gene without a symbol.
NO_SYMBOL = {ABSENT, "NEWENTRY"}
GENE_COLUMNS = ("tax_id", "GeneID", "Symbol", "LocusTag", "Synonyms", "description")
HISTORY_COLUMNS = ("tax_id", "GeneID", "Discontinued_GeneID", "Discontinued_Symbol")


def read_gene_info(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The genes of gene_info; the table may lack columns that are not needed."""
    optional = ("Full_name_from_nomenclature_authority", "Other_designations", "chromosome", "map_location")
    for taxon, gene, symbol_cell, tag, synonyms, description, *rest in iter_cells_of_named_columns(
        lines, GENE_COLUMNS, optional
    ):
        full_name, others, chromosome, band = rest
        if not _check_number(lines, "ncbigene", gene, "a gene") or not _check_number(
            lines, "ncbitaxon", taxon, "a taxon"
        ):
            continue
        symbol = "" if symbol_cell in NO_SYMBOL else symbol_cell
        synonym_list = (_cell_text(tag), *_split_ncbi_cell(synonyms), _cell_text(full_name), *_split_ncbi_cell(others))
        name = _cell_text(description)
        yield EntryRecord(
            "ncbigene",
            gene,
            GENES,
            name=name,
            symbol=symbol,
            synonyms=list_distinct_nonempty_names(synonym_list, exclude=(symbol, name)),
            taxon=int(taxon),
            location=format_band_or_else_chromosome(chromosome, band),
        )


def read_gene_history(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The discontinued genes of gene_history, with the genes that replace them."""
    for taxon, successor, gene, symbol in iter_cells_of_named_columns(lines, HISTORY_COLUMNS):
        if not _check_number(lines, "ncbigene", gene, "a gene") or not _check_number(
            lines, "ncbitaxon", taxon, "a taxon"
        ):
            continue
        successors = () if successor == ABSENT else (successor,)
        if all(_check_number(lines, "ncbigene", name, "a gene") for name in successors):
            yield EntryRecord(
                "ncbigene",
                gene,
                GENES,
                symbol=_cell_text(symbol),
                taxon=int(taxon),
                withdrawn=True,
                successors=successors,
            )


def read_taxon_names(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The organisms of names.dmp, where the names of one organism are consecutive. The scientific name is preferred."""
    for taxon, group in groupby(_iter_dump_cells(lines, 4, "names.dmp"), key=lambda cells: cells[0]):
        names = [(cells[1], cells[3]) for cells in group]
        name = next((text for text, name_class in names if name_class == SCIENTIFIC_NAME_CLASS), "")
        if _check_number(lines, "ncbitaxon", taxon, "a taxon"):
            other_names = [text for text, name_class in names if name_class in LISTED_NAME_CLASSES]
            yield build_organism_record_with_abbreviation(taxon, name, other_names)


def build_organism_record_with_abbreviation(
    taxon_id: str, scientific_name: str, other_names: list[str], source: str = ORGANISMS
) -> EntryRecord:
    """The entry of an organism with its scientific name; the symbol is the abbreviated name."""
    abbreviation = abbreviate_binomial_or_empty(scientific_name)
    return EntryRecord(
        "ncbitaxon",
        taxon_id,
        source,
        name=scientific_name,
        symbol=abbreviation,
        synonyms=list_distinct_nonempty_names(other_names, exclude=(scientific_name, abbreviation)),
        taxon=int(taxon_id),
    )


def read_merged_taxa(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The merged organisms of merged.dmp, each with the organism that replaces it."""
    for taxon, successor in _iter_dump_cells(lines, 2, "merged.dmp"):
        if all(_check_number(lines, "ncbitaxon", number, "a taxon") for number in (taxon, successor)):
            yield EntryRecord(
                "ncbitaxon", taxon, ORGANISMS, taxon=int(successor), withdrawn=True, successors=(successor,)
            )


def read_deleted_taxa(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The deleted organisms of delnodes.dmp."""
    for (taxon,) in _iter_dump_cells(lines, 1, "delnodes.dmp"):
        if _check_number(lines, "ncbitaxon", taxon, "a taxon"):
            yield EntryRecord("ncbitaxon", taxon, ORGANISMS, withdrawn=True)


def _iter_dump_cells(lines: FaultNotingTableLines, width: int, name: str) -> Iterator[list[str]]:
    for text in lines:
        cells = [cell.strip("\t") for cell in text.removesuffix("|").split("|")]
        if len(cells) == width and text.endswith("|"):
            yield cells
        else:
            message = (
                f"a line of {name} must have {width} fields, each ending in a tab and | - download the table again"
            )
            lines.add_fault(1, WRONG_COLUMNS, message)


def _check_number(lines: FaultNotingTableLines, database: str, text: str, noun: str) -> bool:
    if parse_taxon_id(text) if database == "ncbitaxon" else NAMESPACES[database].pattern.fullmatch(text):
        return True
    lines.add_fault(1, NOT_IDENTIFIER, f"“{text[:40]}” is not the number of {noun} - download the table again")
    return False


def _cell_text(text: str) -> str:
    return "" if text == ABSENT else text


def _split_ncbi_cell(text: str) -> list[str]:
    return [] if text == ABSENT else text.split("|")

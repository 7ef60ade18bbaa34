"""NCBI's tables of genes (gene_info, gene_history) and of organisms (names.dmp, merged.dmp, delnodes.dmp).

Formats: https://ftp.ncbi.nlm.nih.gov/gene/DATA/README and https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/taxdump_readme.txt
"""

from collections.abc import Iterator
from itertools import groupby

from annotations.databases import DATABASES
from annotations.registry.descriptions import gene_place
from annotations.registry.entries import EntryRecord
from annotations.registry.names import abbreviation, distinct, taxon_of
from annotations.registry.table_lines import NOT_IDENTIFIER, WRONG_COLUMNS, TableLines, rows

GENES = "NCBI Gene"
ORGANISMS = "NCBI Taxonomy"
ABSENT = "-"
# The classes of names under which somebody may write of an organism.
CALLED = {"genbank common name", "common name", "synonym", "equivalent name", "acronym", "genbank acronym"}
SCIENTIFIC = "scientific name"
# What stands in gene_info for a gene without a symbol.
NO_SYMBOL = {ABSENT, "NEWENTRY"}
GENE_COLUMNS = ("tax_id", "GeneID", "Symbol", "LocusTag", "Synonyms", "description")
HISTORY_COLUMNS = ("tax_id", "GeneID", "Discontinued_GeneID", "Discontinued_Symbol")


def read_gene_info(lines: TableLines) -> Iterator[EntryRecord]:
    """The genes of gene_info; columns beyond those that are needed may be left out of the table."""
    optional = ("Full_name_from_nomenclature_authority", "Other_designations", "chromosome", "map_location")
    for taxon, gene, said, tag, synonyms, description, *rest in rows(lines, GENE_COLUMNS, optional):
        full_name, others, chromosome, band = rest
        if not _is_number(lines, "ncbigene", gene, "a gene") or not _is_number(lines, "ncbitaxon", taxon, "a taxon"):
            continue
        symbol = "" if said in NO_SYMBOL else said
        called = (_cell(tag), *_several(synonyms), _cell(full_name), *_several(others))
        name = _cell(description)
        yield EntryRecord(
            "ncbigene",
            gene,
            GENES,
            name=name,
            symbol=symbol,
            synonyms=distinct(called, but=(symbol, name)),
            taxon=int(taxon),
            location=gene_place(chromosome, band),
        )


def read_gene_history(lines: TableLines) -> Iterator[EntryRecord]:
    """The genes that were discontinued, with those that replace them."""
    for taxon, successor, gene, symbol in rows(lines, HISTORY_COLUMNS):
        if not _is_number(lines, "ncbigene", gene, "a gene") or not _is_number(lines, "ncbitaxon", taxon, "a taxon"):
            continue
        successors = () if successor == ABSENT else (successor,)
        if all(_is_number(lines, "ncbigene", name, "a gene") for name in successors):
            yield EntryRecord(
                "ncbigene",
                gene,
                GENES,
                symbol=_cell(symbol),
                taxon=int(taxon),
                withdrawn=True,
                successors=successors,
            )


def read_names(lines: TableLines) -> Iterator[EntryRecord]:
    """The organisms of names.dmp, whose names stand in a row; the preferred one is the scientific name."""
    for taxon, group in groupby(_dump(lines, 4, "names.dmp"), key=lambda cells: cells[0]):
        names = [(cells[1], cells[3]) for cells in group]
        name = next((text for text, sort in names if sort == SCIENTIFIC), "")
        if _is_number(lines, "ncbitaxon", taxon, "a taxon"):
            yield organism(taxon, name, [text for text, sort in names if sort in CALLED])


def organism(taxon: str, name: str, called: list[str], source: str = ORGANISMS) -> EntryRecord:
    """The entry of one organism, as every table and answer of the taxonomy gives it."""
    short = abbreviation(name)
    return EntryRecord(
        "ncbitaxon",
        taxon,
        source,
        name=name,
        symbol=short,
        synonyms=distinct(called, but=(name, short)),
        taxon=int(taxon),
    )


def read_merged(lines: TableLines) -> Iterator[EntryRecord]:
    """The organisms of merged.dmp: what was merged, and into which."""
    for taxon, successor in _dump(lines, 2, "merged.dmp"):
        if all(_is_number(lines, "ncbitaxon", number, "a taxon") for number in (taxon, successor)):
            yield EntryRecord(
                "ncbitaxon", taxon, ORGANISMS, taxon=int(successor), withdrawn=True, successors=(successor,)
            )


def read_deleted(lines: TableLines) -> Iterator[EntryRecord]:
    """The organisms of delnodes.dmp, which were taken away."""
    for (taxon,) in _dump(lines, 1, "delnodes.dmp"):
        if _is_number(lines, "ncbitaxon", taxon, "a taxon"):
            yield EntryRecord("ncbitaxon", taxon, ORGANISMS, withdrawn=True)


def _dump(lines: TableLines, width: int, name: str) -> Iterator[list[str]]:
    for text in lines:
        cells = [cell.strip("\t") for cell in text.removesuffix("|").split("|")]
        if len(cells) == width and text.endswith("|"):
            yield cells
        else:
            message = f"a line of {name} has {width} fields, each ended by a tab and | - download it again"
            lines.fault(1, WRONG_COLUMNS, message)


def _is_number(lines: TableLines, database: str, text: str, what: str) -> bool:
    if taxon_of(text) if database == "ncbitaxon" else DATABASES[database].pattern.fullmatch(text):
        return True
    lines.fault(1, NOT_IDENTIFIER, f"“{text[:40]}” is not the number of {what} - download the table again")
    return False


def _cell(text: str) -> str:
    return "" if text == ABSENT else text


def _several(text: str) -> list[str]:
    return [] if text == ABSENT else text.split("|")

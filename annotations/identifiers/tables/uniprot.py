"""Readers of UniProtKB, as a flat file or tab-separated table, and of UniProt's list of species.

An entry is followed by its aliases: secondary accessions and the entry name (P53_HUMAN), whose successor it is.
Formats: https://www.uniprot.org/help/flatfile-format (the user manual) and https://www.uniprot.org/docs/speclist
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_descriptions import (
    EVIDENCE,
    clip_location_without_notes_and_evidence,
    join_wrapped_lines_keeping_hyphens,
    strip_evidence_and_shorten_description,
)
from annotations.identifiers.entry_names import list_distinct_nonempty_names, parse_taxon_id
from annotations.identifiers.namespaces import NAMESPACES
from annotations.identifiers.tables.ncbi import build_organism_record_with_abbreviation
from annotations.identifiers.tables.table_lines import (
    INCOMPLETE,
    NOT_IDENTIFIER,
    FaultNotingTableLines,
    iter_cells_of_named_columns,
)

UNIPROT = "UniProt"
SPECLIST = "UniProt speclist"
ACCESSION = NAMESPACES["uniprot"].pattern
ENTRY_NAME = re.compile(r"[A-Z0-9]{1,16}_[A-Z0-9]{1,5}", re.ASCII)
DESCRIPTION = re.compile(r"(RecName|SubName|AltName)?:?\s*(Full|Short)=(.*?);?$")
GENE_NAMES = re.compile(r"(Name|Synonyms|OrderedLocusNames|ORFNames)=([^;]*)")
TAXON = re.compile(r"NCBI_TaxID=([0-9]+)", re.ASCII)
SPECIES = re.compile(r"[A-Z0-9]{3,5} +[ABEVOX] +([0-9]{1,10}): N=(.*)")
OTHER_NAME = re.compile(r" +[CS]=(.*)")
GENE_REFERENCE = re.compile(r"GeneID; ([1-9][0-9]{0,11});", re.ASCII)
TSV_COLUMNS = ("Entry", "Entry Name", "Protein names")
TSV_OPTIONAL = (
    "Gene Names (primary)",
    "Gene Names",
    "Organism (ID)",
    "Subcellular location [CC]",
    "Function [CC]",
    "GeneID",
)
LOCATION, FUNCTION = "SUBCELLULAR LOCATION", "FUNCTION"


@dataclass(slots=True)
class _FlatFileEntry:
    """One entry of the flat file as it is being read; names has the preferred name first."""

    line: int
    name: str = ""
    accessions: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    genes: list[str] = field(default_factory=list)
    gene_text: str = ""
    gene_ids: list[str] = field(default_factory=list)
    taxon: int | None = None
    in_component: bool = False  # the names of a component (Includes, Contains) are not the protein's
    topic: str = ""  # of the comment that is being read
    comments: dict[str, list[str]] = field(default_factory=lambda: {LOCATION: [], FUNCTION: []})


def build_protein_record(
    accession: str, protein_names: list[str], gene_names: list[str], taxon_id: int | None, is_first_gene_symbol: bool
) -> EntryRecord:
    """The entry of a protein.

    protein_names and gene_names: the preferred name and gene name first. is_first_gene_symbol: whether the first of
    gene_names is the gene symbol.
    """
    symbol = gene_names[0] if is_first_gene_symbol and gene_names else ""
    name = protein_names[0] if protein_names else ""
    synonyms = list_distinct_nonempty_names((*protein_names, *gene_names), exclude=(symbol, name))
    return EntryRecord("uniprot", accession, UNIPROT, name=name, symbol=symbol, synonyms=synonyms, taxon=taxon_id)


def _iter_alias_records(entry: EntryRecord, accessions: Iterable[str], entry_name: str) -> Iterator[EntryRecord]:
    """The aliases of an entry: its secondary accessions and, if not "", its entry name."""
    successors, alias = (entry.identifier,), replace(entry, location="", function="")
    for accession in accessions:
        yield replace(alias, identifier=accession, withdrawn=True, successors=successors)
    if entry_name:
        yield replace(alias, identifier=entry_name, synonyms=(), successors=successors)


def read_uniprot_flat_file_with_aliases(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The entries of a flat file (uniprot_sprot.dat), each followed by its aliases."""
    entry = None
    for text in lines:
        if text.startswith("//"):
            yield from _iter_entry_records(lines, entry)
            entry = None
        elif text.startswith("ID   "):
            if entry is not None:
                lines.add_fault(
                    1, INCOMPLETE, "an entry begins before the previous one ended with // - download the file again"
                )
            entry = _FlatFileEntry(lines.number, name=text[5:].split()[0] if text[5:].split() else "")
        elif entry is not None:
            _apply_line(entry, text[:5], text[5:])
    if entry is not None:
        lines.add_fault(1, INCOMPLETE, f"the file ends within the entry {entry.name} - download the file again")


def _apply_line(entry: _FlatFileEntry, code: str, text: str) -> None:
    match code.strip():
        case "AC":
            entry.accessions += [name for part in text.split(";") if (name := part.strip())]
        case "DE":
            _apply_description(entry, text)
        case "GN":
            entry.gene_text += " " + text
        case "OX" if taxon := TAXON.search(text):
            entry.taxon = parse_taxon_id(taxon[1])
        case "CC":
            _apply_comment(entry, text)
        case "DR" if reference := GENE_REFERENCE.match(text):
            entry.gene_ids.append(reference[1])


def _apply_comment(entry: _FlatFileEntry, text: str) -> None:
    """Keep the first comment of each topic; later ones are about single isoforms or infections."""
    if text.startswith(("-!- ", "----")):
        topic, _, text = text[4:].partition(":")
        entry.topic = "" if entry.comments.get(topic) else topic
    if entry.topic in entry.comments:
        entry.comments[entry.topic].append(text)


def _apply_description(entry: _FlatFileEntry, text: str) -> None:
    entry.in_component = entry.in_component or text.startswith(("Includes:", "Contains:"))
    match = DESCRIPTION.match(text.strip())
    if match and not entry.in_component:
        entry.names.append(EVIDENCE.sub("", match[3]))


def _iter_entry_records(lines: FaultNotingTableLines, entry: _FlatFileEntry | None) -> Iterator[EntryRecord]:
    if entry is None:
        lines.add_fault(
            1, INCOMPLETE, "an entry ends here that did not begin with an ID line - download the file again"
        )
        return
    if not entry.accessions or not entry.names or entry.taxon is None:
        message = f"the entry {entry.name} has no accession, name or taxon (AC, DE, OX) - download the file again"
        lines.add_fault(1, INCOMPLETE, message, line=entry.line)
        return
    malformed = [name for name in entry.accessions if not ACCESSION.fullmatch(name)]
    if malformed or not ENTRY_NAME.fullmatch(entry.name):
        problem = f"“{(malformed or [entry.name])[0][:40]}” is not a UniProt accession or entry name"
        lines.add_fault(1, NOT_IDENTIFIER, f"{problem} - download the file again", line=entry.line)
        return
    gene_lists = GENE_NAMES.findall(EVIDENCE.sub("", entry.gene_text))
    genes = [name for _, text in gene_lists for part in text.split(",") if (name := part.strip())]
    has_symbol = bool(gene_lists) and gene_lists[0][0] == "Name"
    record = build_protein_record(entry.accessions[0], entry.names, genes, entry.taxon, has_symbol)
    record = replace(
        record,
        location=clip_location_without_notes_and_evidence(join_wrapped_lines_keeping_hyphens(entry.comments[LOCATION])),
        function=strip_evidence_and_shorten_description(join_wrapped_lines_keeping_hyphens(entry.comments[FUNCTION])),
        genes=list_distinct_nonempty_names(entry.gene_ids),
    )
    yield record
    yield from _iter_alias_records(record, entry.accessions[1:], entry.name)


def read_uniprot_tsv_with_entry_names(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The entries of a table with the columns Entry, Entry Name and Protein names; the others are optional."""
    for accession, entry_name, names, symbol, genes, taxon, *rest in iter_cells_of_named_columns(
        lines, TSV_COLUMNS, TSV_OPTIONAL
    ):
        location, function, gene_ids = rest
        if not ACCESSION.fullmatch(accession) or not ENTRY_NAME.fullmatch(entry_name):
            problem = f"“{accession[:40]}” is not an accession, or “{entry_name[:40]}” is not an entry name"
            lines.add_fault(1, NOT_IDENTIFIER, f"{problem} - download the table again")
            continue
        gene_names = [*symbol.split("; "), *genes.split()]
        record = build_protein_record(
            accession,
            split_protein_names_at_round_brackets(names),
            gene_names,
            parse_taxon_id(taxon),
            is_first_gene_symbol=bool(symbol or genes),
        )
        record = replace(
            record,
            symbol=record.symbol or next(iter(genes.split()), ""),
            location=clip_location_without_notes_and_evidence(_cut_first_comment(location, LOCATION)),
            function=strip_evidence_and_shorten_description(_cut_first_comment(function, FUNCTION)),
            genes=list_gene_identifiers(gene_ids.split(";")),
        )
        yield record
        yield from _iter_alias_records(record, (), entry_name)


def list_gene_identifiers(texts: Iterable[str]) -> tuple[str, ...]:
    """The well-formed NCBI Gene identifiers among these texts, without duplicates."""
    names = (text.strip() for text in texts)
    return list_distinct_nonempty_names(name for name in names if NAMESPACES["ncbigene"].pattern.fullmatch(name))


def _cut_first_comment(cell: str, topic: str) -> str:
    """The first comment of a cell, in which each begins with its topic."""
    return cell.removeprefix(f"{topic}: ").partition(f"{topic}: ")[0]


def split_protein_names_at_round_brackets(names_cell: str) -> list[str]:
    """The names in `Name (Other name) (Third (3) name)`, without square brackets, which name parts of the protein."""
    rest = names_cell.split(" [Cleaved into", 1)[0].split(" [Includes", 1)[0].strip()
    other_names: list[str] = []
    while (start := _find_last_bracket(rest)) > 0 and rest[start - 1] == " ":
        other_names.insert(0, rest[start + 1 : -1])
        rest = rest[: start - 1].rstrip()
    return [name for name in (rest, *other_names) if name]


def _find_last_bracket(text: str) -> int:
    """The position of the bracket that closes at the end of the text; -1 if there is none."""
    depth = 0
    for position in range(len(text) - 1, -1, -1) if text.endswith(")") else ():
        depth += {")": 1, "(": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return -1


def read_speclist(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The organisms of UniProt's speclist.txt as entries of the NCBI Taxonomy."""
    taxon, name, other_names = "", "", list[str]()
    for text in lines:
        if match := SPECIES.fullmatch(text):
            if taxon:
                yield build_organism_record_with_abbreviation(taxon, name, other_names, SPECLIST)
            taxon, name, other_names = match[1], match[2], []
            if parse_taxon_id(taxon) is None:
                lines.add_fault(1, NOT_IDENTIFIER, f"{taxon} is not an NCBI Taxonomy id - download the list again")
                taxon = ""
        elif match := OTHER_NAME.fullmatch(text):
            other_names.append(match[1])
    if taxon:
        yield build_organism_record_with_abbreviation(taxon, name, other_names, SPECLIST)

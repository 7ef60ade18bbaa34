"""UniProtKB as a flat file or as the tab-separated table that its site gives, and UniProt's list of species.

An entry is followed by its other names: secondary accessions with its successor, and its entry name (P53_HUMAN).
Formats: https://www.uniprot.org/help/flatfile-format (the user manual) and https://www.uniprot.org/docs/speclist
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from annotations.databases import DATABASES
from annotations.registry.descriptions import EVIDENCE, described, places, unwrapped
from annotations.registry.entries import EntryRecord
from annotations.registry.names import distinct, taxon_of
from annotations.registry.ncbi_tables import organism
from annotations.registry.table_lines import INCOMPLETE, NOT_IDENTIFIER, TableLines, rows

UNIPROT = "UniProt"
SPECLIST = "UniProt speclist"
ACCESSION = DATABASES["uniprot"].pattern
ENTRY_NAME = re.compile(r"[A-Z0-9]{1,16}_[A-Z0-9]{1,5}", re.ASCII)
DESCRIPTION = re.compile(r"(RecName|SubName|AltName)?:?\s*(Full|Short)=(.*?);?$")
GENE_NAMES = re.compile(r"(Name|Synonyms|OrderedLocusNames|ORFNames)=([^;]*)")
TAXON = re.compile(r"NCBI_TaxID=([0-9]+)", re.ASCII)
SPECIES = re.compile(r"[A-Z0-9]{3,5} +[ABEVOX] +([0-9]{1,10}): N=(.*)")
OTHER_NAME = re.compile(r" +[CS]=(.*)")
TSV_COLUMNS = ("Entry", "Entry Name", "Protein names")
TSV_OPTIONAL = (
    "Gene Names (primary)",
    "Gene Names",
    "Organism (ID)",
    "Subcellular location [CC]",
    "Function [CC]",
)
LOCATION, FUNCTION = "SUBCELLULAR LOCATION", "FUNCTION"


@dataclass(slots=True)
class _Entry:
    """The lines of one entry of the flat file as far as they are read; full and genes hold the preferred name first."""

    line: int
    name: str = ""
    accessions: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    genes: list[str] = field(default_factory=list)
    gene_text: str = ""
    taxon: int | None = None
    within: bool = False  # the names of a part (Includes, Contains) are not the protein's
    topic: str = ""  # of the comment that is being read
    comments: dict[str, list[str]] = field(default_factory=lambda: {LOCATION: [], FUNCTION: []})


def protein(accession: str, names: list[str], genes: list[str], taxon: int | None, has_symbol: bool) -> EntryRecord:
    """The entry of one protein, as every table and answer gives it; names and genes begin with the preferred one."""
    symbol = genes[0] if has_symbol and genes else ""
    name = names[0] if names else ""
    synonyms = distinct((*names, *genes), but=(symbol, name))
    return EntryRecord("uniprot", accession, UNIPROT, name=name, symbol=symbol, synonyms=synonyms, taxon=taxon)


def other_names(entry: EntryRecord, accessions: Iterable[str], entry_name: str) -> Iterator[EntryRecord]:
    """Records under the entry's secondary accessions and its entry name, which lead to it."""
    primary, bare = (entry.identifier,), replace(entry, location="", function="")
    for accession in accessions:
        yield replace(bare, identifier=accession, withdrawn=True, successors=primary)
    if entry_name:
        yield replace(bare, identifier=entry_name, synonyms=(), successors=primary)


def read_flat_file(lines: TableLines) -> Iterator[EntryRecord]:
    """The entries of a flat file (uniprot_sprot.dat), each with its other names."""
    entry = None
    for text in lines:
        if text.startswith("//"):
            yield from _told(lines, entry)
            entry = None
        elif text.startswith("ID   "):
            if entry is not None:
                lines.fault(1, INCOMPLETE, "an entry begins before the last one ended by // - download it again")
            entry = _Entry(lines.number, name=text[5:].split()[0] if text[5:].split() else "")
        elif entry is not None:
            _take(entry, text[:5], text[5:])
    if entry is not None:
        lines.fault(1, INCOMPLETE, f"the file ends within the entry {entry.name} - download it again")


def _take(entry: _Entry, code: str, text: str) -> None:
    match code.strip():
        case "AC":
            entry.accessions += [name for part in text.split(";") if (name := part.strip())]
        case "DE":
            _take_description(entry, text)
        case "GN":
            entry.gene_text += " " + text
        case "OX" if found := TAXON.search(text):
            entry.taxon = taxon_of(found[1])
        case "CC":
            _take_comment(entry, text)


def _take_comment(entry: _Entry, text: str) -> None:
    """Of each topic the first comment: what follows tells of single isoforms and of infections."""
    if text.startswith(("-!- ", "----")):
        topic, _, text = text[4:].partition(":")
        entry.topic = "" if entry.comments.get(topic) else topic
    if entry.topic in entry.comments:
        entry.comments[entry.topic].append(text)


def _take_description(entry: _Entry, text: str) -> None:
    entry.within = entry.within or text.startswith(("Includes:", "Contains:"))
    found = DESCRIPTION.match(text.strip())
    if found and not entry.within:
        entry.names.append(EVIDENCE.sub("", found[3]))


def _told(lines: TableLines, entry: _Entry | None) -> Iterator[EntryRecord]:
    if entry is None:
        lines.fault(1, INCOMPLETE, "an entry ends that did not begin with an ID line - download it again")
        return
    if not entry.accessions or not entry.names or entry.taxon is None:
        text = f"the entry {entry.name} has no accession, name or taxon (AC, DE, OX) - download it again"
        lines.fault(1, INCOMPLETE, text, line=entry.line)
        return
    wrong = [name for name in entry.accessions if not ACCESSION.fullmatch(name)]
    if wrong or not ENTRY_NAME.fullmatch(entry.name):
        text = f"“{(wrong or [entry.name])[0][:40]}” is not a UniProt accession or entry name - download it again"
        lines.fault(1, NOT_IDENTIFIER, text, line=entry.line)
        return
    genes = GENE_NAMES.findall(EVIDENCE.sub("", entry.gene_text))
    named = [name for _, text in genes for part in text.split(",") if (name := part.strip())]
    told = protein(entry.accessions[0], entry.names, named, entry.taxon, bool(genes) and genes[0][0] == "Name")
    told = replace(
        told,
        location=places(unwrapped(entry.comments[LOCATION])),
        function=described(unwrapped(entry.comments[FUNCTION])),
    )
    yield told
    yield from other_names(told, entry.accessions[1:], entry.name)


def read_tsv(lines: TableLines) -> Iterator[EntryRecord]:
    """The entries of a table with the columns Entry, Entry Name and Protein names; gene and taxon where they are."""
    for accession, entry_name, names, symbol, genes, taxon, place, role in rows(lines, TSV_COLUMNS, TSV_OPTIONAL):
        if not ACCESSION.fullmatch(accession) or not ENTRY_NAME.fullmatch(entry_name):
            text = f"“{accession[:40]}” or “{entry_name[:40]}” is no accession and entry name - download it again"
            lines.fault(1, NOT_IDENTIFIER, text)
            continue
        called = [symbol.split("; ")[0], *symbol.split("; ")[1:], *genes.split()]
        told = protein(accession, protein_names(names), called, taxon_of(taxon), has_symbol=bool(symbol or genes))
        told = replace(
            told,
            symbol=told.symbol or next(iter(genes.split()), ""),
            location=places(_first_comment(place, LOCATION)),
            function=described(_first_comment(role, FUNCTION)),
        )
        yield told
        yield from other_names(told, (), entry_name)


def _first_comment(cell: str, topic: str) -> str:
    """The first comment of a cell, in which each begins with its topic."""
    return cell.removeprefix(f"{topic}: ").partition(f"{topic}: ")[0]


def protein_names(text: str) -> list[str]:
    """The names in `Name (Other name) (Third (3) name)`; what stands in square brackets names parts of the protein."""
    rest = text.split(" [Cleaved into", 1)[0].split(" [Includes", 1)[0].strip()
    others: list[str] = []
    while (start := _last_bracket(rest)) > 0 and rest[start - 1] == " ":
        others.insert(0, rest[start + 1 : -1])
        rest = rest[: start - 1].rstrip()
    return [name for name in (rest, *others) if name]


def _last_bracket(text: str) -> int:
    """Where the bracket opens that closes at the end of the text; -1 when there is none."""
    depth = 0
    for at in range(len(text) - 1, -1, -1) if text.endswith(")") else ():
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return -1


def read_speclist(lines: TableLines) -> Iterator[EntryRecord]:
    """The organisms of UniProt's speclist.txt by their number in the NCBI Taxonomy."""
    taxon, name, called = "", "", list[str]()
    for text in lines:
        if found := SPECIES.fullmatch(text):
            if taxon:
                yield organism(taxon, name, called, SPECLIST)
            taxon, name, called = found[1], found[2], []
            if taxon_of(taxon) is None:
                lines.fault(1, NOT_IDENTIFIER, f"{taxon} is not the number of a taxon - download the list again")
                taxon = ""
        elif found := OTHER_NAME.fullmatch(text):
            called.append(found[1])
    if taxon:
        yield organism(taxon, name, called, SPECLIST)

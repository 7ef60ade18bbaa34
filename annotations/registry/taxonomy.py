"""The species that the site knows by name: taxon id, names, MeSH headings and the words that speak of it in a text.

The table is species.tsv beside this file; in a cell several values are parted by `|`. It holds MeSH headings at species
level only: a heading that covers a genus or more (Papio, Trout) names no species.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TextIO

from annotations.formats.errors import FormatError
from annotations.registry.entries import EntryRecord

NOT_SPECIES = "R421"
DATABASE = "ncbitaxon"
COLUMNS = ("taxon", "name", "common", "mesh", "words")
TABLE = Path(__file__).with_name("species.tsv")


@dataclass(frozen=True, slots=True)
class Species:
    taxon: int
    name: str  # scientific
    common: tuple[str, ...]
    mesh: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def abbreviation(self) -> str:
        """`E. coli` for a name of two words, else empty."""
        parts = self.name.split()
        return f"{parts[0][0]}. {parts[1]}" if len(parts) == 2 and parts[1].islower() else ""

    @property
    def forms(self) -> tuple[str, ...]:
        """Everything that a text may call it, without repeats."""
        known = (self.name, self.abbreviation, *self.common, *self.words)
        return tuple(dict.fromkeys(form for form in known if form))


def read_species(lines: TextIO, source: str) -> Iterator[Species]:
    """The rows of a species table. Raises FormatError (R421): a column is missing, a taxon id no number, no text."""
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE, restval="")
    try:
        if missing := [column for column in COLUMNS if column not in (rows.fieldnames or ())]:
            text = f"the column “{missing[0]}” is missing - begin with the header line {' '.join(COLUMNS)}, with tabs"
            raise FormatError(source, 1, 1, NOT_SPECIES, text)
        for row in rows:
            yield _species(row, source, rows.line_num)
    except (UnicodeDecodeError, csv.Error):
        text = "the table is not text in UTF-8 - save it as text parted by tabs"
        raise FormatError(source, rows.line_num + 1, 1, NOT_SPECIES, text) from None


def _species(row: dict[str, str], source: str, line: int) -> Species:
    if not row["taxon"].isdecimal():
        text = f"“{row['taxon']}” is not an NCBI Taxonomy id - write the number alone, such as 9606"
        raise FormatError(source, line, 1, NOT_SPECIES, text)
    return Species(int(row["taxon"]), row["name"], *(_several(row[column]) for column in ("common", "mesh", "words")))


@cache
def species() -> tuple[Species, ...]:
    """All species of our table, in its order."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return tuple(read_species(lines, TABLE.name))


@cache
def taxon_of_heading() -> dict[str, int]:
    """MeSH heading -> taxon id."""
    return {heading: known.taxon for known in species() for heading in known.mesh}


def taxa_of_headings(headings: Iterable[str]) -> list[int]:
    """The taxon ids that the headings name, ascending, each once; headings of no species say nothing."""
    known = taxon_of_heading()
    return sorted({known[heading] for heading in headings if heading in known})


def read_entries(lines: TextIO, source: str) -> Iterator[EntryRecord]:
    """A species table as entries of the NCBI Taxonomy; the preferred name is the scientific one. Raises FormatError."""
    for known in read_species(lines, source):
        yield EntryRecord(
            DATABASE,
            str(known.taxon),
            source="species table",
            name=known.name,
            symbol=known.abbreviation,
            synonyms=tuple(form for form in known.forms if form not in (known.name, known.abbreviation)),
            taxon=known.taxon,
        )


def _several(cell: str) -> tuple[str, ...]:
    return tuple(value for value in cell.split("|") if value)

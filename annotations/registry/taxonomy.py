"""The species that the site knows by name: taxon id, names, MeSH headings and the words that speak of it in a text.

The table is species.tsv beside this file; in a cell several values are parted by `|`. It holds MeSH headings at species
level only: a heading that covers a genus or more (Papio, Trout) names no species.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from annotations.registry.entries import EntryRecord

DATABASE = "ncbitaxon"
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


@cache
def species() -> tuple[Species, ...]:
    """All species of the table, in its order."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return tuple(
            Species(
                int(row["taxon"]), row["name"], _several(row["common"]), _several(row["mesh"]), _several(row["words"])
            )
            for row in rows
        )


@cache
def taxon_of_heading() -> dict[str, int]:
    """MeSH heading -> taxon id."""
    return {heading: known.taxon for known in species() for heading in known.mesh}


def taxa_of_headings(headings: Iterable[str]) -> list[int]:
    """The taxon ids that the headings name, ascending, each once; headings of no species say nothing."""
    known = taxon_of_heading()
    return sorted({known[heading] for heading in headings if heading in known})


def species_entries() -> Iterator[EntryRecord]:
    """The species as entries of the NCBI Taxonomy: preferred name is the scientific one."""
    for known in species():
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

"""The species that the site knows by name: taxon id, names, MeSH headings and the words that speak of it in a text.

The table is species.tsv beside this file; in a cell several values are parted by `|`. It holds MeSH headings at species
level only: a heading that covers a genus or more (Papio, Trout) names no species.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from annotations.registry.entries import EntryRecord
from annotations.registry.names import abbreviation, taxon_of
from annotations.registry.table_lines import TableLines, rows

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
        return abbreviation(self.name)

    @property
    def forms(self) -> tuple[str, ...]:
        """Everything that a text may call it, without repeats."""
        known = (self.name, self.abbreviation, *self.common, *self.words)
        return tuple(dict.fromkeys(form for form in known if form))


def read_species(lines: TableLines) -> Iterator[Species]:
    """The rows of a species table; a taxon id that is no number is a fault (R421)."""
    for taxon, name, *several in rows(lines, COLUMNS):
        if number := taxon_of(taxon):
            yield Species(number, name, *map(_several, several))
        else:
            text = f"“{taxon[:40]}” is not an NCBI Taxonomy id - write the number alone, such as 9606"
            lines.fault(1, NOT_SPECIES, text)


@cache
def species() -> tuple[Species, ...]:
    """All species of our table, in its order."""
    with TABLE.open("rb") as stream:
        return tuple(read_species(TableLines(stream, TABLE.name)))


@cache
def taxon_of_heading() -> dict[str, int]:
    """MeSH heading -> taxon id."""
    return {heading: known.taxon for known in species() for heading in known.mesh}


def taxa_of_headings(headings: Iterable[str]) -> list[int]:
    """The taxon ids that the headings name, ascending, each once; headings of no species say nothing."""
    known = taxon_of_heading()
    return sorted({known[heading] for heading in headings if heading in known})


def read_entries(lines: TableLines) -> Iterator[EntryRecord]:
    """A species table as entries of the NCBI Taxonomy; the preferred name is the scientific one."""
    for known in read_species(lines):
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

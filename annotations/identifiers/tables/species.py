"""The species that the site knows: taxon id, names, MeSH headings, and words that indicate the species in a text.

The table is species.tsv in this folder; multiple values in a cell are separated by `|`. It has MeSH headings of species
only: a heading for a genus or a larger group (Papio, Trout) does not identify a species.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_names import abbreviate_binomial_or_empty, parse_taxon_id
from annotations.identifiers.tables.table_lines import FaultNotingTableLines, iter_cells_of_named_columns

NOT_SPECIES = "R421"
SPECIES_NAMESPACE = "ncbitaxon"
COLUMNS = ("taxon", "name", "common", "mesh", "words")
SPECIES_TABLE = Path(__file__).with_name("species.tsv")


@dataclass(frozen=True, slots=True)
class KnownSpecies:
    """A row of the species table."""

    taxon: int
    name: str  # scientific
    common: tuple[str, ...]
    mesh: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def abbreviation(self) -> str:
        """`E. coli` for a name of two words, otherwise ""."""
        return abbreviate_binomial_or_empty(self.name)

    @property
    def forms(self) -> tuple[str, ...]:
        """All names and words by which a text may refer to it, without duplicates."""
        forms = (self.name, self.abbreviation, *self.common, *self.words)
        return tuple(dict.fromkeys(form for form in forms if form))


def read_known_species(lines: FaultNotingTableLines) -> Iterator[KnownSpecies]:
    """The rows of a species table; an invalid taxon id is a fault (R421)."""
    for taxon, name, *lists in iter_cells_of_named_columns(lines, COLUMNS):
        if number := parse_taxon_id(taxon):
            yield KnownSpecies(number, name, *map(_split_species_cell, lists))
        else:
            message = f"“{taxon[:40]}” is not an NCBI Taxonomy id - write only the number, such as 9606"
            lines.add_fault(1, NOT_SPECIES, message)


@cache
def list_species_of_bundled_table() -> tuple[KnownSpecies, ...]:
    """All species of species.tsv, in the order of the table."""
    with SPECIES_TABLE.open("rb") as stream:
        return tuple(read_known_species(FaultNotingTableLines(stream, SPECIES_TABLE.name)))


@cache
def _map_headings_to_taxa() -> dict[str, int]:
    """The taxon id of each MeSH heading of a species."""
    return {heading: species.taxon for species in list_species_of_bundled_table() for heading in species.mesh}


def list_known_taxa_of_mesh_headings(mesh_headings: Iterable[str]) -> list[int]:
    """The taxon ids of MeSH headings, ascending and without duplicates; other headings are ignored."""
    taxa = _map_headings_to_taxa()
    return sorted({taxa[heading] for heading in mesh_headings if heading in taxa})


def read_species_entries(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """A species table as entries of the NCBI Taxonomy; the preferred name is the scientific one."""
    for species in read_known_species(lines):
        yield EntryRecord(
            SPECIES_NAMESPACE,
            str(species.taxon),
            source="species table",
            name=species.name,
            symbol=species.abbreviation,
            synonyms=tuple(form for form in species.forms if form not in (species.name, species.abbreviation)),
            taxon=species.taxon,
        )


def _split_species_cell(cell: str) -> tuple[str, ...]:
    return tuple(value for value in cell.split("|") if value)

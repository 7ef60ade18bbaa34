"""The types of entities that the site knows: their label, how they look, and the many spellings of their names.

The vocabulary is open. A type that is not in the table entity_types.tsv is kept as it is written, and so are the
spellings of types that are: annotations store what their producer wrote, and it is normalized when it is read.

A site adds types, or changes these, by a table of its own with the same columns: the environment variable
ENTITY_TYPES_FILE names it. Its types have the colours of the types here, as the style sheet has no others, or none.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

ENTITY_TYPE_TABLE = Path(__file__).with_name("entity_types.tsv")
SITE_TABLE_VARIABLE = "ENTITY_TYPES_FILE"
COLUMNS = ("name", "label", "colour", "letter", "pattern", "databases", "spellings")
# How types without a colour look.
OTHER_LOOK = "other"
# Types of genes and gene products, and of organisms, as fold_type_spelling writes them.
GENE_TYPES = frozenset(
    {"gene", "protein", "geneorgeneproduct", "geneprotein", "genegeneproduct", "ncbigene", "generif", "stargene"}
)
SPECIES_TYPES = frozenset({"species", "organism", "organismtaxon", "taxon", "ncbitaxon", "ncbitaxonomy"})


class EntityTypeTableError(ValueError):
    """A line of the site's table is not valid; the message has the file and the line."""


@dataclass(frozen=True, slots=True)
class KnownEntityType:
    """A type of entity.

    label: in the plural, on pages. colour: #rrggbb, visible on the pages' grounds in both themes. letter and pattern
    say the same without colour; a pattern is a name, such as dots, for the style sheet. look: the name of the type of
    this colour in the style sheet, OTHER_LOOK without a colour. databases: where a bare
    identifier of such an entity may be from, the most likely one first. spellings: in lower case, letters and digits
    only, the name itself among them.
    """

    name: str
    label: str
    colour: str
    letter: str
    pattern: str
    databases: tuple[str, ...]
    spellings: tuple[str, ...]
    look: str


@cache
def list_known_entity_types() -> tuple[KnownEntityType, ...]:
    """All types in the order of the table, then those of the site; EntityTypeTableError if its table is wrong."""
    types = {cells[0]: _make_entity_type(cells, cells[0]) for _, cells in _iter_rows(ENTITY_TYPE_TABLE)}
    looks = {known_type.colour: known_type.look for known_type in types.values()} | {"": OTHER_LOOK}
    if path := os.environ.get(SITE_TABLE_VARIABLE):
        for number, cells in _iter_rows(Path(path)):
            if problem := _find_fault(cells, looks):
                raise EntityTypeTableError(f"{path}:{number}: {problem}.")
            types[cells[0]] = _make_entity_type(cells, looks[cells[COLUMNS.index("colour")]])
    return tuple(types.values())


def _iter_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The number and the cells of each line but the first, which has the names of the columns."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if number > 1 and line.strip():
                yield number, [cell.strip() for cell in line.rstrip("\n").split("\t")]


def _find_fault(cells: Sequence[str], looks: Mapping[str, str]) -> str:
    """What is wrong with a row of the site's table, "" if nothing is."""
    if len(cells) != len(COLUMNS):
        return f"a row has {len(COLUMNS)} cells separated by tabs ({', '.join(COLUMNS)}), and this one has {len(cells)}"
    name, label, colour, letter, *_ = cells
    if not fold_type_spelling(name) or not label:
        return "a type has a name with a letter or digit, and a label"
    if colour not in looks:
        return f"{colour} is no colour of a type; choose one of {', '.join(filter(None, looks))}, or leave it empty"
    return "" if len(letter) == 1 else "the letter of a type is one character"


def _make_entity_type(cells: Sequence[str], look: str) -> KnownEntityType:
    name, label, colour, letter, pattern, databases, spellings = cells
    spelled = dict.fromkeys((fold_type_spelling(name), *map(fold_type_spelling, spellings.split("|"))))
    databases_of_type = tuple(databases.split("|")) if databases else ()
    return KnownEntityType(name, label, colour, letter, pattern, databases_of_type, tuple(filter(None, spelled)), look)


@cache
def _load_types_by_spelling() -> Mapping[str, KnownEntityType]:
    return {spelling: known_type for known_type in list_known_entity_types() for spelling in known_type.spellings}


@lru_cache(maxsize=4096)
def find_known_entity_type(spelling: str) -> KnownEntityType | None:
    """The type that is spelled so, ignoring case and punctuation; None for a type that the table does not have."""
    return _load_types_by_spelling().get(fold_type_spelling(spelling))


def normalize_entity_type(spelling: str) -> str:
    """The name of a known type for any of its spellings (`Gene` for GeneOrGeneProduct), else the spelling itself."""
    known_type = find_known_entity_type(spelling)
    return known_type.name if known_type else spelling


# Pages ask for the same few spellings for every one of thousands of mentions.
@lru_cache(maxsize=4096)
def get_type_key(spelling: str) -> str:
    """Equal for all spellings of one type, known or not; "" for none."""
    return fold_type_spelling(normalize_entity_type(spelling))


def fold_type_spelling(spelling: str) -> str:
    """The letters and digits of a type in lower case."""
    return "".join(filter(str.isalnum, spelling.lower()))


def matches_type_ignoring_case_and_punctuation(mention_type: str, normalized_types: frozenset[str]) -> bool:
    """Whether a type is one of these, ignoring case and punctuation."""
    return fold_type_spelling(mention_type) in normalized_types

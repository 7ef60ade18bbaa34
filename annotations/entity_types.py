"""The types of entities that the site knows: their label, how they look, and the many spellings of their names.

The vocabulary is open. A type that is not in the table entity_types.tsv is kept as it is written, and so are the
spellings of types that are: annotations store what their producer wrote, and it is normalized when it is read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

ENTITY_TYPE_TABLE = Path(__file__).with_name("entity_types.tsv")
COLUMNS = ("name", "label", "colour", "letter", "pattern", "databases", "spellings")


@dataclass(frozen=True, slots=True)
class KnownEntityType:
    """A type of entity.

    label: in the plural, on pages. colour: #rrggbb, visible on the pages' grounds in both themes. letter and pattern
    say the same without colour; a pattern is a name, such as dots, for the style sheet. databases: where a bare
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


@cache
def list_known_entity_types() -> tuple[KnownEntityType, ...]:
    """All types in the order of the table."""
    with ENTITY_TYPE_TABLE.open(encoding="utf-8") as lines:
        next(lines)
        return tuple(_make_entity_type(line.rstrip("\n").split("\t")) for line in lines)


def _make_entity_type(cells: list[str]) -> KnownEntityType:
    name, label, colour, letter, pattern, databases, spellings = cells
    spelled = dict.fromkeys((fold_type_spelling(name), *spellings.split("|")))
    databases_of_type = tuple(databases.split("|")) if databases else ()
    return KnownEntityType(name, label, colour, letter, pattern, databases_of_type, tuple(filter(None, spelled)))


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


def get_type_key(spelling: str) -> str:
    """Equal for all spellings of one type, known or not; "" for none."""
    return fold_type_spelling(normalize_entity_type(spelling))


def fold_type_spelling(spelling: str) -> str:
    """The letters and digits of a type in lower case."""
    return "".join(filter(str.isalnum, spelling.lower()))

"""Spellings of the types of entities in a task: those of the site, and those that the task adds.

A task writes them as `Strain: cell strain, isolate`, a line for each type.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from annotations.entity_types import find_known_entity_type, fold_type_spelling

# ((type, its further spellings), ...)
TypeSpellings = tuple[tuple[str, tuple[str, ...]], ...]


@lru_cache(maxsize=4096)
def normalize_type_for_matching(spelling: str) -> str:
    """Equal for the spellings of a type of entity: the name of a known type, else letters and digits in lower case."""
    known_type = find_known_entity_type(spelling)
    return known_type.name if known_type else fold_type_spelling(spelling)


def map_spellings_to_types(type_spellings: TypeSpellings) -> Mapping[str, str]:
    """{type or spelling for matching: type}; {} without spellings."""
    return {
        normalize_type_for_matching(spelling): entity_type
        for entity_type, spellings in type_spellings
        for spelling in (*spellings, entity_type)
    }


def format_type_spellings(type_spellings: TypeSpellings) -> list[str]:
    """A line for each type: `Strain: cell strain, isolate`."""
    return [f"{entity_type}: {', '.join(spellings)}" for entity_type, spellings in type_spellings]


def parse_type_spellings(lines: Iterable[str]) -> dict[str, list[str]]:
    """{type: spellings} of lines such as `Strain: cell strain, isolate`; of a line without a colon, no spellings."""
    found: dict[str, list[str]] = {}
    for line in filter(str.strip, lines):
        entity_type, _, spellings = line.partition(":")
        names = [name.strip() for name in spellings.split(",") if name.strip()]
        found.setdefault(entity_type.strip(), []).extend(names)
    return found


def find_fault_of_type_spellings(type_spellings: TypeSpellings, other_types: Iterable[str]) -> str:
    """What is wrong and how to correct it, "" if each spelling is that of one type. other_types: of the same task."""
    spelled_types: dict[str, str] = {}
    for entity_type, spellings in type_spellings:
        key = normalize_type_for_matching(entity_type)
        if fault := _find_fault_of_names((entity_type, *spellings)):
            return fault
        if not spellings:
            return f"{entity_type!r} has no spellings - give at least one, or omit the type"
        if key in spelled_types:
            return f"{entity_type!r} is given twice - give all of its spellings at once"
        spelled_types[key] = entity_type
    types = {normalize_type_for_matching(each): each for each in other_types} | spelled_types
    type_by_spelling: dict[str, str] = {}
    for entity_type, spellings in type_spellings:
        for key, spelling in ((normalize_type_for_matching(each), each) for each in spellings):
            other = type_by_spelling.setdefault(key, entity_type)
            if other != entity_type:
                return f"{spelling!r} is given for {other} and for {entity_type} - omit one of the two"
            if key in types and key != normalize_type_for_matching(entity_type):
                return f"{spelling!r} of {entity_type} is {types[key]}, another type of the task - omit one of the two"
    return ""


def _find_fault_of_names(names: Iterable[str]) -> str:
    """Names stand in lines, where a colon and commas separate them."""
    for name in names:
        if not normalize_type_for_matching(name):
            return f"{name!r} has no letter or digit - correct or omit it"
        if any(separator in name for separator in ",:;\n\r"):
            return f"{name!r} has a comma, colon, semicolon or line break - omit it"
    return ""

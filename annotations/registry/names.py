"""What entries are called."""

import re
from collections.abc import Iterable

TAXON = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
# The database keeps numbers of organisms in four bytes.
NO_TAXON = 1 << 31


def taxon_of(text: str) -> int | None:
    """The number of an organism in the NCBI Taxonomy, None when the text is none."""
    number = int(text) if TAXON.fullmatch(text) else NO_TAXON
    return number if number < NO_TAXON else None


def abbreviation(name: str) -> str:
    """`E. coli` for a scientific name of two words, else empty."""
    parts = name.split()
    return f"{parts[0][0]}. {parts[1]}" if len(parts) == 2 and parts[1].islower() else ""


def distinct(names: Iterable[str], but: Iterable[str] = ()) -> tuple[str, ...]:
    """The names in their order, each once, without empty ones and those of `but`."""
    left_out = {*but, ""}
    return tuple(dict.fromkeys(name for name in names if name not in left_out))

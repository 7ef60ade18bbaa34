"""Names of entries, and taxon ids."""

import re
from collections.abc import Iterable

TAXON = re.compile(r"[1-9][0-9]{0,9}", re.ASCII)
# Taxon ids are stored in a four-byte integer.
TAXON_LIMIT = 1 << 31


def parse_taxon_id(text: str) -> int | None:
    """An NCBI Taxonomy id, None if the text is not one."""
    number = int(text) if TAXON.fullmatch(text) else TAXON_LIMIT
    return number if number < TAXON_LIMIT else None


def abbreviate_binomial_or_empty(scientific_name: str) -> str:
    """`E. coli` for a scientific name of two words, otherwise ""."""
    parts = scientific_name.split()
    return f"{parts[0][0]}. {parts[1]}" if len(parts) == 2 and parts[1].islower() else ""


def list_distinct_nonempty_names(names: Iterable[str], exclude: Iterable[str] = ()) -> tuple[str, ...]:
    """The names in their order without duplicates, empty ones, and those to exclude."""
    excluded = {*exclude, ""}
    return tuple(dict.fromkeys(name for name in names if name not in excluded))

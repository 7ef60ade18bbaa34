"""What entries are called."""

from collections.abc import Iterable


def abbreviation(name: str) -> str:
    """`E. coli` for a scientific name of two words, else empty."""
    parts = name.split()
    return f"{parts[0][0]}. {parts[1]}" if len(parts) == 2 and parts[1].islower() else ""


def distinct(names: Iterable[str], but: Iterable[str] = ()) -> tuple[str, ...]:
    """The names in their order, each once, without empty ones and those of `but`."""
    left_out = {*but, ""}
    return tuple(dict.fromkeys(name for name in names if name not in left_out))

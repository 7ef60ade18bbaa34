"""What an outside database says of one identifier, as plain data; it becomes one row of the model Entry."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """exists is False for an identifier that the database is known not to hold."""

    database: str
    identifier: str
    source: str
    exists: bool = True
    name: str = ""
    symbol: str = ""
    synonyms: tuple[str, ...] = ()
    taxon: int | None = None

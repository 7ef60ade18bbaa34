"""What an outside database says of one identifier, as plain data; it becomes one row of the model Entry."""

from dataclasses import dataclass

# Tables that tell of another database's entries: what that database says itself stands before it.
SECOND_HAND = ("HGNC", "UniProt speclist", "species table")


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """exists is False for an identifier that was never an entry, None when the database does not say.

    withdrawn: it was an entry once. successors are the entries that stand for it today: one, whose other name it is
    (a secondary or merged accession, an entry name), or several among which it was divided. location is where it is (a
    protein in the cell, a gene on its chromosome), function what it does, in few words, both empty when not told.
    """

    database: str
    identifier: str
    source: str
    exists: bool | None = True
    name: str = ""
    symbol: str = ""
    synonyms: tuple[str, ...] = ()
    taxon: int | None = None
    withdrawn: bool = False
    successors: tuple[str, ...] = ()
    location: str = ""
    function: str = ""

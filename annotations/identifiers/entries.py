"""Entries of outside databases as plain data."""

from dataclasses import dataclass

# Sources with entries of other databases; they never replace what the database itself says.
SECOND_HAND_SOURCES = ("HGNC", "UniProt speclist", "species table")


@dataclass(frozen=True, slots=True)
class EntryRecord:
    """What a source says about one identifier; it becomes one row of the model Entry.

    exists: False for an identifier that was never an entry, None if the source does not say. withdrawn: it was an entry
    once. successors: the entries that replace it today, either one of which it is an alias (secondary or merged
    accession, entry name) or several into which it was divided. location: of a protein in the cell or of a gene on its
    chromosome. function: a short description. Both are "" if unknown. genes: NCBI Gene identifiers of the genes that
    encode a protein, empty if unknown. parents: the PSI-MI terms that a PSI-MI term is a kind of; empty for others.
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
    genes: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedEntry:
    """A database entry with its names; the fields are those of the model Entry."""

    database: str
    identifier: str
    name: str = ""
    symbol: str = ""
    synonyms: tuple[str, ...] = ()
    taxon: int | None = None
    exists: bool | None = None
    withdrawn: bool = False
    successors: tuple[str, ...] = ()
    genes: tuple[str, ...] = ()

    @property
    def current(self) -> str:
        """The identifier that is valid today: that of the successor if there is exactly one, otherwise its own."""
        return self.successors[0] if len(self.successors) == 1 else self.identifier

    @property
    def gene(self) -> tuple[str, str]:
        """What groups the identifiers of one gene: the NCBI Gene entry that encodes a protein, else the entry itself.

        A protein of several genes, such as a histone, belongs to none of them.
        """
        return ("ncbigene", self.genes[0]) if len(self.genes) == 1 else (self.database, self.identifier)

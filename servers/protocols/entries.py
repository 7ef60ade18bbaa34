"""Entries of outside databases as the JSON protocols write them: `uniprot:P04637`, an address at identifiers.org."""

import re

from annotations.kinds import Kind
from servers.protocols.spellings import DATABASES_BY_SPELLING

ENTRY = re.compile(r"(?:.*[/#])?(?P<database>[A-Za-z][A-Za-z_-]*)[:/_](?P<identifier>[A-Za-z0-9:.-]+)/?", re.ASCII)
# How entries are written in these formats, besides the spellings of other protocols.
DATABASES = DATABASES_BY_SPELLING | {
    "ncbitaxon": "ncbitaxon",
    "taxonomy": "ncbitaxon",
    "taxon": "ncbitaxon",
    "ncbitaxonomy": "ncbitaxon",
    "mi": "psi-mi",
    "psimi": "psi-mi",
}
KINDS = {
    "uniprot": Kind.NORMALIZATION,
    "ncbigene": Kind.NORMALIZATION,
    "ncbitaxon": Kind.TAXON,
    "psi-mi": Kind.METHOD,
}


def entry_of(label: str) -> tuple[str, str] | None:
    """The database and identifier that a label or address names, None when it is no entry that we know."""
    found = ENTRY.fullmatch(label)
    if found is None:
        return None
    database = DATABASES.get(found["database"].lower().replace("-", ""))
    identifier = found["identifier"]
    if database is None:
        return None
    return database, f"MI:{identifier.removeprefix('MI:')}" if database == "psi-mi" else identifier

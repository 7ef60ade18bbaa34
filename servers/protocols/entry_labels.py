"""Database entries as the JSON protocols write them: a CURIE (`uniprot:P04637`) or a URL at identifiers.org."""

import re

from annotations.schema import Kind
from servers.protocols.database_names import DATABASES_BY_SPELLING

ENTRY_PATTERN = re.compile(
    r"(?:.*[/#])?(?P<database>[A-Za-z][A-Za-z_-]*)[:/_](?P<identifier>[A-Za-z0-9:.-]+)/?", re.ASCII
)
# Prefixes in these formats, in addition to the spellings of the other protocols.
DATABASES_BY_PREFIX = DATABASES_BY_SPELLING | {
    "ncbitaxon": "ncbitaxon",
    "taxonomy": "ncbitaxon",
    "taxon": "ncbitaxon",
    "ncbitaxonomy": "ncbitaxon",
    "mi": "psi-mi",
    "psimi": "psi-mi",
}
KINDS_BY_DATABASE = {
    "uniprot": Kind.NORMALIZATION,
    "ncbigene": Kind.NORMALIZATION,
    "ncbitaxon": Kind.TAXON,
    "psi-mi": Kind.METHOD,
}


def find_curie_or_url_entry_id(label: str) -> tuple[str, str] | None:
    """The (namespace, identifier) of a CURIE or URL; None when the database is not a known one."""
    match = ENTRY_PATTERN.fullmatch(label)
    if match is None:
        return None
    database = DATABASES_BY_PREFIX.get(match["database"].lower().replace("-", ""))
    identifier = match["identifier"]
    if database is None:
        return None
    return database, f"MI:{identifier.removeprefix('MI:')}" if database == "psi-mi" else identifier

"""The outside databases by the names that annotations use: what an identifier looks like and where its page is."""

import re
from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Database:
    """title is what a page calls it; page holds {} for the identifier, which must match pattern as a whole."""

    title: str
    pattern: re.Pattern[str]
    page: str


DATABASES = {
    "uniprot": Database(
        "UniProt",
        re.compile(
            r"(?:[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2})(?:-[0-9]{1,3})?", re.ASCII
        ),
        "https://www.uniprot.org/uniprotkb/{}/entry",
    ),
    "ncbigene": Database(
        "NCBI Gene", re.compile(r"[1-9][0-9]{0,11}", re.ASCII), "https://www.ncbi.nlm.nih.gov/gene/{}"
    ),
    "ncbitaxon": Database(
        "NCBI Taxonomy",
        re.compile(r"[1-9][0-9]{0,9}", re.ASCII),
        "https://www.ncbi.nlm.nih.gov/Taxonomy/Browser/wwwtax.cgi?id={}",
    ),
    "psi-mi": Database(
        "PSI-MI", re.compile(r"MI:[0-9]{4}", re.ASCII), "https://www.ebi.ac.uk/ols4/ontologies/mi/classes?obo_id={}"
    ),
    "pubmed": Database("PubMed", re.compile(r"[1-9][0-9]{0,11}", re.ASCII), "https://pubmed.ncbi.nlm.nih.gov/{}/"),
    "doi": Database("doi", re.compile(r"10\.[0-9]{4,9}/[^\s<>\"']+"), "https://doi.org/{}"),
}


def database_title(database: str) -> str:
    """What a page calls the database; its own short name when it is none of ours."""
    return DATABASES[database].title if database in DATABASES else database


def entry_page(database: str, identifier: str) -> str:
    """The address of an identifier's page, or an empty string for an unknown database or a malformed identifier.

    Identifiers come from other people's servers: only one that has the database's own form becomes part of a link.
    """
    known = DATABASES.get(database)
    if known is None or not known.pattern.fullmatch(identifier):
        return ""
    return known.page.format(quote(identifier, safe="/" if database == "doi" else ""))

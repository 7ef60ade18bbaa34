"""The outside databases by the names that annotations use, with the form and web page of their identifiers."""

import re
from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class IdentifierNamespace:
    """A database: its title on pages, the pattern of a whole identifier, and the URL of its page with {} for it."""

    title: str
    pattern: re.Pattern[str]
    url_template: str


NAMESPACES = {
    "uniprot": IdentifierNamespace(
        "UniProt",
        re.compile(
            r"(?:[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2})(?:-[0-9]{1,3})?", re.ASCII
        ),
        "https://www.uniprot.org/uniprotkb/{}/entry",
    ),
    "ncbigene": IdentifierNamespace(
        "NCBI Gene", re.compile(r"[1-9][0-9]{0,11}", re.ASCII), "https://www.ncbi.nlm.nih.gov/gene/{}"
    ),
    "ncbitaxon": IdentifierNamespace(
        "NCBI Taxonomy",
        re.compile(r"[1-9][0-9]{0,9}", re.ASCII),
        "https://www.ncbi.nlm.nih.gov/Taxonomy/Browser/wwwtax.cgi?id={}",
    ),
    "psi-mi": IdentifierNamespace(
        "PSI-MI", re.compile(r"MI:[0-9]{4}", re.ASCII), "https://www.ebi.ac.uk/ols4/ontologies/mi/classes?obo_id={}"
    ),
    "pubmed": IdentifierNamespace(
        "PubMed", re.compile(r"[1-9][0-9]{0,11}", re.ASCII), "https://pubmed.ncbi.nlm.nih.gov/{}/"
    ),
    "doi": IdentifierNamespace("doi", re.compile(r"10\.[0-9]{4,9}/[^\s<>\"']+"), "https://doi.org/{}"),
}


def namespace_title_or_raw_name(database: str) -> str:
    """The title of a database on pages; the name itself if the database is unknown."""
    return NAMESPACES[database].title if database in NAMESPACES else database


def is_well_formed_identifier(database: str, identifier: str) -> bool:
    """Whether the database is known and the identifier has its form; whether there is such an entry is not checked."""
    namespace = NAMESPACES.get(database)
    return namespace is not None and namespace.pattern.fullmatch(identifier) is not None


def build_entry_url_or_empty(database: str, identifier: str) -> str:
    """The URL of an identifier's page, or "" for an unknown database or a malformed identifier.

    Identifiers come from other people's servers, so only well-formed ones become part of a link.
    """
    namespace = NAMESPACES.get(database)
    if namespace is None or not namespace.pattern.fullmatch(identifier):
        return ""
    return namespace.url_template.format(quote(identifier, safe="/" if database == "doi" else ""))

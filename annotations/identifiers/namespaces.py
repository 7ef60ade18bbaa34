"""The outside databases by the names that annotations use, with the form and web page of their identifiers."""

import re
from dataclasses import replace
from functools import lru_cache
from urllib.parse import quote

from annotations.identifiers.namespace_table import (
    IdentifierNamespace,
    find_bioregistry_namespace,
    load_prefixes_by_spelling,
)

SPELLING_SEPARATORS = re.compile(r"[\s_-]+")
# The databases of genes, organisms, methods and articles; they differ from the Bioregistry's in pattern and URL.
NAMESPACES = {
    "uniprot": IdentifierNamespace(
        "UniProt",
        re.compile(
            r"(?:[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z][0-9](?:[A-Z][A-Z0-9]{2}[0-9]){1,2})(?:-[0-9]{1,3})?", re.ASCII
        ),
        "https://www.uniprot.org/uniprotkb/{}/entry",
        "UniProt",
    ),
    "ncbigene": IdentifierNamespace(
        "NCBI Gene", re.compile(r"[1-9][0-9]{0,11}", re.ASCII), "https://www.ncbi.nlm.nih.gov/gene/{}", "NCBIGene"
    ),
    "ncbitaxon": IdentifierNamespace(
        "NCBI Taxonomy",
        re.compile(r"[1-9][0-9]{0,9}", re.ASCII),
        "https://www.ncbi.nlm.nih.gov/Taxonomy/Browser/wwwtax.cgi?id={}",
        "NCBITaxon",
    ),
    "psi-mi": IdentifierNamespace(
        "PSI-MI",
        re.compile(r"MI:[0-9]{4}", re.ASCII),
        "https://www.ebi.ac.uk/ols4/ontologies/mi/classes?obo_id={}",
        "MI",
    ),
    "pubmed": IdentifierNamespace(
        "PubMed", re.compile(r"[1-9][0-9]{0,11}", re.ASCII), "https://pubmed.ncbi.nlm.nih.gov/{}/", "PMID"
    ),
    "doi": IdentifierNamespace("doi", re.compile(r"10\.[0-9]{4,9}/[^\s<>\"']+"), "https://doi.org/{}", "doi"),
}
# The names by which people know other databases: title and prefix.
KNOWN_NAMES = {
    "cellosaurus": ("Cellosaurus", "CVCL"),
    "chebi": ("ChEBI", "CHEBI"),
    "dbsnp": ("dbSNP", "dbSNP"),
    "efo": ("EFO", "EFO"),
    "hgnc": ("HGNC", "HGNC"),
    "hp": ("HPO", "HP"),
    "mesh": ("MeSH", "MESH"),
    "mondo": ("Mondo", "MONDO"),
    "omim": ("OMIM", "OMIM"),
    "umls": ("UMLS", "UMLS"),
}
# Narrower than the Bioregistry's, so that bare identifiers of MeSH and UMLS are not mistaken for each other.
NARROW_PATTERNS = {
    "mesh": re.compile(r"[CDQ](?:[0-9]{6}|[0-9]{9})", re.ASCII),
    "umls": re.compile(r"C[0-9]{7}", re.ASCII),
}
# The database that annotations call psi-mi is `mi` in the Bioregistry.
OTHER_PREFIXES = {"mi": "psi-mi"}
# What people write in place of a prefix, in addition to the spellings of the Bioregistry.
OTHER_SPELLINGS = {
    "gene": "ncbigene",
    "entrezgeneid": "ncbigene",
    "entrezid": "ncbigene",
    "locuslink": "ncbigene",
    "ncbi:gene": "ncbigene",
    "meshid": "mesh",
    "species": "ncbitaxon",
    "protein": "uniprot",
    "sp": "uniprot",
    "trembl": "uniprot",
    "uniprotac": "uniprot",
    "uniprotaccession": "uniprot",
    "uniprotkb/swissprot": "uniprot",
    "uniprotkb/trembl": "uniprot",
}


@lru_cache(maxsize=1024)
def find_namespace(database: str) -> IdentifierNamespace | None:
    """The namespace that annotations call by this name: one of ours, or one of the Bioregistry."""
    if database in NAMESPACES or database in OTHER_PREFIXES:
        return NAMESPACES.get(database)
    namespace = find_bioregistry_namespace(database)
    if namespace is None:
        return None
    title, prefix = KNOWN_NAMES.get(database, (namespace.title, namespace.prefix))
    pattern = NARROW_PATTERNS.get(database, namespace.pattern)
    return replace(namespace, title=title, prefix=prefix, pattern=pattern)


@lru_cache(maxsize=4096)
def find_database_by_spelling(spelling: str) -> str | None:
    """The name of a database that is written in some way: `NCBI Gene`, `EntrezGene` and `entrez-gene` are one."""
    folded = SPELLING_SEPARATORS.sub("", spelling).lower()
    if folded in OTHER_SPELLINGS:
        return OTHER_SPELLINGS[folded]
    prefix = load_prefixes_by_spelling().get(folded)
    return OTHER_PREFIXES.get(prefix, prefix) if prefix else None


def namespace_title_or_raw_name(database: str) -> str:
    """The title of a database on pages; the name itself if the database is unknown."""
    namespace = find_namespace(database)
    return namespace.title if namespace else database


def is_well_formed_identifier(database: str, identifier: str) -> bool:
    """Whether the database is known and the identifier has its form; whether there is such an entry is not checked."""
    namespace = find_namespace(database)
    return namespace is not None and namespace.pattern.fullmatch(identifier) is not None


def is_malformed_identifier(database: str, identifier: str) -> bool:
    """Whether the database documents a form for its identifiers that this one does not have."""
    namespace = find_namespace(database) if database else None
    return namespace is not None and namespace.pattern.fullmatch(identifier) is None


def build_entry_url_or_empty(database: str, identifier: str) -> str:
    """The URL of an identifier's page, or "" for an unknown database, one without pages, or a malformed identifier.

    Identifiers come from other people's servers, so only well-formed ones become part of a link.
    """
    namespace = find_namespace(database)
    if namespace is None or not namespace.url_template or not namespace.pattern.fullmatch(identifier):
        return ""
    return namespace.url_template.format(quote(identifier, safe="/" if database == "doi" else ""))

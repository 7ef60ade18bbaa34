"""IRIs of what is in digital abstracts: terms of PSI-MI, organisms, entries of databases, articles and people."""

from urllib.parse import quote

from annotations.formats.articles.parsed_article import ArticleIds
from annotations.identifiers.curies import format_curie
from annotations.identifiers.namespaces import is_well_formed_identifier
from annotations.schema import EntityId

OBO_PURL = "http://purl.obolibrary.org/obo/"
# Databases that identifiers.org resolves by the prefix of the site, and what their identifiers begin with there.
IDENTIFIERS_ORG_PREFIXES = {
    "uniprot": "uniprot:",
    "ncbigene": "ncbigene:",
    "refseq": "refseq:",
    "ensembl": "ensembl:",
    "hgnc": "HGNC:",
    "complexportal": "complexportal:",
    "intact": "intact:",
    "rnacentral": "rnacentral:",
    "mesh": "mesh:",
}
# Ontologies with PURLs of the OBO Foundry.
OBO_PREFIXES = {"ncbitaxon": "NCBITaxon", "chebi": "CHEBI", "mondo": "MONDO", "hp": "HP", "efo": "EFO", "go": "GO"}


def build_term_iri(term: str) -> str:
    """The PURL of a PSI-MI term: MI:0018."""
    return OBO_PURL + quote(term.replace(":", "_", 1))


def build_organism_iri(taxon: int) -> str:
    return f"{OBO_PURL}NCBITaxon_{taxon}"


def build_entity_iri_or_empty(entity: EntityId) -> str:
    """The IRI of an identifier; "" without a known database, and for one that does not have the form of its database.

    Databases that neither identifiers.org nor the OBO Foundry resolves by the prefix of the site are left to
    bioregistry.io.
    """
    database, identifier = entity
    if not is_well_formed_identifier(database, identifier):
        return ""
    if database == "psi-mi":
        return build_term_iri(identifier)
    if prefix := OBO_PREFIXES.get(database):
        return f"{OBO_PURL}{prefix}_{quote(identifier, safe='')}"
    if prefix := IDENTIFIERS_ORG_PREFIXES.get(database):
        return f"https://identifiers.org/{prefix}{quote(identifier, safe='')}"
    return f"https://bioregistry.io/{quote(format_curie(entity), safe=':')}"


def list_article_iris(ids: ArticleIds) -> list[str]:
    """The IRIs of an article's public identifiers."""
    iris = [f"https://pubmed.ncbi.nlm.nih.gov/{ids.pmid}/"] if ids.pmid else []
    if ids.doi:
        iris.append(f"https://doi.org/{quote(ids.doi, safe='/')}")
    if ids.pmcid:
        iris.append(f"https://pmc.ncbi.nlm.nih.gov/articles/{quote(ids.pmcid)}/")
    return iris


def build_orcid_iri(orcid: str) -> str:
    return f"https://orcid.org/{quote(orcid)}"

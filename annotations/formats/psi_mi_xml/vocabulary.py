"""What PSI-MI XML is written and read with: namespaces of its versions, terms, names of databases and of attributes.

Terms are those of PSI-MI (CC BY 4.0, https://github.com/HUPO-PSI/psi-mi-CV); versions: HUPO-PSI/miXML.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from annotations.identifiers.namespaces import find_database_by_spelling, is_well_formed_identifier
from annotations.schema import EntityId


class PsiMiVersion(StrEnum):
    """The versions that are written."""

    V254 = "2.5.4"
    V300 = "3.0.0"


PSI_MI_NAMESPACES: Mapping[PsiMiVersion, str] = {
    PsiMiVersion.V254: "http://psi.hupo.org/mi/mif",
    PsiMiVersion.V300: "http://psi.hupo.org/mi/mif300",
}
# That of 2.5.3 and of earlier files of 2.5.
OLD_PSI_MI_NAMESPACE = "net:sf:psidev:mi"
READ_PSI_MI_NAMESPACES = (OLD_PSI_MI_NAMESPACE, *PSI_MI_NAMESPACES.values())
PSI_MI_ROOT = "entrySet"


class Term(NamedTuple):
    """A PSI-MI term: its identifier and its short name."""

    id: str
    name: str


IDENTITY, PRIMARY_REFERENCE = Term("MI:0356", "identity"), Term("MI:0358", "primary-reference")
PSI_MI_DATABASE = Term("MI:0488", "psi-mi")
PUBMED, PUBMED_CENTRAL, DOI_DATABASE = Term("MI:0446", "pubmed"), Term("MI:1042", "pmc"), Term("MI:0574", "doi")
AUTHOR_NAME = Term("MI:0345", "author assigned name")
GENE_NAME, SYNONYM = Term("MI:0301", "gene name"), Term("MI:1041", "synonym")
UNSPECIFIED_METHOD = Term("MI:0686", "unspecified method")
AUTHOR_CONFIDENCE = Term("MI:1221", "author-based confidence")
FIGURE_LEGEND, COMMENT, URL = Term("MI:0599", "figure legend"), Term("MI:0612", "comment"), Term("MI:0614", "url")
TITLE, AUTHOR_LIST = Term("MI:1091", "publication title"), Term("MI:0636", "author-list")
JOURNAL, YEAR = Term("MI:0885", "journal"), Term("MI:0886", "publication year")
PROTEIN, GENE, COMPLEX = Term("MI:0326", "protein"), Term("MI:0250", "gene"), Term("MI:0314", "complex")
SMALL_MOLECULE, RNA = Term("MI:0328", "small molecule"), Term("MI:0320", "rna")
UNKNOWN_INTERACTOR = Term("MI:0329", "unknown participant")
MOLECULE_SET = Term("MI:1304", "molecule set")

# Attributes for what a digital abstract has and PSI-MI has no term for.
OWN_ATTRIBUTE_PREFIX = "sda-"
EVIDENCE_ATTRIBUTE, SPAN_ATTRIBUTE = "sda-evidence", "sda-evidence-span"
NO_METHOD_ATTRIBUTE = "sda-no-method"
DIRECTED_ATTRIBUTE, SOURCE_ATTRIBUTE = "sda-directed", "sda-source"
STATE_ATTRIBUTE, UPDATED_ATTRIBUTE, NOTHING_FOUND_ATTRIBUTE = "sda-state", "sda-updated", "sda-nothing-found"
ORGANISM_ATTRIBUTE, ORGANISM_SOURCE_ATTRIBUTE = "sda-organism", "sda-organism-source"
CONTRIBUTOR_ATTRIBUTE, ANNOTATION_ATTRIBUTE = "sda-contributor", "sda-annotation"
TRUE_VALUE = "true"


class PsiMiDatabase(NamedTuple):
    """A database as PSI-MI names it. prefix: what its identifiers begin with in PSI-MI and not on the site."""

    name: str
    id: str
    interactor_type: Term = UNKNOWN_INTERACTOR
    prefix: str = ""


# By the namespaces of the site. Other databases keep the name of their namespace, without a term.
PSI_MI_DATABASES: Mapping[str, PsiMiDatabase] = {
    "uniprot": PsiMiDatabase("uniprotkb", "MI:0486", PROTEIN),
    "ncbigene": PsiMiDatabase("entrezgene/locuslink", "MI:0477", GENE),
    "refseq": PsiMiDatabase("refseq", "MI:0481"),
    "ensembl": PsiMiDatabase("ensembl", "MI:0476"),
    "hgnc": PsiMiDatabase("hgnc", "MI:1095", GENE, "HGNC:"),
    "chebi": PsiMiDatabase("chebi", "MI:0474", SMALL_MOLECULE, "CHEBI:"),
    "complexportal": PsiMiDatabase("complex portal", "MI:2279", COMPLEX),
    "intact": PsiMiDatabase("intact", "MI:0469"),
    "rnacentral": PsiMiDatabase("rnacentral", "MI:1357", RNA),
    "mirbase": PsiMiDatabase("mirbase", "MI:2358", RNA),
}
OTHER_DATABASE = PsiMiDatabase("", "")
_NAMESPACES_BY_NAME = {database.name: namespace for namespace, database in PSI_MI_DATABASES.items()}


def parse_database_reference(database: str, identifier: str) -> EntityId:
    """The entity of a reference; without a namespace, as `name:identifier`, if the site does not know the database."""
    name, identifier = database.strip().lower(), identifier.strip()
    namespace = _NAMESPACES_BY_NAME.get(name) or find_database_by_spelling(name)
    if namespace is None:
        return EntityId("", f"{database.strip()}:{identifier}")
    bare = identifier.rpartition(":")[2]
    if not is_well_formed_identifier(namespace, identifier) and is_well_formed_identifier(namespace, bare):
        return EntityId(namespace, bare)
    return EntityId(namespace, identifier)

"""Databases and the form of identifiers (R110 to R116)."""

import re

from annotations.identifiers.namespaces import NAMESPACES
from annotations.rule_registry import RuleContext, register_rule_on_single_annotation
from annotations.rules.confidences import LARGEST_INTEGER
from annotations.rules.messages import quote_value
from annotations.schema import KIND_LABELS, AnnotationData, Kind

NAMESPACES_BY_KIND = {
    Kind.NORMALIZATION: ("uniprot", "ncbigene"),
    Kind.TAXON: ("ncbitaxon",),
    Kind.PAIR: ("uniprot", "ncbigene"),
    Kind.METHOD: ("psi-mi",),
    Kind.PASSAGE: ("uniprot", "ncbigene"),
}
ENTRY_NAME_PATTERN = re.compile(r"[A-Z0-9]{1,10}_[A-Z0-9]{1,5}", re.ASCII)


@register_rule_on_single_annotation(
    "R110",
    "The database is one that is supported for this kind of annotation.",
    'Send "UniProt" or "EntrezGene" as the database of genes and proteins.',
    field="database",
    kinds=NAMESPACES_BY_KIND,
)
def explain_database_unsupported_for_kind(annotation: AnnotationData, _: RuleContext) -> str | None:
    if annotation.database in NAMESPACES_BY_KIND[annotation.kind]:
        return None
    return (
        f"The database {quote_value(annotation.database)} is not supported for {KIND_LABELS[annotation.kind].lower()}."
    )


def _list_required_identifiers(annotation: AnnotationData) -> tuple[str, ...]:
    """The identifiers that an annotation must have: two for a pair or a passage, otherwise one. They may be empty."""
    if annotation.kind in (Kind.PAIR, Kind.PASSAGE):
        return (annotation.identifier, annotation.partner)
    return (annotation.identifier,)


def _find_malformed_identifier(annotation: AnnotationData, database: str) -> str | None:
    """The first identifier of an annotation that is malformed for the database; None for another database."""
    if annotation.database != database:
        return None
    pattern = NAMESPACES[database].pattern
    return next((each for each in _list_required_identifiers(annotation) if not pattern.fullmatch(each)), None)


@register_rule_on_single_annotation(
    "R111",
    "A UniProt accession has 6 or 10 characters and may name an isoform (P12345, A0A024R1R8, P04637-2).",
    "Send the primary accession without a database name, version or white space.",
    field="identifier",
    kinds=NAMESPACES_BY_KIND,
)
def explain_malformed_uniprot_accession_unless_entry_name(annotation: AnnotationData, _: RuleContext) -> str | None:
    identifier = _find_malformed_identifier(annotation, "uniprot")
    if identifier is None or ENTRY_NAME_PATTERN.fullmatch(identifier):
        return None
    return f"{quote_value(identifier)} is not a UniProt accession."


@register_rule_on_single_annotation(
    "R112",
    "Proteins are identified by UniProt accession, not by entry name.",
    "Map entry names to accessions (P53_HUMAN is P04637), for example with UniProt's ID mapping service.",
    field="identifier",
    kinds=NAMESPACES_BY_KIND,
)
def explain_entry_name_as_uniprot_accession(annotation: AnnotationData, _: RuleContext) -> str | None:
    identifier = _find_malformed_identifier(annotation, "uniprot")
    if identifier is None or not ENTRY_NAME_PATTERN.fullmatch(identifier):
        return None
    return f"{quote_value(identifier)} is a UniProt entry name, which can change, not an accession."


@register_rule_on_single_annotation(
    "R113",
    "An NCBI Gene identifier consists of digits.",
    "Send the gene's number (7157), not its symbol.",
    field="identifier",
    kinds=NAMESPACES_BY_KIND,
)
def explain_malformed_ncbi_gene_id(annotation: AnnotationData, _: RuleContext) -> str | None:
    identifier = _find_malformed_identifier(annotation, "ncbigene")
    return None if identifier is None else f"{quote_value(identifier)} is not an NCBI Gene identifier."


@register_rule_on_single_annotation(
    "R114",
    "An organism is identified by its NCBI Taxonomy number.",
    "Send the number (9606), not the organism's name. Omit a gene's organism when it is not known.",
    field="identifier",
    kinds=[Kind.TAXON],
)
def explain_malformed_id_of_taxon_annotation(annotation: AnnotationData, _: RuleContext) -> str | None:
    identifier = _find_malformed_identifier(annotation, "ncbitaxon")
    return None if identifier is None else f"{quote_value(identifier)} is not an identifier of the NCBI Taxonomy."


@register_rule_on_single_annotation(
    "R115",
    "The organism of a gene, protein or other entity is identified by its NCBI Taxonomy number.",
    "Send the number (9606), or omit the organism when it is not known.",
    field="taxon",
    kinds=[Kind.NORMALIZATION, Kind.PAIR, Kind.ENTITY],
)
def explain_gene_taxon_out_of_range(annotation: AnnotationData, _: RuleContext) -> str | None:
    if annotation.taxon is None or 1 <= annotation.taxon <= LARGEST_INTEGER:
        return None
    return f"{annotation.taxon} is not an identifier of the NCBI Taxonomy."


@register_rule_on_single_annotation(
    "R116",
    "A method is given as a PSI-MI identifier.",
    "Send the identifier of the term (MI:0006), not its name.",
    field="identifier",
    kinds=[Kind.METHOD],
)
def explain_malformed_psi_mi_id(annotation: AnnotationData, _: RuleContext) -> str | None:
    identifier = _find_malformed_identifier(annotation, "psi-mi")
    return None if identifier is None else f"{quote_value(identifier)} is not a PSI-MI identifier."

"""Parses the values in an entry of BioCreative II XML: article, interactors, methods and ranks."""

import re
from collections.abc import Mapping

from annotations.formats.bc2_xml.entries import Bc2Element
from annotations.formats.bc2_xml.fault_log import Bc2FaultLog
from annotations.formats.errors import quote_file_text
from annotations.formats.tsv.columns import INTEGER_TEXT
from annotations.identifiers.namespaces import NAMESPACES

UNIPROT_ACCESSION, NCBI_GENE_NUMBER, PSI_MI_TERM = (
    NAMESPACES[name].pattern for name in ("uniprot", "ncbigene", "psi-mi")
)
UNIPROT_PREFIX = re.compile(r"(?:uniprot(?:kb)?|swiss-?prot|sp|trembl)\s*[:|]\s*", re.IGNORECASE)
LOOSE_PSI_MI_TERM = re.compile(r"(?:PSI-)?(?:MI\s*[:_ ]?\s*)?([0-9]{4})", re.IGNORECASE)
PMID_PREFIX = re.compile(r"(?:PMID|PubMed)\s*:?\s*(?=[0-9])", re.IGNORECASE)
# Ranks in real runs are far lower; sums of two such ranks fit into 64 bits.
GREATEST_RANK = 10**9


def _normalize_lookup_name(name: str) -> str:
    """A name for look-ups: case-folded, trimmed, with white space collapsed to one space."""
    return " ".join(name.split()).casefold()


def normalize_lookup_names(names: Mapping[str, str]) -> dict[str, str]:
    """{normalized name: identifier} for {name: identifier}."""
    return {_normalize_lookup_name(name): identifier for name, identifier in names.items()}


def parse_or_repair_bc2_article_id(pmid_element: Bc2Element, fault_log: Bc2FaultLog) -> str | None:
    """The ID of the article, None if the value is not an ID."""
    value = pmid_element.value
    if value and " " not in value and not PMID_PREFIX.match(value):
        return value
    number = PMID_PREFIX.sub("", value.strip())
    repair_note = f"{quote_file_text(value)} was read as {number}" if number.isdecimal() else None
    message = f"{quote_file_text(value)} is not an article ID - write only the PMID, such as 10924507"
    return number if fault_log.note_fault_or_repair("R636", pmid_element.position, message, repair_note) else None


def parse_or_repair_bc2_interactor(element: Bc2Element, fault_log: Bc2FaultLog) -> str | None:
    """The accession or gene number of an interactor, None if the value is neither."""
    value = element.value
    if UNIPROT_ACCESSION.fullmatch(value) or NCBI_GENE_NUMBER.fullmatch(value):
        return value
    stripped = UNIPROT_PREFIX.sub("", value).strip().upper()
    identifier = (
        stripped
        if UNIPROT_ACCESSION.fullmatch(stripped)
        else _find_named_identifier(value, fault_log, UNIPROT_ACCESSION, NCBI_GENE_NUMBER)
    )
    fix = f"write one such as Q08211{_format_name_table_hint(fault_log)}"
    message = f"{quote_file_text(value)} is not a UniProt accession - {fix}"
    return (
        identifier
        if fault_log.note_fault_or_repair("R642", element.position, message, _format_value_repair(value, identifier))
        else None
    )


def parse_or_repair_bc2_method(element: Bc2Element, fault_log: Bc2FaultLog) -> str | None:
    """The PSI-MI identifier of a method, None if the value is not one."""
    value = element.value
    if PSI_MI_TERM.fullmatch(value):
        return value
    loose = LOOSE_PSI_MI_TERM.fullmatch(value)
    identifier = f"MI:{loose[1]}" if loose else _find_named_identifier(value, fault_log, PSI_MI_TERM)
    fix = f"write one such as MI:0018{_format_name_table_hint(fault_log)}"
    message = f"{quote_file_text(value)} is not a PSI-MI identifier - {fix}"
    return (
        identifier
        if fault_log.note_fault_or_repair("R643", element.position, message, _format_value_repair(value, identifier))
        else None
    )


def _find_named_identifier(value: str, fault_log: Bc2FaultLog, *patterns: re.Pattern[str]) -> str | None:
    """The identifier of a name in the table of names, None if there is none that matches one of the patterns."""
    identifier = fault_log.names.get(_normalize_lookup_name(value), "")
    return identifier if any(pattern.fullmatch(identifier) for pattern in patterns) else None


def is_bc2_identifier(value: str) -> bool:
    """Whether the value of an interactor or a method is an identifier, not a name."""
    return any(pattern.fullmatch(value) for pattern in (UNIPROT_ACCESSION, NCBI_GENE_NUMBER, PSI_MI_TERM))


def _format_name_table_hint(fault_log: Bc2FaultLog) -> str:
    if fault_log.repair and fault_log.names:
        return ", or add the name and its identifier to the table of names"
    return (
        ", or have the file repaired: on the command line with --mend and --names FILE with a table of names and "
        "identifiers, on the site by the option of the upload"
    )


def _format_value_repair(value: str, identifier: str | None) -> str | None:
    return None if identifier is None else f"{quote_file_text(value)} was read as {identifier}"


def parse_bc2_rank(element: Bc2Element, fault_log: Bc2FaultLog) -> int | None:
    """The rank, None if the value is not a rank."""
    value = element.value
    rank = int(value) if INTEGER_TEXT.fullmatch(value) and len(value) <= 10 else 0
    if 1 <= rank <= GREATEST_RANK:
        return rank
    repair_note = f"{quote_file_text(value)} is not a rank and was ignored"
    fault_log.note_fault_or_repair(
        "R606", element.position, f"{quote_file_text(value)} is not a rank - write a whole number from 1", repair_note
    )
    return None

"""The values in an entry of BioCreative II XML: article, interactors, methods and ranks, as teams wrote them."""

import re
from collections.abc import Mapping

from annotations.databases import DATABASES
from annotations.formats.bc2_xml_entries import Element
from annotations.formats.bc2_xml_said import Said
from annotations.formats.tsv_columns import INTEGER
from annotations.formats.tsv_faults import quoted

ACCESSION, GENE, TERM = (DATABASES[name].pattern for name in ("uniprot", "ncbigene", "psi-mi"))
UNIPROT_PREFIX = re.compile(r"(?:uniprot(?:kb)?|swiss-?prot|sp|trembl)\s*[:|]\s*", re.IGNORECASE)
LOOSE_TERM = re.compile(r"(?:PSI-)?(?:MI\s*[:_ ]?\s*)?([0-9]{4})", re.IGNORECASE)
PMID_PREFIX = re.compile(r"(?:PMID|PubMed)\s*:?\s*(?=[0-9])", re.IGNORECASE)
# Ranks of runs are far below; two of the greatest still fit 64 bits.
GREATEST_RANK = 10**9


def plain_name(name: str) -> str:
    """A name as it is looked up: in small letters, white space at its ends removed, within as one space."""
    return " ".join(name.split()).casefold()


def plain_names(names: Mapping[str, str]) -> dict[str, str]:
    """{name as it is looked up: identifier}."""
    return {plain_name(name): identifier for name, identifier in names.items()}


def article_of(pmid: Element, said: Said) -> str | None:
    """The article's id, None when it is none."""
    value = pmid.value
    if value and " " not in value and not PMID_PREFIX.match(value):
        return value
    number = PMID_PREFIX.sub("", value.strip())
    mended = f"{quoted(value)} was read as {number}" if number.isdecimal() else None
    message = f"{quoted(value)} is not the id of an article - write its PMID alone, such as 10924507"
    return number if said.wrong("R636", pmid.place, message, mended) else None


def interactor_of(element: Element, said: Said) -> str | None:
    """The accession of an interactor, None when it is none."""
    value = element.value
    if ACCESSION.fullmatch(value) or GENE.fullmatch(value):
        return value
    plain = UNIPROT_PREFIX.sub("", value).strip().upper()
    found = plain if ACCESSION.fullmatch(plain) else named(value, said, ACCESSION, GENE)
    message = f"{quoted(value)} is not a UniProt accession - write one such as Q08211{or_table(said)}"
    return found if said.wrong("R642", element.place, message, read_as(value, found)) else None


def method_of(element: Element, said: Said) -> str | None:
    """The PSI-MI identifier of a method, None when it is none."""
    value = element.value
    if TERM.fullmatch(value):
        return value
    loose = LOOSE_TERM.fullmatch(value)
    found = f"MI:{loose[1]}" if loose else named(value, said, TERM)
    message = f"{quoted(value)} is not a PSI-MI identifier - write one such as MI:0018{or_table(said)}"
    return found if said.wrong("R643", element.place, message, read_as(value, found)) else None


def named(value: str, said: Said, *forms: re.Pattern[str]) -> str | None:
    """The identifier that the table of names has for it, None when there is none of these forms."""
    found = said.names.get(plain_name(value), "")
    return found if any(form.fullmatch(found) for form in forms) else None


def or_table(said: Said) -> str:
    if said.mend and said.names:
        return ", or write its identifier into the table of names"
    return ", or give --mend and --names FILE, a table of names and identifiers"


def read_as(value: str, found: str | None) -> str | None:
    return None if found is None else f"{quoted(value)} was read as {found}"


def rank_of(element: Element, said: Said) -> int | None:
    """The rank, None when it is none."""
    value = element.value
    rank = int(value) if INTEGER.fullmatch(value) and len(value) <= 10 else 0
    if 1 <= rank <= GREATEST_RANK:
        return rank
    mended = f"{quoted(value)} is not a rank and was left out"
    said.wrong("R606", element.place, f"{quoted(value)} is not a rank - write a whole number from 1", mended)
    return None

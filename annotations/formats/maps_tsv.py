"""Maps and lists of accessions: homonym orthologs, organisms, names, and what Swiss-Prot holds.

Lines are read as those of runs (tsv_lines). Of a key that stands twice the last line counts, as in the BioCreative
evaluation library; what stands between tabs and commas is taken as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO

from annotations.formats.errors import RefusedFileError
from annotations.formats.tsv_faults import Notes
from annotations.formats.tsv_lines import has_byte_order_mark, text_lines


def read_homonyms(stream: BinaryIO, source: str) -> dict[str, Sequence[str]]:
    """{accession: its homonyms} from lines `accession TAB homonym,homonym`; the list may lack.

    RefusedFileError with all faults (R601, R602, R616).
    """
    mend = "write the accession, a tab and its homonyms, with commas between"
    rows = checked_rows(stream, source, "R616", lambda fields: len(fields) <= 2, mend)
    return {row[0]: row[1].split(",") if len(row) == 2 else [] for row in rows}


def read_organisms(stream: BinaryIO, source: str) -> Mapping[str, str]:
    """{accession: taxon} from lines `accession TAB taxon`. RefusedFileError with all faults (R601, R602, R615)."""
    mend = "write two, accession and taxon, with one tab between"
    return {row[0]: row[1] for row in checked_rows(stream, source, "R615", lambda fields: len(fields) == 2, mend)}


def read_accessions(stream: BinaryIO, source: str) -> frozenset[str]:
    """Accessions, one a line. RefusedFileError with all faults (R601, R602, R617)."""
    rows = checked_rows(stream, source, "R617", lambda fields: len(fields) == 1, "write one accession and no tab")
    return frozenset(row[0] for row in rows)


def read_names(stream: BinaryIO, source: str) -> Mapping[str, str]:
    """{name of a protein or method: its identifier} from lines `name TAB identifier`.

    RefusedFileError with all faults (R601, R602, R618).
    """
    mend = "write two, name and identifier, with one tab between"
    return {row[0]: row[1] for row in checked_rows(stream, source, "R618", lambda fields: len(fields) == 2, mend)}


def checked_rows(
    stream: BinaryIO, source: str, rule: str, fits: Callable[[Sequence[str]], bool], mend: str
) -> list[list[str]]:
    """The fields of each line."""
    faults = Notes()
    if has_byte_order_mark(stream):
        faults.add("R601", 1, 0, "the file begins with a byte order mark - save it as UTF-8 without one")
    rows = [line.split("\t") for lines in text_lines(stream) for line in lines]
    for number, fields in enumerate(rows, 1):
        if fields == [""]:
            faults.add("R602", number, 0, "the line is blank - remove it")
        elif not fits(fields):
            faults.add(rule, number, 0, f"columns: {len(fields)} - {mend}")
    if faults:
        raise RefusedFileError(faults.told(stream, source))
    return rows

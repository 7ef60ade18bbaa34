"""Maps of homonyms and organisms, and lists of accessions."""

from io import BytesIO

import pytest

from annotations.formats.errors import RefusedFileError
from annotations.formats.tsv.map_reader import (
    read_accession_set,
    read_homonyms_by_accession_map,
    read_taxon_by_accession_map,
)


def test_it_reads_homonyms():
    found = read_homonyms_by_accession_map(BytesIO(b"P1\tP2, P3\r\nP4\nP5\tP6\nP5\tP7\n"), "map")
    assert found == {"P1": ["P2", " P3"], "P4": [], "P5": ["P7"]}


def test_it_reads_organisms():
    assert read_taxon_by_accession_map(BytesIO(b"P1\t9606\nP2\t10090\nP1\t4932\n"), "map") == {
        "P1": "4932",
        "P2": "10090",
    }


def test_it_reads_accessions():
    assert read_accession_set(BytesIO(b"P1\nP2"), "list") == {"P1", "P2"}


@pytest.mark.parametrize(
    ("read", "text", "found"),
    [
        (
            read_homonyms_by_accession_map,
            b"P1\tP2\tP3\n\nP4\n",
            ["map:1:1: R616 columns: 3", "map:2:1: R602 the line is blank"],
        ),
        (read_taxon_by_accession_map, b"P1\nP2\t1\t2\n", ["map:1:1: R615 columns: 1", "map:2:1: R615 columns: 3"]),
        (
            read_accession_set,
            b"\xef\xbb\xbfP1\nP2\tP3\n",
            ["map:1:1: R601 the file begins", "map:2:1: R617 columns: 2"],
        ),
    ],
)
def test_it_tells_every_fault(read, text, found):
    with pytest.raises(RefusedFileError) as refused:
        read(BytesIO(text), "map")
    lines = str(refused.value).splitlines()
    assert [line.startswith(start) for line, start in zip(lines, found, strict=True)] == [True] * len(found)

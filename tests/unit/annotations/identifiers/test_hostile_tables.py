"""Whatever a file holds, a table is read, or refused with the place of each fault; what is read can be stored."""

import re
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.formats.errors import RefusedFileError
from annotations.identifiers.lookup.uniprot_rest import _parse_record
from annotations.identifiers.namespaces import find_namespace
from annotations.identifiers.tables.recognition import (
    OTHER_TABLES,
    TABLES,
    IdentifierTable,
    recognize_table_by_first_lines,
)
from annotations.identifiers.tables.table_lines import FaultNotingTableLines
from annotations.identifiers.tables.uniprot import ENTRY_NAME

CELLS = [
    "9606",
    "7124",
    "0",
    "-",
    "99999999999",
    "٣",
    "P04637",
    "P53_HUMAN",
    "MI:0001",
    "TNF",
    "a|b",
    "\ud7ff",
    "",
    "|",
]
LINES = [
    *(
        "tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tdescription",
        "ID   P53_HUMAN",
        "AC   P04637;",
        "//",
        "OX   NCBI_TaxID=",
    ),
    *(
        "OX   NCBI_TaxID=99999999999;",
        "DE   RecName: Full=x;",
        "GN   Name=x; Synonyms=,",
        "[Term]",
        "id: MI:0001",
        "name: x",
    ),
    *(
        "hgnc_id\tsymbol\tname",
        "Entry\tEntry Name\tProtein names",
        "Name: speclist.txt",
        "MOUSE E 9999999999: N=x",
        " C=y",
    ),
    *("format-version: 1.2", "ontology: go", "id: GO:0000001", "alt_id: GO:0000002", 'synonym: "x" EXACT []'),
    *("<DescriptorRecordSet>", "<DescriptorRecord>", "<DescriptorUI>D000001</DescriptorUI>", "</DescriptorRecord>"),
    *("<DescriptorName><String>x</String></DescriptorName>", "</DescriptorRecordSet>", "D000001\tx\ty|z", "D1\tx\t"),
    *('{"graphs": [{"nodes": [', '{"id": "GO:0000001", "name": "x"}', "[", "]", "]}]}"),
    *("9606\t|\tx\t|\t\t|\tscientific name\t|", "9\t|\t10\t|", "11\t|", "taxon\tname\tcommon\tmesh\twords"),
]
line = st.one_of(
    st.sampled_from(LINES), st.lists(st.sampled_from(CELLS), max_size=8).map("\t".join), st.text(max_size=20)
)
content = st.lists(line, max_size=12).map(lambda lines: "\n".join(lines).encode("utf-8", "surrogatepass"))


def storable(entry):
    pattern = find_namespace(entry.database).pattern
    names = (entry.identifier, *entry.successors)
    assert all(pattern.fullmatch(name) or ENTRY_NAME.fullmatch(name) for name in names)
    assert entry.taxon is None or 0 < entry.taxon < 2**31
    assert all(isinstance(text, str) for text in (entry.name, entry.symbol, *entry.synonyms))


def check_table_read_or_refused(data: bytes, table: IdentifierTable) -> None:
    """What is read can be stored, and every fault has its place."""
    lines = FaultNotingTableLines(BytesIO(data), "file")
    try:
        for entry in table.read(lines):
            storable(entry)
    except RefusedFileError as error:
        lines.faults = list(error.faults)
    for fault in lines.faults:
        assert re.match(r"^file:\d+:\d+: R4\d\d ", str(fault))


@pytest.mark.parametrize("table", [*TABLES, *OTHER_TABLES], ids=lambda table: table.title)
@given(content)
def test_it_reads_or_refuses(table, data):
    check_table_read_or_refused(data, table)


@given(st.one_of(st.binary(max_size=200), content, content.map(lambda data: b"\x1f\x8b" + data)))
def test_it_recognizes_or_refuses(data):
    stream = BytesIO(data)
    try:
        assert recognize_table_by_first_lines(stream, "file").title
        assert stream.tell() == 0
    except RefusedFileError as error:
        assert error.faults[-1].rule == "R430"


scalar = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(CELLS), st.text(max_size=5))
keys = st.sampled_from(
    [
        *(
            "primaryAccession",
            "entryType",
            "inactiveReason",
            "mergeDemergeTo",
            "organism",
            "taxonId",
            "genes",
            "geneName",
        ),
        *("value", "proteinDescription", "recommendedName", "alternativeNames", "fullName", "shortNames", "synonyms"),
    ]
)
anything = st.recursive(
    scalar,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(keys, inner, max_size=5)),
    max_leaves=20,
)


@given(st.dictionaries(keys, anything), st.sampled_from(["P04637", "TNF", 7]))
def test_it_is_not_misled_by_a_record(item, accession):
    told = _parse_record({**item, "primaryAccession": accession})
    if told is None:
        assert accession != "P04637"
    else:
        storable(told)

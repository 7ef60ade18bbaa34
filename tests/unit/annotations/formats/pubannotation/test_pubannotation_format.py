"""PubAnnotation files are read; what cannot be understood refuses the whole file, with every fault."""

from io import BytesIO

import pytest

from annotations.formats.annotated_text.mentions import AnnotatedTextFile, InteractionPair, TextMention
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.errors import RefusedFileError
from annotations.formats.result_sniffing import ResultFormat
from annotations.schema import Span
from tests.shared_data import require_shared_path

DOCUMENT = """\
{"sourcedb": "PubMed", "sourceid": "12", "text": "p53 binds α and β of mice.",
 "denotations": [
  {"id": "T1", "span": {"begin": 0, "end": 3}, "obj": "Gene:7157"},
  {"id": "T2", "span": [{"begin": 10, "end": 11}, {"begin": 16, "end": 17}], "obj": "Protein"},
  {"id": "T3", "span": {"begin": 21, "end": 25}, "obj": "http://example.org/mouse"}],
 "attributes": [{"id": "A1", "subj": "T2", "pred": "cui", "obj": "NCBI Gene:4193"}],
 "relations": [{"id": "R1", "subj": "T1", "pred": "PPI", "obj": "T2"}],
 "tracks": [{"denotations": [{"id": "T1", "span": {"begin": 21, "end": 25}, "obj": "Species:10090"}]}]
}
"""


def read_pubannotation_text(text: str) -> AnnotatedTextFile:
    return ANNOTATED_TEXT_FORMATS[ResultFormat.PUBANNOTATION].read(BytesIO(text.encode()), "mine.json")


def test_it_reads_denotations_attributes_relations_and_tracks() -> None:
    own = read_pubannotation_text(DOCUMENT)
    assert own.documents == ["12"]
    assert sorted(own.mentions, key=lambda mention: mention.line) == [
        TextMention("12", 0, 3, "p53", "Gene", ("7157",), 3, given="Gene:7157"),
        TextMention(
            *("12", 10, 17, "α and β", "Protein", ("4193",), 4),
            spans=(Span(10, 11), Span(16, 17)),
            given="NCBI Gene:4193",
        ),
        TextMention("12", 21, 25, "mice", "http://example.org/mouse", (), 5),
        TextMention("12", 21, 25, "mice", "Species", ("10090",), 8, given="Species:10090"),
    ]
    assert own.pairs == [InteractionPair("12", "7157", "4193", "PPI", 7)]
    assert own.warnings == []


def test_it_reads_several_documents() -> None:
    one, two = ({"sourceid": str(number), "text": ""} for number in (1, 2))
    text = f"[{one}, {two}]".replace("'", '"')
    assert read_pubannotation_text(text).documents == ["1", "2"]


def test_it_calls_a_document_without_id_as_the_file_is() -> None:
    own = read_pubannotation_text('{"text": "p53"}')
    assert own.documents == ["mine"]
    assert [warning.rule for warning in own.warnings] == ["R653"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", [(0, 0, "R659")]),
        ('{"a": 1}', [(1, 1, "R667")]),
        ('[{"text": ""}, {"text": ""}]', [(1, 16, "R658")]),
        ('{"sourceid": 1, "denotations": {}}', [(1, 32, "R667")]),
        ('{"sourceid": 1, "denotations": [\n{"obj": "Gene"}]}', [(2, 1, "R654")]),
        ('{"sourceid": 1, "denotations": [{"span": {"begin": 5, "end": 5}}]}', [(1, 33, "R654")]),
        ('{"sourceid": 1, "denotations": [{"span": {"begin": 5, "end": "x"}}]}', [(1, 33, "R654")]),
        ('{"text": "p53", "denotations": [{"span": {"begin": 5, "end": 6}}]}', [(1, 33, "R655")]),
        ('{"text": "p53", "relations": [{"pred": "PPI", "subj": "T1", "obj": "T2"}]}', [(1, 31, "R661")]),
        ('{"text": "p53"', [(1, 15, "R666")]),
    ],
)
def test_it_refuses_a_file_with_all_its_faults(text: str, expected: list[tuple[int, int, str]]) -> None:
    with pytest.raises(RefusedFileError) as refusal:
        read_pubannotation_text(text)
    assert [(fault.line, fault.column, fault.rule) for fault in refusal.value.faults] == expected


@pytest.mark.parametrize("name", ["BC5CDR-example", "elliptic-coordination", "tutorial-example"])
def test_it_reads_what_bioc_says_of_the_same_document(name: str) -> None:
    here = require_shared_path("samples", "formats", "bconv", "pubanno_json", f"{name}.json")
    there = require_shared_path("samples", "formats", "bconv", "bioc_xml", f"{name}.xml")
    own, other = (
        ANNOTATED_TEXT_FORMATS[ResultFormat.PUBANNOTATION].read(here.open("rb"), name),
        ANNOTATED_TEXT_FORMATS[ResultFormat.BIOC_XML].read(there.open("rb"), name),
    )
    assert [(m.document, m.start, m.end, m.type, m.identifiers) for m in own.mentions] == [
        (m.document, m.start, m.end, m.type, m.identifiers) for m in other.mentions
    ]
    assert own.warnings == []


def test_it_reads_a_sample_of_another_program() -> None:
    own = ANNOTATED_TEXT_FORMATS[ResultFormat.PUBANNOTATION].read(
        require_shared_path("samples", "formats", "kindred", "example.json").open("rb"), "example.json"
    )
    assert [(mention.text, mention.type) for mention in own.mentions] == [
        ("colorectal cancer", "disease"),
        ("APC", "gene"),
    ]

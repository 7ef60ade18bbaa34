"""BioC is read from XML and from JSON alike; what cannot be understood refuses the whole file, with every fault."""

import gzip
from collections import Counter
from io import BytesIO

import pytest

from annotations.formats.annotated_text.mentions import AnnotatedTextFile, InteractionPair, TextMention
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.errors import RefusedFileError
from annotations.formats.result_sniffing import ResultFormat
from annotations.formats.rules import FILE_RULES
from annotations.schema import EntityId, Qualifier, Span
from tests.shared_data import require_shared_path

read_xml, read_json, read_pubtator = (
    ANNOTATED_TEXT_FORMATS[form].read for form in (ResultFormat.BIOC_XML, ResultFormat.BIOC_JSON, ResultFormat.PUBTATOR)
)

XML = """\
<?xml version='1.0' encoding='UTF-8'?>
<!DOCTYPE collection SYSTEM "BioC.dtd">
<collection><source/><date/><key/>
<document><id>12</id><infon key="relevant">yes</infon>
<passage><infon key="type">title</infon><offset>0</offset><text>p53 binds Mdm2.</text>
<annotation id="T1"><infon key="type">Gene</infon><infon key="NCBI GENE">7157</infon>
<location offset="0" length="3"/><text>p53</text></annotation>
</passage>
<passage><offset>16</offset>
<sentence><offset>16</offset><text>So does α &amp; β.</text>
<annotation id="T2"><infon key="entrez_id">4193,17246</infon>
<location offset="24" length="1"/><location offset="28" length="1"/><text>α ... β</text></annotation>
</sentence></passage>
<relation id="R1"><infon key="relation">PPIm</infon><node refid="T1" role=""/><node refid="T2" role=""/></relation>
<relation id="R2"><infon key="relation">PPI</infon><infon key="Gene1">1</infon><infon key="Gene2">2</infon></relation>
</document>
<document><id>13</id><infon key="relevant">no</infon></document>
</collection>
"""
JSON = """\
{"source": "", "documents": [
  {"id": "12", "infons": {"relevant": "yes"}, "passages": [
    {"infons": {"type": "title"}, "offset": 0, "text": "p53 binds Mdm2.", "sentences": null, "annotations": [
      {"id": "T1", "infons": {"type": "Gene", "NCBI GENE": 7157}, "text": "p53",
       "locations": [{"offset": 0, "length": 3}]}]},
    {"offset": 16, "sentences": [{"offset": 16, "text": "So does α & β.", "annotations": [
      {"id": "T2", "infons": {"entrez_id": "4193,17246"}, "text": "α ... β",
       "locations": [{"offset": 24, "length": 1}, {"offset": 28, "length": 1}]}]}]}],
   "relations": [
    {"infons": {"relation": "PPIm"}, "nodes": [{"refid": "T1"}, {"refid": "T2"}]},
    {"infons": {"relation": "PPI", "Gene1": "1", "Gene2": "2"}, "nodes": []}]},
  {"id": 13, "infons": {"relevant": "no"}}]}
"""


def read_xml_text(text: str) -> AnnotatedTextFile:
    return read_xml(BytesIO(text.encode()), "folder/mine.xml")


def read_json_text(text: str) -> AnnotatedTextFile:
    return read_json(BytesIO(text.encode("utf-8", "surrogateescape")), "folder/mine.json")


def faults(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(RefusedFileError) as refusal:
        read_xml_text(text) if text.startswith("<") else read_json_text(text)
    return [(fault.line, fault.column, fault.rule) for fault in refusal.value.faults]


def document(inside: str) -> str:
    return f"<collection><document><id>1</id>\n{inside}\n</document></collection>"


def values(own: AnnotatedTextFile) -> list[tuple[object, ...]]:
    return [(m.document, m.start, m.end, m.text, m.type, m.identifiers) for m in own.mentions]


def pairs(own: AnnotatedTextFile) -> list[tuple[str, ...]]:
    return [(pair.document, pair.a, pair.b, pair.relation) for pair in own.pairs]


@pytest.mark.parametrize(
    ("own", "lines", "relations"), [(read_xml_text(XML), (6, 11), (14, 15)), (read_json_text(JSON), (4, 7), (10, 11))]
)
def test_it_reads_documents_mentions_pairs_and_labels(
    own: AnnotatedTextFile, lines: tuple[int, int], relations: tuple[int, int]
) -> None:
    assert own.documents == ["12", "13"]
    assert list(own.mentions) == [
        TextMention("12", 0, 3, "p53", "Gene", ("7157",), lines[0], given="NCBIGene:7157"),
        TextMention(
            *("12", 24, 29, "α ... β", "Gene", ("4193", "17246"), lines[1]),
            spans=(Span(24, 25), Span(28, 29)),
            given="NCBIGene:4193,17246",
        ),
    ]
    assert [mention.list_links() for mention in own.mentions] == [
        (EntityId("ncbigene", "7157"),),
        (EntityId("ncbigene", "4193"), EntityId("ncbigene", "17246")),
    ]
    assert own.pairs == [
        InteractionPair("12", "7157", "4193;17246", "PPIm", relations[0]),
        InteractionPair("12", "1", "2", "PPI", relations[1]),
    ]
    nodes, infons = own.relations
    assert [(each.text, each.spans) for each in nodes.arguments] == [
        ("p53", (Span(0, 3),)),
        ("α ... β", (Span(24, 25), Span(28, 29))),
    ]
    assert [each.list_links() for each in infons.arguments] == [
        (EntityId("ncbigene", "1"),),
        (EntityId("ncbigene", "2"),),
    ]
    assert own.relevant == {"12": True, "13": False}
    assert own.warnings == []


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "1", "passages": []}',
        '[{"id": "1", "passages": []}]',
        '{"PubTator3": [{"_id": "1|None", "id": "1", "passages": []}]}',
        '\ufeff{"documents": [{"id": "1"}]}',
        '[{"documents": [{"id": "1"}]}, {"documents": null}]',
    ],
)
def test_it_reads_json_of_a_document_a_list_and_a_collection(text: str) -> None:
    assert read_json_text(text).documents == ["1"]


def test_it_reads_one_json_document_a_line() -> None:
    assert read_json_text('{"id": "1", "passages": []}\n{"id": "2", "passages": []}\n').documents == ["1", "2"]


def test_it_calls_a_document_without_id_as_the_file_is() -> None:
    own = read_xml_text("<collection><document><id/></document></collection>")
    assert own.documents == ["mine"]
    assert [(warning.line, warning.column, warning.rule) for warning in own.warnings] == [(1, 13, "R653")]


def test_it_warns_of_a_text_that_is_another() -> None:
    passage = "<passage><offset>0</offset><text>p53</text>\n{}</passage>"
    note = '<annotation id=""><location offset="0" length="{}"/><text>p53</text></annotation>'
    own = read_xml_text(document(passage.format(note.format(3) + note.format(2))))
    assert [str(warning) for warning in own.warnings] == [
        "folder/mine.xml:3:81: R657 the text at this position is “p5”, not “p53” "
        "- correct text or position if this is not intended"
    ]


LOCATED = '<passage><offset>0</offset><text>p53</text><annotation id="">{}<text/></annotation></passage>'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<collection/>", [(0, 0, "R659")]),
        ("<collection>", [(1, 13, "R663")]),
        ("<!DOCTYPE c [<!ENTITY a 'b'>]><collection/>", [(1, 25, "R664")]),
        ("<!DOCTYPE c SYSTEM 'x'>\n<collection><source>&alpha;</source></collection>", [(2, 21, "R664")]),
        ("<articles><a/></articles>", [(1, 1, "R665")]),
        (document("<passage><Annotation><text/></Annotation></passage>"), [(2, 10, "R665")]),
        (document("<passage><text>p53</text></passage>"), [(2, 1, "R654")]),
        (document("<passage><offset>-1</offset><text>p53</text></passage>"), [(2, 1, "R654")]),
        (document(LOCATED.format("")), [(2, 44, "R654")]),
        (document(LOCATED.format("<location offset='0' length='0'/>")), [(2, 44, "R654")]),
        (document(LOCATED.format("<location offset='0.5' length='1'/>")), [(2, 44, "R654")]),
        (document(LOCATED.format("<location offset='0'/>")), [(2, 44, "R654")]),
        (document(LOCATED.format("<location offset='3' length='1'/>")), [(2, 44, "R655")]),
        (document("</document><document><id>1</id>"), [(2, 12, "R658")]),
        (document("<relation id=''><infon key='type'>PPI</infon></relation>"), [(2, 1, "R661")]),
        (document("<infon key='relevant'>maybe</infon>"), [(1, 13, "R662")]),
        ("{}", [(1, 1, "R667")]),
        ('{"documents": []}', [(0, 0, "R659")]),
        ('{"documents": {}}', [(1, 15, "R667")]),
        ('{"documents": [\n 1, {"id": "1", "passages": "x"}]}', [(2, 2, "R667"), (2, 29, "R667")]),
        ('{"id": "1", "passages": [\n{"annotations": [{"locations": [{"offset": 1}]}]}]}', [(2, 18, "R654")]),
        ('{"id": "1"\n', [(2, 1, "R666")]),
        ('{"id": "1", "passages": [}', [(1, 26, "R666")]),
        ('{"id": NaN}', [(1, 8, "R666")]),
        ('{"id": -Infinity}', [(1, 8, "R666")]),
        ('{"id": "\udcff"}', [(1, 9, "R651")]),
    ],
)
def test_it_refuses_a_file_with_all_its_faults(text: str, expected: list[tuple[int, int, str]]) -> None:
    assert faults(text) == expected


@pytest.mark.parametrize("text", ['{"a":' + "[" * 100_000, '{"documents": [' * 2000, '{"id": ' + "9" * 5000 + "x"])
def test_it_refuses_what_is_made_to_exhaust_it(text: str) -> None:
    assert [rule for _, _, rule in faults(text)] == ["R666"]


RELATED = """<passage><offset>0</offset><text>MMC or 5-FU, and HUS</text>
<annotation id="1"><infon key="type">Chemical</infon><infon key="MESH">D016685|D005472</infon>
<location offset="0" length="3"/><location offset="7" length="4"/><text>MMC 5-FU</text></annotation>
<annotation id="2"><infon key="type">Disease</infon><infon key="identifier">D006463</infon>
<location offset="17" length="3"/><text>HUS</text></annotation></passage>
"""


def read_relations(inside: str) -> AnnotatedTextFile:
    return read_xml_text(document(RELATED + inside))


def test_it_reads_the_roles_of_nodes_as_those_of_a_directed_relation() -> None:
    nodes = '<node refid="1" role="Chemical"/><node refid="2" role="Disease"/>'
    [relation] = read_relations(f'<relation id="R"><infon key="type">CID</infon>{nodes}</relation>').relations
    assert (relation.type, relation.directed) == ("CID", True)
    assert [(each.role, each.spans, each.list_links()) for each in relation.arguments] == [
        ("Chemical", (Span(0, 3), Span(7, 11)), (EntityId("mesh", "D016685"), EntityId("mesh", "D005472"))),
        ("Disease", (Span(17, 20),), (EntityId("mesh", "D006463"),)),
    ]


def test_it_reads_relations_of_entities_with_the_types_of_their_mentions() -> None:
    infons = {"type": "Association", "novel": "No", "entity1": "D006463", "entity2": "D005472", "Made by": "hand"}
    inside = "".join(f'<infon key="{key}">{value}</infon>' for key, value in infons.items())
    [relation] = read_relations(f'<relation id="R">{inside}</relation>').relations
    assert [(each.type, each.spans, each.list_links()) for each in relation.arguments] == [
        ("Disease", (), (EntityId("mesh", "D006463"),)),
        ("Chemical", (), (EntityId("mesh", "D005472"),)),
    ]
    assert not relation.directed
    assert relation.qualifiers == (Qualifier("Made by", "hand"), Qualifier("novelty", "No"))


def test_it_reads_types_of_entities_as_the_roles_of_a_relation() -> None:
    infons = {"relation": "CID", "Chemical": "D016685", "Disease": "D006463"}
    inside = "".join(f'<infon key="{key}">{value}</infon>' for key, value in infons.items())
    [relation] = read_relations(f'<relation id="R">{inside}</relation>').relations
    assert [(each.role, each.list_links()) for each in relation.arguments] == [
        ("Chemical", (EntityId("mesh", "D016685"),)),
        ("Disease", (EntityId("mesh", "D006463"),)),
    ]
    assert (relation.directed, relation.qualifiers) == (True, ())


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        ("", "it has fewer than two arguments"),
        ('<node refid="1" role=""/>', "it has fewer than two arguments"),
        (
            '<node refid="1" role=""/><node refid="x" role=""/>',
            "it refers to what is not an annotation of the document",
        ),
        ('<node refid="1" role=""/>' * 17, "it has more than 16 arguments"),
    ],
)
def test_it_says_which_relations_it_leaves_out(nodes: str, reason: str) -> None:
    own = read_relations(f'\n<relation id="R"><infon key="type">binds</infon>{nodes}</relation>')
    assert not own.relations
    assert [(each.part, each.reason, each.line) for each in own.left_out] == [("relations", reason, 8)]


def test_it_reads_overlapping_parts_as_one_and_labels_from_infons() -> None:
    locations = "".join(f'<location offset="{start}" length="3"/>' for start in (7, 0, 8))
    passage = (
        f'<passage><offset>0</offset><text>0123456789ab</text><annotation id="">{locations}</annotation></passage>'
    )
    own = read_xml_text(document(f'<infon key="label:Study type">trial</infon>{passage}'))
    assert [mention.spans for mention in own.mentions] == [(Span(0, 3), Span(7, 11))]
    assert [(label.name, label.value) for label in own.labels] == [("Study type", "trial")]


def test_it_has_a_rule_in_the_manual_for_each_fault() -> None:
    codes = {rule.code for rule in FILE_RULES}
    assert {f"R66{digit}" for digit in range(1, 8)} <= codes


def open_published_file(*parts: str) -> BytesIO:
    content = require_shared_path(*parts).read_bytes()
    return BytesIO(gzip.decompress(content) if parts[-1].endswith(".gz") else content)


def test_it_reads_the_same_from_three_formats() -> None:
    folder = ("corpora", "biored")
    in_xml = read_xml(open_published_file(*folder, "Dev.BioC.XML.gz"), "Dev")
    in_json = read_json(open_published_file(*folder, "Dev.BioC.JSON.gz"), "Dev")
    in_lines = read_pubtator(open_published_file(*folder, "Dev.PubTator.gz"), "Dev")
    assert (len(in_xml.documents), len(in_xml.mentions), len(in_xml.pairs)) == (100, 3533, 1162)
    assert in_xml.documents == in_json.documents == in_lines.documents
    assert values(in_xml) == values(in_json)
    assert Counter(values(in_xml)) == Counter(values(in_lines))
    assert Counter(pairs(in_xml)) == Counter(pairs(in_json)) == Counter(pairs(in_lines))
    assert not [*in_xml.warnings, *in_json.warnings, *in_lines.warnings]


def test_it_reads_the_interactions_of_the_precision_medicine_track() -> None:
    folder = ("corpora", "bc6pm")
    in_xml = read_xml(open_published_file(*folder, "PMtask_Relations_TrainingSet.xml.gz"), "PM")
    in_json = read_json(open_published_file(*folder, "PMtask_Relations_TrainingSet.json.gz"), "PM")
    assert (len(in_xml.documents), len(in_xml.mentions), len(in_xml.warnings)) == (597, 8833, 1)
    assert Counter(pair.relation for pair in in_xml.pairs) == {"PPIm": 756, "PPI": 4}
    assert values(in_xml) == values(in_json)
    assert pairs(in_xml) == pairs(in_json)
    listed = require_shared_path(*folder, "PMtask_Relations_TrainingSet.pairs.tsv").read_text().splitlines()
    assert Counter((document, a, b) for document, a, b, _ in pairs(in_xml)) == Counter(
        tuple(line.split("\t")) for line in listed if line.split("\t")[0].isdigit()
    )


def test_it_reads_the_labels_of_the_precision_medicine_track() -> None:
    folder = ("corpora", "bc6pm")
    own = read_xml(open_published_file(*folder, "PMtask_Triage_TrainingSet.xml.gz"), "PM")
    assert (len(own.documents), Counter(own.relevant.values())) == (4082, {True: 1729, False: 2353})
    listed = require_shared_path(*folder, "PMtask_Triage_TrainingSet.labels.tsv").read_text().splitlines()
    labels = dict(line.split("\t") for line in listed)
    assert all(own.relevant[document] == (labels[document] == "yes") for document in own.documents)


@pytest.mark.parametrize("form", ["xml", "json"])
def test_it_reads_samples_of_other_programs(form: str) -> None:
    read = read_xml if form == "xml" else read_json
    folder = require_shared_path("samples", "formats")
    paths = [*folder.glob(f"bconv/bioc_{form}/*"), *folder.glob(f"bioc/everything.{form}")]
    paths += [*folder.glob("julielab/*ioc*.xml"), *folder.glob("*/*.XML"), *folder.glob("kindred/*bioc.xml")] * (
        form == "xml"
    )
    assert len(paths) == (20 if form == "xml" else 8)
    for path in paths:
        assert read(BytesIO(path.read_bytes()), path.name).documents, path

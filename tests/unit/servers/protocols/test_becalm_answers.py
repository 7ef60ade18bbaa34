"""BeCalm's predictions of all types with their databases, in each form of the protocol."""

import json
from dataclasses import replace

import pytest

from annotations.schema import SEVEN_KINDS, EntityId, Kind, RelationArgument, Span
from servers.calls.client import read_callback_answer_collecting_broken_rules
from servers.protocols import becalm
from servers.protocols.becalm_callbacks import BECALM_TYPES
from tests.questions import question

TITLE, ABSTRACT = "BRCA1 and breast cancer", "ERK1/2 in mice."
OPEN = (Kind.MENTION, Kind.RELATION)
BRCA1, CANCER = EntityId("ncbigene", "672"), EntityId("mesh", "D001943")


def ask(kinds=OPEN, types=()):
    return replace(question("becalm", title=TITLE, abstract=ABSTRACT), kinds=kinds, entity_types=types)


def judge(content, form="json", **values):
    body = content.encode() if isinstance(content, str) else json.dumps(content).encode()
    return read_callback_answer_collecting_broken_rules(ask(**values), form, body)


def predict(section, init, end, entity_type, **values):
    return {"document_id": "10000001", "section": section, "init": init, "end": end, "type": entity_type, **values}


def list_requested_types(**values):
    return json.loads(becalm.build_request(ask(**values)).body)["parameters"]["types"]


def test_it_requests_the_types_that_the_server_is_registered_for():
    types = ("Gene", "Disease", "Variant", "Cell line", "miRNA", "Subcellular structure", "Comet")
    assert list_requested_types(types=types) == [
        *("GENE", "DISEASE", "MUTATION", "CELL_LINE_AND_CELL_TYPE", "MIRNA", "SUBCELLULAR_STRUCTURE"),
    ]
    assert set(list_requested_types()) == BECALM_TYPES - {"UNKNOWN", "ANATOMIC_COMPONENT"}
    assert list_requested_types(kinds=(Kind.MENTION, Kind.TAXON)) == ["GENE", "PROTEIN", "ORGANISM"]


@pytest.mark.parametrize(
    ("entity_type", "given", "identifier"),
    [
        ("GENE", "NCBI Gene:672", BRCA1),
        ("GENE", "672", BRCA1),
        ("PROTEIN", "P38398", EntityId("uniprot", "P38398")),
        ("DISEASE", "MESH:D001943", CANCER),
        ("DISEASE", "D001943", CANCER),
        ("CHEMICAL", "CHEBI:15377", EntityId("chebi", "15377")),
        ("ORGANISM", "9606", EntityId("ncbitaxon", "9606")),
        ("MUTATION", "rs334", EntityId("dbsnp", "rs334")),
        ("CELL_LINE_AND_CELL_TYPE", "CVCL_0440", EntityId("cellosaurus", "0440")),
        ("TISSUE_AND_ORGAN", "UBERON:0000310", EntityId("uberon", "0000310")),
        ("SUBCELLULAR_STRUCTURE", "GO:0005634", EntityId("go", "0005634")),
        ("ANATOMICAL_COMPONENT", "UBERON:0000310", EntityId("uberon", "0000310")),
        ("MIRNA", "mirbase:MI0000001", EntityId("mirbase", "MI0000001")),
        ("UNKNOWN", "our own 7", EntityId("", "our own 7")),
    ],
)
def test_it_stores_each_type_with_its_database(entity_type, given, identifier):
    answer = judge([predict("T", 0, 5, entity_type, database_id=given, score=0.5)])
    [mention] = answer.annotations
    assert (mention.type, mention.text, mention.confidence) == (entity_type, "BRCA1", 0.5)
    assert mention.identifiers == (identifier,)
    assert (answer.broken_rules, answer.omitted.parts) == ([], [])


def test_it_adds_the_kinds_that_the_server_is_registered_for():
    answer = judge(
        [
            predict("T", 0, 5, "GENE", database_id="ncbigene:672,uniprot:P38398", score=0.5),
            predict("T", 10, 23, "DISEASE", database_id=["MESH:D001943"], score=0.25),
        ],
        kinds=(Kind.MENTION, Kind.NORMALIZATION, Kind.ENTITY),
    )
    assert [(each.kind, each.database, each.identifier, each.confidence) for each in answer.annotations[2:]] == [
        (Kind.ENTITY, "ncbigene", "672", 0.5),
        (Kind.NORMALIZATION, "ncbigene", "672", 0.5),
        (Kind.ENTITY, "uniprot", "P38398", 0.5),
        (Kind.NORMALIZATION, "uniprot", "P38398", 0.5),
        (Kind.ENTITY, "mesh", "D001943", 0.25),
    ]


BIOC = """<collection><source/><date/><key/><document><id>10000001</id><passage><offset>0</offset>
<text>BRCA1 and breast cancer ERK1/2 in mice.</text>
<annotation id="1"><infon key="type">GENE</infon><infon key="identifier">672</infon><location offset="0" length="5"/>
<text>BRCA1</text></annotation>
<annotation id="2"><infon key="type">DISEASE</infon><infon key="MESH">D001943</infon>
<infon key="confidence">0.5</infon><location offset="10" length="6"/><location offset="17" length="6"/></annotation>
<relation id="R1"><infon key="type">associated</infon><node refid="1" role=""/><node refid="2" role=""/></relation>
<relation id="R2"><infon key="type">associated</infon><node refid="1" role=""/><node refid="9" role=""/></relation>
</passage></document></collection>"""


def test_it_reads_parts_identifiers_and_relations_in_bioc():
    answer = judge(BIOC, "bioc")
    gene, disease, relation = answer.annotations
    assert (gene.identifiers, disease.identifiers, disease.confidence) == ((BRCA1,), (CANCER,), 0.5)
    assert (disease.parts, disease.text) == ((Span(10, 16), Span(17, 23)), "breast cancer")
    assert relation.arguments == (
        RelationArgument("", (BRCA1,), (Span(0, 5),), "GENE", "BRCA1"),
        RelationArgument("", (CANCER,), disease.parts, "DISEASE", "breast cancer"),
    )
    assert not answer.omitted.parts
    (rule,) = answer.broken_rules
    assert (rule.code, rule.where) == ("R126", "line 8")
    assert rule.message == "It is left out: it refers to what is not an annotation of the document."
    assert rule.mend.startswith("Send the id of a valid mention")


def test_a_server_of_the_seven_kinds_gets_the_reasons():
    answer = judge(BIOC, "bioc", kinds=SEVEN_KINDS)
    assert [(each.start, each.end, each.identifiers, each.confidence) for each in answer.annotations] == [
        (0, 5, (), None),
        (10, 23, (), None),
    ]
    assert [reason.split(".")[0] for _, reason in answer.omitted.parts] == [
        "Identifiers in BioC are not read",
        "Identifiers in BioC are not read",
        "Relations in BioC are not read",
        "Relations in BioC are not read",
    ]
    wrong = judge([predict("T", 0, 5, "GENE", database_id="ncbigene:BRCA1")])
    assert [(rule.code, rule.where) for rule in wrong.broken_rules] == [("R118", "[0].database_id[0]")]

"""PSI-MI XML of other programs is read as digital abstracts; faults have a line, a column and a way to fix them."""

import gzip
from io import BytesIO

import pytest

from annotations.digital_abstract import AbstractState, Participant
from annotations.formats.annotated_text.left_out import list_left_out_warnings
from annotations.formats.errors import RefusedFileError
from annotations.formats.psi_mi_xml.reader import read_psi_mi_xml
from annotations.formats.psi_mi_xml.vocabulary import OLD_PSI_MI_NAMESPACE, PsiMiVersion
from annotations.formats.psi_mi_xml.writer import write_psi_mi_xml
from annotations.formats.rules import FILE_RULES
from annotations.schema import EntityId
from tests.digital_abstract_samples import export
from tests.shared_data import require_shared_path

METHOD = """<interactionDetectionMethod><names/><xref><primaryRef db="psi-mi" id="MI:0018"/></xref>
</interactionDetectionMethod>"""
EXPERIMENT = f"""<experimentDescription id="1">
<bibref><xref><primaryRef db="pubmed" id="10373512"/></xref></bibref>
{METHOD}
</experimentDescription>"""
INTERACTOR_A = """<interactor id="2"><names><shortLabel>brca2_human</shortLabel>
<alias type="gene name">BRCA2</alias></names><xref>
<primaryRef db="intact" id="EBI-1"/><secondaryRef db="uniprotkb" id="P51587" refTypeAc="MI:0356"/></xref>
<interactorType><names/></interactorType><organism ncbiTaxId="9606"/></interactor>"""
INTERACTOR_B = """<interactor id="3"><names><shortLabel>peptide</shortLabel></names>
<xref><primaryRef db="uniprotkb" id="P02649-PRO_0000001987"/></xref><organism ncbiTaxId="-2"/></interactor>"""
NO_NAME = INTERACTOR_B.partition("<organism")[0]
PARTICIPANT_A = '<participant id="5"><interactorRef>2</interactorRef></participant>'
PARTICIPANT_B = '<participant id="6"><interactorRef>3</interactorRef></participant>'
PARTICIPANTS = f"<participantList>{PARTICIPANT_A}{PARTICIPANT_B}</participantList>"
REFERENCES = "<experimentList><experimentRef>1</experimentRef></experimentList>"
INTERACTION = f'<interaction id="4">{REFERENCES}{PARTICIPANTS}</interaction>'
ENTRY = f"""<entry><experimentList>{EXPERIMENT}</experimentList>
<interactorList>{INTERACTOR_A}{INTERACTOR_B}</interactorList><interactionList>
{INTERACTION}
</interactionList></entry>"""


def build_file(entry=ENTRY, namespace=OLD_PSI_MI_NAMESPACE):
    return f'<entrySet level="2" version="5" xmlns="{namespace}">\n{entry}</entrySet>'.encode()


def read(content):
    return read_psi_mi_xml(BytesIO(content), "mine.xml")


def list_faults(content):
    with pytest.raises(RefusedFileError) as refused:
        read(content)
    return [(fault.rule, fault.line, fault.column, fault.message) for fault in refused.value.faults]


def list_left_out(content):
    return [warning.wrong for warning in list_left_out_warnings(read(content).left_out, "mine.xml")]


def read_shared(*path):
    content = require_shared_path(*path).read_bytes()
    return read(gzip.decompress(content) if path[-1].endswith(".gz") else content)


@pytest.mark.parametrize(
    "namespace", ["net:sf:psidev:mi", "http://psi.hupo.org/mi/mif", "http://psi.hupo.org/mi/mif300"]
)
def test_it_reads_the_compact_form_of_every_version(namespace):
    [parsed] = read(build_file(namespace=namespace)).abstracts
    assert parsed.publication.name == "10373512"
    assert parsed.abstract.state is AbstractState.DRAFT
    [interaction] = parsed.abstract.interactions
    first, second = interaction.participants
    assert (first.entity, first.name, first.taxon) == (EntityId("uniprot", "P51587"), "BRCA2", 9606)
    assert (second.entity, second.name, second.taxon) == (EntityId("uniprot", "P02649"), "peptide", None)
    assert (interaction.methods, interaction.negative, parsed.lines) == (("MI:0018",), False, (12,))


def test_it_reads_the_expanded_form_as_the_compact_one():
    participants = PARTICIPANTS.replace("<interactorRef>2</interactorRef>", INTERACTOR_A)
    participants = participants.replace("<interactorRef>3</interactorRef>", INTERACTOR_B)
    interaction = f'<interaction id="4"><experimentList>{EXPERIMENT}</experimentList>{participants}</interaction>'
    expanded = build_file(f"<entry><interactionList>{interaction}</interactionList></entry>")
    assert read(expanded).abstracts[0].abstract == read(build_file()).abstracts[0].abstract


def test_it_reads_a_namespace_with_a_prefix():
    content = build_file().replace(b"xmlns=", b"xmlns:mi=")
    prefixed = content.replace(b"<", b"<mi:").replace(b"<mi:/", b"</mi:")
    assert read(prefixed).abstracts == read(build_file()).abstracts


def test_it_makes_a_record_for_each_article_and_unites_entries_of_one():
    other = ENTRY.replace("10373512", "12345").replace('db="pubmed"', 'db="doi"').replace("12345", "10.1000/x")
    content = read(build_file(ENTRY + other + ENTRY))
    assert [(each.publication.name, len(each.abstract.interactions)) for each in content.abstracts] == [
        *(("10373512", 2), ("10.1000/x", 1))
    ]


def test_it_keeps_an_interaction_of_two_articles_in_both():
    second = EXPERIMENT.replace('id="1"', 'id="9"').replace("10373512", "12")
    entry = ENTRY.replace(EXPERIMENT, EXPERIMENT + second)
    entry = entry.replace(
        "<experimentRef>1</experimentRef>", "<experimentRef>1</experimentRef><experimentRef>9</experimentRef>"
    )
    assert [each.publication.name for each in read(build_file(entry)).abstracts] == ["10373512", "12"]


def test_it_keeps_the_confidence_and_comments_of_an_author():
    unit = '<unit><names/><xref><primaryRef db="psi-mi" id="MI:1221"/></xref></unit>'
    details = (
        f"<negative>1</negative><confidenceList><confidence>{unit}<value>0.25</value></confidence></confidenceList>"
        '<attributeList><attribute name="comment"> twice </attribute>'
        '<attribute name="figure legend" nameAc="MI:0599">F4A</attribute></attributeList>'
    )
    [parsed] = read(build_file(ENTRY.replace("</interaction>", details + "</interaction>"))).abstracts
    [interaction] = parsed.abstract.interactions
    assert (interaction.confidence, interaction.negative) == (0.25, True)
    assert interaction.comment == "twice\nFigure legend: F4A"


def test_it_keeps_complexes_with_an_identifier_of_the_complex_portal():
    entry = ENTRY.replace(
        "<interactionList>",
        '<interactionList><abstractInteraction id="8"><xref><primaryRef db="complex portal" id="CPX-6"/></xref>'
        f"{PARTICIPANTS}</abstractInteraction>",
    )
    entry = entry.replace(
        f"{REFERENCES}<participantList>{PARTICIPANT_A}",
        f"{REFERENCES}<participantList>{PARTICIPANT_A}".replace(
            "<interactorRef>2</interactorRef>", "<interactionRef>8</interactionRef>"
        ),
    )
    [parsed] = read(build_file(entry)).abstracts
    assert parsed.abstract.interactions[0].participants[0].entity == EntityId("complexportal", "CPX-6")


@pytest.mark.parametrize(
    ("old", "new", "left_out"),
    [
        (
            "<interactorRef>2</interactorRef>",
            "<interactionRef>4</interactionRef>",
            "interactions without an identifier of a complex",
        ),
        (
            "<interactorRef>2</interactorRef>",
            '<interactorCandidateList><moleculeSetType/><interactorCandidate id="7"><interactorRef>2</interactorRef>'
            '</interactorCandidate><interactorCandidate id="8"><interactorRef>3</interactorRef></interactorCandidate>'
            "</interactorCandidateList>",
            "one of several candidates",
        ),
        (
            "<interactorType><names/></interactorType>",
            '<interactorType><names/><xref><primaryRef db="psi-mi" id="MI:1304"/></xref></interactorType>',
            "sets of molecules",
        ),
        (PARTICIPANT_B, "", "none is marked as interacting with itself"),
        (REFERENCES, "", "no experiment names their article"),
        ("<interactorRef>2</interactorRef>", '<interactorRef>2</interactorRef><stoichiometry value="2"/>', "etries 1"),
        (PARTICIPANTS, PARTICIPANTS + "<modelled>true</modelled>", "an interaction is modelled 1"),
        ("MI:0018", "two hybrid", "methods 1 (they have no PSI-MI identifier"),
        (PARTICIPANTS, PARTICIPANTS + "<interactionType/><interactionType/>", "types 1 (an interaction has one"),
    ],
)  # fmt: skip
def test_it_lists_what_it_leaves_out(old, new, left_out):
    assert any(left_out in line for line in list_left_out(build_file(ENTRY.replace(old, new))))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("net:sf:psidev:mi", "net:sf:psidev:m", ("R741", 1, 1, "is not the namespace")),
        ("entrySet", "collection", ("R741", 1, 1, "begins with “collection”")),
        ("<experimentRef>1</", "<experimentRef>7</", ("R743", 12, 37, "experimentRef 7 refers to no experiment")),
        ("<interactorRef>3</", "<interactorRef>8</", ("R743", 12, 189, "interactorRef 8 refers to no interactor of")),
        ('<interactor id="3">', '<interactor id="2">', ("R743", 10, 83, "already one of interactor with the id 2")),
        ('<interactor id="3">', "<interactor>", ("R743", 10, 83, "the interactor has no id")),
        (PARTICIPANTS, "", ("R744", 12, 1, "has no participant")),
        ("<interactorRef>2</interactorRef>", "", ("R744", 12, 103, "has no interactor")),
        (METHOD, "", ("R744", 2, 24, "has no interactionDetectionMethod")),
        (NO_NAME, '<interactor id="3">', ("R744", 10, 83, "neither a name nor a reference")),
        ("<interactionDetectionMethod>", "<participantIdentificationMethod>", ("R663", 5, 3, "not well-formed")),
        ("<bibref><xref>", "<xref><bibref>", ("R742", 3, 7, "no element “bibref” in xref")),
        ("<bibref>", "<BIBREF>", ("R742", 3, 1, "no element “BIBREF” in experimentDescription")),
        ('ncbiTaxId="9606"', 'ncbiTaxId="human"', ("R745", 10, 42, "ncbiTaxId is “human”")),
        (PARTICIPANTS, PARTICIPANTS + "<negative>no</negative>", ("R745", 12, 253, "negative is “no”")),
        ("<entrySet", "<!DOCTYPE entrySet [<!ENTITY x 'y'>]><entrySet", ("R664", 1, 20, "declares a document type")),
    ],
)  # fmt: skip
def test_it_refuses_what_the_schema_does_not_allow(old, new, fault):
    content = build_file().decode().replace(old, new)
    if new == "<BIBREF>":
        content = content.replace("</bibref>", "</BIBREF>")
    elif new == "<xref><bibref>":
        content = content.replace("</xref></bibref>", "</bibref></xref>")
    rule, line, column, text = fault
    faults = list_faults(content.encode())
    assert (rule, line, column) in [each[:3] for each in faults]
    [message] = [each[3] for each in faults if each[:3] == (rule, line, column)]
    assert text in message and " - " in message


def test_it_lists_every_fault_of_a_file():
    broken = ENTRY.replace("<experimentRef>1<", "<experimentRef>7<").replace(INTERACTOR_A, "")
    assert [fault[0] for fault in list_faults(build_file(broken))] == ["R743", "R743"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (">published<", ">done<"),
        (">9606<", ">human<"),
        (">curator 0000-0002-1825-0097 Josiah Carberry<", ">Josiah Carberry<"),
        (">system GNormPlus 2<", ">GNormPlus 2<"),
        ('{"kind": "label"', '{"kind": "rumour"'),
        ('{"kind": "label"', '"kind": "label"'),
        (">35-", ">999-"),
        (">35-", ">"),
    ],
)  # fmt: skip
def test_it_refuses_attributes_of_ours_that_were_damaged(old, new):
    content = "".join(write_psi_mi_xml([export()], PsiMiVersion.V300))
    assert old in content
    # The source of an organism that is none any more is a fault, too.
    assert {fault[0] for fault in list_faults(content.replace(old, new).encode())} == {"R745"}


def test_it_stops_at_elements_that_are_nested_too_deeply():
    deep = b"<a>" * 100_000
    assert list_faults(build_file().replace(b"<names/>", b"<names/>" + deep, 1))[0][0] == "R742"


def test_it_describes_its_rules():
    assert {f"R74{number}" for number in range(1, 6)} <= {rule.code for rule in FILE_RULES}


@pytest.mark.shared
@pytest.mark.parametrize(
    ("path", "interactions"),
    [
        (("psi-mi", "10049915.xml.gz"), {"10049915": 1}),
        (("psi-mi", "15144954.xml.gz"), {"15144954": 12}),
        (("psi-mi", "11779463_stoichiometry.xml.gz"), {"11779463": 1}),
        (("psi-mi", "22984071-participantSet.xml.gz"), {}),
        (("psi-mi", "gaba_receptor_abstract.xml.gz"), {}),
        (("interactions", "psimi_xml", "15800615.xml"), {"15800615": 5}),
        (("interactions", "psimi_xml", "7566652_variant.mif25.xml"), {"7566652": 3}),
    ],
)
def test_it_reads_entries_of_intact_and_writes_them_again(path, interactions):
    content = read_shared(*path)
    assert {each.publication.name: len(each.abstract.interactions) for each in content.abstracts} == interactions
    assert content.left_out
    for parsed in content.abstracts:
        for version in PsiMiVersion:
            [back] = read("".join(write_psi_mi_xml([export(parsed.abstract)], version)).encode()).abstracts
            assert back.abstract == parsed.abstract


@pytest.mark.shared
def test_it_reads_an_interaction_of_intact_as_it_is_there():
    [parsed] = read_shared("psi-mi", "15144954.xml.gz").abstracts
    complex_of_three = parsed.abstract.interactions[0]
    assert complex_of_three.participants == (
        Participant(EntityId("uniprot", "P06748-2"), "NPM1", 9606, experimental_role="MI:0498"),
        Participant(EntityId("uniprot", "P06748-1"), "NPM1", 9606, experimental_role="MI:0498"),
        Participant(EntityId("uniprot", "P04637"), "TP53", 9606, experimental_role="MI:0496"),
    )
    assert (complex_of_three.interaction_type, complex_of_three.methods) == ("MI:0914", ("MI:0006",))

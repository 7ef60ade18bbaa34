"""The dictionary of MeSH finds diseases and chemicals in small texts, and triggers relate those of a sentence."""

import pytest

from annotations.schema import EntityId
from servers.kit.articles import parse_xmlrpc_article_parameter
from servers.reference import __main__ as command
from servers.reference.mesh_dictionary import MeshDictionary, iter_mesh_descriptors
from servers.reference.mesh_labels import MeshLabelDictionary
from servers.reference.relation_triggers import TriggeredRelations, iter_sentences

ROWS = (
    ("D001943", "Breast Neoplasms", "Neoplasm, Breast|Breast Cancer", "C04.588.180|C17.800.090.500"),
    ("D009369", "Neoplasms", "Cancer|Tumors", "C04"),
    ("D003924", "Diabetes Mellitus, Type 2", "NIDDM", "C18.452.394.750.149|C19.246.300"),
    ("D006689", "Hodgkin Disease", "Hodgkin's Disease", "C04.557.386.355"),
    ("D000163", "Acquired Immunodeficiency Syndrome", "AIDS", "C01.221.250.875.080"),
    ("D013629", "Tamoxifen", "", "D02.455.426.559.389.150.700.900"),
    ("D007854", "Lead", "", "D01.268.556.435"),
    ("D015632", "1-Methyl-4-phenylpyridinium", "", "D03.383.725.791"),
    ("D001519", "Behavior", "Tamoxifen Use", "F01.145"),
)
TABLE = ["\t".join((*row, "")) + "\n" for row in ROWS]


@pytest.fixture
def dictionary():
    return MeshDictionary(iter_mesh_descriptors(TABLE), ["Disease", "Chemical"])


def annotate(annotator, text):
    return annotator.annotate(parse_xmlrpc_article_parameter(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Breast cancers\nCancer of the breast.", [("Breast cancers", "D001943"), ("Cancer", "D009369")]),
        ("NIDDM\nIn type 2 diabetes mellitus", [("NIDDM", "D003924"), ("type 2 diabetes mellitus", "D003924")]),
        ("Hodgkin's\nIt is Hodgkin's disease.", [("Hodgkin's disease", "D006689")]),
        ("AIDS\nA hearing aids study, which may lead to it.", [("AIDS", "D000163")]),
        ("MPP\n1-methyl-4-phenylpyridinium", [("1-methyl-4-phenylpyridinium", "D015632")]),
        ("Of the breast. Cancer\nTamoxifen use", [("Cancer", "D009369"), ("Tamoxifen", "D013629")]),
    ],
)
def test_it_finds_whole_longest_names_as_they_are_written(dictionary, text, found):
    mentions = annotate(dictionary, text)
    assert [(mention.text, mention.identifiers) for mention in mentions] == [
        (name, (EntityId("mesh", identifier),)) for name, identifier in found
    ]
    assert all(text[mention.start : mention.end] == mention.text for mention in mentions)


def test_it_finds_only_the_types_that_it_is_started_for():
    chemicals = MeshDictionary(iter_mesh_descriptors(TABLE), ["Chemical"])
    assert [(one.text, one.type) for one in annotate(chemicals, "Cancer\nTamoxifen")] == [("Tamoxifen", "Chemical")]


def test_it_is_surer_of_what_the_title_names_and_the_text_repeats(dictionary):
    alone, repeated = annotate(dictionary, "Tamoxifen\nCancer."), annotate(dictionary, "Tamoxifen\nTamoxifen, cancer.")
    assert alone[1].confidence < alone[0].confidence < repeated[0].confidence == repeated[1].confidence


def test_it_says_which_line_of_the_table_is_too_short():
    with pytest.raises(ValueError, match="Line 2 of the table of MeSH has 2 columns instead of 4"):
        list(iter_mesh_descriptors([TABLE[0], "D000001\tCalcimycin\n"]))


def test_it_relates_the_chemicals_and_diseases_of_a_sentence_with_a_trigger(dictionary):
    text = "Tamoxifen in cancer\nCancer was treated with tamoxifen. Therapy with tamoxifen for cancer. AIDS, tamoxifen."
    (relation,) = annotate(TriggeredRelations(dictionary), text)
    assert (relation.type, relation.is_directed, relation.confidence) == ("treats", True, None)
    assert [(one.role, one.type, one.text) for one in relation.arguments] == [
        ("chemical", "Chemical", "tamoxifen"),
        ("disease", "Disease", "Cancer"),
    ]
    assert [text[start:end] for start, end in relation.evidence] == [
        "Cancer was treated with tamoxifen.",
        "Therapy with tamoxifen for cancer.",
    ]
    assert all(text[one.spans[0].start : one.spans[0].end] == one.text for one in relation.arguments)
    assert [one.type for one in annotate(TriggeredRelations(dictionary), "T\nTamoxifen-induced cancer")] == ["induces"]


def test_labels_are_found_without_synonyms_but_with_the_abbreviations_of_the_article():
    labels = MeshLabelDictionary(iter_mesh_descriptors(TABLE), ["Disease", "Chemical"])
    text = "HD in breast cancer\nOf Hodgkin disease (HD), not HD-2. Tamoxifen Citrate (TC) in breast neoplasm (BN)."
    mentions = annotate(labels, text)
    assert [(one.start, one.text, one.identifiers[0].identifier) for one in mentions[:3]] == [
        (0, "HD", "D006689"),
        (23, "Hodgkin disease", "D006689"),
        (40, "HD", "D006689"),
    ]
    assert [one.text for one in mentions[3:]] == ["Tamoxifen", "breast neoplasm", "BN"]


def test_a_stricter_rule_relates_by_a_trigger_between_the_two_alone(dictionary):
    text = "T\nTherapy with tamoxifen for AIDS. Cancer was treated with tamoxifen, and diabetes followed."
    relations = annotate(TriggeredRelations(dictionary, between=True), text)
    assert [(one.type, [argument.text for argument in one.arguments]) for one in relations] == [
        ("treats", ["tamoxifen", "Cancer"])
    ]


def test_the_title_is_a_sentence_of_its_own():
    text = "On E. coli\nIt grew. (It did.) pH 7.4 was best"
    assert [text[start:end] for start, end in iter_sentences(text)] == [
        "On E. coli",
        "It grew.",
        "(It did.) pH 7.4 was best",
    ]


def test_it_annotates_the_title_alone_if_asked(tmp_path):
    table = tmp_path / "mesh.tsv"
    table.write_text("".join(TABLE))
    arguments = ["mesh", "--labels", str(table), "--type", "Disease", "--title-only", "--port", "1"]
    options = command.build_parser().parse_args(arguments)
    annotate_title = command._wrap_with_title_choice(options.load(options))
    article = parse_xmlrpc_article_parameter("Cancer\nBreast cancer and AIDS")
    assert [(one.start, one.text) for one in annotate_title(article)] == [(0, "Cancer")]

"""Interaction pairs are read from PSI-MI XML, as a gold standard or a run."""

import gzip
import json
from dataclasses import replace
from io import BytesIO

import pytest

from annotations.digital_abstract import DigitalAbstract, Interaction, Participant
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.errors import RefusedFileError
from annotations.formats.psi_mi_xml.pairs import expand_interaction
from annotations.formats.psi_mi_xml.vocabulary import PsiMiVersion
from annotations.formats.psi_mi_xml.writer import write_psi_mi_xml
from annotations.formats.result_sniffing import ResultFormat, sniff_result_format_else_tsv
from annotations.schema import EntityId
from evaluation.__main__ import main
from tests.digital_abstract_samples import BINDING, BRCA2, DIMER, NEGATIVE, RAD51, TP53, export
from tests.shared_data import require_shared_path

BAIT, PREY = "MI:0496", "MI:0498"


def write(*interactions):
    return "".join(write_psi_mi_xml([export(DigitalAbstract(interactions))], PsiMiVersion.V254)).encode()


def read(content):
    return ANNOTATED_TEXT_FORMATS[ResultFormat.PSI_MI_XML].read(BytesIO(content), "gold.xml")


def list_pairs(content):
    return [(pair.document, pair.a, pair.b) for pair in read(content).pairs]


def test_it_reads_the_pairs_of_each_article():
    content = read(write(BINDING, DIMER))
    assert list(content.documents) == ["10373512"]
    assert [(pair.a, pair.b) for pair in content.pairs] == [("P51587", "Q06609"), ("Q06609", "Q06609")]
    assert all(pair.interacts for pair in content.pairs)
    assert len(content.relations) == 2


def test_it_leaves_out_negative_interactions_and_other_molecules():
    mixed = Interaction((Participant(BRCA2), Participant(EntityId("ncbigene", "7157"))))
    chemical = Interaction((Participant(EntityId("chebi", "15422")), Participant(EntityId("chebi", "15996"))))
    content = read(write(BINDING, NEGATIVE, mixed, chemical))
    assert len(content.pairs) == 1
    assert [(warning.rule, warning.wrong.split(" (")[0]) for warning in content.warnings] == [
        ("R660", "left out: pairs 1"),
        ("R660", "left out: pairs 2"),
    ]


@pytest.mark.parametrize(
    ("roles", "pairs"),
    [
        ((PREY, BAIT, PREY), [(RAD51, BRCA2), (RAD51, TP53)]),
        ((PREY, PREY, PREY), [(BRCA2, RAD51), (BRCA2, TP53), (RAD51, TP53)]),
        ((BAIT, BAIT, PREY), [(BRCA2, RAD51), (BRCA2, TP53), (RAD51, TP53)]),
    ],
)
def test_it_expands_interactions_of_several(roles, pairs):
    participants = zip((BRCA2, RAD51, TP53), roles, strict=True)
    complex_ = Interaction(tuple(Participant(entity, experimental_role=role) for entity, role in participants))
    assert list(expand_interaction(complex_)) == pairs


@pytest.mark.parametrize("start", ["", "\ufeff", "<?xml version='1.0'?>\n<!-- An export. -->\n"])
@pytest.mark.parametrize("root", ["<entrySet ", "<mi:entrySet "])
def test_it_is_detected_by_its_root(start, root):
    assert sniff_result_format_else_tsv(BytesIO(f"{start}{root}".encode())) is ResultFormat.PSI_MI_XML


def test_it_refuses_a_file_without_articles():
    with pytest.raises(RefusedFileError) as refused:
        read(b'<entrySet xmlns="net:sf:psidev:mi"/>')
    assert [fault.rule for fault in refused.value.faults] == ["R659"]


def test_it_scores_a_run_against_it(tmp_path, capsys):
    (tmp_path / "gold.xml").write_bytes(write(BINDING, replace(BINDING, comment="again"), NEGATIVE))
    (tmp_path / "run.tsv").write_text("10373512\tQ06609\tP51587\t1\t0.9\n10373512\tP04637\tP51587\t2\t0.8\n")
    arguments = ["score", "--format", "json", "--task", "ipt", str(tmp_path / "run.tsv"), str(tmp_path / "gold.xml")]
    assert main(arguments) == 0
    [run] = json.loads(capsys.readouterr().out)["runs"]
    assert [run["figures"]["micro"][name] for name in ("tp", "fp", "fn")] == [1, 1, 0]


@pytest.mark.shared
def test_it_reads_the_pairs_of_an_article_of_intact():
    path = require_shared_path("psi-mi", "15144954.xml.gz")
    pairs = {tuple(sorted(pair[1:])) for pair in list_pairs(gzip.decompress(path.read_bytes()))}
    assert ("P04637", "Q00987") in pairs
    # The complex of NPM1 and TP53 has one bait, so its preys form no pair.
    assert ("P06748-1", "P06748-2") not in pairs

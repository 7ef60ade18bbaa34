"""The table of PSI-MI terms: what it has, the branches of its terms, and finding them by name."""

import subprocess
import sys
from pathlib import Path

import pytest

from annotations.identifiers.psi_mi_terms import (
    BIOLOGICAL_ROLE_BRANCH,
    EXPERIMENTAL_ROLE_BRANCH,
    METHOD_BRANCH,
    PSI_MI_BRANCHES,
    PSI_MI_TABLE,
    TYPE_BRANCH,
    PsiMiTerm,
    PsiMiTerms,
    load_shipped_psi_mi_terms,
)
from annotations.identifiers.tables.obo import read_psi_mi_terms_with_aliases
from annotations.identifiers.tables.table_lines import FaultNotingTableLines
from tests.shared_data import require_shared_path

ROOT = Path(__file__).resolve().parents[4]
TERMS = load_shipped_psi_mi_terms()
DRAWN = PsiMiTerms(
    [
        PsiMiTerm("MI:0001", "interaction detection method"),
        PsiMiTerm("MI:0018", "two hybrid", ("2-hybrid", "Y2H"), ("MI:0001",)),
        PsiMiTerm("MI:0112", "ubiquitin reconstruction", ("split ubiquitin two hybrid",), ("MI:0018", "MI:0190")),
        PsiMiTerm("MI:0397", "two hybrid array", (), ("MI:0018",)),
        PsiMiTerm("MI:0190", "interaction type"),
        PsiMiTerm("MI:0407", "direct interaction", (), ("MI:0190",)),
    ]
)


def list_ids(terms):
    return [term.id for term in terms]


def test_it_has_the_terms_of_curation():
    assert 500 < len(TERMS) < 1000
    assert TERMS.find_term("MI:0018").name == "two hybrid"
    assert TERMS.find_term("MI:0018").parents == ("MI:0232",)
    assert TERMS.find_term("MI:0002") is None
    assert [TERMS.get_name(term) for term in ("MI:0915", "MI:9999")] == ["physical association", "MI:9999"]


@pytest.mark.parametrize(
    ("term", "branches"),
    [
        ("MI:0018", [METHOD_BRANCH]),
        ("MI:0217", [TYPE_BRANCH]),
        ("MI:0326", ["MI:0313"]),
        ("MI:0496", [EXPERIMENTAL_ROLE_BRANCH]),
        ("MI:0503", [EXPERIMENTAL_ROLE_BRANCH, BIOLOGICAL_ROLE_BRANCH]),
        ("MI:0499", [EXPERIMENTAL_ROLE_BRANCH, BIOLOGICAL_ROLE_BRANCH]),
        ("MI:0501", [BIOLOGICAL_ROLE_BRANCH]),
        ("MI:0001", []),
        ("MI:9999", []),
    ],
)
def test_it_knows_branches_through_all_parents(term, branches):
    assert TERMS.list_branches(term) == branches


@pytest.mark.parametrize(
    ("interaction_type", "expected"),
    [
        ("MI:0414", True),
        ("MI:0217", True),
        ("MI:0571", True),
        ("MI:0407", False),
        ("MI:0915", False),
        ("MI:0195", False),
        ("MI:2286", False),
        ("MI:0424", False),
        ("MI:9999", False),
        ("", False),
    ],
)
def test_enzymatic_reactions_have_a_direction(interaction_type, expected):
    assert TERMS.has_direction(interaction_type) is expected


def test_it_lists_the_terms_of_a_branch_by_name():
    assert list_ids(DRAWN.list_terms_below("MI:0001")) == ["MI:0018", "MI:0397", "MI:0112"]
    assert list_ids(DRAWN.list_terms_below("MI:0190")) == ["MI:0407", "MI:0112"]
    assert len(TERMS.list_terms_below(METHOD_BRANCH)) > 300


def test_it_finds_names_and_synonyms_in_any_spelling():
    assert list_ids(DRAWN.list_terms_named("Two-Hybrid")) == ["MI:0018"]
    assert list_ids(DRAWN.list_terms_named("2 HYBRID")) == ["MI:0018"]
    assert DRAWN.list_terms_named("two hybrid", "MI:0190") == []
    assert list_ids(TERMS.list_terms_named("phosphorylation")) == ["MI:0217"]


def test_it_suggests_the_best_terms_first():
    assert list_ids(DRAWN.suggest_terms("two hybrid")) == ["MI:0018", "MI:0397", "MI:0112"]
    assert list_ids(DRAWN.suggest_terms("two hybrid", "MI:0190")) == ["MI:0112"]
    assert list_ids(DRAWN.suggest_terms("ubiq")) == ["MI:0112"]
    assert list_ids(DRAWN.suggest_terms("inter")) == ["MI:0190", "MI:0001", "MI:0407"]
    assert list_ids(DRAWN.suggest_terms("mi:01")) == ["MI:0190", "MI:0112"]
    assert list_ids(DRAWN.suggest_terms("two", most=1)) == ["MI:0018"]
    assert DRAWN.suggest_terms("  ") == DRAWN.suggest_terms("nothing like it") == []
    assert TERMS.suggest_terms("pull d", METHOD_BRANCH)[0].name == "pull down"


def test_it_ends_at_a_circle_of_parents():
    circle = PsiMiTerms([PsiMiTerm("MI:1", "a", (), ("MI:2",)), PsiMiTerm("MI:2", "b", (), ("MI:1",))])
    assert circle.is_below("MI:1", "MI:2")
    assert not circle.is_below("MI:1", "MI:0001")


def read_ontology():
    path = require_shared_path("ontology", "psi-mi.obo.gz")
    with path.open("rb") as stream:
        records = list(read_psi_mi_terms_with_aliases(FaultNotingTableLines(stream, path.name)))
    return path, {record.identifier: record for record in records if not record.withdrawn}


@pytest.mark.shared
def test_it_has_every_current_term_of_its_branches_as_the_ontology_has_it():
    _, records = read_ontology()
    ontology = PsiMiTerms(
        PsiMiTerm(each.identifier, each.name, each.synonyms, each.parents) for each in records.values()
    )
    wanted = {term.id for term in ontology if term.id in PSI_MI_BRANCHES or ontology.list_branches(term.id)}
    assert {term.id for term in TERMS} == wanted
    for term in TERMS:
        record = records[term.id]
        synonyms = dict.fromkeys(" ".join(each.split()) for each in record.synonyms)
        assert (term.name, term.synonyms) == (" ".join(record.name.split()), tuple(synonyms))
        assert term.parents == tuple(each for each in record.parents if each in wanted)
        assert TERMS.list_branches(term.id) == ontology.list_branches(term.id)


@pytest.mark.shared
def test_its_script_writes_the_table_that_is_checked_in(tmp_path):
    path, _ = read_ontology()
    written = tmp_path / "terms.tsv"
    subprocess.run([sys.executable, ROOT / "tools" / "make_psi_mi_terms.py", path, written], check=True)
    assert written.read_bytes() == PSI_MI_TABLE.read_bytes()

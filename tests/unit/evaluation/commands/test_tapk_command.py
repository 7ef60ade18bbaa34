"""`python -m evaluation tapk`: what it prints, and which lists it refuses."""

import json
from pathlib import Path

import pytest

from evaluation.__main__ import main

LISTS = "q1 2\n1\n1 3\n0 2\n\nq2\n2\n0 0.9\n1 0.8\n0 0.1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("lists").write_text(LISTS)


def test_it_pads_where_half_of_the_lists_have_fewer_errors(capsys):
    assert main(["tapk", "-k", "1,2", "--pad", "--format", "json", "lists"]) == 0
    first, second = json.loads(capsys.readouterr().out)["tapk"]
    assert list(first) == ["k", "e_k", "tap_k", "queries"]
    assert (first["k"], first["e_k"], first["queries"]) == (1, 2.0, {"q1": 0.75, "q2": 0.0})
    assert first["tap_k"] == 0.5
    assert (second["k"], second["e_k"]) == (2, None)


def test_it_refuses_lists_without_a_common_threshold(capsys):
    assert main(["tapk", "-k", "2", "lists"]) == 1
    said = "fewer than half of the lists have 2 errors - choose a smaller k or pad the lists"
    assert capsys.readouterr().err == f"lists:0:0: R628 {said}\n"


def test_it_cuts_each_list_at_its_own_error(capsys):
    assert main(["tapk", "-k", "2", "--per-list", "lists"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[:2] == ["2", "none"]


def test_it_scores_a_list_without_two_different_scores(capsys):
    Path("tied").write_text("q1\n1\n1 5\n0 5\n")
    for options in ([], ["--per-list"]):
        assert main(["tapk", "-k", "1", *options, "tied"]) == 0
        assert capsys.readouterr().out.splitlines()[1].split()[-1] == "0.75000"
    Path("tied").write_text("q1\n1\n1 5\n0 5\n\nq2\n1\n1 6\n0 6\n")
    assert main(["tapk", "-k", "1", "tied"]) == 1
    assert main(["tapk", "-k", "1", "--per-list", "tied"]) == 0


def test_it_tells_all_faults_of_lists(capsys):
    Path("bad").write_text("q1 0\nx\n2 a\n\nq1\n1\n1 1\n1 2\n0 1\n")
    assert main(["tapk", "bad"]) == 1
    told = [line.split(" ")[:2] for line in capsys.readouterr().err.splitlines()]
    assert told == [
        ["bad:1:1:", "R621"],
        ["bad:2:1:", "R622"],
        ["bad:3:1:", "R623"],
        ["bad:5:1:", "R624"],
        ["bad:5:1:", "R626"],
        ["bad:6:1:", "R625"],
    ]

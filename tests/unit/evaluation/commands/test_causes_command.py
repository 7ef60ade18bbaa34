"""The command causes: why a run misses what it misses, and reports what is not right."""

import json

import pytest

from evaluation.__main__ import main

FILES = {
    "run": "d1 A 0.9\nd1 X 0.5\nd2 C 0.2\nd2 Y 0.1\nd3 E 0.9\n",
    "other": "d3 D\n",
    "gold": "d1 A\nd1 B\nd2 C\nd3 D\nd3 F\n",
    "homonyms": "B X\n",
    "organisms": "A 1\nB 1\nC 1\nD 1\nE 2\nF 1\n",
    "pairs": "d1 A C\n",
    "right": "d1 A B\n",
}
LINE = "causes --task gn --min-confidence 0.3 --homonyms homonyms --organisms organisms run other gold"


@pytest.fixture
def said(tmp_path, monkeypatch, capsys):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text.replace(" ", "\t"))
    monkeypatch.chdir(tmp_path)

    def call(line):
        assert main(line.split()) == 0
        return capsys.readouterr().out

    return call


def test_it_tells_the_cause_of_every_fault(said):
    assert said(f"{LINE} --format tsv").splitlines() == [
        "document\tfault\titem\tcause\tinstead",
        "d1\tmiss\tB\thomonym\tX",
        "d1\tfalse alarm\tX\thomonym\tB",
        "d2\tmiss\tC\tcut-off\t",
        "d3\tmiss\tD\toverlooked\t",
        "d3\tmiss\tF\tnot in any run's output\t",
        "d3\tfalse alarm\tE\twrong organism\t",
    ]


def test_it_counts_causes(said):
    found = json.loads(said(f"{LINE} --format json"))
    assert [(own["fault"], own["number"]) for own in found["causes"]] == [("miss", 1)] * 4 + [("false alarm", 1)] * 2
    assert found["faults"][0] == {
        "document": "d1", "fault": "miss", "item": "B", "cause": "homonym", "instead": "X",
    }  # fmt: skip
    assert said(LINE).splitlines()[1].split() == ["miss:", "cut-off", "1", "25.0%"]


def test_it_writes_pairs_into_one_cell(said):
    assert "d1\tmiss\tA B\tone partner\tA C" in said("causes --task ipt --format tsv pairs right")


def test_it_says_that_nothing_is_wrong(said):
    assert said("causes --task ipt right right") == "No false negatives and no false positives.\n"


@pytest.mark.parametrize("line", ["causes --task gn gold", "causes --task act run gold"])
def test_it_takes_a_run_of_lists_and_a_gold_standard(said, line):
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == 2

"""Runs and gold standards in BioCreative II XML, scored and checked by `python -m evaluation`."""

import json
from pathlib import Path

import pytest

from evaluation.__main__ import main

SPLIT = """<ENTRY>
<PMID>11</PMID>
<INTERACTION_PAIR>
<INTERACTOR_1>Q08211</INTERACTOR_1><INTERACTOR_2>GRB2_HUMAN
<RANK>1</RANK>
</INTERACTION_PAIR>
</ENTRY>
<ENTRY>
<PMID>11</PMID>
<INTERACTION_PAIR><INTERACTOR_1>Q9UBU9</INTERACTOR_1><INTERACTOR_2>Q08211</INTERACTOR_2><RANK>1</RANK></INTERACTION_PAIR>
</ENTRY>
"""
CORRECT_RUN = SPLIT.replace("GRB2_HUMAN\n", "P62993</INTERACTOR_2>").replace(
    "<RANK>1</RANK></INTER", "<RANK>2</RANK></INTER"
)
RUN_LINES = "11 Q08211 P62993 1\n11 Q08211 Q9UBU9 2\n"
GOLD = "11 P62993 Q08211\n12 Q08211 Q9UBU9\n"
REPAIR_MESSAGES = [
    "run:4:36: R633 repaired: <INTERACTOR_2> is not closed before <RANK> and was closed there",
    "run:4:36: R642 repaired: “GRB2_HUMAN” was read as P62993",
    "run:10:89: R609 repaired: this result had rank 1, which was already used; its rank is now 2",
]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """The files of the tests, spaces for tabs in those with lines, in the folder that the command runs in."""
    monkeypatch.chdir(tmp_path)
    texts = {"run": SPLIT, "right": CORRECT_RUN, "lines": RUN_LINES, "gold": GOLD, "names": "grb2_human P62993\n"}
    for name, text in texts.items():
        Path(name).write_text(text if text.startswith("<") else text.replace(" ", "\t"))
    Path("xml-gold").write_text(
        "<GOLD><ENTRY><PMID>11</PMID><INTERACTION_PAIR><INTERACTOR_1>P62993</INTERACTOR_1><INTERACTOR_2>Q08211"
        "</INTERACTOR_2></INTERACTION_PAIR></ENTRY><ENTRY><PMID>12</PMID><INTERACTION_PAIR><INTERACTOR_1>Q08211"
        "</INTERACTOR_1><INTERACTOR_2>Q9UBU9</INTERACTOR_2></INTERACTION_PAIR></ENTRY></GOLD>"
    )


@pytest.fixture
def reports(capsys):
    """What `score` prints of each run, and what it says beside."""

    def score(*arguments):
        assert main(["score", "--format", "json", *arguments]) == 0
        told = capsys.readouterr()
        return json.loads(told.out)["runs"], told.err.splitlines()

    return score


def test_it_scores_xml_as_lines(reports):
    [xml, lines], _ = reports("--task", "ipt", "right", "lines", "gold")
    assert xml["figures"] == lines["figures"]
    assert xml["signature"] == lines["signature"]
    assert xml["figures"]["micro"]["tp"] == 1


def test_it_reads_xml_gold_standards(reports):
    [by_xml], _ = reports("--task", "ipt", "right", "xml-gold")
    [by_lines], _ = reports("--task", "ipt", "lines", "gold")
    assert by_xml["figures"] == by_lines["figures"]


def test_it_scores_interactors(reports):
    [xml], _ = reports("--task", "int", "right", "xml-gold")
    [pairs], _ = reports("--task", "ipt", "--interactors", "lines", "gold")
    assert xml["figures"] == pairs["figures"]


def test_it_tells_what_was_mended(reports):
    [run], told = reports("--task", "ipt", "--mend", "--names", "names", "run", "gold")
    assert told == ["run: columns found after the result: rank", *REPAIR_MESSAGES]
    [right], _ = reports("--task", "ipt", "right", "gold")
    assert run["figures"] == right["figures"]
    assert "|mended:3|names:sha256:" in run["signature"]


def test_it_refuses_what_is_not_mended(capsys):
    assert main(["check", "--task", "ipt", "run"]) == 1
    told = capsys.readouterr().err.splitlines()
    assert [line.split(" ")[:2] for line in told] == [
        ["run:4:36:", "R633"],
        ["run:4:36:", "R642"],
        ["run:10:89:", "R609"],
    ]


def test_it_refuses_tables_of_names(capsys):
    Path("names").write_text("GRB2_HUMAN P62993\n")
    assert main(["check", "--task", "ipt", "--mend", "--names", "names", "run"]) == 1
    assert (
        "names:1:1: R618 columns: 1 - write two, name and identifier, separated by one tab" in capsys.readouterr().err
    )


def test_it_mends_nothing_but_xml(wrong):
    said = "--mend works only with BioCreative II XML, but no file has this format; leave it out."
    assert wrong("score", "--task", "ipt", "--mend", "lines", "gold") == said
    assert wrong("check", "--task", "ipt", "--names", "names", "run").startswith(
        "--names FILE has the identifiers that --mend writes"
    )
    assert wrong("check", "--task", "act", "--mend", "run").startswith("--mend does not work with --task act")


def test_it_has_no_xml_of_other_tasks(wrong):
    said = "run is BioCreative II XML, which is for imt, int, ipt, iss; --task act needs tab-separated values."
    assert wrong("score", "--task", "act", "run", "gold") == said


@pytest.mark.parametrize("command", [["compare"], ["agree"], ["overlap"], ["ensemble", "--votes", "1", "-o", "joined"]])
def test_other_commands_take_it_too(command, capsys):
    gold = ["gold"] if command == ["compare"] else []
    assert main([*command, "--task", "ipt", "--mend", "--names", "names", "run", "lines", *gold]) == 0
    assert REPAIR_MESSAGES[0] in capsys.readouterr().err

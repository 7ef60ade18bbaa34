"""The commands in the README of an archive, and whether they print the figures that the archive has.

Each function takes the folder of an extracted archive in which every task is of one sort.
"""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir, redirect_stdout

from django.conf import settings
from django.utils.text import slugify

from evaluation.__main__ import main
from evaluation.measures.leaderboard_scenarios import (
    ANSWERED_SCENARIO,
    OFFICIAL_SCENARIO,
    ORGANISM_FILTERED_ANSWERED_SCENARIO,
    ORGANISM_FILTERED_SCENARIO,
    SWISSPROT_SCENARIO,
    organism_scenario_name,
)

LIST_FOLDERS = ("training/ACT", "training/GN")
SPAN_FLAGS = ("--answered-only", "--spans exact", "--spans start", "--spans end", "--spans either", "--spans overlap")
PASSAGE_FIGURES = {"mrr": "passage_mrr", "relevant_share": "relevant_share"}


def check_list_figures(folder):
    """Compare the figures of classes and lists, in processes without the site."""
    commands = list_commands(folder)
    told = {place: json.loads((folder / place / "scores.json").read_text()) for place in LIST_FOLDERS}
    wanted = {
        (place, own["scenario"], own["run"])
        for place, every in told.items()
        for own in every["scores"]
        if own["superseded"] is None and not own["absent"]
    }
    assert len(wanted) == 4 + 3 * 7
    checked = set()
    for command in commands:
        printed, place = run_alone(command, folder), re.search(r"(training/\w+)/gold.tsv", command)[1]
        if " compare " in command:
            same_pairs(command, printed, json.loads((folder / f"boards/{place.replace('/', '-')}.json").read_text()))
        else:
            checked |= {(place, *own) for own in same_scores(command, printed, told[place]["scores"])}
    assert checked == wanted
    assert sum(" compare " in command for command in commands) == 1 + 2 + 2 + 2


def check_mention_figures(folder):
    """Compare the figures of mentions; in this process, because there are many commands."""
    told = json.loads((folder / "training/GM/scores.json").read_text())["scores"]
    stored = {(own["scenario"], own["run"]): own for own in told}
    commands = list_commands(folder)
    checked = set()
    for command in commands:
        printed = run_in_this_process(command, folder)
        for run in printed["runs"] if " score " in command else ():
            own = stored[parse_spans_option(command), run["run"]]
            figures = {name: run["figures"][name[:5]][name[6:]] for name in own["figures"]}
            drawn = {name: run["intervals"][name.replace("_", ".", 1)] for name in own["intervals"]}
            assert (figures, drawn) == (own["figures"], own["intervals"])
            checked.add((parse_spans_option(command), run["run"]))
    assert checked == stored.keys() and len(checked) == 14
    assert sum(" compare " in command for command in commands) == 2 * 6


def check_passage_figures(folder):
    """Compare the figures of passages, in processes without the site."""
    score, compare = list_commands(folder)
    stored = {own["run"]: own for own in json.loads((folder / "training/ISS/scores.json").read_text())["scores"]}
    for own in run_alone(score, folder)["runs"]:
        figures = {PASSAGE_FIGURES[name]: value for name, value in own["figures"].items() if name in PASSAGE_FIGURES}
        assert figures == {name: stored[own["run"]]["figures"][name] for name in PASSAGE_FIGURES.values()}
        drawn = {PASSAGE_FIGURES[name]: value for name, value in own["intervals"].items() if name in PASSAGE_FIGURES}
        assert drawn == {name: stored[own["run"]]["intervals"][name] for name in PASSAGE_FIGURES.values()}
    (board,) = json.loads((folder / "boards/training-ISS.json").read_text()).values()
    assert [pair["p"] for pair in run_alone(compare, folder)["pairs"]] == [pair["p"] for pair in board["pairs"]]


def list_commands(folder):
    return re.findall(r"^    python (-m evaluation .*)$", (folder / "README.md").read_text(), re.M)


def run_alone(command, folder):
    """What a command of the README prints, without the settings and the database of the site."""
    kept = {name: own for name, own in os.environ.items() if name in {"PATH", "LANG", "HOME", "LD_LIBRARY_PATH"}}
    env = kept | {"PYTHONPATH": str(settings.BASE_DIR)}
    done = subprocess.run(
        f"{sys.executable} {command}", shell=True, cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run_in_this_process(command, folder):
    printed = io.StringIO()
    with chdir(folder), redirect_stdout(printed):
        assert main(shlex.split(command)[2:]) == 0
    return json.loads(printed.getvalue())


def parse_spans_option(command):
    flag = next((own for own in SPAN_FLAGS if own in command), "all")
    return flag.removeprefix("--spans ").removeprefix("--").removesuffix("-only")


def same_scores(command, printed, stored):
    """Compare each figure and each interval; the scenario and the run of each score that was compared."""
    for run in printed["runs"]:
        named = {own["scenario"]: own for own in stored if own["run"] == run["run"]}
        if "--per-organism" in command:
            parts = [
                (organism_scenario_name(taxon), own, run["organism_intervals"][taxon])
                for taxon, own in run["organisms"].items()
            ]
        else:
            parts = [(parse_command_scenario(command), run["figures"], run["intervals"])]
        for scenario, nested, intervals in parts:
            own, figures = named[scenario], flat(nested)
            drawn = {name.replace(".", "_"): interval for name, interval in intervals.items()}
            assert {name: figures[name] for name in own["figures"]} == own["figures"]
            assert {name: drawn[name] for name in own["intervals"]} == own["intervals"]
            assert own["intervals"]
            yield scenario, run["run"]


def same_pairs(command, printed, boards):
    """Compare the p of every two runs with that of the board."""
    way = printed["figure"].partition(".")[0]
    name = parse_command_scenario(command)
    board = boards[name] if boards[name]["ordered_by"].startswith(way) else boards[f"{name}-{way}"]
    assert board["ordered_by"] == printed["figure"].replace(".", "_")
    ours = {frozenset((slugify(own["a"]), slugify(own["b"]))): own["p"] for own in board["pairs"]}
    assert {frozenset((own["a"][4:], own["b"][4:])): own["p"] for own in printed["pairs"]} == ours


def flat(figures):
    """{measure: value}, of lists macro_f1 and so on."""
    nested = any(isinstance(part, dict) for part in figures.values())
    return {f"{way}_{name}": own for way, part in figures.items() for name, own in part.items()} if nested else figures


def parse_command_scenario(command):
    flags = {
        ANSWERED_SCENARIO: "--answered-only",
        ORGANISM_FILTERED_SCENARIO: "--organisms",
        SWISSPROT_SCENARIO: "--swissprot",
    }
    given = frozenset(name for name, flag in flags.items() if flag in command)
    both = {
        frozenset(): OFFICIAL_SCENARIO,
        frozenset({ANSWERED_SCENARIO, ORGANISM_FILTERED_SCENARIO}): ORGANISM_FILTERED_ANSWERED_SCENARIO,
    }
    return both.get(given) or next(iter(given))

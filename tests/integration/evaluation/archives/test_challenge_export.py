"""The archive of a challenge: the same bytes each time, whole, and scored again without the site."""

import json
import os
import re
import subprocess
import sys
import zipfile
from hashlib import sha256

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils.text import slugify

from evaluation.measures.leaderboard_scenarios import (
    ANSWERED_SCENARIO,
    OFFICIAL_SCENARIO,
    ORGANISM_FILTERED_ANSWERED_SCENARIO,
    ORGANISM_FILTERED_SCENARIO,
    SWISSPROT_SCENARIO,
    organism_scenario_name,
)
from evaluation.scoring.models import Score
from tests.integration.archive_cast import (
    GN_FIRST,
    beta,
    extract_archive_files,
    play_challenge,
    write_challenge_archive,
)

pytestmark = pytest.mark.django_db
TASK_FOLDERS = ("training/ACT", "training/GN")


@pytest.fixture
def challenge(olga, team, alice, django_user_model):
    return play_challenge(olga, team, alice, *beta(django_user_model))


def read_zip_files(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_it_writes_the_same_bytes_of_the_same_challenge(challenge, tmp_path):
    first, second = (
        write_challenge_archive(challenge, tmp_path / "a.zip"),
        write_challenge_archive(challenge, tmp_path / "b.zip"),
    )
    assert first.read_bytes() == second.read_bytes()


def test_it_lists_every_file_with_its_checksum(challenge, tmp_path):
    files = read_zip_files(write_challenge_archive(challenge, tmp_path / "a.zip"))
    told = json.loads(files.pop("manifest.json"))["files"]
    assert {name: sha256(content).hexdigest() for name, content in files.items()} == {
        name: own["sha256"] for name, own in told.items()
    }
    assert {
        *("README.md", "challenge.json", "training/articles.tsv", "training/GN/gold.tsv", "training/GN/organisms.tsv"),
        *("training/GN/swissprot.txt", "training/GN/scores.json", "training/GN/runs/001-first-b.tsv"),
        *("training/GN/results/001-first-b.jsonl", "training/GN/times/003-online.tsv", "boards/training-GN.html"),
        *("boards/index.html", "boards/training-ACT.json", "boards/training-GN-all.csv"),
    } <= files.keys()
    assert files["training/GN/uploads/001-first-b/First_b_.tsv"] == GN_FIRST


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


def test_it_is_scored_again_to_the_same_digits_without_the_site(challenge, tmp_path):
    folder = extract_archive_files(write_challenge_archive(challenge, tmp_path / "a.zip"), tmp_path / "archive")
    commands = re.findall(r"^    python (-m evaluation .*)$", (folder / "README.md").read_text(), re.M)
    told = {place: json.loads((folder / place / "scores.json").read_text()) for place in TASK_FOLDERS}
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


def run_alone(command, folder):
    """What a command of the README prints, without the settings and the database of the site."""
    kept = {name: own for name, own in os.environ.items() if name in {"PATH", "LANG", "HOME", "LD_LIBRARY_PATH"}}
    env = kept | {"PYTHONPATH": str(settings.BASE_DIR)}
    done = subprocess.run(
        f"{sys.executable} {command}", shell=True, cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


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
    ours = {frozenset((stem(own["a"]), stem(own["b"]))): own["p"] for own in board["pairs"]}
    assert {frozenset((own["a"][4:], own["b"][4:])): own["p"] for own in printed["pairs"]} == ours


def stem(name):
    return slugify(name)


def test_it_has_the_scores_as_they_are_stored(challenge, tmp_path):
    files = read_zip_files(write_challenge_archive(challenge, tmp_path / "a.zip"))
    every = [own for place in TASK_FOLDERS for own in json.loads(files[f"{place}/scores.json"])["scores"]]
    stored = Score.objects.order_by("run__task", "pk")
    assert [(own["scenario"], own["figures"], own["intervals"], own["signature"]) for own in every] == [
        (own.scenario, own.figures, own.intervals, own.signature) for own in stored
    ]
    assert all(own["up_to_date"] for own in every)


def test_it_writes_by_the_command_and_says_what_is_missing(challenge, tmp_path, capsys):
    call_command("export_challenge", "example", str(tmp_path / "example.zip"))
    assert "Example challenge" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["example.zip"]
    with pytest.raises(CommandError, match="There is no challenge other; choose one of: example"):
        call_command("export_challenge", "other", str(tmp_path / "b.zip"))
    with pytest.raises(CommandError, match="cannot be written: No such file or directory"):
        call_command("export_challenge", "example", str(tmp_path / "nowhere" / "b.zip"))


def test_its_pages_need_nothing_else_and_take_names_as_text(challenge, tmp_path):
    files = read_zip_files(write_challenge_archive(challenge, tmp_path / "a.zip"))
    pages = {name: content.decode() for name, content in files.items() if name.endswith(".html")}
    assert len(pages) == 4
    for page in pages.values():
        assert not re.search(r"<script|<link|<img|url\(|@import", page)
        named = set(re.findall(r'(?:src|href)="([^"#]+)"', page))
        assert {f"boards/{name}" for name in named} <= files.keys()
        assert "prefers-color-scheme: dark" in page
    assert "First &lt;b&gt;" in pages["boards/training-GN.html"] and "First <b>" not in pages["boards/training-GN.html"]

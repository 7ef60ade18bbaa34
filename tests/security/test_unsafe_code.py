"""Programs that look for unsafe code find nothing but what is known and right as it is."""

import json
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BASELINE = tomllib.loads((Path(__file__).parent / "bandit_baseline.toml").read_text())
EXPLAINED = {(rule, name): number for rule, entry in BASELINE.items() for name, number in entry["files"].items()}
CODE = ["annotations/", "bcms/", "evaluation/", "servers/", "tools/", "manage.py"]


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("root", CODE)
def test_bandit_finds_exactly_what_the_baseline_explains(root):
    report = json.loads(run(sys.executable, "-m", "bandit", "-q", "-f", "json", "-r", root).stdout)

    found = Counter((each["test_id"], each["filename"].removeprefix("./")) for each in report["results"])
    assert report["errors"] == []
    assert found == {place: number for place, number in EXPLAINED.items() if place[1].startswith(root)}


def test_the_baseline_names_only_this_code_and_says_why():
    assert all(name.startswith(tuple(CODE)) for _, name in EXPLAINED)
    assert all(entry["reason"] for entry in BASELINE.values())


def list_shell_scripts():
    tracked = run("git", "ls-files").stdout.splitlines()
    texts = {name: (ROOT / name).read_bytes()[:100] for name in tracked if (ROOT / name).is_file()}
    return [name for name, text in texts.items() if text.startswith(b"#!") and b"sh" in text.splitlines()[0]]


def test_shellcheck_finds_nothing():
    scripts = list_shell_scripts()
    program = Path(sys.executable).with_name("shellcheck")

    assert ".ci/run" in scripts
    assert run(str(program), *scripts).stdout == ""

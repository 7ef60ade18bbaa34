"""README.md says what is true: its layout, its commands, the files it names and the code it shows."""

import ast
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from annotations.kinds import Finding, Kind
from bcms.lib.version import VERSION
from servers.kit.articles import KitArticle

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
# A file or folder below the project's root; what begins with a slash is an address of the site.
PATH = re.compile(r"`((?:[a-z_]+/)+(?:[a-z_]+\.py)?|[A-Za-z_-]+\.(?:py|md|txt|toml|yml))`")
MADE_BY_THE_READER = {"mine.py"}


def section(title):
    return README.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def ignored():
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    return [line.strip("/") for line in lines]


def test_it_lists_exactly_what_lies_at_the_top():
    listed = re.findall(r"^    (\S+)  ", section("What is where"), re.M)
    there = {
        f"{path.name}/" if path.is_dir() else path.name
        for path in ROOT.iterdir()
        if not any(fnmatch(path.name, pattern) for pattern in ignored())
    }
    hidden = {name for name in there if name.startswith(".")} - {".ci/"}
    assert set(listed) == there - hidden
    assert len(listed) == len(set(listed))


def test_it_names_commands_that_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = set(re.findall(r"(?:`|^    )make ([a-z-]+)", README, re.M))
    assert {"demo", "test"} <= named <= targets


def test_it_names_files_that_exist():
    named = set(PATH.findall(README)) - MADE_BY_THE_READER
    assert len(named) > 20
    assert sorted(path for path in named if not (ROOT / path).exists()) == []


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#:]+)\)", README))
def test_it_links_to_what_is_there(target):
    assert (ROOT / target).is_file()


def test_its_server_annotates():
    [source] = re.findall(r"```python\n(.*?)```", README, re.S)
    assert len([line for line in source.splitlines() if line.strip()]) <= 10
    tree = ast.parse(source)
    start = tree.body.pop()
    assert ast.unparse(start) == "serve(annotate, port=9000)"
    names = {}
    exec(compile(tree, "README.md", "exec"), names)
    text = "Loss of TNF\nIt is lost."
    found = list(names["annotate"](KitArticle("1", 1, "Loss of TNF", "It is lost.", text)))
    assert found == [Finding(Kind.MENTION, start=8, end=11, text="TNF", confidence=0.9)]


def test_the_changelog_tells_of_this_version():
    assert f"\n## {VERSION}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_it_has_a_license():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text

"""The documents are true: the layout, the commands, the files they name and the code they show."""

import ast
import re
import shlex
from fnmatch import fnmatch
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import get_commands
from django.urls import resolve

from annotations.schema import AnnotationData, Kind
from bcms.lib.version import VERSION
from evaluation.__main__ import load_command
from servers.kit.__main__ import build_parser as build_kit_parser
from servers.kit.articles import KitArticle

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
README = DOCUMENTS[0].read_text(encoding="utf-8")
ALL_TEXT = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
COMMANDS = re.findall(r"^    (\S.*?)(?:  # .*)?$", ALL_TEXT.replace("\\\n", " "), re.M)
# A file or folder below the project's root; what begins with a slash is an address of the site.
PATH = re.compile(r"`((?:[a-z_]+/)+[\w.]*|[A-Za-z_-]+\.(?:py|md|txt|toml|yml))`")
# A file that the reader makes, and file names of roles, which are in every topic folder.
NO_PATHS = {"mine.py", "api.py", "reader.py", "urls.py", "views.py", "writer.py"}


def section(title):
    return README.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def list_ignored_paths():
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    return [line.strip("/") for line in lines]


def test_it_lists_exactly_what_lies_at_the_top():
    listed = re.findall(r"^    (\S+)  ", section("What is where"), re.M)
    there = {
        f"{path.name}/" if path.is_dir() else path.name
        for path in ROOT.iterdir()
        if not any(fnmatch(path.name, pattern) for pattern in list_ignored_paths())
    }
    hidden = {name for name in there if name.startswith(".")} - {".ci/"}
    assert set(listed) == there - hidden
    assert len(listed) == len(set(listed))


def test_it_names_commands_that_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    named = set(re.findall(r"(?:`|^    )make ([a-z-]+)", ALL_TEXT, re.M))
    assert {"demo", "dev", "test", "test-unit", "test-long"} <= named <= targets


def is_known(words: list[str]) -> bool:
    """Whether a documented command would start: its program, options and addresses exist."""
    match words:
        case ["make", target, *_]:
            return bool(re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
        case [".venv/bin/python", "-m", "evaluation", name, *options]:
            return bool(load_command(name)[1].parse_args(options))
        case ["python", "-m", "servers.kit", *options]:
            return bool(build_kit_parser().parse_args(options))
        case [".venv/bin/python", "-m", "pytest", file, *_]:
            return (ROOT / file).is_file()
        case ["curl", *options]:
            [url] = [each for each in options if each.startswith("http://127.0.0.1:8000/")]
            return bool(resolve(urlsplit(url).path))
    return False


def list_documented_commands() -> list[str]:
    programs = ("make ", "python ", ".venv/bin/python ", "curl ")
    return [line for line in COMMANDS if line.startswith(programs)]


@pytest.mark.parametrize("command", list_documented_commands())
def test_it_shows_commands_that_start(command):
    assert is_known(shlex.split(command))


def test_it_names_management_commands_that_exist():
    named = set(re.findall(r"`manage\.py (\w+)", ALL_TEXT))
    assert len(named) > 5
    assert named <= set(get_commands())


def test_it_names_files_that_exist():
    named = set(PATH.findall(ALL_TEXT)) - NO_PATHS
    assert len(named) > 60
    assert sorted(path for path in named if not (ROOT / path).exists()) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_it_links_to_what_is_there(document):
    targets = re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


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
    assert found == [AnnotationData(Kind.MENTION, start=8, end=11, text="TNF", confidence=0.5)]


def test_the_changelog_tells_of_this_version():
    assert f"\n## {VERSION}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_it_has_a_license():
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text

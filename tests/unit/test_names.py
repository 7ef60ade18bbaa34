"""Names are those of docs/glossary.md: no retired word is a name, and no retired phrase stands in a text."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.urls import URLPattern, get_resolver

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
APPS = ("annotations", "servers", "evaluation", "bcms")
PREPOSITIONS = {
    "of",
    "in",
    "by",
    "for",
    "at",
    "to",
    "from",
    "with",
    "on",
    "into",
    "about",
    "than",
    "as",
    "within",
    "between",
}
# Names that a framework or a protocol asks for, and serializers, whose names are part of the API's schema.
SERIALIZER_BASES = ("Serializer", "serializers.")
# Single-file programs that participants copy.
COPIED = ("servers/kit/starters/", "servers/kit/bcms.py")


def read_list(marker: str) -> list[str]:
    """The indented lines behind a marker of the glossary."""
    behind = GLOSSARY.split(f"<!-- {marker}", 1)[1].split("-->", 1)[1]
    lines = behind.lstrip("\n").split("\n")
    found = []
    for line in lines:
        if not line.startswith("    "):
            break
        found.append(line.strip())
    return found


RETIRED_PARTS = set(" ".join(read_list("retired-names")).split())
RETIRED_NAMES = set(" ".join(read_list("retired-whole-names")).split())
RETIRED_PHRASES = read_list("retired-phrases")


def split_name(name: str) -> list[str]:
    return [part.lower() for part in re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+", name)]


@cache
def list_sources() -> list[tuple[str, ast.Module]]:
    paths = [path for app in APPS for path in sorted((ROOT / app).rglob("*.py")) if "migrations" not in path.parts]
    named = [(str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]
    return [(name, tree) for name, tree in named if not name.startswith(COPIED)]


def is_serializer(node: ast.ClassDef) -> bool:
    return any(base in ast.unparse(each) for each in node.bases for base in SERIALIZER_BASES)


def iter_definitions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Functions and classes with those inside them; what is in a serializer belongs to the API."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not is_serializer(node):
            yield node
            yield from iter_definitions(node.body)
        elif isinstance(node, ast.FunctionDef):
            yield node


def list_names() -> list[tuple[str, str]]:
    """(where, name) of every module, function and class."""
    names = [(path, Path(path).stem) for path, _ in list_sources() if Path(path).stem != "__init__"]
    names += [(path, node.name) for path, tree in list_sources() for node in iter_definitions(tree.body)]
    return names


def list_css_classes() -> list[tuple[str, str]]:
    return [
        (path.name, name)
        for path in (ROOT / "static").glob("*.css")
        for name in re.findall(r"\.([a-z][\w-]*)", path.read_text(encoding="utf-8"))
    ]


def list_templates() -> list[tuple[str, str]]:
    return [(str(path.relative_to(ROOT)), path.stem.strip("_")) for path in (ROOT / "templates").rglob("*.html")]


def iter_url_names(resolver=None) -> Iterator[tuple[str, str]]:
    for pattern in (resolver or get_resolver()).url_patterns:
        if isinstance(pattern, URLPattern):
            yield str(pattern.pattern), pattern.name or ""
        else:
            yield from iter_url_names(pattern)


@pytest.mark.parametrize("list_all", [list_names, list_css_classes, list_templates, lambda: list(iter_url_names())])
def test_no_retired_word_is_a_name(list_all):
    names = list_all()
    assert len(names) > 30
    wrong = [
        (where, name)
        for where, name in names
        if name in RETIRED_NAMES or RETIRED_PARTS.intersection(split_name(name)) or name.lower() in RETIRED_PARTS
    ]
    assert wrong == []


def test_no_function_ends_in_a_preposition():
    functions = [(path, node.name) for path, tree in list_sources() for node in iter_definitions(tree.body)]
    allowed = {"log_in", "opt_in"}
    assert [
        (path, name)
        for path, name in functions
        if split_name(name)[-1:] and split_name(name)[-1] in PREPOSITIONS - {""} and name not in allowed
    ] == []


def test_few_functions_share_a_name():
    """Roles have one name in every folder (`add_arguments`, `main`); everything else has a name of its own."""
    functions = Counter(
        node.name
        for path, tree in list_sources()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and not path.endswith("__main__.py")
    )
    shared = {name: number for name, number in functions.items() if number > 1}
    assert sum(shared.values()) / sum(functions.values()) < 0.03, shared


def test_classes_have_names_of_their_own():
    roles = {"Command", "Migration"}
    classes = Counter(node.name for _, tree in list_sources() for node in tree.body if isinstance(node, ast.ClassDef))
    assert {name for name, number in classes.items() if number > 1} - roles == set()


def list_texts() -> list[tuple[str, str]]:
    """Pages, scripts, documents and the strings of the code, with one space between words."""
    files = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "templates").rglob("*.txt"), *ROOT.glob("*.md")]
    files += [path for path in (ROOT / "docs").rglob("*.md") if path.name != "glossary.md"]
    texts = [(str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in files]
    for path, tree in list_sources():
        strings = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        texts.append((path, "\n".join(strings)))
    return [(where, re.sub(r"\s+", " ", text)) for where, text in texts]


def test_no_retired_phrase_stands_in_a_text():
    wrong = [
        (where, phrase)
        for where, text in list_texts()
        for phrase in RETIRED_PHRASES
        if re.search(rf"\b{re.escape(phrase)}\b", text, re.I)
    ]
    assert wrong == []
